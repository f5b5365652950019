package io.vhca.rdp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.api.Errno;
import io.vhca.api.MemoryRegion;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.physical.soft.SoftConfig;
import io.vhca.physical.soft.SoftDevice;
import io.vhca.rdp.access.AccessControl;
import io.vhca.rdp.common.RdpConfig;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The end of a driver whose device refuses something, or that other threads use meanwhile. */
class DriverCloseTest {
    private static final int LENGTH = 4_096;
    private static final int MOST_LOOKS = 100_000;

    private static final Set<Class<?>> TOLD =
            Set.of(CompletionQueue.class, ProtectionDomain.class, MemoryRegion.class, CmEventChannel.class);

    /** Told before something of the device is closed. */
    private interface Closing {
        void of(Class<?> type);
    }

    private static Context device() {
        return SoftDevice.overUdp(new SoftConfig("soft1", Drivers.own(1), 4096)).open();
    }

    private static RdpDriver open(final Context context, final Closing closing) {
        return RdpDriver.open(telling(Context.class, context, closing), RdpConfig.DEFAULT, AccessControl.NONE);
    }

    /** The same; what it makes tells that it is closed. */
    private static <T> T telling(final Class<T> type, final T real, final Closing closing) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (method.getName().equals("close")) {
                        closing.of(type);
                    }
                    try {
                        final Object made = method.invoke(real, arguments);
                        return TOLD.contains(method.getReturnType())
                                ? again(method.getReturnType(), made, closing)
                                : made;
                    } catch (final InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    private static <T> Object again(final Class<T> type, final Object made, final Closing closing) {
        return telling(type, type.cast(made), closing);
    }

    private static MemorySegment offered(final RdpDriver driver, final Arena arena) {
        final MemorySegment memory = arena.allocate(LENGTH, 64);
        new RdpDirected(driver.bind(0)).receive(memory, new InetSocketAddress(driver.address(), 9), 7);
        return memory;
    }

    /** Else the device can never be closed. */
    @ParameterizedTest
    @ValueSource(classes = {CompletionQueue.class, ProtectionDomain.class, MemoryRegion.class, CmEventChannel.class})
    void whatTheDeviceDoesNotTakeBackIsTriedAgain(final Class<?> refused) {
        final List<Class<?>> refusals = new ArrayList<>(List.of(refused));
        try (Context context = device(); Arena arena = Arena.ofShared()) {
            final RdpDriver driver = open(context, type -> {
                if (refusals.remove(type)) {
                    throw new VerbsException("destroy", Errno.EBUSY, type.getSimpleName(), "not now");
                }
            });
            offered(driver, arena);
            assertThatThrownBy(driver::close).hasMessageContaining(refused.getSimpleName());
            driver.close();
            driver.close();
        }
    }

    @Test
    void whoForgetsMemoryWhileADriverIsClosedDoesNotDisturbThat() throws Exception {
        try (Context context = device(); Arena arena = Arena.ofShared()) {
            final List<FutureTask<Boolean>> others = new ArrayList<>();
            final List<Runnable> meanwhile = new ArrayList<>();
            final RdpDriver driver = open(context, type -> {
                if (type == MemoryRegion.class && !meanwhile.isEmpty()) {
                    final FutureTask<Boolean> other = new FutureTask<>(meanwhile.removeFirst(), true);
                    others.add(other);
                    Thread.ofPlatform().daemon().start(other);
                    for (int look = 0; look < MOST_LOOKS && !other.isDone(); look++) {
                        Thread.yield();
                    }
                }
            });
            final MemorySegment memory = offered(driver, arena);
            meanwhile.add(() -> driver.forget(memory));
            driver.close();
            assertThat(others).hasSize(1);
            assertThat(others.getFirst().get(60, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void aDriverThatIsClosedHasForgottenAllAndDoesNotChange() {
        try (Context context = device(); Arena arena = Arena.ofShared()) {
            final RdpDriver driver = open(context, type -> {});
            final MemorySegment memory = offered(driver, arena);
            driver.close();
            driver.forget(memory);
            assertThat(driver.status().sockets()).isEmpty();
            assertThatThrownBy(() -> driver.change("MinRecovery=10"))
                    .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL))
                    .hasMessageContaining("the driver is closed");
        }
    }
}
