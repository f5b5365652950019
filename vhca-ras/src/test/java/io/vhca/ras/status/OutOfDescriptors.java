package io.vhca.ras.status;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** A listening channel of a process without descriptors, which accepts nobody so many times and then is closed. */
public final class OutOfDescriptors extends ServerSocketChannel {
    private final List<LogRecord> logged = new ArrayList<>();
    private final Logger logger = Logger.getLogger(AcceptPause.class.getName());
    private final Handler handler = new Handler() {
        @Override
        public void publish(final LogRecord line) {
            logged.add(line);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    private int times;

    public OutOfDescriptors(final int times) {
        super(SelectorProvider.provider());
        this.times = times;
        logger.addHandler(handler);
        logger.setUseParentHandlers(false);
    }

    /** What was logged of it. */
    public List<LogRecord> logged() {
        return logged;
    }

    @Override
    public SocketChannel accept() throws IOException {
        if (times-- > 0) {
            // So that who waits a moment waits none.
            LockSupport.unpark(Thread.currentThread());
            throw new IOException("Too many open files");
        }
        close();
        throw new ClosedChannelException();
    }

    @Override
    protected void implCloseSelectableChannel() {
        logger.removeHandler(handler);
        logger.setUseParentHandlers(true);
    }

    @Override
    protected void implConfigureBlocking(final boolean block) {}

    @Override
    public ServerSocketChannel bind(final SocketAddress local, final int backlog) {
        throw new UnsupportedOperationException();
    }

    @Override
    public <T> ServerSocketChannel setOption(final SocketOption<T> name, final T value) {
        throw new UnsupportedOperationException();
    }

    @Override
    public <T> T getOption(final SocketOption<T> name) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return Set.of();
    }

    @Override
    public ServerSocket socket() {
        throw new UnsupportedOperationException();
    }

    @Override
    public SocketAddress getLocalAddress() {
        throw new UnsupportedOperationException();
    }
}
