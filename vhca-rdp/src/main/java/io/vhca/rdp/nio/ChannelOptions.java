package io.vhca.rdp.nio;

import io.vhca.api.VerbsException;
import io.vhca.rdp.RdpSocket;
import java.io.IOException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The options of one channel. SO_SNDBUF and SO_RCVBUF are a socket's too; the others are UDP's, kept and of no effect
 * where there is no UDP. The owner holds its lock.
 */
final class ChannelOptions {
    private final Map<SocketOption<?>, Object> given = new HashMap<>();

    /**
     * Sets it of all that the channel has, of the UDP channel last: that refuses no size that sockets take.
     *
     * @throws IllegalArgumentException where that is no size; nothing has changed then
     * @throws VerbsException           where a socket is closed, or its driver is away; UDP has what it had then
     */
    <T> void set(final SocketOption<T> option, final T value, final @Nullable DatagramChannel udp,
            final RdpSocket[] sockets) throws IOException {
        for (final RdpSocket socket : sockets) {
            apply(socket, option, value);
        }
        if (udp != null) {
            udp.setOption(option, value);
        }
        given.put(option, value);
    }

    private static boolean isSize(final SocketOption<?> option) {
        return option.equals(StandardSocketOptions.SO_SNDBUF) || option.equals(StandardSocketOptions.SO_RCVBUF);
    }

    private static void apply(final RdpSocket socket, final SocketOption<?> option, final Object value) {
        if (isSize(option) && (Integer) value < 1) {
            throw new IllegalArgumentException(option + " = " + value + ": it may be 1 or more");
        }
        if (option.equals(StandardSocketOptions.SO_SNDBUF)) {
            socket.sendBufferBytes((Integer) value);
        } else if (option.equals(StandardSocketOptions.SO_RCVBUF)) {
            socket.receiveBufferBytes((Integer) value);
        }
    }

    /**
     * A socket was opened: it gets what was set before.
     *
     * @throws IllegalArgumentException where that is a size that UDP takes alone
     * @throws VerbsException           where it is closed, or its driver is away
     */
    void applyTo(final RdpSocket socket) {
        given.forEach((option, value) -> apply(socket, option, value));
    }

    /** Whether others may have the same port. */
    static boolean isShared(final DatagramChannel udp) throws IOException {
        for (final SocketOption<Boolean> option :
                List.of(StandardSocketOptions.SO_REUSEADDR, StandardSocketOptions.SO_REUSEPORT)) {
            if (udp.supportedOptions().contains(option) && Boolean.TRUE.equals(udp.getOption(option))) {
                return true;
            }
        }
        return false;
    }

    /** The UDP channel is closed next: what it has is kept, but sizes, of which sockets have their own. */
    void keep(final DatagramChannel udp) {
        for (final SocketOption<?> option : udp.supportedOptions()) {
            if (!isSize(option)) {
                keep(option, udp);
            }
        }
    }

    private void keep(final SocketOption<?> option, final DatagramChannel udp) {
        try {
            final Object value = udp.getOption(option);
            if (value != null) {
                given.putIfAbsent(option, value);
            }
        } catch (final IOException | UnsupportedOperationException e) {
            assert !given.containsKey(option) : option + " was set, and cannot be read: " + e;
        }
    }

    <T> @Nullable T get(final SocketOption<T> option, final @Nullable DatagramChannel udp, final RdpSocket[] sockets)
            throws IOException {
        if (sockets.length > 0 && option.equals(StandardSocketOptions.SO_SNDBUF)) {
            return option.type().cast(sockets[0].sendBufferBytes());
        }
        if (sockets.length > 0 && option.equals(StandardSocketOptions.SO_RCVBUF)) {
            return option.type().cast(sockets[0].receiveBufferBytes());
        }
        if (udp != null) {
            return udp.getOption(option);
        }
        final Object value = given.get(option);
        return value == null && option.type() == Boolean.class ? option.type().cast(false) : option.type().cast(value);
    }
}
