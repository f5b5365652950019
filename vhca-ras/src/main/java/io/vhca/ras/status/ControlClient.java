package io.vhca.ras.status;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Tells a running bond of another process what to do. */
public final class ControlClient {
    private ControlClient() {}

    /**
     * Sends one command, {@code drain soft0}, and waits for the answer.
     *
     * @param statusFile the bond's status file; its socket lies beside it
     * @return empty when it was done, else why not
     * @throws IOException when the process is gone, or its socket is not for this user
     */
    public static String tell(final Path statusFile, final String command) throws IOException {
        final String name = StatusDirectory.name(statusFile);
        final Path socket = statusFile.resolveSibling(
                name.substring(0, name.length() - StatusDirectory.FILE_SUFFIX.length())
                        + StatusDirectory.SOCKET_SUFFIX);
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
            channel.write(StandardCharsets.US_ASCII.encode(command + "\n"));
            final String answer = new BufferedReader(Channels.newReader(channel, StandardCharsets.UTF_8)).readLine();
            if (answer == null) {
                throw new IOException("the bond did not answer");
            }
            return answer.startsWith(ControlSocket.ERROR) ? answer.substring(ControlSocket.ERROR.length()) : "";
        }
    }
}
