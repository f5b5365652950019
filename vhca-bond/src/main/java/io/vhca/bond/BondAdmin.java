package io.vhca.bond;

import io.vhca.api.Context;
import io.vhca.api.DeviceCounter;
import io.vhca.api.Errno;
import io.vhca.api.QueuePair;
import io.vhca.api.VerbsException;
import io.vhca.bond.config.BondConfig;
import io.vhca.bond.config.BondConfigException;
import io.vhca.bond.config.BondConfigParser;
import io.vhca.bond.config.BondMode;
import io.vhca.bond.config.BondOption;
import io.vhca.bond.core.BondObserver;
import io.vhca.bond.core.BondRuntime;
import io.vhca.bond.core.FailoverReport;
import io.vhca.bond.core.Inspected;
import io.vhca.bond.core.Inspection;
import io.vhca.bond.core.MemberStatus;
import io.vhca.bond.core.QpVisitor;
import io.vhca.bond.datagram.Datagrams;
import io.vhca.bond.member.Member;
import io.vhca.bond.member.Members;
import io.vhca.bond.memory.MemoryTracker;
import io.vhca.bond.placement.LinkMonitor;
import io.vhca.bond.placement.MemberSeats;
import io.vhca.bond.placement.PlannedMoves;
import io.vhca.bond.verbs.QpTable;
import io.vhca.bond.wire.QpNumDescriptor;
import io.vhca.recovery.Journal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * What an operator may do to a running bond. Any thread; each call but {@link #add} and {@link #reopenJournal} returns
 * at once, vQPs move one by one without an error or a loss, as after a failure but with nothing left to replay.
 */
public final class BondAdmin {
    /** One more than the highest index of a vQP. */
    public static final int MAX_QPS = QpNumDescriptor.MAX_QP;

    private static final String ACTIVE_SLAVE = BondOption.ACTIVE_SLAVE.name();

    private static final String AUTH_KEY_FILE = BondOption.AUTH_KEY_FILE.name();

    private final BondContext context;
    private final BondRuntime core;
    private final Members members;
    private final LinkMonitor monitor;
    private final PlannedMoves moves;
    private final MemberSeats seats;
    private final QpTable qps;
    private final Datagrams datagrams;
    private final BondInspector inspector;

    BondAdmin(final BondContext context, final BondParts parts) {
        this.context = context;
        core = parts.core;
        members = parts.members;
        monitor = parts.monitor;
        moves = parts.moves;
        seats = parts.seats;
        qps = parts.qps;
        datagrams = parts.datagrams;
        inspector = new BondInspector(parts.verbs, datagrams);
    }

    /**
     * Makes a member the active one ({@code active_slave} of Linux bonding).
     *
     * @throws VerbsException EINVAL when the mode has no active member or the bond no such member, ENETDOWN when it is
     *     down or drained
     */
    public void activate(final String member) {
        core.lock();
        try {
            checkActive(member);
            monitor.activate(member("activate", member));
            moves.onPreferenceChanged();
        } finally {
            core.unlock();
        }
    }

    private void checkActive(final String member) {
        final Member to = member("activate", member);
        if (core.config().mode() != BondMode.ACTIVE_BACKUP) {
            throw new VerbsException(
                    "activate",
                    Errno.EINVAL,
                    core.name(),
                    "mode " + core.config().mode().text() + " uses all members; drain those that shall rest");
        }
        if (!to.isEligible()) {
            throw new VerbsException(
                    "activate",
                    Errno.ENETDOWN,
                    core.name() + " member " + member,
                    to.isDrained() ? "it is drained; resume it first" : "it is down");
        }
    }

    /**
     * Changes options ({@code /sys/class/net/bond0/bonding/*}), those that are {@linkplain BondOption#isLive() live}:
     * all that are given or, where one is wrong, none. They count at once, unless the option's help says from when.
     *
     * @param entries each {@code key=value}, as in the configuration
     * @throws VerbsException EINVAL with every error of the entries
     */
    public void set(final List<String> entries) {
        core.lock();
        try {
            requireOpen("setBond");
            final List<String> errors = new ArrayList<>();
            final List<String> options = new ArrayList<>(entries);
            options.removeIf(entry -> sets(entry, ACTIVE_SLAVE));
            BondConfig changed = core.config();
            try {
                changed = BondConfigParser.change(core.config(), options);
            } catch (final BondConfigException e) {
                errors.addAll(e.errors());
            }
            final List<String> active = entries.stream()
                    .filter(entry -> sets(entry, ACTIVE_SLAVE))
                    .map(entry -> entry.substring(entry.indexOf('=') + 1).strip())
                    .toList();
            try {
                active.forEach(this::checkActive);
            } catch (final VerbsException e) {
                errors.add(e.getMessage());
            }
            final Runnable keys = entries.stream().anyMatch(entry -> sets(entry, AUTH_KEY_FILE))
                    ? core.newKeys(changed, errors)
                    : () -> { };
            if (!errors.isEmpty()) {
                throw new VerbsException("setBond", Errno.EINVAL, core.name(), String.join("; ", errors));
            }
            final boolean hasNewPrimary = !Objects.equals(changed.primary(), core.config().primary());
            core.config(changed);
            keys.run();
            monitor.optionsChanged(hasNewPrimary);
            active.forEach(this::activate);
            moves.onPreferenceChanged();
        } finally {
            core.unlock();
        }
    }

    /** As the configuration is read: blanks around the key are none of it. */
    private static boolean sets(final String entry, final String option) {
        final int equals = entry.indexOf('=');
        return equals >= 0 && entry.substring(0, equals).strip().equals(option);
    }

    /**
     * Moves every vQP off a member and places no new one there, until {@link #resume}. A peer may still come over it
     * when it has no other path. Idempotent.
     *
     * @throws VerbsException EINVAL when the bond has no such member, EBUSY when no other member is up
     */
    public void drain(final String member) {
        core.lock();
        try {
            drainable("drain", member);
        } finally {
            core.unlock();
        }
    }

    /** The member of that name, from which queue pairs are moved from now on. */
    private Member drainable(final String verb, final String member) {
        final Member from = member(verb, member);
        if (members.all().stream().noneMatch(other -> other != from && other.isEligible())) {
            throw new VerbsException(
                    verb,
                    Errno.EBUSY,
                    core.name() + " member " + member,
                    "no other member is up to take its queue pairs; bring one up, resume one, or add one first");
        }
        monitor.drained(from, true);
        moves.onPreferenceChanged();
        return from;
    }

    /**
     * Makes a device a member ({@code ifenslave}): all virtual objects are made on it, then it takes its share. Returns
     * when that is done; posts, polls and failovers go on meanwhile, as do control calls.
     *
     * @param device its name, as {@link io.vhca.api.Devices} lists it
     * @throws VerbsException ENODEV when there is no such device, EEXIST when it is a member already, EBUSY when it
     *     serves another bond or another device is being added, ENOSPC when there are 16 members, EINVAL when it can
     *     hold less than the bond promised, or as the device says; then nothing has changed
     */
    public void add(final String device) {
        core.lock();
        try {
            requireOpen("addMember");
            seats.checkFree(device);
        } finally {
            core.unlock();
        }
        final Context opened = seats.source().open(device);
        while (!addPiece(opened)) {
            core.letIn();
        }
    }

    /** The next piece of making an open device a member: who fails over meanwhile waits for no more than that. */
    boolean addPiece(final Context opened) {
        core.lock();
        try {
            requireOpen("addMember");
            return seats.add(opened);
        } catch (final RuntimeException | Error e) {
            seats.giveUp(opened, e);
            final Member added = members.on(opened.device());
            if (added == null || added.context() != opened) {
                MemberSeats.undo(opened::close, e);
            }
            // Somebody else may have made it a member meanwhile: then the bond holds it for that one.
            if (added == null || !added.context().device().name().equals(opened.device().name())) {
                seats.source().released(opened.device());
            }
            throw e;
        } finally {
            core.unlock();
        }
    }

    private void requireOpen(final String verb) {
        if (context.isClosed()) {
            throw new VerbsException(verb, Errno.EINVAL, core.name(), "the bond is closed");
        }
    }

    /**
     * Moves every vQP off a member, as {@link #drain} does; when the last one has left, its part of the bond is
     * destroyed and its device closed. Until then {@link #resume} keeps it; where its part was being destroyed, as a
     * device that died and is back. Returns at once; {@link #members} shows it until it is gone. Idempotent.
     *
     * @throws VerbsException EINVAL when the bond has no such member, EBUSY when no other member is up
     */
    public void remove(final String member) {
        core.lock();
        try {
            requireOpen("removeMember");
            seats.leave(drainable("remove", member));
        } finally {
            core.unlock();
        }
    }

    /**
     * Ends a drain. Idempotent.
     *
     * @throws VerbsException EINVAL when the bond has no such member
     */
    public void resume(final String member) {
        core.lock();
        try {
            final Member again = member("resume", member);
            seats.stay(again);
            monitor.drained(again, false);
            moves.onPreferenceChanged();
        } finally {
            core.unlock();
        }
    }

    /** The members, in the order of the configuration. */
    public List<MemberStatus> members() {
        core.lock();
        try {
            final Member active = monitor.active();
            return members.all().stream()
                    .filter(Member::isPresent)
                    .map(member -> new MemberStatus(
                            member.index(),
                            member.name(),
                            member.address(),
                            member.isUp(),
                            member.isDrained(),
                            seats.isLeaving(member),
                            member == active,
                            member.queuePairs(),
                            member.history().failures()))
                    .toList();
        } finally {
            core.unlock();
        }
    }

    /**
     * What the members' devices refused, dropped or failed at, by the member's name, as far as they tell. Nothing of
     * members that are being closed, as {@link #inspectMembers}.
     */
    public Map<String, List<DeviceCounter>> faultCounters() {
        core.lock();
        try {
            final Map<String, List<DeviceCounter>> found = new LinkedHashMap<>();
            members.all().stream()
                    .filter(member -> member.isPresent() && !context.isOver())
                    .forEach(member -> found.put(member.name(), member.context().faultCounters()));
            return found;
        } finally {
            core.unlock();
        }
    }

    /**
     * The path that a vQP of this bond lives on, {@code soft0 -> 10.1.0.2}, of one for datagrams its member; empty
     * where it has none now.
     *
     * @throws VerbsException EINVAL when it is no queue pair of this bond
     */
    public String path(final QueuePair qp) {
        core.lock();
        try {
            final String path = inspector.path(qp);
            if (path == null) {
                throw new VerbsException("path", Errno.EINVAL, core.name(), qp + " is no queue pair of this bond");
            }
            return path;
        } finally {
            core.unlock();
        }
    }

    /**
     * The path on which a second connection stands by for a vQP of this bond, as {@link #path} shows it; empty where
     * none does.
     */
    public String standby(final QueuePair qp) {
        core.lock();
        try {
            return inspector.standby(qp);
        } finally {
            core.unlock();
        }
    }

    /**
     * Looks at the markers round all native memory of queues, now. A queue pair whose markers are broken is fenced; the
     * others go on.
     *
     * @return what is broken, a line each
     */
    public List<String> check() {
        core.lock();
        try {
            return core.memory().check();
        } finally {
            core.unlock();
        }
    }

    /**
     * Tries now what the bond tries again by and by: ports are looked at, devices that are gone looked for, and queue
     * pairs without a path try every member that is up. Returns at once.
     */
    public void lookAgain() {
        core.lock();
        try {
            requireOpen("lookAgain");
            monitor.lookAgain();
        } finally {
            core.unlock();
        }
    }

    /** Opens the journal anew where it cannot be written: why it still cannot, or an empty text. May take a while. */
    public String reopenJournal() {
        final Journal journal;
        core.lock();
        try {
            requireOpen("reopenJournal");
            journal = core.events();
        } finally {
            core.unlock();
        }
        return journal.reopen();
    }

    /** Whether the journal cannot be written now. */
    public boolean isJournalFailing() {
        core.lock();
        try {
            return core.events().isFailing();
        } finally {
            core.unlock();
        }
    }

    /** Finds something out at one moment of the bond: no control call and no recovery goes on meanwhile. */
    public <T> T still(final Supplier<T> work) {
        core.lock();
        try {
            requireOpen("dump");
            return work.get();
        } finally {
            core.unlock();
        }
    }

    /** What there is of the bond that uses memory. */
    public MemoryTracker memory() {
        return core.memory();
    }

    /** The options that the bond runs with. */
    public BondConfig config() {
        return core.config();
    }

    /** Shows the visitor every vQP, the bond's own too; under the control lock, so it must be quick. */
    public void visit(final QpVisitor visitor) {
        visit(0, MAX_QPS, visitor);
    }

    /** The same for the vQPs of {@code count} indexes from {@code first} on; true when there may be others behind. */
    public boolean visit(final int first, final int count, final QpVisitor visitor) {
        core.lock();
        try {
            return QpRow.showAll(qps, datagrams, first, count, visitor);
        } finally {
            core.unlock();
        }
    }

    /** Shows what a vQP is, in software and in hardware; nothing where there is none of that number. */
    public void inspect(final int qpNum, final Inspection to) {
        core.lock();
        try {
            inspector.queuePair(qpNum, to);
        } finally {
            core.unlock();
        }
    }

    /** Shows what hardware says of a vQP; nothing where it has none now, or there is none of that number. */
    public void inspectHardware(final int qpNum, final Inspection to) {
        core.lock();
        try {
            inspector.hardware(qpNum, to);
        } finally {
            core.unlock();
        }
    }

    /** The application's completion queues and shared receive queues, to be looked at under the control lock. */
    public List<Inspected> queues() {
        core.lock();
        try {
            return inspector.queues();
        } finally {
            core.unlock();
        }
    }

    /** Those of them that a vQP uses; none where there is none of that number. */
    public List<Inspected> queuesOf(final int qpNum) {
        core.lock();
        try {
            return inspector.queuesOf(qpNum);
        } finally {
            core.unlock();
        }
    }

    /**
     * Shows what every member is, in software and in hardware. Nothing where they are being closed, which is done
     * without the control lock, behind what observers have to say at the bond's end.
     */
    public void inspectMembers(final Inspection to) {
        core.lock();
        try {
            if (!context.isOver()) {
                inspector.members(to);
            }
        } finally {
            core.unlock();
        }
    }

    /** Recoveries that ended after the first {@code seen}, oldest first, as far as the bond remembers them. */
    public List<FailoverReport> failoversAfter(final long seen) {
        core.lock();
        try {
            return core.events().failovers().after(seen);
        } finally {
            core.unlock();
        }
    }

    /** Which recovery the first of {@link #failoversAfter} is, counted from 0, where nothing happens in between. */
    public long firstFailoverAfter(final long seen) {
        core.lock();
        try {
            return core.events().failovers().firstAfter(seen);
        } finally {
            core.unlock();
        }
    }

    /** One more looks on from now on; the bond closes it in the end. */
    public void observe(final BondObserver observer) {
        core.lock();
        try {
            core.events().observe(observer);
        } finally {
            core.unlock();
        }
    }

    private Member member(final String verb, final String name) {
        final Member known = members.named(name);
        if (known != null) {
            return known;
        }
        throw new VerbsException(
                verb,
                Errno.EINVAL,
                core.name(),
                "it has no member " + name + ", its members are "
                        + members.all().stream()
                                .filter(Member::isPresent)
                                .map(Member::name)
                                .toList());
    }
}
