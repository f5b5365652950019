package io.vhca.physical.soft.engine.port;

import io.vhca.api.AhAttributes;
import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.api.Errno;
import io.vhca.api.Gid;
import io.vhca.api.LinkLayer;
import io.vhca.api.Mtu;
import io.vhca.api.PortAttributes;
import io.vhca.api.PortState;
import io.vhca.api.VerbsException;
import io.vhca.physical.soft.carrier.Carrier;
import io.vhca.physical.soft.carrier.Destination;
import io.vhca.physical.soft.engine.core.EngineCore;
import io.vhca.physical.soft.engine.core.NicCounter;
import io.vhca.physical.soft.engine.core.Path;
import io.vhca.physical.soft.engine.core.SoftNicConfig;
import org.jspecify.annotations.Nullable;

/**
 * The one port of a soft device: its state, its MTU and its GID. It is up while nobody has set it down and the
 * carrier's link is up. The GID table is empty up to the one entry that holds the carrier's address.
 *
 * <p>Any thread reads it; only the engine's owner changes it.
 */
public final class Port {
    /** Room that a packet needs besides its payload: the longest RC headers, immediate and ICRC. */
    private static final int OVERHEAD_BYTES = 64;

    private final EngineCore core;
    private final Carrier carrier;
    private final Runnable onDown;
    private final long checkIntervalNs;
    private volatile Mtu mtu;
    private volatile int gidIndex;
    private volatile boolean isUp;
    private boolean isSetUp = true;
    private boolean wasChecked;
    private long checkedNs;
    private long countedPauses;

    /** Up when the carrier's link is; {@code onDown} runs when it goes down, before the event is raised. */
    public Port(final EngineCore core, final Carrier carrier, final Runnable onDown) {
        this.core = core;
        this.carrier = carrier;
        this.onDown = onDown;
        checkIntervalNs = core.config().portCheckIntervalNs();
        mtu = Mtu.atMost(carrier.maxPacketBytes() - OVERHEAD_BYTES);
        isUp = carrier.isUp();
    }

    /** True while packets leave and arrive. */
    public boolean isUp() {
        return isUp;
    }

    /** The active MTU. */
    public Mtu mtu() {
        return mtu;
    }

    /** What holds the port to its rate, as that is configured; for the one who gives turns. */
    public PortRate createRate() {
        return new PortRate(core.counters(), core.config().rateMbps(), carrier.address());
    }

    /** Where in its table the GID is. */
    public int gidIndex() {
        return gidIndex;
    }

    /** The GID, which is the carrier's address. */
    public Gid address() {
        return carrier.address();
    }

    /** The entry of the GID table; EINVAL behind its end. */
    public Gid gid(final int index) {
        final int last = gidIndex;
        if (index < 0 || index > last) {
            throw new VerbsException(
                    "queryGid", Errno.EINVAL, core.name(), "the GID table ends with the entry " + last);
        }
        return index == last ? carrier.address() : new Gid(0, 0);
    }

    /**
     * Takes the path to a peer from the port as it is now; {@link #release} gives it back. ENETUNREACH or ENOMEM where
     * there is none.
     */
    public Path path(final String verb, final AhAttributes to) {
        final Gid destination = to.dgid();
        final int route = carrier.route(new Destination(destination, to.trafficClass(), to.hopLimit()));
        if (route < 0) {
            throw new VerbsException(
                    verb,
                    -route,
                    core.name(),
                    route == -Errno.ENOMEM
                            ? "no route is free for " + destination + ": destroy queue pairs or address handles of"
                                    + " other peers first"
                            : destination + " cannot be reached from " + carrier.address()
                                    + ": use a device with an address of that IP version");
        }
        return new Path(destination, route, gidIndex);
    }

    /** As {@link #path}, for one packet; null where there is none. */
    public @Nullable Path pathForOne(final Gid destination) {
        final int route = carrier.route(destination);
        return route < 0 ? null : new Path(destination, route, gidIndex);
    }

    /** Gives a path back. */
    public void release(final Path path) {
        assert core.isOwner() : "only the engine's owner keeps paths";
        carrier.release(path.route());
    }

    /** State and attributes, as ibv_query_port(3) gives them. */
    public PortAttributes attributes(final int pkeys) {
        final SoftNicConfig config = core.config();
        return new PortAttributes(
                isUp ? PortState.ACTIVE : PortState.DOWN,
                Mtu.MTU_4096,
                mtu,
                gidIndex + 1,
                pkeys,
                config.maxMessageBytes(),
                0,
                LinkLayer.ETHERNET,
                config.rateMbps());
    }

    /** Sets the port up or down, as an operator does. */
    public void set(final boolean up) {
        isSetUp = up;
        update();
    }

    /** The active MTU becomes {@code wanted}, or what the carrier allows at most. */
    public void setMtu(final Mtu wanted) {
        assert core.isOwner() : "only the engine's owner changes the port";
        mtu = Mtu.atMost(Math.min(wanted.bytes(), carrier.maxPacketBytes() - OVERHEAD_BYTES));
    }

    /** The GID moves to another entry of its table, with GID_CHANGE; nothing happens where it is there already. */
    public void moveGid(final int index) {
        assert core.isOwner() : "only the engine's owner changes the port";
        if (index != gidIndex) {
            gidIndex = index;
            core.raise(AsyncEvent.ofPort(AsyncEventType.GID_CHANGE, 1));
        }
    }

    /** Asks the carrier for its link once an interval. */
    public void check(final long nowNs) {
        if (!wasChecked || nowNs - checkedNs >= checkIntervalNs) {
            wasChecked = true;
            checkedNs = nowNs;
            update();
            countPauses();
        }
    }

    private void countPauses() {
        final long pauses = carrier.pauses();
        if (pauses != countedPauses) {
            core.counters().add(NicCounter.RX_PRIO_PAUSE, pauses - countedPauses);
            countedPauses = pauses;
        }
    }

    /** The device died: the port is down for good, without an event. */
    public void kill() {
        assert core.isOwner() : "only the engine's owner changes the port";
        isSetUp = false;
        isUp = false;
    }

    private void update() {
        assert core.isOwner() : "only the engine's owner changes the port";
        final boolean up = isSetUp && carrier.isUp();
        if (up != isUp) {
            isUp = up;
            if (!up) {
                onDown.run();
            }
            core.raise(AsyncEvent.ofPort(up ? AsyncEventType.PORT_ACTIVE : AsyncEventType.PORT_ERR, 1));
        }
    }
}
