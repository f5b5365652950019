package io.vhca.bond.placement;

import io.vhca.api.Context;
import io.vhca.api.Device;
import io.vhca.api.VerbsException;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.core.DutyCycle;
import io.vhca.bond.core.PauseBackoff;
import io.vhca.bond.link.Links;
import io.vhca.bond.member.BondLimits;
import io.vhca.bond.member.Member;
import io.vhca.bond.member.MemberObserver;
import io.vhca.bond.member.MemberSource;
import io.vhca.bond.member.Members;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What becomes of a member whose device died: its physical objects are destroyed and its context is closed, while the
 * virtual objects stand; when a device with the same node GUID is there, all is made anew on it and it is a member like
 * before. Control lock.
 *
 * <pre>
 *   ALIVE --died--> DEAD --objects destroyed, context closed--> GONE --found--> COMING --all is made--> ALIVE
 * </pre>
 *
 * <p>A kernel may keep a device that is being removed until the last context on it is closed: so that comes first.
 */
public final class MemberLife implements DutyCycle, MemberObserver {
    /** Looking for a device costs a walk through all there are. */
    private static final long SHORTEST_LOOK_NS = 200_000_000;
    /** A device that was given up pins and unpins all that was made on it meanwhile, and may do so for ever. */
    private static final long LONGEST_PAUSE_NS = 30_000_000_000L;

    private final BondCore core;
    private final Members members;
    private final Links links;
    private final BondLimits limits;
    private final LinkMonitor monitor;
    private final MemberSource source;
    /** Dead members; true once the context is closed. */
    private final Map<Member, Boolean> dead = new LinkedHashMap<>();
    /** Those of them whose objects are being destroyed, and what is left. No events are taken any more. */
    private final Map<Member, Long> clearing = new LinkedHashMap<>();
    /** Those of them whose device is back and open, and how much is made on it. Its events wait until all is. */
    private final Map<Member, Long> coming = new LinkedHashMap<>();
    /** When to open the device again of those on whose device not all could be made. */
    private final Map<Member, PauseBackoff> givenUp = new HashMap<>();

    private boolean asked;
    private long lookedNs;

    public MemberLife(
            final BondCore core,
            final Members members,
            final Links links,
            final BondLimits limits,
            final LinkMonitor monitor,
            final MemberSource source) {
        this.core = core;
        this.members = members;
        this.links = links;
        this.limits = limits;
        this.monitor = monitor;
        this.source = source;
    }

    /** The device is dead. Its objects are destroyed in the next turn: a caller further up may be using one. */
    @Override
    public void onDied(final Member member, final long nowNs) {
        assert core.holdsLock();
        dead.put(member, false);
        givenUp.remove(member);
        asked = true;
        core.wakeUp();
    }

    @Override
    public void onLookAgain(final long nowNs) {
        givenUp.clear();
        asked = true;
    }

    /** True while the member's context is open and its events are to be taken. */
    public boolean isOpen(final Member member) {
        assert core.holdsLock();
        return member.isPresent() && !Boolean.TRUE.equals(dead.get(member)) && !clearing.containsKey(member);
    }

    /** True while a context of the member's is to be closed with the bond. */
    public boolean holdsContext(final Member member) {
        return isOpen(member) || clearing.containsKey(member) || coming.containsKey(member);
    }

    /**
     * A member leaves the bond: what is left on it goes, its context is closed, and nobody looks for its device.
     *
     * @return false where it cannot be closed yet; then it is to be tried again
     */
    boolean retire(final Member member, final long nowNs) {
        assert core.holdsLock();
        if (!dead.containsKey(member)) {
            member.died();
            dead.put(member, false);
            bury(member, nowNs);
            clear(member, Members.ALL);
            asked = true;
        } else if (coming.containsKey(member)) {
            giveUp(member, member.context(), nowNs);
        }
        if (holdsContext(member)) {
            return false; // it is looked after like a dead one
        }
        dead.remove(member);
        givenUp.remove(member);
        member.left();
        return true;
    }

    @Override
    public int doWork(final long nowNs) {
        assert core.holdsLock();
        if (dead.isEmpty()) {
            assert clearing.isEmpty() && coming.isEmpty() : "they are dead as long as that";
            return 0;
        }
        look(nowNs);
        return clear() + goOn(nowNs);
    }

    private void look(final long nowNs) {
        if (!asked && nowNs - nextLookNs() < 0) {
            return;
        }
        asked = false;
        lookedNs = nowNs;
        for (final Map.Entry<Member, Boolean> one : List.copyOf(dead.entrySet())) {
            final Member member = one.getKey();
            if (one.getValue()) {
                if (!coming.containsKey(member)) {
                    comeBack(member, nowNs);
                }
            } else if (!clearing.containsKey(member)) {
                bury(member, nowNs);
            }
        }
    }

