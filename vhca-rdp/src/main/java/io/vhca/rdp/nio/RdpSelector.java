package io.vhca.rdp.nio;

import io.vhca.rdp.RdpSockets;
import io.vhca.rdp.common.Spinning;
import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/**
 * A selector for channels of both kinds. It sleeps in a selector of the default provider, which all that the kernel
 * knows of is registered with, and which a socket for reliable datagrams wakes when it becomes ready. Before it sleeps
 * it lets the drivers of its sockets work for a while, as any thread does that waits for one.
 */
final class RdpSelector extends AbstractSelector {
    private static final int SPINS = Spinning.turns(200);
    private static final long FOREVER = -1;

    private final NativeProvider base;
    private final Selector inner;
    private final Set<SelectionKey> keys = ConcurrentHashMap.newKeySet();
    private final Set<SelectionKey> selected = new HashSet<>();
    private final Set<SelectionKey> keysView = Collections.unmodifiableSet(keys);
    private final Set<SelectionKey> selectedView = new UngrowableSet<>(selected);
    /** Keys whose sockets may be ready; one that was found ready stays until it is not. */
    private final ConcurrentLinkedQueue<MixedKey> queue = new ConcurrentLinkedQueue<>();
    private final CopyOnWriteArrayList<RdpSockets> drivers = new CopyOnWriteArrayList<>();
    private volatile boolean isWoken;
    private volatile boolean isSleeping;
    private long selections;
    private int count;
    private boolean hasSeen;

    RdpSelector(final SelectorProvider provider, final NativeProvider base, final Selector inner) {
        super(provider);
        this.base = base;
        this.inner = inner;
    }

    Selector inner() {
        return inner;
    }

    private void checkOpen() {
        if (!isOpen()) {
            throw new ClosedSelectorException();
        }
    }

    @Override
    protected SelectionKey register(final AbstractSelectableChannel channel, final int ops, final Object attachment) {
        checkOpen();
        final MixedKey key;
        if (channel instanceof final RdpDatagramChannel own) {
            key = new MixedKey(this, channel, own.ends(), ops);
            key.attach(attachment);
            own.ends().attach(key);
        } else {
            key = new MixedKey(this, channel, null, ops);
            key.attach(attachment);
            try {
                key.inner(channel.register(inner, ops, key));
            } catch (final ClosedChannelException e) {
                // The caller holds the lock that a close needs to cancel keys: it does so next.
                assert !channel.isOpen();
            }
        }
        keys.add(key);
        if (!isOpen()) {
            // The selector was closed meanwhile, and may not have seen this key.
            keys.remove(key);
            key.cancel();
            if (channel instanceof final RdpDatagramChannel own) {
                own.ends().detach(key);
            }
            key.drop();
            throw new ClosedSelectorException();
        }
        return key;
    }

    /** A driver whose sockets have keys here: it is helped. */
    void helps(final RdpSockets driver) {
        drivers.addIfAbsent(driver);
    }

    /** A key is to be looked at by the next selection. */
    void note(final MixedKey key) {
        if (key.ends() != null && key.queue()) {
            queue.add(key);
        }
    }

    /** A key is to be looked at now. */
    void wakeFor(final MixedKey key) {
        note(key);
        if (isSleeping) {
            inner.wakeup();
        }
    }

    @Override
    public Set<SelectionKey> keys() {
        checkOpen();
        return keysView;
    }

    @Override
    public Set<SelectionKey> selectedKeys() {
        checkOpen();
        return selectedView;
    }

    @Override
    public int selectNow() throws IOException {
        return selection(0);
    }

    @Override
    public int select() throws IOException {
        return selection(FOREVER);
    }

    @Override
    public int select(final long timeoutMs) throws IOException {
        if (timeoutMs < 0) {
            throw new IllegalArgumentException("a timeout of " + timeoutMs + " ms");
        }
        return selection(timeoutMs == 0 ? FOREVER : TimeUnit.MILLISECONDS.toNanos(timeoutMs));
    }

    @Override
    public Selector wakeup() {
        isWoken = true;
        inner.wakeup();
        return this;
    }

    private synchronized int selection(final long timeoutNs) throws IOException {
        checkOpen();
        synchronized (selectedView) {
            selections++;
            count = 0;
            hasSeen = false;
            dropCancelled();
            help();
            takeKernel(0);
            takeSockets();
            if (timeoutNs != 0) {
                await(timeoutNs);
            }
            isWoken = false;
            dropCancelled();
            return count;
        }
    }

