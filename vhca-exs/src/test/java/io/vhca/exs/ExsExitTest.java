package io.vhca.exs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A handler may end the process, whose hooks close what called it. */
@Timeout(300)
class ExsExitTest {
    private static final int PID = (int) ProcessHandle.current().pid();
    /** Of the process that runs this test, and of no other. */
    private static final String ADDRESS = "127." + (64 + (PID >> 8 & 63)) + "." + (PID & 255) + ".9";

    private static final int PORT = 17_000;
    private static final int CODE = 7;

    /** Another process: it connects to itself, and who accepts ends it. */
    static final class Program {
        private Program() {}

        public static void main(final String[] args) {
            final Exs exs = Exs.init(Exs.VERSION, args[0], ExsOptions.DEFAULT);
            final ExsChannels channels = new ExsChannels(exs);
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                channels.close();
                exs.close();
                System.out.println("closed");
            }));
            final ExsChannels.Listener listener = channels.listen(new InetSocketAddress(args[1], PORT), 1);
            final CompletableFuture<Void> end = listener.accept().thenAccept(accepted -> System.exit(CODE));
            channels.connect(listener.address()).join();
            end.join();
        }
    }

    private static Process start() throws IOException {
        final List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(flag -> flag.startsWith("--"))
                .forEach(command::add);
        command.addAll(List.of(
                "-Dvhca.soft=soft9=" + ADDRESS, "-cp", System.getProperty("java.class.path"), Program.class.getName(),
                "soft9", ADDRESS));
        return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    @Test
    void aHandlerThatEndsTheProcessIsNotWaitedForByItsHooks() throws Exception {
        final Process program = start();
        try {
            assertThat(program.waitFor()).isEqualTo(CODE);
            assertThat(program.inputReader().readLine()).isEqualTo("closed");
        } finally {
            program.destroyForcibly();
        }
    }
}
