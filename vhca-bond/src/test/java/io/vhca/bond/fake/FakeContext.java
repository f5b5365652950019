package io.vhca.bond.fake;

import io.vhca.api.AhAttributes;
import io.vhca.api.AsyncEvent;
import io.vhca.api.CompletionChannel;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.api.Device;
import io.vhca.api.DeviceAttributes;
import io.vhca.api.DeviceCounter;
import io.vhca.api.Errno;
import io.vhca.api.Gid;
import io.vhca.api.LinkLayer;
import io.vhca.api.Mtu;
import io.vhca.api.PortAttributes;
import io.vhca.api.PortState;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmPortSpace;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** An open fake device: its objects by number, and what its process has not heard yet. */
public final class FakeContext implements Context {
    private static final int GIDS = 4;

    private final FakeDevice device;
    private final Deque<AsyncEvent> events = new ArrayDeque<>();
    private final Set<FakeQp> qps = new LinkedHashSet<>();
    private final Map<Integer, FakeMr> regions = new HashMap<>();
    private final Map<Long, FakeAh> handles = new HashMap<>();
    private final Map<Service, FakeCmId> listeners = new HashMap<>();
    private final Set<Object> children = new LinkedHashSet<>();
    private int nextPort = 40_000;
    private int mostQps = Integer.MAX_VALUE;
    private int cqEvents;
    private boolean destroysSlowly;
    private boolean refusesToListen;
    private int timesWaited;
    private int timesAsked;
    private Runnable onClose = () -> {};
    private boolean dead;
    private boolean closed;

    private record Service(CmPortSpace space, int port) {}

    FakeContext(final FakeDevice device) {
        this.device = device;
    }

    FakeDevice fake() {
        return device;
    }

    FakeFabric fabric() {
        return device.fabric();
    }

    // ---- what it holds ----------------------------------------------------------------------------------------------

    /** Every physical queue pair, oldest first; a copy. */
    public List<FakeQp> queuePairs() {
        return List.copyOf(qps);
    }

    @Nullable FakeQp queuePair(final int qpNum) {
        for (final FakeQp qp : qps) {
            if (qp.qpNum() == qpNum) {
                return qp;
            }
        }
        return null;
    }

    /** Whether nothing more can listen on it. */
    public void refusesToListen(final boolean value) {
        refusesToListen = value;
    }

    void checkListen() {
        if (refusesToListen) {
            throw new VerbsException("listen", Errno.ENOMEM, toString(), "no memory for its backlog");
        }
    }

    /** There is room for so many; one more answers ENOMEM. */
    public void mostQueuePairs(final int most) {
        mostQps = most;
    }

    void add(final FakeQp qp) {
        if (qps.size() >= mostQps) {
            throw new VerbsException("createQp", Errno.ENOMEM, device.name(), "there is no room for one more");
        }
        qps.add(qp);
    }

    void remove(final FakeQp qp) {
        qps.remove(qp);
    }

    Map<Integer, FakeMr> regions() {
        return regions;
    }

    /** What the address handles that it has were made with. */
    public List<AhAttributes> addressVectors() {
        return handles.values().stream().map(FakeAh::attributes).toList();
    }

    /** How much memory is registered on it, in regions. */
    public int regionCount() {
        return regions.size();
    }

    Map<Long, FakeAh> handles() {
        return handles;
    }

    /** Objects that keep the device busy: {@link #close} refuses while there are any. */
    Set<Object> children() {
        return children;
    }

    @Nullable FakeCmId listener(final CmPortSpace space, final int port) {
        return listeners.get(new Service(space, port));
    }

    boolean take(final CmPortSpace space, final int port, final FakeCmId by) {
        return listeners.putIfAbsent(new Service(space, port), by) == null;
    }

    /** Another port each time, as kernels give them. */
    int nextPort() {
        return nextPort++;
    }

    void free(final FakeCmId by) {
        listeners.values().remove(by);
    }

    // ---- its fate ---------------------------------------------------------------------------------------------------

    void die() {
        dead = true;
        queuePairs().forEach(FakeQp::flush);
    }

