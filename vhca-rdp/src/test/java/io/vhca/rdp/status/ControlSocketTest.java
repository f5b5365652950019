package io.vhca.rdp.status;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.rdp.UnfitChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who asks a driver and cannot be answered leaves nothing open. */
class ControlSocketTest {
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
}
