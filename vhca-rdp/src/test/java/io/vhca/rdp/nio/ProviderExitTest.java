package io.vhca.rdp.nio;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.physical.soft.SoftConfig;
import io.vhca.rdp.Drivers;
import io.vhca.rdp.unix.SameJvm;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.DatagramChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A program of UDP knows of no driver, and closes none when it ends. */
@Timeout(120)
class ProviderExitTest {
    private static final String DEVICE = "soft73";
    private static final String STATUS = "vhca.status.dir";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    @AfterEach
    void clear() {
        System.clearProperty(SoftConfig.PROPERTY);
        System.clearProperty(RdpNetworks.DEVICES);
        System.clearProperty(STATUS);
    }

    /** Another process: it has a channel, and ends when its driver's files are there. */
    static final class Program {
        private Program() {}

        public static void main(final String[] args) throws IOException {
            final DatagramChannel channel = DatagramChannel.open().bind(new InetSocketAddress(args[0], 4000));
            final Path stem = Path.of(args[1], DEVICE + "." + ProcessHandle.current().pid());
            while (Files.notExists(Path.of(stem + ".rdp")) || Files.notExists(Path.of(stem + ".rdpctl"))) {
                Thread.onSpinWait();
            }
            System.out.println("bound to " + channel.getLocalAddress());
        }
    }

    @Test
    void aProgramThatEndsLeavesNoFileOfItsDriver() throws Exception {
        final String own = Drivers.own(73).getHostAddress();
        System.setProperty(SoftConfig.PROPERTY, DEVICE + "=" + own);
        System.setProperty(RdpNetworks.DEVICES, DEVICE);
        System.setProperty(STATUS, directory.toString());
        final List<String> command =
                new ArrayList<>(SameJvm.command(Program.class, List.of(own, directory.toString())));
        command.add(1, "-Djava.nio.channels.spi.SelectorProvider=" + RdpSelectorProvider.class.getName());
        final Process program =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try {
            assertThat(program.inputReader().readLine()).isEqualTo("bound to /" + own + ":4000");
            assertThat(program.waitFor()).isZero();
        } finally {
            program.destroyForcibly();
        }
        assertThat(directory).isEmptyDirectory();
    }
}
