package io.vhca.physical.soft;

import io.vhca.api.AsyncEvent;
import io.vhca.api.CompletionChannel;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.api.DeviceAttributes;
import io.vhca.api.DeviceCounter;
import io.vhca.api.DeviceTracer;
import io.vhca.api.Errno;
import io.vhca.api.Gid;
import io.vhca.api.PortAttributes;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.physical.soft.cm.CmCounters;
import io.vhca.physical.soft.cm.DeviceEvents;
import io.vhca.physical.soft.engine.SoftPd;
import io.vhca.physical.soft.engine.core.NicCounters;
import io.vhca.physical.soft.engine.queue.SoftCq;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An open soft device. Control calls may be made by any thread.
 *
 * <p>A device over UDP has a thread that runs it. One that is driven by hand works only inside {@link #doWork}: no call
 * then blocks if its timeout is 0, and everything happens at the times that are handed in.
 */
public final class SoftContext implements Context {
    private static final long PAGE_BYTES = 4096;

    private final SoftDevice device;
    private final SoftAdapter adapter;
    private final DeviceEvents<AsyncEvent> asyncEvents;
    private final List<SoftPd> pds = new ArrayList<>();
    private final List<SoftCq> cqs = new ArrayList<>();
    private final List<SoftCompletionChannel> channels = new ArrayList<>();
    private volatile @Nullable DeviceTracer tracer;
    private @Nullable Arena memory;
    private boolean isClosed;

    SoftContext(final SoftDevice device, final SoftAdapter adapter) {
        this.device = device;
        this.adapter = adapter;
        asyncEvents = new DeviceEvents<>(adapter);
    }

    @Override
    public SoftDevice device() {
        return device;
    }

    /**
     * Runs the device, all contexts of it: received packets, timers, sends, connection management.
     *
     * @param nowNs the time, of any origin; never goes back
     * @return how much was done
     */
    public int doWork(final long nowNs) {
        return adapter.doWork(nowNs);
    }

    /** When {@link #doWork} must be called next though no packet comes; {@link Long#MAX_VALUE} for never. */
    public long nextDeadlineNs() {
        return adapter.nextDeadlineNs();
    }

    /** True when {@link #doWork} has something to do at once, packets that wait in the carrier apart. */
    public boolean hasWork() {
        return adapter.hasWork();
    }

    /** Counters of the engine. */
    public NicCounters counters() {
        return adapter.nic().counters();
    }

    /** Counters of the connection manager. */
    public CmCounters cmCounters() {
        return adapter.cm().counters();
    }

    @Override
    public List<DeviceCounter> faultCounters() {
        return SoftFaults.of(counters(), cmCounters());
    }

    @Override
    public void traceTo(final @Nullable DeviceTracer changed) {
        tracer = changed;
        adapter.traceChanged();
    }

    @Nullable DeviceTracer tracer() {
        return tracer;
    }

    /** Connections that peers asked for and that are not established; any thread. */
    public int halfOpen() {
        return adapter.cm().halfOpen();
    }

    @Override
    public DeviceAttributes queryDevice() {
        return adapter.nic().queryDevice();
    }

    @Override
    public PortAttributes queryPort(final int portNum) {
        return adapter.nic().queryPort(portNum);
    }

    @Override
    public Gid queryGid(final int portNum, final int index) {
        return adapter.nic().queryGid(portNum, index);
    }

    @Override
    public int queryPkey(final int portNum, final int index) {
        return adapter.nic().queryPkey(portNum, index);
    }

    @Override
    public synchronized ProtectionDomain allocPd() {
        requireOpen("allocPd");
        final SoftPd pd = adapter.nic().allocPd(this);
        pds.removeIf(old -> !old.isOpen());
        pds.add(pd);
        return pd;
    }

    @Override
    public synchronized CompletionChannel createCompChannel() {
        requireOpen("createCompChannel");
        final SoftCompletionChannel channel = new SoftCompletionChannel(this, adapter);
        channels.removeIf(old -> !old.isOpen());
        channels.add(channel);
        return channel;
    }

    @Override
    public synchronized CompletionQueue createCq(
            final int cqe, final @Nullable Object cqContext, final @Nullable CompletionChannel channel) {
        requireOpen("createCq");
        if (channel != null && channel.context() != this) {
            throw new VerbsException(
                    "createCq", Errno.EINVAL, device.name(), "the completion channel belongs to another context");
        }
        final SoftCq cq = adapter.nic().createCq(this, cqe, cqContext, channel);
        if (channel instanceof SoftCompletionChannel soft && !soft.addUser(cq)) {
            cq.close();
            throw new VerbsException("createCq", Errno.EINVAL, device.name(), "the completion channel is closed");
        }
        cqs.removeIf(old -> !old.isOpen());
        cqs.add(cq);
        return cq;
    }

    @Override
    public @Nullable AsyncEvent getAsyncEvent(final long timeoutNs) {
        return asyncEvents.take(timeoutNs);
    }

    @Override
    public boolean onAsyncEvent(final @Nullable Runnable listener) {
        asyncEvents.onPut(listener);
        return true;
    }

    @Override
    public void ackAsyncEvent(final AsyncEvent event) {
        // Destroying an object does not wait for its events here.
    }

    void raise(final AsyncEvent event) {
        asyncEvents.put(event);
    }

    /** The object is destroyed. */
    void forget(final Object destroyed) {
        asyncEvents.forget(event -> event.isOf(destroyed));
    }

    @Override
    public synchronized CmEventChannel createEventChannel() {
        requireOpen("createEventChannel");
        return adapter.cm().createChannel(this);
    }

    @Override
    public synchronized MemorySegment allocateMemory(final long lengthBytes) {
        requireOpen("allocateMemory");
        Arena arena = memory;
        if (arena == null) {
            arena = Arena.ofShared();
            memory = arena;
        }
        return arena.allocate(lengthBytes, PAGE_BYTES);
    }

    private void requireOpen(final String verb) {
        if (isClosed) {
            throw new VerbsException(verb, Errno.EINVAL, device.name(), "the context is closed");
        }
        if (adapter.isDead()) {
            throw new VerbsException(
                    verb, Errno.EIO, device.name(), "the device is dead: close its objects and open it again");
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            if (isClosed) {
                return;
            }
            requireNoObjects();
            // Channels without users go with the context, and who waits there is told.
            adapter.cm().closeChannels(this);
            channels.forEach(SoftCompletionChannel::close);
            isClosed = true;
            asyncEvents.close();
        }
        device.closed(this, adapter);
        if (memory != null) {
            memory.close();
        }
    }

    private void requireNoObjects() {
        final int ids = adapter.cm().openIds(this);
        if (ids > 0) {
            throw busy(ids + " connection manager ids are still open");
        }
        cqs.removeIf(cq -> !cq.isOpen());
        if (!cqs.isEmpty()) {
            throw busy(cqs.getFirst() + " is still open");
        }
        pds.removeIf(pd -> !pd.isOpen());
        if (!pds.isEmpty()) {
            throw busy(pds.getFirst() + " is still open");
        }
    }

    private VerbsException busy(final String what) {
        return new VerbsException("closeDevice", Errno.EBUSY, device.name(), what + ": close it first");
    }

    @Override
    public String toString() {
        return device.name() + " context";
    }
}