    private boolean mayWait() {
        return !hasSeen && !isWoken && isOpen() && !Thread.currentThread().isInterrupted();
    }

    private void await(final long timeoutNs) throws IOException {
        final long deadlineNs = System.nanoTime() + timeoutNs;
        for (int spins = 0; spins < SPINS && !drivers.isEmpty() && mayWait(); spins++) {
            help();
            takeSockets();
            Thread.onSpinWait();
        }
        long leftNs = timeoutNs;
        while (mayWait() && (timeoutNs == FOREVER || leftNs > 0)) {
            isSleeping = true;
            drivers.forEach(RdpSockets::waits);
            // What becomes ready from now on wakes it.
            takeSockets();
            if (mayWait()) {
                takeKernel(timeoutNs == FOREVER ? FOREVER : leftNs);
            }
            isSleeping = false;
            takeSockets();
            if (dropCancelled()) {
                // What such a channel is ready for is reported to nobody, and would end every sleep at once.
                return;
            }
            leftNs = deadlineNs - System.nanoTime();
        }
    }

    private void help() {
        for (final RdpSockets driver : drivers) {
            driver.help(System.nanoTime());
        }
    }

    /** So many nanoseconds, more than none, as milliseconds that are not shorter. */
    static long millis(final long timeoutNs) {
        return TimeUnit.NANOSECONDS.toMillis(timeoutNs - 1) + 1;
    }

    private void takeKernel(final long timeoutNs) throws IOException {
        if (timeoutNs == 0) {
            inner.selectNow();
        } else if (timeoutNs == FOREVER) {
            inner.select();
        } else {
            inner.select(millis(timeoutNs));
        }
        for (final SelectionKey ready : inner.selectedKeys()) {
            if (ready.attachment() instanceof final MixedKey key) {
                try {
                    report(key, ready.readyOps());
                } catch (final CancelledKeyException e) {
                    assert !ready.isValid() : e;
                }
            }
        }
        inner.selectedKeys().clear();
    }

    private void takeSockets() {
        MixedKey first = null;
        for (MixedKey key = queue.peek(); key != null && key != first; key = queue.peek()) {
            queue.remove();
            key.unqueue();
            final ChannelEnds ends = key.ends();
            final int ready = ends == null || !key.isValid() ? 0 : ends.readyOps() & key.interest();
            if (ready != 0) {
                report(key, ready);
                // It is looked at again until it is not ready.
                note(key);
                first = first == null ? key : first;
            }
        }
    }

    private void report(final MixedKey key, final int ops) {
        if (ops == 0 || !key.isValid()) {
            return;
        }
        hasSeen = true;
        final ChannelEnds ends = key.ends();
        if (ends != null && (ops & SelectionKey.OP_WRITE) != 0) {
            ends.kernelTakes();
        }
        if (key.ready(ops, selected.contains(key))) {
            selected.add(key);
            count += key.countedBy == selections ? 0 : 1;
            key.countedBy = selections;
        }
    }

    /** Drops the keys that were cancelled; false where there were none. */
    private boolean dropCancelled() throws IOException {
        final List<SelectionKey> cancelled;
        synchronized (cancelledKeys()) {
            if (cancelledKeys().isEmpty()) {
                return false;
            }
            cancelled = new ArrayList<>(cancelledKeys());
            cancelledKeys().clear();
        }
        for (final SelectionKey key : cancelled) {
            if (key instanceof final MixedKey mixed) {
                drop(mixed);
            }
        }
        // The default selector gives up what is closed now.
        inner.selectNow();
        inner.selectedKeys().clear();
        for (final SelectionKey key : cancelled) {
            base.release(key.channel());
        }
        return true;
    }

    private void drop(final MixedKey key) {
        keys.remove(key);
        selected.remove(key);
        final ChannelEnds ends = key.ends();
        if (ends != null) {
            ends.detach(key);
        }
        key.drop();
        deregister(key);
    }

    @Override
    protected void implCloseSelector() throws IOException {
        wakeup();
        synchronized (this) {
            synchronized (selectedView) {
                final List<SelectableChannel> channels = new ArrayList<>();
                for (final SelectionKey key : keys) {
                    channels.add(key.channel());
                    if (key instanceof final MixedKey mixed) {
                        drop(mixed);
                    }
                }
                inner.close();
                for (final SelectableChannel channel : channels) {
                    base.release(channel);
                }
            }
        }
    }
}
