package io.vhca.bond.member;

import io.vhca.api.Context;
import io.vhca.api.DeviceAttributes;
import io.vhca.api.Errno;
import io.vhca.api.Gid;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.bond.core.BondCounters;
import io.vhca.bond.core.PauseBackoff;
import io.vhca.recovery.wire.MemberId;
import java.net.InetAddress;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One device of the bond: its open context, its CM event channel and what the link monitor knows of it. Control lock;
 * polling threads read whether it is up.
 */
public final class Member {
    public static final int PORT = 1;

    /** How often devices came to an index before the first one did. */
    public static final int NOBODY_YET = -1;

    private static final long SHORTEST_PAUSE_NS = 1_000_000_000;
    private static final long LONGEST_PAUSE_NS = 30_000_000_000L;

    private final int index;
    private final String name;
    private Context context;
    private DeviceAttributes attributes;
    private CmEventChannel cm;
    private InetAddress address;
    private boolean lostAddress;
    private boolean isUselessAddress;
    private int gidIndex;
    private volatile boolean portActive;
    private volatile boolean alive = true;
    private boolean present = true;
    private int occupancies;
    private boolean drained;
    private final LinkHistory history = new LinkHistory();
    private final PauseBackoff roomPace = new PauseBackoff(SHORTEST_PAUSE_NS, LONGEST_PAUSE_NS);
    private int speedMbps;
    private int queuePairs;
    private boolean tellsLastWqe = true;
    private boolean goingDown;
    /** Those of the device that died last, for one that comes and does not stay. */
    private DeviceAttributes attributesBefore;
    private long goingDownSinceNs;
    private boolean hasEventsLeft;

    /** @param occupancies how often devices had come back to that index when this one came */
    public Member(final int index, final int occupancies, final Context context) {
        this.index = index;
        this.occupancies = occupancies;
        this.context = context;
        name = context.device().name();
        attributes = context.queryDevice();
        attributesBefore = attributes;
        gidIndex = context.ipGidIndex(PORT);
        address = context.queryGid(PORT, gidIndex).address();
        cm = context.createEventChannel();
    }

    /**
     * The device is back and was opened again: what is made from now on is made on it. The member is not alive before
     * all is, see {@link #arrived}.
     *
     * @throws VerbsException when it died once more meanwhile, or has no address yet; the member is as before
     */
    public void plug(final Context opened) {
        assert !alive : "the device is still there";
        final int index = opened.ipGidIndex(PORT);
        final Gid gid = opened.queryGid(PORT, index);
        final DeviceAttributes limits = opened.queryDevice();
        cm = opened.createEventChannel();
        context = opened;
        gidIndex = index;
        lostAddress = isLost(gid);
        address = lostAddress ? address : gid.address();
        attributesBefore = attributes;
        attributes = limits;
    }

    /** All that the bond needs is made on the device that was plugged. Its port is looked at before it carries any. */
    public void arrived() {
        assert !alive : "it was not away";
        occupancies++;
        portActive = false;
        alive = true;
    }

    /** What the bond needs could not be made on the device that was plugged: it has not come after all. */
    public void unplug() {
        assert !alive : "it has arrived";
        attributes = attributesBefore;
    }

    /**
     * Whether peers are to forget the keys of all comings of a device to this index: so often that none is left when
     * its number comes round. Of one that is plugged it is the number that it will have.
     */
    public boolean forgetsKeys() {
        final int coming = alive ? occupancies : occupancies + 1;
        return coming > 0 && coming % (MemberId.GENERATIONS / 2) == 0;
    }

    /** How often a device came to this index, before and after it became a member. */
    public int occupancies() {
        return occupancies;
    }

    /** The same as records carry it. Keys of another generation are not valid on it. */
    public int generation() {
        return MemberId.generation(occupancies);
    }

    /** This member as records name it. */
    public MemberId id() {
        return new MemberId(index, generation());
    }

    public int index() {
        return index;
    }

    public String name() {
        return name;
    }

    public Context context() {
        return context;
    }

    public DeviceAttributes attributes() {
        return attributes;
    }

    public CmEventChannel cm() {
        return cm;
    }

    /** The address of its IP GID: what peers connect to. */
    public InetAddress address() {
        return address;
    }

    public void address(final InetAddress newAddress) {
        address = newAddress;
        lostAddress = false;
    }

    /**
     * What the address of its IP GID is now; null where it had one, and what is there now is none that peers could come
     * to: an empty entry, or the link-local one that an Ethernet port always has.
     *
     * @throws VerbsException as the device says
     */
    public @Nullable InetAddress addressNow() {
        final Gid gid = context.ipGid(PORT);
        return isLost(gid) ? null : gid.address();
    }

