package io.vhca.bond.member;

import io.vhca.bond.core.BondCore;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;

/**
 * The virtual objects that have parts on {@link Members}: those that are {@linkplain MemberPart#isMadeAhead made
 * ahead}, and the others, which are built upon them. Control lock.
 */
public abstract sealed class MemberParts permits Members {
    /** What {@link #rebuildPiece} says when all is made, and what {@link #dropPiece} begins with. */
    public static final long ALL = Long.MAX_VALUE;
    /** What {@link #dropPiece} says when nothing is left, and what {@link #rebuildPiece} begins with. */
    public static final long NONE = 0;

    private static final int PARTS_A_PIECE = 64;
    private static final long PIECE_NS = 1_000_000;

    private final BondCore core;
    /** Numbered in the order they were made, so that who went through some of them knows where to go on. */
    private final NavigableMap<Long, MemberPart> ahead = new TreeMap<>();
    private final Map<MemberPart, Long> numbers = new HashMap<>();
    private final Set<MemberPart> others = new LinkedHashSet<>();
    private long lastNumber;
    private @Nullable Member coming;

    MemberParts(final BondCore core) {
        this.core = core;
    }

    public void addPart(final MemberPart part) {
        assert core.holdsLock();
        if (part.isMadeAhead()) {
            numbers.put(part, ++lastNumber);
            ahead.put(lastNumber, part);
        } else {
            others.add(part);
        }
    }

    public void removePart(final MemberPart part) {
        assert core.holdsLock();
        final Long number = numbers.remove(part);
        if (number != null) {
            ahead.remove(number);
            if (coming != null) {
                part.drop(coming);
            }
        }
        others.remove(part);
    }

    /** Whose device is to become a member and is none yet: all is made on it in pieces; or null. */
    public @Nullable Member coming() {
        assert core.holdsLock();
        return coming;
    }

    /** What is {@linkplain MemberPart#isMadeAhead made ahead} and closed while it comes leaves nothing on it. */
    public void coming(final @Nullable Member next) {
        assert core.holdsLock() && (next == null || coming == null);
        coming = next;
    }

    /** Destroys what virtual objects have on a dead member, newest first, and last what others are built upon. */
    public void dropParts(final Member member) {
        assert core.holdsLock();
        long left = ALL;
        while (left != NONE) {
            left = dropPiece(member, left);
        }
    }

    /**
     * Destroys the next piece of the same, so that who fails over from the member waits for no more than that.
     *
     * @param before what the last piece said; {@link #ALL} for the first one
     * @return what is left, {@link #NONE} once all is destroyed
     * @throws io.vhca.api.VerbsException when one part cannot be destroyed yet; those before it were
     */
    public long dropPiece(final Member member, final long before) {
        assert core.holdsLock();
        final NanoClock clock = core.stageClock();
        final long beganNs = clock.nanoTime();
        if (before == ALL) {
            new ArrayList<>(others).reversed().forEach(part -> part.drop(member));
        }
        long last = before;
        for (int i = 0; i < PARTS_A_PIECE && (i == 0 || clock.nanoTime() - beganNs < PIECE_NS); i++) {
            final Map.Entry<Long, MemberPart> next = ahead.lowerEntry(last);
            if (next == null) {
                return NONE;
            }
            next.getValue().drop(member);
            last = next.getKey();
        }
        return last;
    }

    /**
     * Makes on a member the next piece of what there is on the others, oldest first. It is not alive before all is
     * made: there may be a hundred thousand regions, and other members fail meanwhile. What the application makes or
     * closes between two pieces is on the member in the end as all else is, or not.
     *
     * @param made what the last piece said; {@link #NONE} for the first one
     * @return how far it is, {@link #ALL} once nothing is left to make
     * @throws io.vhca.api.VerbsException when one part cannot be made; those before it were
     */
    public long rebuildPiece(final Member member, final long made) {
        assert core.holdsLock() && !member.isAlive();
        final NanoClock clock = core.stageClock();
        final long beganNs = clock.nanoTime();
        long last = made;
        for (int i = 0; i < PARTS_A_PIECE && (i == 0 || clock.nanoTime() - beganNs < PIECE_NS); i++) {
            final Map.Entry<Long, MemberPart> next = ahead.higherEntry(last);
            if (next == null) {
                others.forEach(part -> part.rebuild(member));
                return ALL;
            }
            next.getValue().rebuild(member);
            last = next.getKey();
        }
        return last;
    }

    /** Tells what virtual objects have on a member that it is up. */
    public void partsUp(final Member member) {
        assert core.holdsLock();
        ahead.values().forEach(part -> part.cameUp(member));
        others.forEach(part -> part.cameUp(member));
    }
}
