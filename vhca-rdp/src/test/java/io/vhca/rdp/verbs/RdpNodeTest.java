package io.vhca.rdp.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Context;
import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.rdp.Drivers;
import io.vhca.rdp.common.RdpConfig;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class RdpNodeTest {
    private int channelsOpen;

    /** The same device, but that one call of it, or of its event channels, fails. */
    private Context full(final Context context, final String call) {
        return (Context) Proxy.newProxyInstance(
                Context.class.getClassLoader(), new Class<?>[] {Context.class}, (proxy, method, arguments) -> {
                    fail(method.getName(), call);
                    final Object answer = method.invoke(context, arguments);
                    return answer instanceof final CmEventChannel channel ? full(channel, call) : answer;
                });
    }

    private CmEventChannel full(final CmEventChannel channel, final String call) {
        channelsOpen++;
        return (CmEventChannel) Proxy.newProxyInstance(
                CmEventChannel.class.getClassLoader(),
                new Class<?>[] {CmEventChannel.class},
                (proxy, method, arguments) -> {
                    fail(method.getName(), call);
                    if (method.getName().equals("close")) {
                        channelsOpen--;
                    }
                    return method.invoke(channel, arguments);
                });
    }

    private static void fail(final String called, final String call) {
        if (called.equals(call)) {
            throw new VerbsException(call, Errno.ENOMEM, "soft1", "it has no more");
        }
    }

    /** Else the device cannot be closed. */
    @Test
    void whereNoNodeCanBeMadeNothingIsKept() {
        try (Drivers drivers = new Drivers()) {
            final Context context = drivers.context(1);
            for (final String call : List.of("createCompChannel", "createCq", "createEventChannel", "createId")) {
                assertThatThrownBy(() ->
                                new RdpNode(full(context, call), RdpConfig.DEFAULT, new SplittableRandom(1), 0))
                        .hasMessageContaining(call);
                assertThat(channelsOpen).as(call).isZero();
            }
        }
    }
}
