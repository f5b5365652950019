package io.vhca.harness.bond;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.api.Context;
import io.vhca.api.Mtu;
import io.vhca.api.PortAttributes;
import io.vhca.api.PortState;
import io.vhca.api.VerbsException;
import io.vhca.api.WcStatus;
import io.vhca.bond.BondContext;
import io.vhca.bond.BondDevice;
import io.vhca.bond.config.AuthKeyFile;
import io.vhca.bond.config.BondConfig;
import io.vhca.bond.config.BondOption;
import io.vhca.bond.config.PrimaryReselect;
import io.vhca.bond.core.MemberStatus;
import io.vhca.physical.soft.SoftDevice;
import io.vhca.recovery.Journal;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a bond takes for up and for active: downdelay, min_links, primary_reselect; time goes by hand. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LinkMonitorTest {
    private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);

    private final SoftDevice first = SoftBonds.soft("monitor-a", 111);
    private final SoftDevice second = SoftBonds.soft("monitor-b", 112);

    private BondContext open(
            final Context one, final Context other, final UnaryOperator<BondConfig.Builder> change) {
        final BondConfig config = change.apply(BondConfig.builder("bond-m")
                        .members(List.of(first.name(), second.name()))
                        .miimonNs(MS))
                .build();
        return new BondContext(
                new BondDevice(config), config, List.of(one, other), Journal.NONE, new SplittableRandom(1));
    }

    private static MemberStatus member(final BondContext bond, final int index) {
        return bond.admin().members().get(index);
    }

    @Test
    void optionsThatAreChangedCountAtOnce() {
        try (BondContext bond = open(first.open(), second.open(), builder -> builder.miimonNs(10_000 * MS))) {
            bond.doWork(0);
            assertThat(member(bond, 0).active()).isTrue();
            bond.admin().set(List.of("primary=" + second.name()));
            bond.doWork(MS);
            assertThat(member(bond, 1).active()).isTrue();

            bond.admin().activate(first.name());
            bond.doWork(2 * MS);
            assertThat(member(bond, 0).active()).as("an operator's word counts more than an older primary").isTrue();
            bond.admin().set(List.of("updelay=1s"));
            bond.doWork(3 * MS);
            assertThat(member(bond, 0).active()).isTrue();
            bond.admin().set(List.of("primary=none", "primary_reselect=failure"));
            bond.admin().set(List.of("primary=" + second.name()));
            bond.doWork(4 * MS);
            assertThat(member(bond, 0).active()).as("only when it fails").isTrue();

            second.setPortUp(false);
            bond.admin().set(List.of("miimon=1ms", "downdelay=5ms"));
            bond.doWork(5 * MS);
            bond.doWork(9 * MS);
            assertThat(member(bond, 1).up()).isTrue();
            bond.doWork(10 * MS);
            assertThat(member(bond, 1).up()).as("looked at in time").isFalse();

            assertThat(event(bond)).isNull();
            bond.admin().set(List.of("min_links=2"));
            assertThat(event(bond)).isEqualTo(AsyncEventType.PORT_ERR);
            bond.admin().set(List.of("min_links=1"));
            assertThat(event(bond)).isEqualTo(AsyncEventType.PORT_ACTIVE);
        }
    }

    /** A value that is allowed and no default, for each option that changes while the bond is open. */
    private Map<BondOption<?>, String> liveValues(final Path keyFile) {
        return Map.ofEntries(
                Map.entry(BondOption.AUTH_KEY_FILE, keyFile.toString()),
                Map.entry(BondOption.UNPROTECTED, "allow"),
                Map.entry(BondOption.PRIMARY, second.name()),
                Map.entry(BondOption.PRIMARY_RESELECT, "better"),
                Map.entry(BondOption.ACTIVE_SLAVE, second.name()),
                Map.entry(BondOption.XMIT_HASH_POLICY, "src-dst-port"),
                Map.entry(BondOption.MIIMON, "7ms"),
                Map.entry(BondOption.UPDELAY, "8ms"),
                Map.entry(BondOption.DOWNDELAY, "9ms"),
                Map.entry(BondOption.MIN_LINKS, "2"),
                Map.entry(BondOption.DETECT, "hardware"),
                Map.entry(BondOption.DETECT_MIN, "20ms"),
                Map.entry(BondOption.STANDBY, "warm"),
                Map.entry(BondOption.STANDBY_MAX, "7"),
                Map.entry(BondOption.TRACE, "off,post=detail"),
                Map.entry(BondOption.STATE_INTERVAL, "1s"),
                Map.entry(BondOption.MEMORY_TRACE, "site"),
                Map.entry(BondOption.LEAKS, "report"),
                Map.entry(BondOption.DUMP_ON, "failed"),
                Map.entry(BondOption.STUCK_MS, "50"),
                Map.entry(BondOption.HEALTH, "path.auto_dump=true"));
    }

    @Test
    void eachOptionIsChangedWhileTheBondIsOpenOrRefusedWithTheReason(@TempDir final Path directory) throws IOException {
        final Path file = directory.resolve("key");
        final Path otherFile = directory.resolve("other-key");
        AuthKeyFile.create(file, new SplittableRandom(1));
        AuthKeyFile.create(otherFile, new SplittableRandom(2));
        final Map<BondOption<?>, String> liveValues = liveValues(otherFile);
        try (BondContext bond = open(
                first.open(), second.open(),
                builder -> builder.set(BondOption.AUTH_KEY_FILE, Optional.of(file.toString())))) {
            bond.doWork(0);
            assertThat(member(bond, 0).active()).isTrue();
            for (final BondOption<?> option : BondOption.all()) {
                final String value = liveValues.get(option);
                final String key = option.name().replace("ADDRESS", "10.0.0.1");
                assertThat(option.isLive()).as(key).isEqualTo(value != null);
                if (value == null) {
                    assertThatThrownBy(() -> bond.admin().set(List.of("updelay=1s", key + "=1")))
                            .isInstanceOf(VerbsException.class)
                            .hasMessageEndingWith(
                                    key + " does not change while the bond is open: " + option.fixedBecause());
                } else {
                    bond.admin().set(List.of(key + "=" + value));
                    assertThat(option == BondOption.ACTIVE_SLAVE ? value : option.print(bond.admin().config()))
                            .isEqualTo(value);
                }
            }
            assertThat(member(bond, 1).active()).isTrue();
            assertThat(bond.admin().config().updelayNs()).as("none where one is wrong").isEqualTo(8 * MS);
        }
    }

    private static @Nullable AsyncEventType event(final BondContext bond) {
        final AsyncEvent event = bond.getAsyncEvent(0);
        return event == null ? null : event.type();
    }

    @Test
    void aPortCountsAsDownOnlyAfterDowndelay() {
        try (BondContext bond = open(first.open(), second.open(), builder -> builder.downdelayNs(100 * MS))) {
            bond.doWork(0);
            first.setPortUp(false);
            bond.doWork(10 * MS);
            bond.doWork(60 * MS);
            bond.doWork(109 * MS);
            assertThat(member(bond, 0).up()).isTrue();

            first.setPortUp(true);
            bond.doWork(109 * MS + MS);
            first.setPortUp(false);
            bond.doWork(120 * MS);
            bond.doWork(170 * MS);
            bond.doWork(219 * MS);
            assertThat(member(bond, 0).up()).as("down for 99 ms, after a while up").isTrue();
            assertThat(member(bond, 0).failures()).isZero();

            bond.doWork(220 * MS);
            assertThat(member(bond, 0).up()).isFalse();
            assertThat(member(bond, 0).failures()).isOne();
            assertThat(member(bond, 1).active()).isTrue();
        }
    }

    @Test
    void withoutDowndelayItIsDownAtOnce() {
        try (BondContext bond = open(first.open(), second.open(), UnaryOperator.identity())) {
            bond.doWork(0);
            first.setPortUp(false);
            bond.doWork(2 * MS);
            assertThat(member(bond, 0).up()).isFalse();
        }
    }

    @Test
    void theBondsPortNeedsMinLinks() {
        try (BondContext bond = open(first.open(), second.open(), builder -> builder.minLinks(2))) {
            bond.doWork(0);
            assertThat(bond.queryPort(1).state()).isEqualTo(PortState.ACTIVE);
            first.setPortUp(false);
            bond.doWork(2 * MS);
            assertThat(bond.queryPort(1).state()).isEqualTo(PortState.DOWN);
            assertThat(event(bond)).isEqualTo(AsyncEventType.PORT_ERR);
            second.setPortUp(false);
            bond.doWork(4 * MS);
            second.setPortUp(true);
            bond.doWork(6 * MS);
            assertThat(event(bond)).as("one of two is up").isNull();
            first.setPortUp(true);
            bond.doWork(8 * MS);
            assertThat(event(bond)).isEqualTo(AsyncEventType.PORT_ACTIVE);
            assertThat(bond.queryPort(1).state()).isEqualTo(PortState.ACTIVE);
        }
    }

    @Test
    void aPrimaryTakesOverAgainWhereItsPolicySaysSo() {
        assertThat(activeAfterReturn(PrimaryReselect.ALWAYS, 10_000, 25_000)).isEqualTo("monitor-a");
        assertThat(activeAfterReturn(PrimaryReselect.FAILURE, 25_000, 10_000)).isEqualTo("monitor-b");
        assertThat(activeAfterReturn(PrimaryReselect.BETTER, 25_000, 10_000)).isEqualTo("monitor-a");
        assertThat(activeAfterReturn(PrimaryReselect.BETTER, 10_000, 25_000)).isEqualTo("monitor-b");
        assertThat(activeAfterReturn(PrimaryReselect.BETTER, 10_000, 10_000)).isEqualTo("monitor-b");
    }

    /** Links that come up at another speed than before are seen at the next look, without a word from the device. */
    @Test
    void aSpeedThatChangedDecidesFromTheNextLookOn() {
        final AtomicInteger mbps = new AtomicInteger(10_000);
        try (BondContext bond = open(
                withSpeed(first.open(), mbps::get),
                withSpeed(second.open(), () -> 25_000),
                builder -> builder.primary(first.name()).primaryReselect(PrimaryReselect.BETTER))) {
            bond.doWork(0);
            first.setPortUp(false);
            bond.doWork(2 * MS);
            first.setPortUp(true);
            bond.doWork(4 * MS);
            bond.doWork(6 * MS);
            assertThat(member(bond, 1).active()).as("the slower one stays out").isTrue();
            mbps.set(40_000);
            bond.doWork(8 * MS);
            bond.doWork(10 * MS);
            assertThat(member(bond, 0).active()).isTrue();
            assertThat(bond.queryPort(1).activeSpeedMbps()).isEqualTo(25_000);
        }
    }

    /** A connection whose GID is not where it was finds that out, and goes on. */
    @Test
    void aConnectionGoesOnWhenTheGidOfItsMemberMovesInItsTable() {
        try (BondPair pair = new BondPair(builder -> builder)) {
            pair.left.send();
            pair.left.devices[0].moveGid(2);
            pair.left.send();
            assertThat(pair.runUntil(() -> pair.left.sends.size() == 2, 1_000 * MS)).isTrue();
            assertThat(pair.left.sends).containsOnly(WcStatus.SUCCESS);
            assertThat(pair.left.failovers()).hasSize(1);
            assertThat(pair.right.received).isEqualTo(2);
        }
    }

    /** What a bond says of its MTU fits through every member. */
    @Test
    void theMtuIsTheLeastOfTheMembersAndFollowsThem() {
        try (BondPair pair = new BondPair(builder -> builder)) {
            assertThat(pair.left.bond.queryPort(1).activeMtu()).isEqualTo(Mtu.MTU_1024);
            pair.left.devices[1].setMtu(Mtu.MTU_512);
            assertThat(pair.left.bond.queryPort(1).activeMtu()).isEqualTo(Mtu.MTU_512);
            pair.left.devices[1].setMtu(Mtu.MTU_4096);
            assertThat(pair.left.bond.queryPort(1).activeMtu()).isEqualTo(Mtu.MTU_1024);
        }
    }

    /** Which member is active after the primary, the first, went down and came back. */
    private String activeAfterReturn(final PrimaryReselect policy, final int firstMbps, final int secondMbps) {
        try (BondContext bond = open(
                withSpeed(first.open(), () -> firstMbps),
                withSpeed(second.open(), () -> secondMbps),
                builder -> builder.primary(first.name()).primaryReselect(policy))) {
            bond.doWork(0);
            assertThat(member(bond, 0).active()).isTrue();
            first.setPortUp(false);
            bond.doWork(2 * MS);
            assertThat(member(bond, 1).active()).isTrue();
            first.setPortUp(true);
            bond.doWork(4 * MS);
            bond.doWork(6 * MS);
            return bond.admin().members().stream()
                    .filter(MemberStatus::active)
                    .findFirst()
                    .orElseThrow()
                    .name();
        }
    }

    /** The device with a port of that speed. */
    private static Context withSpeed(final Context device, final IntSupplier mbps) {
        return (Context) Proxy.newProxyInstance(
                Context.class.getClassLoader(), new Class<?>[] {Context.class}, (proxy, method, arguments) -> {
                    final Object result;
                    try {
                        result = method.invoke(device, arguments);
                    } catch (final InvocationTargetException e) {
                        throw e.getCause() == null ? e : e.getCause();
                    }
                    return result instanceof PortAttributes port
                            ? new PortAttributes(
                                    port.state(), port.maxMtu(), port.activeMtu(), port.gidTblLen(),
                                    port.pkeyTblLen(), port.maxMsgSz(), port.lid(), port.linkLayer(), mbps.getAsInt())
                            : result;
                });
    }
}
