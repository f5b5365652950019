package io.vhca.rdp.nio;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.channels.SelectableChannel;
import java.nio.channels.spi.SelectorProvider;

/**
 * The provider that the JDK would have used, and what only its own selector can do with its channels. Both are in a
 * package of the JDK that is exported by a flag. Any thread.
 */
final class NativeProvider {
    private static final String FLAG = "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED";

    private final SelectorProvider provider;
    private final Method kill;
    private final Class<?> ownChannel;

    NativeProvider() {
        try {
            provider = (SelectorProvider) Class.forName("sun.nio.ch.DefaultSelectorProvider")
                    .getMethod("get")
                    .invoke(null);
            ownChannel = Class.forName("sun.nio.ch.SelChImpl");
            kill = ownChannel.getMethod("kill");
        } catch (final ReflectiveOperationException e) {
            throw new IllegalStateException(
                    "RdpSelectorProvider cannot reach the default provider: start the JVM with " + FLAG, e);
        }
    }

    SelectorProvider get() {
        return provider;
    }

    /**
     * Gives up the descriptor of a channel that was closed while a selector had it. The JDK's selector does so when it
     * drops the last key; where another one's key goes last, nobody else would.
     */
    void release(final SelectableChannel channel) throws IOException {
        if (channel.isOpen() || channel.isRegistered() || !ownChannel.isInstance(channel)) {
            return;
        }
        try {
            kill.invoke(channel);
        } catch (final InvocationTargetException e) {
            throw new IOException("a closed channel was not given up", e.getCause());
        } catch (final IllegalAccessException e) {
            throw new IllegalStateException("start the JVM with " + FLAG, e);
        }
    }
}
