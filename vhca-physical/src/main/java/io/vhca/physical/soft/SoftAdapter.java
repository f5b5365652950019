package io.vhca.physical.soft;

import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.api.DeviceStep;
import io.vhca.api.DeviceTracer;
import io.vhca.api.Gid;
import io.vhca.api.Mtu;
import io.vhca.api.NativeMemory;
import io.vhca.physical.soft.carrier.Carrier;
import io.vhca.physical.soft.cm.CmConfig;
import io.vhca.physical.soft.cm.CmHost;
import io.vhca.physical.soft.cm.CommunicationManager;
import io.vhca.physical.soft.cm.message.MadDescriptor;
import io.vhca.physical.soft.engine.SoftNic;
import io.vhca.physical.soft.engine.core.NicEvents;
import io.vhca.physical.soft.engine.core.SoftNicConfig;
import io.vhca.physical.soft.udp.UdpCarrier;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * An open soft RNIC: carrier, engine, connection manager, and the contexts that share them.
 *
 * <p>Over UDP a {@link SoftAgent} runs it, and so does every thread that posts or polls. Driven by hand it runs in
 * {@link #doWork} alone. What the engine reports in the middle of its work is handed to queues here and acted upon
 * afterwards.
 */
final class SoftAdapter implements NicEvents, CmHost {
    /** Messages go out through here; the engine copies them. One for each thread that ever sends one. */
    private static final ThreadLocal<MemorySegment> SCRATCH =
            ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(256, Long.BYTES));

    private static final long LONGEST_GOODBYE_NS = 500_000_000;
    private static final long GOODBYE_NAP_NS = 100_000;

    private final Carrier carrier;
    private final SoftNic nic;
    private final CommunicationManager cm;
    private final @Nullable SoftAgent agent;
    private final List<SoftContext> contexts = new CopyOnWriteArrayList<>();
    private final int maxRdAtomic;
    private final long pollNs;
    private volatile long drivenNowNs;

    private SoftAdapter(
            final String name,
            final long nodeGuid,
            final Carrier carrier,
            final SoftNicConfig config,
            final CmConfig cmConfig,
            final RandomGenerator random,
            final @Nullable UdpCarrier blocking) {
        this.carrier = carrier;
        agent = blocking == null ? null : new SoftAgent(name, this, blocking);
        if (agent != null) {
            config.inlineClock(agent::inlineNowNs);
        }
        maxRdAtomic = config.maxRdAtomic();
        pollNs = agent == null ? 0 : config.pollNs();
        nic = new SoftNic(name, nodeGuid, carrier, config, this);
        cm = new CommunicationManager(this, cmConfig, random);
    }

    static SoftAdapter threaded(
            final String name,
            final long nodeGuid,
            final Carrier carrier,
            final SoftNicConfig config,
            final RandomGenerator random,
            final UdpCarrier socket) {
        return new SoftAdapter(name, nodeGuid, carrier, config, CmConfig.DEFAULT, random, socket);
    }

    static SoftAdapter driven(
            final String name,
            final long nodeGuid,
            final Carrier carrier,
            final SoftNicConfig config,
            final CmConfig cmConfig,
            final RandomGenerator random) {
        return new SoftAdapter(name, nodeGuid, carrier, config, cmConfig, random, null);
    }

    SoftNic nic() {
        return nic;
    }

    CommunicationManager cm() {
        return cm;
    }

    /** How long a thread that waits for completions runs the device itself before it blocks. */
    long pollNs() {
        return pollNs;
    }

    /** True when it lives by the clock of the process, not by hand. */
    boolean isThreaded() {
        return agent != null;
    }

    void start() {
        if (agent != null) {
            agent.start();
        }
    }

    void add(final SoftContext context) {
        contexts.add(context);
    }

    /** Contexts share it, and so do those who hear what it does: all of them are told all. */
    void traceChanged() {
        final List<DeviceTracer> all = new ArrayList<>();
        for (final SoftContext context : contexts) {
            final DeviceTracer one = context.tracer();
            if (one != null) {
                all.add(one);
            }
        }
        nic.counters()
                .traceTo(all.isEmpty() ? null : all.size() == 1 ? all.getFirst() : new SeveralTracers(all));
    }

    /** Tells each of some. */
    private record SeveralTracers(List<DeviceTracer> all) implements DeviceTracer {
        @Override
        public void step(final DeviceStep step, final int number, final long value) {
            for (int i = 0; i < all.size(); i++) {
                all.get(i).step(step, number, value);
            }
        }
    }

    private void tellMad(final DeviceStep step, final long mad) {
        final DeviceTracer to = nic.counters().tracer();
        if (to != null) {
            // In the order of the wire: what came or goes out, and behind its header whose connection it is.
            final short attribute = NativeMemory.getShort(mad + MadDescriptor.ATTRIBUTE_OFFSET);
            to.step(
                    step, Short.toUnsignedInt(Short.reverseBytes(attribute)),
                    Long.reverseBytes(NativeMemory.getLong(mad + MadDescriptor.HEADER_BYTES)));
        }
    }

    /** True when that was the last one. */
    boolean remove(final SoftContext context) {
        contexts.remove(context);
        traceChanged();
        return contexts.isEmpty();
    }

    /** One duty cycle. */
    int doWork(final long nowNs) {
        if (agent == null) {
            drivenNowNs = nowNs;
        }
        final int work = nic.doWork(nowNs);
        return work + cm.doWork(nowNs);
    }

    /** {@link Long#MAX_VALUE} for never. */
    long nextDeadlineNs() {
        final long ofNic = nic.nextDeadlineNs();
        final long ofCm = cm.nextDeadlineNs();
        if (ofNic == Long.MAX_VALUE || ofCm == Long.MAX_VALUE) {
            return ofNic == Long.MAX_VALUE ? ofCm : ofNic;
        }
        return ofNic - ofCm < 0 ? ofNic : ofCm;
    }

    boolean hasWork() {
        return nic.hasWork() || cm.hasWork();
    }

    /**
     * The process ends: tells every peer so, and waits for their answers for a bounded time. Runs the device itself:
     * its own thread may be gone.
     */
    void sayGoodbye() {
        final long start = System.nanoTime();
        cm.sayGoodbye();
        while (!nic.isDead() && cm.isSayingGoodbye() && System.nanoTime() - start < LONGEST_GOODBYE_NS) {
            if (doWork(System.nanoTime()) == 0) {
                LockSupport.parkNanos(GOODBYE_NAP_NS);
            }
        }
    }

    /** The adapter dies; contexts stay as zombies. */
    void kill() {
        stopAgent();
        nic.kill();
        cm.deviceRemoved();
        closeCarrier();
    }

    /** The last context is closed. */
    void close() {
        stopAgent();
        try {
            nic.close();
        } finally {
            closeCarrier();
        }
    }

    private void stopAgent() {
        if (agent != null) {
            agent.stop();
        }
    }

    /** Its memory is the agent's as long as that lives. */
    private void closeCarrier() {
        if (agent != null) {
            agent.close(carrier);
        } else {
            carrier.close();
        }
    }

    // NicEvents: in the middle of the engine's work.

    @Override
    public void asyncEvent(final AsyncEvent event) {
        final Context owner = ownerOf(event);
        for (final SoftContext context : contexts) {
            if (owner == null || owner == context) {
                context.raise(event);
            }
        }
    }

    @Override
    public void destroyed(final Object object) {
        contexts.forEach(context -> context.forget(object));
    }

    @Override
    public void firstRequest(final int qpNum) {
        cm.onEstablished(qpNum);
    }

    /** The context of the object that an event is about; null for the port's and the device's. */
    private static @Nullable Context ownerOf(final AsyncEvent event) {
        if (event.qp() != null) {
            return event.qp().pd().context();
        }
        if (event.cq() != null) {
            return event.cq().context();
        }
        return event.srq() != null ? event.srq().pd().context() : null;
    }

    @Override
    public void cqEvent(final CompletionQueue cq) {
        if (cq.channel() instanceof SoftCompletionChannel channel) {
            channel.put(cq);
        }
    }

    @Override
    public void mad(final long sourceHigh, final long sourceLow, final int sourceQp, final long madAddress) {
        tellMad(DeviceStep.CM_RECEIVED, madAddress);
        cm.onMad(sourceHigh, sourceLow, sourceQp, madAddress);
    }

    // CmHost.

    @Override
    public String name() {
        return nic.name();
    }

    @Override
    public long nodeGuid() {
        return nic.nodeGuid();
    }

    @Override
    public Gid address() {
        return carrier.address();
    }

    @Override
    public int gidIndex() {
        return nic.gidIndex();
    }

    @Override
    public Mtu pathMtu() {
        return nic.portMtu();
    }

    @Override
    public boolean isPortUp() {
        return nic.isPortUp();
    }

    @Override
    public boolean isDead() {
        return nic.isDead();
    }

    @Override
    public int maxRdAtomic() {
        return maxRdAtomic;
    }

    @Override
    public long nowNs() {
        return agent != null ? System.nanoTime() : drivenNowNs;
    }

    @Override
    public void sendMad(final Gid destination, final byte[] mad) {
        final MemorySegment scratch = SCRATCH.get();
        MemorySegment.copy(mad, 0, scratch, ValueLayout.JAVA_BYTE, 0, mad.length);
        tellMad(DeviceStep.CM_SENT, scratch.address());
        nic.sendMad(destination, scratch.address());
    }

    @Override
    public boolean isReachable(final Gid destination) {
        return carrier.reaches(destination);
    }

    @Override
    public void wake() {
        if (agent != null) {
            agent.wake();
        }
    }

    @Override
    public void drive() {
        if (agent != null && !nic.isDead()) {
            doWork(agent.inlineNowNs());
        }
    }

    @Override
    public void waiting(final boolean starts) {
        if (agent != null) {
            agent.waiting(starts);
        }
    }
}