    void removeByCm() {
        for (final Object child : List.copyOf(children)) {
            if (child instanceof FakeCmChannel channel) {
                channel.sayToAll(CmEventType.DEVICE_REMOVAL);
            }
        }
    }

    boolean isDead() {
        return dead;
    }

    /** How many completion events its channels have had. */
    public int cqEvents() {
        return cqEvents;
    }

    void cqEvent() {
        cqEvents++;
    }

    /** True once its owner has closed it. */
    public boolean isClosed() {
        return closed;
    }

    /** Throws EIO once the device is gone, as every verb does but those that destroy; ENOMEM where a test says so. */
    void check(final String verb) {
        if (dead || closed) {
            throw new VerbsException(verb, Errno.EIO, device.name(), "the device is gone");
        }
        device.checkRoom(verb);
    }

    void checkResize() {
        check("resizeCq");
        device.checkResize();
    }

    void raise(final AsyncEvent event) {
        events.add(event);
    }

    // ---- verbs ------------------------------------------------------------------------------------------------------

    @Override
    public Device device() {
        return device;
    }

    @Override
    public DeviceAttributes queryDevice() {
        check("queryDevice");
        return device.attributes();
    }

    @Override
    public PortAttributes queryPort(final int portNum) {
        timesAsked++;
        check("queryPort");
        return new PortAttributes(
                device.isPortUp() ? PortState.ACTIVE : PortState.DOWN, device.maxMtu(), Mtu.MTU_1024, GIDS, 1,
                device.maxMsgSz(), 0, LinkLayer.ETHERNET, device.speedMbps());
    }

    @Override
    public List<DeviceCounter> faultCounters() {
        timesAsked++;
        return List.of();
    }

    /** How often it was asked for its port and its counters. */
    public int timesAsked() {
        return timesAsked;
    }

    @Override
    public Gid queryGid(final int portNum, final int index) {
        check("queryGid");
        return index == device.gidIndex() ? Gid.of(device.address()) : new Gid(0, 0);
    }

    @Override
    public int queryPkey(final int portNum, final int index) {
        return 0xFFFF;
    }

    @Override
    public ProtectionDomain allocPd() {
        check("allocPd");
        return new FakePd(this);
    }

    @Override
    public CompletionChannel createCompChannel() {
        check("createCompChannel");
        return new FakeCompletionChannel(this);
    }

    @Override
    public CompletionQueue createCq(
            final int cqe, final @Nullable Object context, final @Nullable CompletionChannel channel) {
        check("createCq");
        return new FakeCq(this, cqe, context, (FakeCompletionChannel) channel);
    }

    @Override
    public @Nullable AsyncEvent getAsyncEvent(final long timeoutNs) {
        return events.poll();
    }

    @Override
    public void ackAsyncEvent(final AsyncEvent event) {
        // Nothing waits for it.
    }

    @Override
    public CmEventChannel createEventChannel() {
        check("createEventChannel");
        return new FakeCmChannel(this);
    }

    @Override
    public MemorySegment allocateMemory(final long lengthBytes) {
        return Arena.ofAuto().allocate(lengthBytes, 64);
    }

    /** Its driver takes long to destroy what was closed, or has done so by now. */
    public void destroysSlowly(final boolean value) {
        destroysSlowly = value;
    }

    /** How often somebody waited for the driver, in vain. */
    public int timesWaited() {
        return timesWaited;
    }

    /** What happens while it is being closed. */
    public void onClose(final Runnable other) {
        onClose = other;
    }

    @Override
    public void closeAtOnce() {
        requireDestroyed();
        close();
    }

    private void requireDestroyed() {
        if (destroysSlowly) {
            throw new VerbsException("closeDevice", Errno.EBUSY, device.name(), "the driver is still destroying");
        }
    }

    @Override
    public void close() {
        timesWaited += destroysSlowly ? 1 : 0;
        requireDestroyed();
        if (!children.isEmpty()) {
            throw new VerbsException(
                    "closeDevice", Errno.EBUSY, device.name(), new ArrayList<>(children) + " are still open");
        }
        onClose.run();
        closed = true;
        device.closed(this);
    }
}
