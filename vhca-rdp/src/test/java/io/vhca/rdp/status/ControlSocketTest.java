package io.vhca.rdp.status;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.rdp.UnfitChannel;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who asks a driver and cannot be answered leaves nothing open. */
class ControlSocketTest {
    private static final int TIMES = 50;
    private static final String PROPERTY = "vhca.status.dir";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    private ControlSocket control;

    @BeforeEach
    void open() {
        System.setProperty(PROPERTY, directory.toString());
        control = new ControlSocket("bond0", line -> line, 0);
    }

    @AfterEach
    void close() {
        control.close();
        System.clearProperty(PROPERTY);
    }

    @Test
    void whoCannotBeReadIsClosed() {
        final SocketChannel unfit = new UnfitChannel(true);
        control.admit(unfit, 0);
        assertThat(unfit.isOpen()).isTrue();
        control.doWork(TimeUnit.MILLISECONDS.toNanos(20));
        assertThat(unfit.isOpen()).isFalse();
    }

    @Test
    void whoWouldBlockIsClosed() {
        final SocketChannel unfit = new UnfitChannel(false);
        control.admit(unfit, 0);
        assertThat(unfit.isOpen()).isFalse();
    }

    private static long descriptors() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            return all.count();
        }
    }

    /** The path of a socket has some hundred bytes. */
    @Test
    void nothingStaysOpenWhereItCannotListen() throws IOException {
        System.setProperty(PROPERTY, directory.resolve("d".repeat(120)).toString());
        final long before = descriptors();
        for (int i = 0; i < TIMES; i++) {
            new ControlSocket("bond0", line -> line, 0).close();
        }
        assertThat(descriptors()).isLessThan(before + TIMES);
    }
}
