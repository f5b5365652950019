package io.vhca.harness.bond;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.AtomicCapability;
import io.vhca.api.Context;
import io.vhca.api.DeviceAttributes;
import io.vhca.api.Errno;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.VerbsException;
import io.vhca.bond.config.AtomicsMode;
import io.vhca.bond.config.BondConfig;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A bond promises what its weakest member can hold, and nothing more is to be had. Virtual time. */
class LimitsTest {
    /** A pair whose left members say of themselves what these make of what they are. */
    private static DeviceAttributes promised(final List<UnaryOperator<DeviceAttributes>> members) {
        final List<UnaryOperator<DeviceAttributes>> left = new ArrayList<>(members);
        try (BondPair pair = new BondPair(
                config -> config.atomics(AtomicsMode.NATIVE), device -> claiming(device, left.removeFirst()))) {
            return pair.left.bond.queryDevice();
        }
    }

    private static Context claiming(final Context device, final UnaryOperator<DeviceAttributes> claim) {
        return (Context) Proxy.newProxyInstance(
                Context.class.getClassLoader(), new Class<?>[] {Context.class}, (self, method, arguments) -> {
                    try {
                        final Object result = method.invoke(device, arguments);
                        return result instanceof DeviceAttributes own ? claim.apply(own) : result;
                    } catch (final InvocationTargetException e) {
                        throw e.getCause() == null ? e : e.getCause();
                    }
                });
    }

    /** The same attributes with half of one. */
    private static DeviceAttributes halved(final DeviceAttributes of, final String name) {
        try {
            final RecordComponent[] components = Objects.requireNonNull(DeviceAttributes.class.getRecordComponents());
            final Object[] values = new Object[components.length];
            for (int i = 0; i < values.length; i++) {
                values[i] = components[i].getAccessor().invoke(of);
                if (components[i].getName().equals(name)) {
                    values[i] = values[i] instanceof final Long number ? number / 2 : (Object) ((int) values[i] / 2);
                }
            }
            final Class<?>[] types =
                    Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
            final Constructor<DeviceAttributes> constructor = DeviceAttributes.class.getDeclaredConstructor(types);
            return constructor.newInstance(values);
        } catch (final ReflectiveOperationException e) {
            throw new AssertionError(name, e);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "maxMrSize", "maxQp", "maxQpWr", "maxSge", "maxCq", "maxCqe", "maxMr", "maxPd", "maxQpRdAtom",
        "maxQpInitRdAtom", "maxSrq", "maxSrqWr", "maxSrqSge", "maxInlineData"
    })
    void oneWeakMemberIsAsManyAsTheBondPromises(final String limit) {
        final UnaryOperator<DeviceAttributes> weak = of -> halved(of, limit);
        final UnaryOperator<DeviceAttributes> strong = of -> of;
        final DeviceAttributes oneWeak = promised(List.of(strong, weak));
        assertThat(oneWeak).isEqualTo(promised(List.of(weak, weak))).isEqualTo(promised(List.of(weak, strong)));
        assertThat(oneWeak).isNotEqualTo(promised(List.of(strong, strong)));
    }

    @Test
    void nativeAtomicsAreAsAtomicAsTheWeakestMembers() {
        final UnaryOperator<DeviceAttributes> none = of -> new DeviceAttributes(
                of.fwVer(), of.nodeGuid(), of.maxMrSize(), of.maxQp(), of.maxQpWr(), of.maxSge(), of.maxCq(),
                of.maxCqe(), of.maxMr(), of.maxPd(), of.maxQpRdAtom(), of.maxQpInitRdAtom(), AtomicCapability.NONE,
                of.maxAh(), of.maxSrq(), of.maxSrqWr(), of.maxSrqSge(), of.maxInlineData(), of.physPortCount());
        assertThat(promised(List.of(of -> of, of -> of)).atomicCap()).isEqualTo(AtomicCapability.HCA);
        assertThat(promised(List.of(of -> of, none)).atomicCap()).isEqualTo(AtomicCapability.NONE);
    }

    private static void refused(final org.assertj.core.api.ThrowableAssert.ThrowingCallable call, final String what) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL))
                .hasMessageContaining(what);
    }

    @Test
    void moreThanPromisedIsRefusedUpFrontAndNothingIsLeftOfIt() {
        try (BondPair pair = new BondPair(UnaryOperator.<BondConfig.Builder>identity())) {
            final DeviceAttributes most = pair.left.bond.queryDevice();
            refused(() -> pair.left.bond.createCq(most.maxCqe() + 1, null, null), "allowed is 1 to " + most.maxCqe());
            refused(() -> pair.left.cq.resize(most.maxCqe() + 1), "allowed is 1 to " + most.maxCqe());
            refused(() -> pair.left.cq.resize(0), "allowed is 1 to");
            for (final QpCapabilities asked : List.of(
                    new QpCapabilities(most.maxQpWr() + 1, 1, 1, 1, 0),
                    new QpCapabilities(1, most.maxQpWr() + 1, 1, 1, 0),
                    new QpCapabilities(1, 1, most.maxSge() + 1, 1, 0),
                    new QpCapabilities(1, 1, 1, most.maxSge() + 1, 0),
                    new QpCapabilities(1, 1, 1, 1, most.maxInlineData() + 1))) {
                refused(
                        () -> pair.left.pd.createQp(QpInitAttributes.rc(pair.left.cq, pair.left.cq, asked)),
                        "the least of the members' limits");
            }
            // The host closes its CQ and PD at the end, which EBUSY would not allow if anything were left.
        }
    }
}
