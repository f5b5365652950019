package io.vhca.rdp.unix;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.agrona.CloseHelper;
import org.jspecify.annotations.Nullable;

/**
 * Connects to Unix domain sockets without waiting. A call that waits does so without a limit where the queue of who
 * listens is full, as that of a process that is stopped may be. Any thread.
 */
public final class UnixConnector {
    private UnixConnector() {}

    /**
     * Connects.
     *
     * @return the connection, which does not block; null where somebody listens and his queue is full
     * @throws ConnectException where a socket is there and nobody listens
     * @throws IOException      where it cannot be connected to at all
     */
    public static @Nullable SocketChannel connect(final Path path) throws IOException {
        final SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        boolean isConnected = false;
        try {
            channel.configureBlocking(false);
            isConnected = channel.connect(UnixDomainSocketAddress.of(path));
            return isConnected ? channel : null;
        } catch (final ConnectException e) {
            throw e;
        } catch (final SocketException e) {
            // The JDK says EAGAIN in the words of the host alone; this user may connect, and nobody refuses it.
            if (Files.isWritable(path)) {
                return null;
            }
            throw e;
        } finally {
            if (!isConnected) {
                CloseHelper.quietClose(channel);
            }
        }
    }
}
