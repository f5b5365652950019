package io.vhca.harness.lab;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** QEMU's monitor on a unix socket: one connection a command. */
final class Monitor {
    private static final String PROMPT = "(qemu) ";

    private Monitor() {}

    /**
     * Gives a command of the human monitor that QEMU does without a word, and waits until it is done.
     *
     * @throws IOException when the machine is gone, or QEMU says something, which is why it did not do it
     */
    static void tell(final Path socket, final String command) throws IOException {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(socket));
            readPrompt(channel);
            channel.write(ByteBuffer.wrap((command + "\n").getBytes(StandardCharsets.UTF_8)));
            final String said = readPrompt(channel);
            // The first line is the echo of the command, with the escapes of a line editor.
            final int echo = said.indexOf('\n');
            final String answer = echo < 0 ? "" : said.substring(echo + 1).strip();
            if (!answer.isEmpty()) {
                throw new IOException("QEMU did not do '" + command + "': " + answer);
            }
        }
    }

    /** Reads up to the prompt, or to the end where the command was to quit. */
    private static String readPrompt(final SocketChannel channel) throws IOException {
        final StringBuilder said = new StringBuilder();
        final ByteBuffer buffer = ByteBuffer.allocate(4096);
        while (!said.toString().endsWith(PROMPT)) {
            buffer.clear();
            if (channel.read(buffer) < 0) {
                return said.toString();
            }
            said.append(StandardCharsets.UTF_8.decode(buffer.flip()));
        }
        return said.substring(0, said.length() - PROMPT.length());
    }
}
