package io.vhca.rdp;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.Set;

/** A connection that nothing can be done with but close it. */
public class UnfitChannel extends SocketChannel {
    private final boolean isConfigurable;

    /** @param isConfigurable it fails only where it is read or written */
    public UnfitChannel(final boolean isConfigurable) {
        super(SelectorProvider.provider());
        this.isConfigurable = isConfigurable;
    }

    private static IOException unfit() {
        return new IOException("nothing goes by this connection");
    }

    @Override
    protected void implConfigureBlocking(final boolean isBlocking) throws IOException {
        if (!isConfigurable) {
            throw unfit();
        }
    }

    @Override
    protected void implCloseSelectableChannel() {
        // It holds nothing.
    }

    @Override
    public int read(final ByteBuffer target) throws IOException {
        throw unfit();
    }

    @Override
    public long read(final ByteBuffer[] targets, final int offset, final int length) throws IOException {
        throw unfit();
    }

    @Override
    public int write(final ByteBuffer source) throws IOException {
        throw unfit();
    }

    @Override
    public long write(final ByteBuffer[] sources, final int offset, final int length) throws IOException {
        throw unfit();
    }

    @Override
    public boolean isConnected() {
        return true;
    }

    @Override
    public boolean isConnectionPending() {
        return false;
    }

    @Override
    public SocketChannel bind(final SocketAddress local) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean connect(final SocketAddress remote) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean finishConnect() {
        throw new UnsupportedOperationException();
    }

    @Override
    public SocketChannel shutdownInput() {
        throw new UnsupportedOperationException();
    }

    @Override
    public SocketChannel shutdownOutput() {
        throw new UnsupportedOperationException();
    }

    @Override
    public Socket socket() {
        throw new UnsupportedOperationException();
    }

    @Override
    public SocketAddress getRemoteAddress() {
        throw new UnsupportedOperationException();
    }

    @Override
    public SocketAddress getLocalAddress() {
        throw new UnsupportedOperationException();
    }

    @Override
    public <T> SocketChannel setOption(final SocketOption<T> option, final T value) {
        throw new UnsupportedOperationException();
    }

    @Override
    public <T> T getOption(final SocketOption<T> option) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return Set.of();
    }
}
