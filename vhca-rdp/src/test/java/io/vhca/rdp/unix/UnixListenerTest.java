package io.vhca.rdp.unix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.rdp.UnfitChannel;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What goes wrong where others connect to costs who connects, and keeps nobody busy. */
class UnixListenerTest {
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(100);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    private final List<LogRecord> logged = new ArrayList<>();
    private final Logger logger = Logger.getLogger(UnixListener.class.getName());
    private final Handler handler = new Handler() {
        @Override
        public void publish(final LogRecord line) {
            logged.add(line);
        }

        @Override
        public void flush() {
            // Nothing is kept back.
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    };

    private ServerSocketChannel channel;
    private Selector selector;
    private SocketChannel visitor;
    private UnixListener.Acceptor acceptor;
    private UnixListener listener;
    private int refused;

    @BeforeEach
    void open() throws IOException {
        logger.addHandler(handler);
        channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        channel.bind(UnixDomainSocketAddress.of(directory.resolve("socket")));
        channel.configureBlocking(false);
        selector = Selector.open();
        acceptor = channel::accept;
        listener = new UnixListener(
                "the driver of bond0", () -> acceptor.accept(), channel.register(selector, SelectionKey.OP_ACCEPT),
                () -> refused++);
        logger.setUseParentHandlers(false);
        visitor = SocketChannel.open(channel.getLocalAddress());
    }

    @AfterEach
    void close() throws IOException {
        logger.removeHandler(handler);
        logger.setUseParentHandlers(true);
        visitor.close();
        selector.close();
        channel.close();
    }

    private void hasNoDescriptors() {
        acceptor = () -> {
            throw new IOException("Too many open files");
        };
    }

    private int ready() throws IOException {
        selector.selectedKeys().clear();
        return selector.selectNow();
    }

    @Test
    void whereNobodyCanBeAcceptedItPausesAndGoesOn() throws IOException {
        hasNoDescriptors();
        assertThat(ready()).isEqualTo(1);
        assertThat(listener.accept(0)).isNull();
        assertThat(refused).isEqualTo(1);
        listener.resume(PAUSE_NS - 1);
        assertThat(ready()).as("nothing keeps the selector awake").isZero();
        listener.resume(PAUSE_NS);
        assertThat(ready()).isEqualTo(1);
        acceptor = channel::accept;
        final SelectionKey accepted = Objects.requireNonNull(listener.accept(PAUSE_NS));
        assertThat(accepted.interestOps()).isEqualTo(SelectionKey.OP_READ);
        accepted.channel().close();
        assertThat(refused).isEqualTo(1);
    }

    @Test
    void anEpisodeIsLoggedAndCountedOnce() throws IOException {
        for (int episode = 1; episode <= 2; episode++) {
            hasNoDescriptors();
            for (int i = 0; i < 3; i++) {
                listener.accept(0);
            }
            assertThat(refused).as("and who was accepted and could not be served").isEqualTo(2 * episode - 1);
            assertThat(logged).hasSize(episode).allMatch(line -> line.getLevel() == Level.WARNING);
            assertThat(logged.getLast().getMessage()).contains("bond0").contains("Too many open files");
            acceptor = () -> new UnfitChannel(false);
            listener.accept(0);
        }
    }

    @Test
    void whoCannotBeServedIsClosed() throws IOException {
        final SocketChannel unfit = new UnfitChannel(false);
        acceptor = () -> unfit;
        assertThat(listener.accept(0)).isNull();
        assertThat(unfit.isOpen()).isFalse();
        assertThat(refused).isEqualTo(1);
        assertThat(ready()).as("it listens on").isEqualTo(1);
    }

    @Test
    void whereTheHeapIsFullItPausesAndGoesOn() throws IOException {
        acceptor = () -> {
            throw new OutOfMemoryError("for a moment");
        };
        assertThat(listener.accept(0)).isNull();
        assertThat(listener.isPaused()).isTrue();
        assertThat(refused).isEqualTo(1);
        final SocketChannel unfit = new UnfitChannel(true) {
            @Override
            protected void implConfigureBlocking(final boolean isBlocking) {
                throw new OutOfMemoryError("for another one");
            }
        };
        acceptor = () -> unfit;
        assertThat(listener.accept(PAUSE_NS)).isNull();
        assertThat(unfit.isOpen()).isFalse();
        assertThat(refused).isEqualTo(2);
    }

    @Test
    void whereItListensNoLongerItSaysSo() throws IOException {
        channel.close();
        assertThatThrownBy(() -> listener.accept(0)).isInstanceOf(IOException.class);
    }
}
