package io.vhca.disni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Context;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class OpenDeviceTest {
    /** Nobody else has the context, and a bond is opened once in a process. */
    @Test
    void aDeviceThatFailsWhenItIsAskedWhatItIsIsClosed() {
        final List<String> calls = new ArrayList<>();
        final Context context = (Context) Proxy.newProxyInstance(
                Context.class.getClassLoader(), new Class<?>[] {Context.class}, (proxy, method, args) -> {
                    calls.add(method.getName());
                    if (method.getName().equals("queryDevice")) {
                        throw new IllegalStateException("planted");
                    }
                    return null;
                });
        assertThatThrownBy(() -> new OpenDevice(new HandleTable(), context)).hasMessage("planted");
        assertThat(calls).containsExactly("queryDevice", "close");
    }
}
