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
import io.vhca.api.PortAttributes;
import io.vhca.api.VerbsException;
import io.vhca.physical.soft.carrier.Carrier;
import io.vhca.physical.soft.engine.core.NicCounters;
import io.vhca.physical.soft.engine.core.NicEvents;
import io.vhca.physical.soft.engine.core.SoftNicConfig;
import io.vhca.physical.soft.engine.port.Port;
import io.vhca.physical.soft.engine.queue.SoftCq;
import io.vhca.physical.soft.wire.BthDescriptor;
import org.jspecify.annotations.Nullable;

/**
 * A soft RNIC with one port: the transport engine and the objects that applications create on it.
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
    private final Engine engine;
    private final Port port;
    private final NicObjects objects;

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
        engine = new Engine(name, carrier, config, events);
        port = engine.port();
        objects = new NicObjects(engine);
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
        return engine.counters();
    }

    /** The largest MTU that the carrier's packets hold. */
    public Mtu portMtu() {
        return port.mtu();
    }

    /** Where in its table the port's GID is. Any thread. */
    public int gidIndex() {
        return port.gidIndex();
    }

    /** Any thread. */
    public boolean isPortUp() {
        return port.isUp();
    }

    /** True once killed. Any thread. */
    public boolean isDead() {
        return engine.isDead();
    }

    // Running.

    /**
     * One duty cycle: port, received packets, timers, and a turn for each QP with something to send.
     *
     * @param now the time, of any origin; never goes back
     * @return how much was done; 0 also when another thread has the engine
     */
    public int doWork(final long now) {
        return engine.run(now, true);
    }

    /**
     * When {@link #doWork} must be called next though no packet comes; {@link Long#MAX_VALUE} for never. Any thread.
     */
    public long nextDeadlineNs() {
        return engine.nextDeadlineNs();
    }

    /** True when another thread runs it: {@link #doWork} does nothing meanwhile. Any thread. */
    public boolean isRunElsewhere() {
        return engine.isRunElsewhere();
    }

    /** True when {@link #doWork} has something to do at once, packets that wait in the carrier apart. Any thread. */
    public boolean hasWork() {
        return engine.hasWork();
    }

    // Faults.

    /** Sets the port up or down, as an operator does; while down, packets neither leave nor arrive. Any thread. */
    public void setPort(final boolean up) {
        exclusively(() -> {
            if (!engine.isDead()) {
                port.set(up);
            }
        });
    }

    /**
     * The sending side of every connected queue pair that is open now hangs, as real adapters have been seen to do when
     * their link goes down: nothing is sent, times out, completes or is flushed any more, and no event says so. Queue
     * pairs created later work. Any thread.
     */
    public void stallSenders() {
        exclusively(engine::stallSenders);
    }

    /**
     * The oldest send of every queue pair fails with LOC_QP_OP_ERR, and the queue pair with it, though the port is up:
     * adapters have been seen to report the end of their link in this way before they report the link itself. Any
     * thread.
     */
    public void failSenders() {
        exclusively(engine::failSenders);
    }

    /** The port's GID moves in its table: GID_CHANGE; what is sent from its old place is lost. Any thread. */
    public void moveGid(final int index) {
        exclusively(() -> {
            if (!engine.isDead()) {
                port.moveGid(index);
            }
        });
    }

    /** The link's MTU changes, as by an operator: larger packets are lost. Raises no event, as in Linux. Any thread. */
    public void setMtu(final Mtu mtu) {
        exclusively(() -> port.setMtu(mtu));
    }

    private void exclusively(final Runnable action) {
        engine.acquire();
        try {
            action.run();
        } finally {
            engine.release();
        }
        // What is to happen because of it does not wait for the next packet.
        engine.driveInline();
    }

    /** The device is dead from now on; see the class. Raises DEVICE_FATAL once. Any thread; idempotent. */
    public void kill() {
        exclusively(() -> {
            if (engine.die()) {
                engine.raise(AsyncEvent.ofDevice(AsyncEventType.DEVICE_FATAL));
            }
        });
    }

    /** Frees the device's own memory. Idempotent; EBUSY while objects of it are open. */
    @Override
    public void close() {
        exclusively(() -> {
            objects.requireNone();
            engine.close();
        });
    }

    // Attributes.

    /** Attributes and limits. */
    public DeviceAttributes queryDevice() {
        engine.requireAlive("queryDevice");
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
        engine.requireAlive("queryPort");
        requirePort("queryPort", portNum);
        return port.attributes(PKEY_TABLE);
    }

    /** One entry is the carrier's address, those before it are empty. */
    public Gid queryGid(final int portNum, final int index) {
        engine.requireAlive("queryGid");
        requirePort("queryGid", portNum);
        return port.gid(index);
    }

    /** Entry 0 is the default partition. */
    public int queryPkey(final int portNum, final int index) {
        engine.requireAlive("queryPkey");
        requirePort("queryPkey", portNum);
        if (index != 0) {
            throw new VerbsException("queryPkey", Errno.EINVAL, name, "the P_Key table has the entry 0 only");
        }
        return BthDescriptor.DEFAULT_PKEY;
    }

    private void requirePort(final String verb, final int portNum) {
        engine.require(verb, portNum == 1, "the device has port 1 only");
    }

    // Objects.

    /** A protection domain; {@code context} is what {@link SoftPd#context()} gives back. */
    public SoftPd allocPd(final @Nullable Context context) {
        engine.acquireFor("allocPd");
        try {
            return objects.addPd(context);
        } finally {
            engine.release();
        }
    }

    /** A completion queue; {@code context} and {@code channel} are only given back. */
    public SoftCq createCq(
            final @Nullable Context context,
            final int cqe,
            final @Nullable Object cqContext,
            final @Nullable CompletionChannel channel) {
        engine.acquireFor("createCq");
        try {
            return objects.addCq(context, cqe, cqContext, channel);
        } finally {
            engine.release();
        }
    }

    /**
     * Sends a management datagram from QP1 to QP1 of another port. Any thread; may be called from {@link NicEvents}.
     *
     * @param madAddress 256 bytes, copied
     */
    public void sendMad(final Gid destination, final long madAddress) {
        exclusively(() -> {
            if (!engine.isDead()) {
                engine.management().send(destination, madAddress);
                carrier.flush();
            }
        });
    }

    @Override
    public String toString() {
        return name;
    }
}
