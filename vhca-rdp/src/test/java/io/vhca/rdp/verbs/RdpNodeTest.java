package io.vhca.rdp.verbs;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Context;
import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.rdp.Drivers;
import io.vhca.rdp.common.RdpConfig;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class RdpNodeTest {
    /** The same device, but that one call of it fails. */
    private static Context full(final Context context, final String call) {
        return (Context) Proxy.newProxyInstance(
                Context.class.getClassLoader(), new Class<?>[] {Context.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals(call)) {
                        throw new VerbsException(call, Errno.ENOMEM, "soft1", "it has no more");
                    }
                    return method.invoke(context, arguments);
                });
    }

    /** Else the device cannot be closed. */
    @Test
    void whereNoNodeCanBeMadeNothingIsKept() {
        try (Drivers drivers = new Drivers()) {
            final Context context = drivers.context(1);
            for (final String call : List.of("createCompChannel", "createCq")) {
                assertThatThrownBy(() ->
                                new RdpNode(full(context, call), RdpConfig.DEFAULT, new SplittableRandom(1), 0))
                        .hasMessageContaining(call);
            }
        }
    }
}
