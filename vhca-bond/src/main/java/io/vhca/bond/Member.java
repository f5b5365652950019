package io.vhca.bond;

import io.vhca.api.Context;
import io.vhca.api.DeviceAttributes;
import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmEventChannel;
import java.net.InetAddress;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One device of the bond: its open context, its CM event channel and what the link monitor knows of it. Control lock;
 * polling threads read whether it is up.
 */
final class Member {
    static final int PORT = 1;

    private final int index;
    private final String name;
    private Context context;
    private DeviceAttributes attributes;
    private CmEventChannel cm;
    private InetAddress address;
    private int gidIndex;
    private volatile boolean portActive;
    private volatile boolean alive = true;
    private boolean present = true;
    private int comings;
    private boolean drained;
    private final LinkHistory history = new LinkHistory();
    private int speedMbps;
    private int queuePairs;
    private boolean tellsLastWqe = true;
    private boolean goingDown;
    private long goingDownSinceNs;

    /** @param comings how often devices came to that index before */
    Member(final int index, final int comings, final Context context) {
        this.index = index;
        this.comings = comings;
        this.context = context;
        name = context.device().name();
        attributes = context.queryDevice();
        gidIndex = context.ipGidIndex(PORT);
        address = context.queryGid(PORT, gidIndex).address();
        cm = context.createEventChannel();
    }

    /**
     * The device is back and was opened again: what is made from now on is made on it. Its port is looked at before it
     * carries anything.
     *
     * @throws VerbsException when it died once more meanwhile, or has no address yet; the member is as before
     */
    void plug(final Context opened) {
        final int index = opened.ipGidIndex(PORT);
        final InetAddress now = opened.queryGid(PORT, index).address();
        final DeviceAttributes limits = opened.queryDevice();
        cm = opened.createEventChannel();
        context = opened;
        gidIndex = index;
        address = now;
        attributes = limits;
        comings++;
        portActive = false;
        alive = true;
    }

    /** How often a device came to this index, before and after it became a member. */
    int comings() {
        return comings;
    }

    /** The same as records carry it. Keys of another generation are not valid on it. */
    int generation() {
        return QpNumDescriptor.generation(comings);
    }

    /** A vQPN, with this member beside it for the peer to know. */
    int tag(final int qpNum) {
        return QpNumDescriptor.withMember(qpNum, index, generation());
    }

    int index() {
        return index;
    }

    String name() {
        return name;
    }

    Context context() {
        return context;
    }

    DeviceAttributes attributes() {
        return attributes;
    }

    CmEventChannel cm() {
        return cm;
    }

    /** The address of its IP GID: what peers connect to. */
    InetAddress address() {
        return address;
    }

    void address(final InetAddress newAddress) {
        address = newAddress;
    }

    /** Looks where the IP GID is in its table now; true when that is another place than before. */
    boolean hasGidMoved() {
        final int before = gidIndex;
        gidIndex = context.ipGidIndex(PORT);
        return gidIndex != before;
    }

    /** Where in its table the IP GID is: what address handles name. */
    int gidIndex() {
        return gidIndex;
    }

    /** True while packets are believed to flow. */
    boolean isUp() {
        return alive && portActive;
    }

    /** True while vQPs may be placed on it. */
    boolean isEligible() {
        return isUp() && !drained;
    }

    /** True while an operator keeps vQPs off it. */
    boolean isDrained() {
        return drained;
    }

    void drained(final boolean value) {
        drained = value;
    }

    /** How its link has behaved. */
    LinkHistory history() {
        return history;
    }

    /** True when it is up and has been for {@code updelayNs} and what its history demands besides. */
    boolean isSteady(final long updelayNs, final long nowNs) {
        return isUp() && history.isSteady(updelayNs, nowNs);
    }

    /** Megabits a second as its port said last, 0 where that is not known. */
    int speedMbps() {
        return speedMbps;
    }

    void speedMbps(final int value) {
        speedMbps = value;
    }

    /** How many physical queue pairs of vQPs are on it. */
    int queuePairs() {
        return queuePairs;
    }

    void countQueuePairs(final int change) {
        queuePairs += change;
    }

    /**
     * False when the device was found not to raise QP_LAST_WQE_REACHED, as some do not: who waits for it waits for as
     * long as a drain may take.
     */
    boolean tellsLastWqe() {
        return tellsLastWqe;
    }

    void tellsLastWqe(final boolean value) {
        tellsLastWqe = value;
    }

    /** Its port is down, and it has not been so for {@code downdelay} yet. */
    boolean isGoingDown() {
        return goingDown;
    }

    /** How long its port has been down by now; that is the first word of it where it was not {@link #isGoingDown}. */
    long goingDownFor(final long nowNs) {
        if (!goingDown) {
            goingDown = true;
            goingDownSinceNs = nowNs;
        }
        return nowNs - goingDownSinceNs;
    }

    /** It came back within {@code downdelay}, or counts as down now. */
    void settled() {
        goingDown = false;
    }

    boolean isPortActive() {
        return portActive;
    }

    void portActive(final boolean active) {
        portActive = active;
    }

    /** False once the device is fatally gone, until it is back; its objects can only be destroyed. */
    boolean isAlive() {
        return alive;
    }

    /**
     * Makes this device's part of a virtual object.
     *
     * @return null when the device is gone, also where the word of that is still on the way: then the object lives on
     *     the other members alone. Every other error is the caller's.
     */
    <T> @Nullable T part(final BondCounters counters, final Supplier<T> make) {
        if (!alive) {
            return null;
        }
        try {
            return make.get();
        } catch (final VerbsException e) {
            if (e.errno() != Errno.EIO && e.errno() != Errno.ENODEV) {
                throw e;
            }
            counters.ignored(e);
            return null;
        }
    }

    void died() {
        alive = false;
        portActive = false;
    }

    /** False once it was removed from the bond; its index is free. */
    boolean isPresent() {
        return present;
    }

    /** It is no member any more; nothing is left on it. */
    void left() {
        present = false;
    }
}
