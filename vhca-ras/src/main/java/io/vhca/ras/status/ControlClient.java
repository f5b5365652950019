package io.vhca.ras.status;

import io.vhca.api.SocketDeadline;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;

/** Tells a running bond of another process what to do. */
public final class ControlClient {
    private ControlClient() {}

    /**
     * Sends one command, {@code drain soft0}, and waits for the answer.
     *
     * @param statusFile the bond's status file; its socket lies beside it
     * @return empty when it was done, else why not
     * @throws SocketTimeoutException when there was no answer in time; whether it is carried out is not known then
     * @throws IOException            when the process is gone, or its socket is not for this user
     */
    public static String tell(final Path statusFile, final String command, final Duration timeout)
            throws IOException {
        if (command.getBytes(StandardCharsets.UTF_8).length > ControlLine.MAX_COMMAND_BYTES) {
            return "a command may have " + ControlLine.MAX_COMMAND_BYTES + " bytes";
        }
        final String name = StatusDirectory.name(statusFile);
        final Path socket = statusFile.resolveSibling(
                name.substring(0, name.length() - StatusDirectory.FILE_SUFFIX.length())
                        + StatusDirectory.SOCKET_SUFFIX);
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
                SocketDeadline deadline = new SocketDeadline(channel, timeout)) {
            try {
                channel.connect(UnixDomainSocketAddress.of(socket));
                return ask(channel, command);
            } catch (final ClosedChannelException e) {
                final SocketTimeoutException late = new SocketTimeoutException(
                        "no answer within " + timeout.toSeconds() + " s; its process may be stopped or busy, and may"
                                + " still do it: `vhca status` shows");
                late.initCause(e);
                throw deadline.hasPassed() ? late : e;
            }
        }
    }

    private static String ask(final SocketChannel channel, final String command) throws IOException {
        IOException unheard = new IOException("the bond did not answer");
        try {
            ControlLine.write(channel, command);
        } catch (final ClosedChannelException e) {
            throw e;
        } catch (final IOException e) {
            // Who is refused before it has spoken finds the reason nevertheless.
            unheard = e;
        }
        final String answer = ControlLine.read(channel, ControlLine.MAX_ANSWER_BYTES);
        if (answer == null) {
            throw unheard;
        }
        return answer.startsWith(ControlCommands.ERROR) ? answer.substring(ControlCommands.ERROR.length()) : "";
    }
}
