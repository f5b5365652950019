package io.vhca.recovery;

import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * Health of every path from one bond to one peer, and the choice of the next path. Deterministic. One thread at a time.
 *
 * <p>A failed path is suspect for a penalty that doubles with each failure in a row, up to a limit; success clears it.
 * One that fails again before it has stood for {@link #STEADY_PENALTIES} of the least penalty flaps: from then on each
 * such failure doubles the penalty too, and success does not clear it, until the path has stood for so long. An end (a
 * local member or a remote address) is suspect while one of its paths is. A path is crosswise when each of its ends has
 * a nearer partner and nothing ever went over it: two separate networks have no way across. Both bonds come to the same
 * result, which follows from addresses alone; the failures that they have seen differ.
 *
 * <p>A path that is put off is as good as any for who needs one, and nobody goes there without need.
 *
 * <p>The first difference of two paths decides, in this order: usable members only; not crosswise; paths not suspect,
 * of two suspect ones the least recently failed; fewer suspect ends (after one failure this is the path that shares
 * neither end with it); the preferred local member; higher affinity; least recently failed; lowest index. Crosswise
 * comes first because the two ends see different faults: a cut port is known at one end only, so suspicion alone would
 * lead them to different pairs.
 */
public final class PathTable {
    private static final int MAX_DOUBLINGS = 20;
    private static final int SUSPECT_PATH = 3;
    private static final int STEADY_PENALTIES = 10;

    private int locals;
    private final int remotes;
    private final long basePenaltyNs;
    private final long maxPenaltyNs;
    private boolean[] localUp;
    private final boolean[] remoteUp;
    private int[] affinity;
    private int[] failures;
    /** How often it failed although it had just worked, since it stood for long. */
    private int[] flaps;
    private long[] workedSinceNs;
    private long[] lastFailureNs;
    private boolean[] everFailed;
    private boolean[] everWorked;
    private boolean[] isPutOff;
    private long[] putOffSinceNs;
    private int preferredLocal;

    /**
     * A table with every member and address up.
     *
     * @param basePenaltyNs how long a path is suspect after its first failure
     * @param maxPenaltyNs limit of the doubling
     */
    public PathTable(final int localMembers, final int remoteAddresses, final long basePenaltyNs,
            final long maxPenaltyNs) {
        if (localMembers <= 0 || remoteAddresses <= 0 || basePenaltyNs <= 0 || maxPenaltyNs < basePenaltyNs) {
            throw new IllegalArgumentException("a path table of " + localMembers + " x " + remoteAddresses
                    + ", penalties "
                    + basePenaltyNs + " to " + maxPenaltyNs);
        }
        locals = localMembers;
        remotes = remoteAddresses;
        this.basePenaltyNs = basePenaltyNs;
        this.maxPenaltyNs = maxPenaltyNs;
        localUp = new boolean[locals];
        remoteUp = new boolean[remotes];
        Arrays.fill(localUp, true);
        Arrays.fill(remoteUp, true);
        affinity = new int[locals * remotes];
        failures = new int[locals * remotes];
        flaps = new int[locals * remotes];
        workedSinceNs = new long[locals * remotes];
        lastFailureNs = new long[locals * remotes];
        everFailed = new boolean[locals * remotes];
        everWorked = new boolean[locals * remotes];
        isPutOff = new boolean[locals * remotes];
        putOffSinceNs = new long[locals * remotes];
    }

    /** There are as many local members from now on, new ones up; a table never shrinks. */
    public void grow(final int localMembers) {
        if (localMembers <= locals) {
            return;
        }
        // Rows are by local member: what is known stays where it is.
        final int size = localMembers * remotes;
        localUp = Arrays.copyOf(localUp, localMembers);
        Arrays.fill(localUp, locals, localMembers, true);
        affinity = Arrays.copyOf(affinity, size);
        failures = Arrays.copyOf(failures, size);
        flaps = Arrays.copyOf(flaps, size);
        workedSinceNs = Arrays.copyOf(workedSinceNs, size);
        lastFailureNs = Arrays.copyOf(lastFailureNs, size);
        everFailed = Arrays.copyOf(everFailed, size);
        everWorked = Arrays.copyOf(everWorked, size);
        isPutOff = Arrays.copyOf(isPutOff, size);
        putOffSinceNs = Arrays.copyOf(putOffSinceNs, size);
        locals = localMembers;
    }

    /** Another device has the local member's index now: what was seen over the old one says nothing of it. */
    public void forgetLocal(final int member) {
        forget(member * remotes, (member + 1) * remotes, 1);
    }

    /** Another address has that index now: what was seen over the old one says nothing of it. */
    public void forgetRemote(final int address) {
        forget(address, failures.length, remotes);
    }

    private void forget(final int from, final int end, final int step) {
        for (int i = from; i < end; i += step) {
            affinity[i] = 0;
            failures[i] = 0;
            flaps[i] = 0;
            everFailed[i] = false;
            everWorked[i] = false;
            isPutOff[i] = false;
        }
    }

    /** An operator wants the local member to be used: nothing is held against its paths any more. */
    public void forgive(final int member) {
        final int from = member * remotes;
        Arrays.fill(failures, from, from + remotes, 0);
        Arrays.fill(flaps, from, from + remotes, 0);
        Arrays.fill(isPutOff, from, from + remotes, false);
    }

    /** Local members of the table. */
    public int localMembers() {
        return locals;
    }

    /** Remote addresses of the table. */
    public int remoteAddresses() {
        return remotes;
    }

    /** The member that active-backup prefers (`primary`, or the one that was made active). */
    public void preferLocal(final int member) {
        preferredLocal = member;
    }

    /** How well the two ends of a path fit: the length of their common prefix in bits, 0 at first. */
    public void affinity(final PathId path, final int value) {
        affinity[index(path)] = value;
    }

    /** Whether a local member can be used at all (its port, its device). */
    public void localUp(final int member, final boolean up) {
        localUp[member] = up;
    }

    /** Whether a remote address is worth trying (the peer's own word, or removed from its list). */
    public void remoteUp(final int address, final boolean up) {
        remoteUp[address] = up;
    }

    /** Whether both ends of a path are up. */
    public boolean usable(final PathId path) {
        return known(path) && localUp[path.localMember()] && remoteUp[path.remoteAddress()];
    }

    /** The path failed: in use, or as an attempt. Paths outside the table are ignored. */
    public void failed(final PathId path, final long nowNs) {
        if (known(path)) {
            final int index = index(path);
            if (failures[index] == 0 && everWorked[index]) {
                flaps[index] = hasStood(index, nowNs) ? 0 : flaps[index] + 1;
            }
            failures[index]++;
            lastFailureNs[index] = nowNs;
            everFailed[index] = true;
        }
    }

    /** The peer's operator keeps traffic off the path: for a least penalty nothing goes there that need not. */
    public void putOff(final PathId path, final long nowNs) {
        if (known(path)) {
            isPutOff[index(path)] = true;
            putOffSinceNs[index(path)] = nowNs;
        }
    }

    /** What is held against a path, to be {@linkplain #restore restored} where a failure turns out to be none. */
    record Health(int failures, int flaps, long lastFailureNs, boolean everFailed) {}

    /** What is held against a path of the table now. */
    Health health(final PathId path) {
        final int index = index(path);
        return new Health(failures[index], flaps[index], lastFailureNs[index], everFailed[index]);
    }

    /** The one failure of the path since was none; nothing happens where there were others, or a success. */
    void restore(final PathId path, final Health before) {
        final int index = index(path);
        if (failures[index] == before.failures + 1) {
            failures[index] = before.failures;
            flaps[index] = before.flaps;
            lastFailureNs[index] = before.lastFailureNs;
            everFailed[index] = before.everFailed;
        }
    }

    /** The path works from now on: a recovery went over it. */
    public void succeeded(final PathId path, final long nowNs) {
        if (known(path)) {
            final int index = index(path);
            failures[index] = 0;
            everWorked[index] = true;
            workedSinceNs[index] = nowNs;
        }
    }

    /** It has worked without a failure for so long that nothing before counts. */
    private boolean hasStood(final int index, final long nowNs) {
        return failures[index] == 0 && everWorked[index]
                && nowNs - workedSinceNs[index] >= STEADY_PENALTIES * basePenaltyNs;
    }

    /** Failures in a row. */
    public int consecutiveFailures(final PathId path) {
        return failures[index(path)];
    }

    /** What is left of the path's penalty; 0 where it is not suspect. */
    public long penaltyNs(final PathId path, final long nowNs) {
        return penaltyNs(index(path), nowNs);
    }

    /**
     * The best path not tried yet, or null where none is left.
     *
     * @param tried bits by {@link #index}
     */
    public @Nullable PathId next(final BitSet tried, final long nowNs) {
        int best = -1;
        for (int i = 0; i < failures.length; i++) {
            if (!tried.get(i) && localUp[i / remotes] && remoteUp[i % remotes] && (best < 0
                    || better(i, best, nowNs))) {
                best = i;
            }
        }
        return best < 0 ? null : new PathId(best / remotes, best % remotes);
    }

    /**
     * The best path of one local member that nothing speaks against: usable, not crosswise, not suspect, not put off;
     * or null.
     */
    public @Nullable PathId goodPath(final int localMember, final long nowNs) {
        int best = -1;
        for (int i = localMember * remotes; i < (localMember + 1) * remotes; i++) {
            if (localUp[localMember]
                    && remoteUp[i % remotes]
                    && !isCrosswise(i)
                    && isGood(i, nowNs)
                    && (best < 0 || better(i, best, nowNs))) {
                best = i;
            }
        }
        return best < 0 ? null : new PathId(localMember, best % remotes);
    }

    /**
     * The best path that nothing speaks against and that has another local member, another remote address too where
     * there is one; or null. Whether it carries says something of the one in use, which has other ends.
     */
    public @Nullable PathId elsewhere(final PathId inUse, final long nowNs) {
        return elsewhere(inUse, false, nowNs);
    }

    /** The same where suspect paths are better than none: whoever tries one finds out. None that is put off. */
    public @Nullable PathId standby(final PathId inUse, final long nowNs) {
        final PathId good = elsewhere(inUse, nowNs);
        return good != null ? good : elsewhere(inUse, true, nowNs);
    }

    private @Nullable PathId elsewhere(final PathId inUse, final boolean takesSuspects, final long nowNs) {
        PathId best = null;
        for (int member = 0; member < locals; member++) {
            for (int remote = 0; remote < remotes && member != inUse.localMember(); remote++) {
                final PathId path = new PathId(member, remote);
                final int i = index(path);
                final boolean isWanted = !isPutOff(i, nowNs) && (takesSuspects || penaltyNs(i, nowNs) == 0);
                if (!usable(path) || isCrosswise(i) || !isWanted) {
                    continue;
                }
                final boolean sharesEnd = remote == inUse.remoteAddress();
                if (best == null
                        || sharesEnd == (best.remoteAddress() == inUse.remoteAddress())
                                && better(i, index(best), nowNs)
                        || !sharesEnd && best.remoteAddress() == inUse.remoteAddress()) {
                    best = path;
                }
            }
        }
        return best;
    }

    /** Bit of a path in the set of tried ones. */
    public int index(final PathId path) {
        if (!known(path)) {
            throw new IllegalArgumentException("path " + path + " in a table of " + locals + " x " + remotes);
        }
        return path.localMember() * remotes + path.remoteAddress();
    }

    boolean known(final PathId path) {
        return path.localMember() >= 0 && path.localMember() < locals && path.remoteAddress() >= 0
                && path.remoteAddress() < remotes;
    }

    private boolean better(final int a, final int b, final long nowNs) {
        final boolean crosswise = isCrosswise(a);
        if (crosswise != isCrosswise(b)) {
            return !crosswise;
        }
        final int suspicion = suspicion(a, nowNs);
        final int suspects = suspicion - suspicion(b, nowNs);
        if (suspects != 0) {
            return suspects < 0;
        }
        if (suspicion == SUSPECT_PATH && lastFailureNs[a] != lastFailureNs[b]) {
            return lastFailureNs[a] - lastFailureNs[b] < 0;
        }
        final boolean preferredA = a / remotes == preferredLocal;
        if (preferredA != (b / remotes == preferredLocal)) {
            return preferredA;
        }
        if (affinity[a] != affinity[b]) {
            return affinity[a] > affinity[b];
        }
        if (everFailed[a] && everFailed[b]) {
            return lastFailureNs[a] - lastFailureNs[b] < 0;
        }
        return !everFailed[a] && everFailed[b];
    }

    boolean isCrosswise(final PathId path) {
        return isCrosswise(index(path));
    }

    /** Both ends have a partner with a longer common prefix, and the path was never seen to work all the same. */
    private boolean isCrosswise(final int index) {
        if (everWorked[index]) {
            return false;
        }
        boolean localHasNearer = false;
        boolean remoteHasNearer = false;
        for (int i = 0; i < affinity.length; i++) {
            final boolean nearer = affinity[i] > affinity[index];
            localHasNearer |= nearer && i / remotes == index / remotes;
            remoteHasNearer |= nearer && i % remotes == index % remotes;
        }
        return localHasNearer && remoteHasNearer;
    }

    private boolean isGood(final int index, final long nowNs) {
        return penaltyNs(index, nowNs) == 0 && !isPutOff(index, nowNs);
    }

    private boolean isPutOff(final int index, final long nowNs) {
        return isPutOff[index] && nowNs - putOffSinceNs[index] < basePenaltyNs;
    }

    /** 0 to 2 for the suspect ends, and more than both for a suspect path. */
    private int suspicion(final int index, final long nowNs) {
        if (penaltyNs(index, nowNs) > 0) {
            return SUSPECT_PATH;
        }
        boolean localSuspect = false;
        boolean remoteSuspect = false;
        for (int i = 0; i < failures.length; i++) {
            if (penaltyNs(i, nowNs) > 0) {
                localSuspect |= i / remotes == index / remotes;
                remoteSuspect |= i % remotes == index % remotes;
            }
        }
        return (localSuspect ? 1 : 0) + (remoteSuspect ? 1 : 0);
    }

    private long penaltyNs(final int index, final long nowNs) {
        final int level = failures[index] + (hasStood(index, nowNs) ? 0 : flaps[index]);
        if (level == 0) {
            return 0;
        }
        final int doublings = Math.min(level - 1, MAX_DOUBLINGS);
        final long penalty = basePenaltyNs > maxPenaltyNs >> doublings ? maxPenaltyNs : basePenaltyNs << doublings;
        return Math.max(0, penalty - (nowNs - lastFailureNs[index]));
    }
}
