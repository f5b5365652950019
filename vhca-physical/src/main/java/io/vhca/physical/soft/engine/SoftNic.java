package io.vhca.physical.soft.engine;

import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.api.AtomicCapability;
import io.vhca.api.CompletionChannel;
import io.vhca.api.Context;
import io.vhca.api.DeviceAttributes;
import io.vhca.api.Errno;
import io.vhca.api.Gid;
import io.vhca.api.Mtu;
import io.vhca.api.NativeMemory;
import io.vhca.api.PortAttributes;
import io.vhca.api.VerbsException;
import io.vhca.physical.soft.Carrier;
import io.vhca.physical.soft.wire.BthDescriptor;
import io.vhca.physical.soft.wire.DethDescriptor;
import io.vhca.physical.soft.wire.Icrc;
import io.vhca.physical.soft.wire.Opcodes;
import io.vhca.physical.soft.wire.Wire;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A soft RNIC with one port: the transport engine and the objects that applications make of it.
 *
 * <p>It has no thread and no clock. Whoever calls {@link #doWork} owns the engine for that call; a call that finds it
 * owned returns at once. With {@link SoftNicConfig#inlineClock} posting and polling call it as well. Control calls, of
 * any thread, wait for the engine for the length of one duty cycle at most.
 *
 * <p>{@link #kill} makes it a zombie: everything posted is flushed, posts answer -EIO, control calls throw EIO, every
 * destroy succeeds. {@link #close} needs all objects closed before; their memory goes with each of them.
 */
public final class SoftNic implements AutoCloseable {
    private static final int PKEY_TABLE = 1;

    private final String name;
    private final long nodeGuid;
    private final Carrier carrier;
    private final SoftNicConfig config;
    private final NicEvents events;
    private final NicCounters counters = new NicCounters();
    private final Ownership ownership = new Ownership();
    private final RunQueue runnable = new RunQueue();
    private final PortRate rate;
    private final NicDeadline deadline;
    private final NicObjects objects;
    private final QpTable qps;
    private final PacketOutput output;
    private final PacketInput input;
    private final PortMonitor port;
    private final @Nullable InlineDrive inline;
    private final PortSettings settings;
    private volatile boolean isDead;
    private boolean isClosed;

    private long nowNs;
    private int gsiPsn;

    /**
     * Creates a device whose port is up when the carrier is. Cheap: tens of microseconds, a few kilobytes.
     *
     * @param carrier stays the caller's, who closes it after the device
     */
    public SoftNic(
            final String name,
            final long nodeGuid,
            final Carrier carrier,
            final SoftNicConfig config,
            final NicEvents events) {
        this.name = name;
        this.nodeGuid = nodeGuid;
        this.carrier = carrier;
        this.config = config;
        this.events = events;
        // The finalizer of SplitMix64: near seeds give far numbers.
        long mixed = (config.seed() ^ config.seed() >>> 30) * 0xbf58476d1ce4e5b9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94d049bb133111ebL;
        mixed ^= mixed >>> 31;
        objects = new NicObjects(this, mixed);
        qps = objects.qps();
        rate = new PortRate(counters, config.rateMbps());
        deadline = new NicDeadline(qps);
        final Icrc icrc = new Icrc();
        output = new PacketOutput(this, carrier, icrc);
        input = new PacketInput(this, carrier, qps, icrc);
        port = new PortMonitor(this, carrier, config.portCheckIntervalNs());
        final LongSupplier clock = config.inlineClock();
        inline = clock == null ? null : new InlineDrive(this, clock);
        settings = new PortSettings(name, carrier);
    }

    public String name() {
        return name;
    }

    public long nodeGuid() {
        return nodeGuid;
    }

    public Carrier carrier() {
        return carrier;
    }

    public SoftNicConfig config() {
        return config;
    }

    public NicCounters counters() {
        return counters;
    }

    /** The largest MTU that the carrier's packets hold. */
    public Mtu portMtu() {
        return settings.mtu();
    }

    /** Where in its table the port's GID is. Any thread. */
    public int gidIndex() {
        return settings.gidIndex();
    }

    PortSettings settings() {
        return settings;
    }

    /** Any thread. */
    public boolean isPortUp() {
        return port.isUp();
    }

    /** True once killed. Any thread. */
    public boolean isDead() {
        return isDead;
    }

    // Running.

    /**
     * One duty cycle: port, received packets, timers, and a turn for each QP with something to send.
     *
     * @param now the time, of any origin; never goes back
     * @return how much was done; 0 also when another thread has the engine
     */
    public int doWork(final long now) {
        return run(now, true);
    }

    /** As {@link #doWork}; received packets are left where they are when not {@code isReceiving}. */
    int run(final long now, final boolean isReceiving) {
        int work = 0;
        // A doorbell that rang while the engine was taken would wait for the next call: look again after giving it up.
        do {
            if (!ownership.tryTake()) {
                return work;
            }
            try {
                work += runOwned(now, isReceiving);
            } finally {
                ownership.release();
            }
        } while (runnable.hasRung());
        return work;
    }

    private int runOwned(final long now, final boolean isReceiving) {
        nowNs = now;
        if (isClosed) {
            runnable.takeRung();
            return 0;
        }
        int work = 0;
        if (!isDead) {
            port.check(now);
            work += isReceiving ? carrier.receive(input, config.receiveBatch()) : 0;
        }
        work += runnable.takeRung();
        work += deadline.fire(now);
        work += runnable.run(config.burstPackets(), rate, now);
        if (!isDead) {
            carrier.flush();
        }
        return work;
    }

    /**
     * When {@link #doWork} must be called next though no packet comes; {@link Long#MAX_VALUE} for never. Any thread.
     */
    public long nextDeadlineNs() {
        ownership.take();
        try {
            return runnable.nextDeadlineNs(deadline.next());
        } finally {
            ownership.release();
        }
    }

    /** True when {@link #doWork} has something to do at once, packets that wait in the carrier apart. Any thread. */
    public boolean hasWork() {
        return runnable.hasWork();
    }

    /** Runs the engine in the caller's thread, who polls, where the configuration says so; true when it ran. */
    boolean driveInline() {
        return inline != null && inline.onPoll();
    }

    /** As {@link #driveInline}, for a caller who posts. */
    void driveSends() {
        if (inline != null) {
            inline.onPost();
        }
    }

    // Faults.

    /** Sets the port up or down, as an operator does; while down, packets neither leave nor arrive. Any thread. */
    public void setPort(final boolean up) {
        exclusively(() -> {
            if (!isDead) {
                port.set(up);
            }
        });
    }

    /**
     * The sending side of every connected queue pair that is open now hangs, as real adapters have been seen to do when
     * their link goes: nothing is sent, times out, completes or is flushed any more, without a word. Queue pairs made
     * later work. Any thread.
     */
    public void stallSenders() {
        exclusively(() -> qps.forEach(qp -> qp.transport().stall()));
    }

    /**
     * The oldest send of every queue pair fails with LOC_QP_OP_ERR, and the queue pair with it, though the
     * port is up: adapters have been seen to report the end of their link so, before the link itself. Any thread.
     */
    public void failSenders() {
        exclusively(() -> qps.forEach(SoftQp::failOldestSend));
    }

    /** The port's GID moves in its table: GID_CHANGE; what goes out from its old place is lost. Any thread. */
    public void moveGid(final int index) {
        exclusively(() -> {
            if (!isDead && settings.moveGid(index)) {
                raise(AsyncEvent.ofPort(AsyncEventType.GID_CHANGE, 1));
            }
        });
    }

    /** The link's MTU changes, as by an operator: larger packets are lost. Says nothing, as Linux does. Any thread. */
    public void setMtu(final Mtu mtu) {
        exclusively(() -> settings.mtu(mtu));
    }

    private void exclusively(final Runnable fault) {
        ownership.take();
        try {
            fault.run();
        } finally {
            ownership.release();
        }
    }

    /** The device is dead from now on; see the class. Raises DEVICE_FATAL once. Any thread; idempotent. */
    public void kill() {
        ownership.take();
        try {
            if (isDead) {
                return;
            }
            isDead = true;
            port.kill();
            for (int i = 0; i < qps.size(); i++) {
                qps.get(i).die();
            }
            raise(AsyncEvent.ofDevice(AsyncEventType.DEVICE_FATAL));
        } finally {
            ownership.release();
        }
    }

    /** Lets go of the device's own memory. Idempotent; EBUSY while objects of it are open. */
    @Override
    public void close() {
        ownership.take();
        try {
            if (isClosed) {
                return;
            }
            objects.requireNone();
            isClosed = true;
            isDead = true;
            port.kill();
            output.free();
        } finally {
            ownership.release();
        }
    }

    // Attributes.

    /** Attributes and limits. */
    public DeviceAttributes queryDevice() {
        requireAlive("queryDevice");
        return new DeviceAttributes(
                "soft",
                nodeGuid,
                Long.MAX_VALUE,
                config.maxQp(),
                config.maxQpWr(),
                config.maxSge(),
                config.maxCq(),
                config.maxCqe(),
                config.maxMr(),
                config.maxPd(),
                config.maxRdAtomic(),
                config.maxRdAtomic(),
                AtomicCapability.HCA,
                config.maxAh(),
                config.maxSrq(),
                config.maxSrqWr(),
                config.maxSge(),
                config.maxInlineData(),
                1);
    }

    /** State and attributes of port 1. */
    public PortAttributes queryPort(final int portNum) {
        requireAlive("queryPort");
        requirePort("queryPort", portNum);
        return settings.attributes(isPortUp(), PKEY_TABLE, config, rate.mbps());
    }

    /** One entry is the carrier's address, those before it are empty. */
    public Gid queryGid(final int portNum, final int index) {
        requireAlive("queryGid");
        requirePort("queryGid", portNum);
        return settings.gid(index);
    }

    /** Entry 0 is the default partition. */
    public int queryPkey(final int portNum, final int index) {
        requireAlive("queryPkey");
        requirePort("queryPkey", portNum);
        if (index != 0) {
            throw new VerbsException("queryPkey", Errno.EINVAL, name, "the P_Key table has the entry 0 only");
        }
        return BthDescriptor.DEFAULT_PKEY;
    }

    // Objects.

    /** A protection domain; {@code context} is what {@link SoftPd#context()} gives back. */
    public SoftPd allocPd(final @Nullable Context context) {
        acquireFor("allocPd");
        try {
            return objects.addPd(context);
        } finally {
            release();
        }
    }

    /** A completion queue; {@code context} and {@code channel} are only given back. */
    public SoftCq createCq(
            final @Nullable Context context,
            final int cqe,
            final @Nullable Object cqContext,
            final @Nullable CompletionChannel channel) {
        acquireFor("createCq");
        try {
            return objects.addCq(context, cqe, cqContext, channel);
        } finally {
            release();
        }
    }

    /**
     * Sends a management datagram from QP1 to QP1 of another port. Any thread; may be called from {@link NicEvents}.
     *
     * @param madAddress 256 bytes, copied
     */
    public void sendMad(final Gid destination, final long madAddress) {
        ownership.take();
        try {
            if (isDead) {
                return;
            }
            final long packet = output.buffer();
            final int headerBytes = Opcodes.headerBytes(Opcodes.UD_SEND_ONLY);
            gsiPsn = gsiPsn + 1 & Wire.MASK_24;
            BthDescriptor.write(packet, Opcodes.UD_SEND_ONLY, false, 0, Wire.GSI_QPN, false, gsiPsn);
            DethDescriptor.write(packet + BthDescriptor.SIZE, Wire.GSI_QKEY, Wire.GSI_QPN);
            NativeMemory.copy(madAddress, packet + headerBytes, Wire.MAD_BYTES);
            output.send(settings.path(destination), headerBytes, Wire.MAD_BYTES);
            carrier.flush();
        } finally {
            ownership.release();
        }
    }

    // What follows is the package's own; the engine's owner calls it unless it says otherwise.

    void acquire() {
        ownership.take();
    }

    /** As {@link #acquire}, but EIO on a dead device. Any thread. */
    void acquireFor(final String verb) {
        ownership.take();
        if (isDead) {
            ownership.release();
            requireAlive(verb);
        }
    }

    void release() {
        ownership.release();
    }

    /** The time of the duty cycle. */
    long nowNs() {
        return nowNs;
    }

    NicObjects objects() {
        return objects;
    }

    KeyTable keys() {
        return objects.keys();
    }

    AhTable ahs() {
        return objects.ahs();
    }

    PacketOutput output() {
        return output;
    }

    PacketInput input() {
        return input;
    }

    NicDeadline deadline() {
        return deadline;
    }

    /** Any thread. */
    void ring(final SoftQp qp) {
        runnable.ring(qp);
    }

    void schedule(final SoftQp qp) {
        runnable.add(qp);
    }

    void raise(final AsyncEvent event) {
        events.asyncEvent(event);
    }

    void notifyCq(final SoftCq cq) {
        events.cqEvent(cq);
    }

    void madArrived(final long high, final long low, final int sourceQp, final long mad) {
        events.mad(high, low, sourceQp, mad);
    }

    void portWentDown() {
        for (int i = 0; i < qps.size(); i++) {
            qps.get(i).portWentDown();
        }
    }

    private void requirePort(final String verb, final int portNum) {
        require(verb, portNum == 1, "the device has port 1 only");
    }

    private void requireAlive(final String verb) {
        if (isDead) {
            throw new VerbsException(verb, Errno.EIO, name, "the device is dead: close its objects and open it again");
        }
    }

    void require(final String verb, final boolean isRight, final String rule) {
        if (!isRight) {
            throw new VerbsException(verb, Errno.EINVAL, name, rule);
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
