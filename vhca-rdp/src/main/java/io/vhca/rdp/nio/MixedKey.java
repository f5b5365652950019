package io.vhca.rdp.nio;

import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectionKey;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A channel at a selector for both kinds. What the kernel knows of is watched by a key of the default selector; sockets
 * for reliable datagrams say by themselves when they are ready. Any thread; the ready set is the selector's.
 */
final class MixedKey extends AbstractSelectionKey {
    private final RdpSelector selector;
    private final SelectableChannel channel;
    private final @Nullable ChannelEnds ends;
    private final AtomicBoolean isQueued = new AtomicBoolean();
    private @Nullable SelectionKey inner;
    private volatile int interest;
    private volatile int ready;
    /** The selection that counted it last. */
    long countedBy;

    /** @param ends of a channel of this provider; null for any other, whose key at the default selector is set later */
    MixedKey(
            final RdpSelector selector, final SelectableChannel channel, final @Nullable ChannelEnds ends,
            final int interest) {
        this.selector = selector;
        this.channel = channel;
        this.ends = ends;
        this.interest = interest;
    }

    @Override
    public SelectableChannel channel() {
        return channel;
    }

    @Override
    public Selector selector() {
        return selector;
    }

    @Nullable ChannelEnds ends() {
        return ends;
    }

    private void checkValid() {
        if (!isValid()) {
            throw new CancelledKeyException();
        }
    }

    @Override
    public int interestOps() {
        checkValid();
        return interest;
    }

    int interest() {
        return interest;
    }

    @Override
    public SelectionKey interestOps(final int ops) {
        checkValid();
        if ((ops & ~channel.validOps()) != 0) {
            throw new IllegalArgumentException("operations " + ops + " of " + channel);
        }
        interest = ops;
        refresh();
        selector.note(this);
        return this;
    }

    @Override
    public int readyOps() {
        checkValid();
        return ready;
    }

    /**
     * The channel is ready for that.
     *
     * @param isKnown the key is among the selected ones, and what it was ready for stays
     * @return whether the ready set has changed
     */
    boolean ready(final int ops, final boolean isKnown) {
        final int before = ready;
        ready = isKnown ? before | ops : ops;
        return !isKnown || ready != before;
    }

    /** It waits to be looked at; false where it does already. */
    boolean queue() {
        return isQueued.compareAndSet(false, true);
    }

    void unqueue() {
        isQueued.set(false);
    }

    /** The key at the default selector, of a channel that is not this provider's. */
    synchronized void inner(final SelectionKey key) {
        inner = key;
    }

    /** Lets the default selector watch what is to be watched by it now; nothing, once the key was cancelled. */
    synchronized void refresh() {
        final ChannelEnds of = ends;
        if (!isValid()) {
            return;
        }
        try {
            if (of == null) {
                if (inner != null) {
                    inner.interestOps(interest);
                }
            } else {
                refresh(of);
            }
        } catch (final CancelledKeyException | IOException e) {
            // The channel was closed meanwhile: its key goes too.
            assert !channel.isOpen() || !isValid() : e;
        }
    }

    private void refresh(final ChannelEnds of) throws IOException {
        final var udp = of.udp();
        if (udp == null) {
            drop();
        } else if (inner == null) {
            inner = udp.register(selector.inner(), of.udpOps(interest), this);
        } else {
            inner.interestOps(of.udpOps(interest));
        }
    }

    /** The default selector watches it no longer. */
    synchronized void drop() {
        if (inner != null) {
            inner.cancel();
            inner = null;
        }
    }
}
