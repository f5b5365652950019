package io.vhca.harness.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What QEMU's monitor answers, from a socket that answers as it does. */
class MonitorTest {
    private static final String PROMPT = "(qemu) ";

    @TempDir
    private Path directory;

    /** Tells one command to a monitor that gives that answer; what the monitor was told. */
    private String tell(final String answer) throws Exception {
        final Path socket = directory.resolve("monitor");
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
                ExecutorService thread = Executors.newSingleThreadExecutor()) {
            server.bind(UnixDomainSocketAddress.of(socket));
            final Future<String> told = thread.submit(() -> serve(server, answer));
            Monitor.tell(socket, "set_link n0 off");
            return told.get();
        }
    }

    private static String serve(final ServerSocketChannel server, final String answer) throws IOException {
        try (SocketChannel channel = server.accept()) {
            say(channel, "QEMU 7.2.0 monitor - type 'help' for more information\r\n" + PROMPT);
            final String command =
                    new BufferedReader(Channels.newReader(channel, StandardCharsets.UTF_8)).readLine();
            say(channel, "s\u001b[K\u001b[Dse\u001b[K" + command + "\u001b[K\r\n" + answer + PROMPT);
            return command;
        }
    }

    private static void say(final SocketChannel channel, final String text) throws IOException {
        channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void whatIsDoneWithoutAWordIsDone() throws Exception {
        assertThat(tell("")).isEqualTo("set_link n0 off");
    }

    @Test
    void whatQemuSaysIsWhyItDidNot() {
        assertThatThrownBy(() -> tell("Error: Device 'n0' not found\r\n"))
                .isInstanceOf(IOException.class)
                .hasMessage("QEMU did not do 'set_link n0 off': Error: Device 'n0' not found");
    }

    @Test
    void aMachineThatIsGoneIsAnError() {
        assertThatThrownBy(() -> Monitor.tell(directory.resolve("none"), "stop")).isInstanceOf(IOException.class);
    }
}
