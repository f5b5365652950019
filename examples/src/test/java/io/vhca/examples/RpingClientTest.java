package io.vhca.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Context;
import io.vhca.api.Errno;
import io.vhca.api.MemoryRegion;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmId;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RpingClientTest {
    private int regions;
    private int most;

    /** Something of a device that has room for a few memory regions; what it makes is of the same kind. */
    private <T> T of(final Class<T> type) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> call(type, method)));
    }

    private @Nullable Object call(final Class<?> type, final Method method) {
        if (method.getReturnType() == MemoryRegion.class) {
            if (regions == most) {
                throw new VerbsException("regMr", Errno.ENOMEM, "stub", "it has no more");
            }
            regions++;
        } else if (type == MemoryRegion.class && method.getName().equals("close")) {
            regions--;
        }
        return made(method.getReturnType());
    }

    private @Nullable Object made(final Class<?> type) {
        if (type == int.class) {
            return 1;
        }
        return type == long.class ? (Object) 1L : type.isInterface() ? of(type) : type == String.class ? "stub" : null;
    }

    /** Else the device cannot be closed. */
    @Test
    void whereItsMemoryIsNotRegisteredNothingIsKept() {
        final CmEvents events = new CmEvents(of(CmEventChannel.class));
        most = 2;
        try (RdmaConnection connection = RdmaConnection.accept(of(Context.class), events, of(CmId.class), 64)) {
            assertThat(regions).isEqualTo(1);
            assertThatThrownBy(() -> new RpingClient(connection, 64)).hasMessageContaining("it has no more");
            assertThat(regions).isEqualTo(1);
        }
        assertThat(regions).isZero();
    }
}