    private boolean isLost(final Gid now) {
        return isNobodys(now) && (isUselessAddress || !isNobodys(Gid.of(address)));
    }

    private static boolean isNobodys(final Gid gid) {
        return gid.isLinkLocal() || gid.address().isAnyLocalAddress();
    }

    /** True from when it lost its last address until it has one again: its port alone does not make it up. */
    public boolean hasLostAddress() {
        return lostAddress;
    }

    /** True where nobody may be able to listen on it: it lost its address, or what it has is none for peers. */
    public boolean mayLackAddress() {
        return lostAddress || isNobodys(Gid.of(address));
    }

    /** Nobody can listen at what it has for an address: it counts as lost until there is one that peers can come to. */
    public void uselessAddress() {
        isUselessAddress = true;
        lostAddress = true;
    }

    /** True where peers could not come to it so far: {@link #address} is not even its last one. */
    public boolean isWithoutAddress() {
        return lostAddress && isNobodys(Gid.of(address));
    }

    /** It has no address any more; {@link #address} is still the last one. */
    public void lostAddress() {
        lostAddress = true;
    }

    /** Looks where the IP GID is in its table now; true when that is another place than before. */
    public boolean hasGidMoved() {
        final int before = gidIndex;
        gidIndex = context.ipGidIndex(PORT);
        return gidIndex != before;
    }

    /** Where in its table the IP GID is: what address handles name. */
    public int gidIndex() {
        return gidIndex;
    }

    /** When something may be closed once more for the sake of what has no room here. */
    PauseBackoff roomPace() {
        return roomPace;
    }

    /** True while packets are believed to flow. */
    public boolean isUp() {
        return alive && portActive;
    }

    /** True while vQPs may be placed on it. */
    public boolean isEligible() {
        return isUp() && !drained;
    }

    /** True while an operator keeps vQPs off it. */
    public boolean isDrained() {
        return drained;
    }

    public void drained(final boolean value) {
        drained = value;
    }

    /** How its link has behaved. */
    public LinkHistory history() {
        return history;
    }

    /** True when it is up and has been for {@code updelayNs} and what its history demands besides. */
    public boolean isSteady(final long updelayNs, final long nowNs) {
        return isUp() && history.isSteady(updelayNs, nowNs);
    }

    /** Megabits a second as its port said last, 0 where that is not known. */
    public int speedMbps() {
        return speedMbps;
    }

    public void speedMbps(final int value) {
        speedMbps = value;
    }

    /** How many physical queue pairs of vQPs are on it. */
    public int queuePairs() {
        return queuePairs;
    }

    public void countQueuePairs(final int change) {
        queuePairs += change;
        assert queuePairs >= 0 : "more queue pairs left than came";
    }

    /**
     * False when the device was found not to raise QP_LAST_WQE_REACHED, as some do not: who waits for it waits for as
     * long as a drain may take.
     */
    public boolean tellsLastWqe() {
        return tellsLastWqe;
    }

    public void tellsLastWqe(final boolean value) {
        tellsLastWqe = value;
    }

    /** Its port is down, and it has not been so for {@code downdelay} yet. */
    public boolean isGoingDown() {
        return goingDown;
    }

    /** How long its port has been down by now; that is the first word of it where it was not {@link #isGoingDown}. */
    public long goingDownFor(final long nowNs) {
        if (!goingDown) {
            goingDown = true;
            goingDownSinceNs = nowNs;
        }
        return nowNs - goingDownSinceNs;
    }

    /** True when more CM events had arrived on it than were taken in this turn: an answer may be among them. */
    public boolean hasEventsLeft() {
        return hasEventsLeft;
    }

    public void hasEventsLeft(final boolean value) {
        hasEventsLeft = value;
    }

    /** It came back within {@code downdelay}, or counts as down now. */
    public void settled() {
        goingDown = false;
    }

    public boolean isPortActive() {
        return portActive;
    }

    public void portActive(final boolean active) {
        portActive = active;
    }

    /** False once the device is fatally gone, until it is back; its objects can only be destroyed. */
    public boolean isAlive() {
        return alive;
    }

    /**
     * Makes this device's part of a virtual object.
     *
     * @return null when the device is gone, also where the word of that is still on the way: then the object lives on
     *     the other members alone. Every other error is the caller's.
     */
    public <T> @Nullable T part(final BondCounters counters, final Supplier<T> make) {
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

    public void died() {
        alive = false;
        portActive = false;
    }

    /** False once it was removed from the bond; its index is free. */
    public boolean isPresent() {
        return present;
    }

    /** It is no member any more; nothing is left on it. */
    public void left() {
        assert !alive && queuePairs == 0 : "something is left on the device";
        present = false;
    }
}