    /** When the next look is due; {@link Long#MAX_VALUE} while nothing is dead. */
    @Override
    public long nextDeadlineNs() {
        assert core.holdsLock();
        final boolean isDue = asked || !clearing.isEmpty() || !coming.isEmpty();
        return dead.isEmpty() ? Long.MAX_VALUE : isDue ? core.nowNs() : nextLookNs();
    }

    /** By what {@code miimon} is now, also where it was another at the last look. */
    private long nextLookNs() {
        return lookedNs + Math.max(core.config().miimonNs(), SHORTEST_LOOK_NS);
    }

    private void bury(final Member member, final long nowNs) {
        links.bury(member, nowNs);
        members.observers().forEach(observer -> observer.onBuried(member));
        clearing.put(member, Members.ALL);
    }

    /** The next piece is destroyed of each dead member: who fails over from it waits for no more than that. */
    private int clear() {
        int work = 0;
        for (final Map.Entry<Member, Long> one : List.copyOf(clearing.entrySet())) {
            work += clear(one.getKey(), one.getValue()) ? 1 : 0;
        }
        return work;
    }

    /** Destroys the next piece of what virtual objects have on the member, and closes it behind the last. */
    private boolean clear(final Member member, final long before) {
        assert links.on(member).isEmpty() : "a connection stands on what is about to be destroyed";
        clearing.remove(member);
        try {
            final long left = members.dropPiece(member, before);
            if (left != Members.NONE) {
                clearing.put(member, left);
                return true;
            }
            member.cm().close();
            member.context().closeAtOnce();
            dead.put(member, true);
            return true;
        } catch (final VerbsException e) {
            core.counters().ignored(e);
            return false;
        }
    }

    private void comeBack(final Member member, final long nowNs) {
        final PauseBackoff pace = givenUp.get(member);
        if (pace != null && !pace.isDue(nowNs)) {
            return;
        }
        final Device lost = member.context().device();
        final Context opened;
        try {
            opened = source.open(lost, siblings(member));
        } catch (final VerbsException e) {
            // Not there yet: the usual case. Where it was, what comes next is another coming.
            givenUp.remove(member);
            return;
        }
        try {
            coming.put(member, Members.NONE);
            member.plug(opened);
            source.cameBack(lost, opened.device());
            limits.checkFits("openDevice", core, member);
            members.listen(member);
        } catch (final VerbsException e) {
            core.counters().ignored(e);
            giveUp(member, opened, nowNs);
        } catch (final RuntimeException | Error e) {
            giveUp(member, opened, nowNs);
            throw e;
        }
    }

    /** The next piece is made on each device that is back: who fails meanwhile waits for no more than that. */
    private int goOn(final long nowNs) {
        final List<Map.Entry<Member, Long>> all = List.copyOf(coming.entrySet());
        all.forEach(one -> goOn(one.getKey(), one.getValue(), nowNs));
        return all.size();
    }

    private void goOn(final Member member, final long before, final long nowNs) {
        final long made;
        try {
            made = members.rebuildPiece(member, before);
        } catch (final VerbsException e) {
            core.counters().ignored(e);
            giveUp(member, member.context(), nowNs);
            return;
        } catch (final RuntimeException | Error e) {
            giveUp(member, member.context(), nowNs);
            throw e;
        }
        if (made == Members.ALL) {
            arrived(member, nowNs);
        } else {
            coming.put(member, made);
        }
    }

    private void arrived(final Member member, final long nowNs) {
        member.arrived();
        coming.remove(member);
        dead.remove(member);
        givenUp.remove(member);
        monitor.returned(member, nowNs);
        members.observers().forEach(MemberObserver::onListChanged);
    }

    /** The names of other members' devices that its node GUID does not tell from its own. */
    private Set<String> siblings(final Member lost) {
        final Set<String> names = new HashSet<>();
        for (final Member other : members.all()) {
            final Device device = other.context().device();
            if (other != lost && other.isPresent() && MemberSource.isSame(device, lost.context().device())) {
                names.add(device.name());
            }
        }
        return names;
    }

    /** A device that holds less than was promised, or lacks some of what was to be made on it, has not come. */
    private void giveUp(final Member member, final Context opened, final long nowNs) {
        coming.remove(member);
        if (member.context() == opened) {
            givenUp.computeIfAbsent(member, one -> new PauseBackoff(SHORTEST_LOOK_NS, LONGEST_PAUSE_NS))
                    .onLook(nowNs);
            member.unplug();
            dead.put(member, false);
            clear(member, Members.ALL);
        } else {
            opened.close();
        }
    }
}
