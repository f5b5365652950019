package io.vhca.bond.datagram;

import io.vhca.api.VerbsException;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.link.Affinity;
import io.vhca.bond.link.PathLink;
import io.vhca.bond.member.Member;
import io.vhca.recovery.wire.DatagramRecord;
import io.vhca.recovery.wire.DecodeResult;
import io.vhca.recovery.wire.MemberAddress;
import io.vhca.recovery.wire.MemberId;
import java.net.InetAddress;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One question to another bond: where does that vQP for datagrams live? It also says where the own one lives. A REQ
 * over one path after another, each answered by a REJ, until an answer came over the very path that datagrams will
 * take.
 *
 * <pre>
 *   from the own member to each address ---answer: "here"---------> FOUND
 *      | no answer                  `------answer: "at X"
 *      v                                      v
 *   from the other own members            to X ---"here"--> FOUND
 *      to each address                        | no answer
 *      `---"here"--> own vQP moves there      v
 *                                         from the other own members to X ---"here"--> own vQP moves there
 *                                             | no answer
 *                                             v
 *                                         "come here", over the path that carries ---"here"--> FOUND
 * </pre>
 *
 * <p>So who can go to the other goes, and who cannot calls. The earlier of the two ({@link DatagramName}) calls first,
 * and who lives where an operator or the configuration wants it: else both would go, and meet nowhere. Who has no other
 * member to go to calls as well. Who has met an earlier one where it lives stays there, unless that is the last way
 * ({@link DatagramAttachment#meet}).
 *
 * <p>"No answer" takes {@code path_timeout}, and twice as long after each question in a row that nobody answered: a
 * slow peer is found in the end. Nobody waits for that before the next path is asked, but a part of
 * {@code path_timeout} only ({@link #HEDGES}): a dead path costs that. What must know that all else failed, the last
 * call, waits for all. Where one path was answered, no other one has much longer than that took, nor has the own home
 * less. Control lock.
 */
final class DestinationQuery implements PathLink.Question {
    /** The next path is asked after that part of path_timeout. */
    static final int HEDGES = 4;

    /** So many parts of the time that one path took; another one has one more. */
    private static final int PATIENCE = 4;

    /** Paths that are asked at the same time. */
    private static final int MOST_OPEN = 4;
    /** Questions in all: the other vQP may move whenever it is asked. */
    private static final int MOST_ASKED = 64;

    private final Datagrams datagrams;
    private final Datagrams.Scope scope;
    private final BondCore core;
    private final BondDatagramQp qp;
    private final int targetQpNum;
    private final Asker asker;
    private final @Nullable Member home;
    private final Deque<Attempt> attempts = new ArrayDeque<>();
    /** What was asked, and not answered. */
    private final Set<Attempt> made = new HashSet<>();
    /** How long those of the own home that are over were waited for. */
    private final Map<Attempt, Long> waited = new HashMap<>();
    private final Map<PathLink, Asked> open = new LinkedHashMap<>();
    /** What the other vQP has said of itself meanwhile: each word counts once. */
    private final Set<DatagramRoutes.Heard> words = new HashSet<>();
    /** What is left to do where nothing else helps: to go where the other bond at least answers. */
    private @Nullable Met last;
    /** Another member has met the other vQP: what counts unless the own one does as well. */
    private @Nullable Met met;
    /** Where the other vQP lives, as it said from elsewhere. */
    private @Nullable InetAddress elsewhere;

    /** How long a path may take to answer: less, once one has. */
    private long patienceNs;

    private boolean wasHeard;
    private int askedCount;
    private boolean isStarted;
    private boolean isLate;
    private boolean done;

    private record Attempt(Member from, InetAddress to, int flags) {
        private int affinity() {
            return Affinity.of(from.address(), to);
        }

        private boolean isLast() {
            return (flags & DatagramRecord.LAST) != 0;
        }
    }

    /** An attempt under way; {@code isSlow} once the next path was asked. */
    private record Asked(Attempt attempt, long sinceNs, long untilNs, boolean isSlow) {}

    /** Another member than the own home, who answered it, and where that one lives. */
    private record Met(Member from, DatagramName peer, InetAddress at) {}

    /** Whom the end is told, once. */
    interface Asker {
        /** Whether the bond that answers from there is the one that is asked: another one may have the address now. */
        boolean isOf(long instance, InetAddress from);

        /** The vQP lives at that address, and the path there carries. */
        void onFound(DatagramRecord answer, InetAddress at, long nowNs);

        /**
         * Another member of the own bond reaches that bond, the one in use does not; false where it stays there.
         *
         * @param isLast all else was tried
         */
        boolean onReachedFrom(Member other, DatagramName peer, boolean isLast, long nowNs);

        /**
         * It was not met over any path.
         *
         * @param wasHeard its bond has answered over one
         */
        void onNotMet(boolean wasHeard, long nowNs);

        /** Its bond says that it has none of that number. */
        void onGone(long nowNs);
    }

    DestinationQuery(
            final Datagrams datagrams, final BondDatagramQp qp, final int targetQpNum, final int vain,
            final Asker asker) {
        this.datagrams = datagrams;
        this.qp = qp;
        this.targetQpNum = targetQpNum;
        this.asker = asker;
        scope = datagrams.scope();
        core = scope.core();
        home = qp.home().member();
        patienceNs = core.config().patienceNs(vain);
    }

    /** Whether its turn has come, or nobody waits for that any more. */
    boolean isBegun() {
        return isStarted || done;
    }

    /** Whether it is under way, and not for longer than the usual answer takes. */
    boolean isAwaited() {
        return isStarted && !done && !isLate;
    }

    /** @param likely where the other vQP most likely is, and which own member it has reached from there; or null */
    void start(
            final List<InetAddress> addresses, final DatagramRoutes.@Nullable Heard likely, final long nowNs) {
        isStarted = true;
        if (home != null) {
            final Comparator<Attempt> nearestFirst = Comparator.comparing(attempt -> -attempt.affinity());
            attempts.addAll(addresses.stream()
                    .map(address -> new Attempt(home, address, 0)).sorted(nearestFirst).toList());
            attempts.addAll(others().stream()
                    .flatMap(other -> addresses.stream().map(address -> new Attempt(other, address, 0)))
                    .sorted(nearestFirst)
                    .toList());
            if (likely != null) {
                heard(likely, nowNs);
                if (!open.isEmpty()) {
                    return;
                }
            }
        }
        next(nowNs);
    }

    /**
     * The other vQP says itself where it lives, to an own member: both ways to there are asked at once. What is under
     * way on them for longer was asked when nobody was there, and is not worth waiting for.
     */
    void heard(final DatagramRoutes.Heard word, final long nowNs) {
        if (done || home == null || !words.add(word)) {
            return;
        }
        askNow(new Attempt(home, word.address(), 0), nowNs);
        if (word.at() != home && word.at().isEligible()) {
            askNow(new Attempt(word.at(), word.address(), 0), nowNs);
        }
    }

    private void askNow(final Attempt attempt, final long nowNs) {
        for (final Map.Entry<PathLink, Asked> one : open.entrySet()) {
            if (one.getValue().attempt.equals(attempt) && !one.getValue().isSlow) {
                return;
            }
        }
        if (open.size() == MOST_OPEN) {
            end(leastWorth());
        }
        made.add(attempt);
        final boolean unused = send(attempt, nowNs);
    }

    /** Of the questions under way the oldest from another member; the oldest of all where there is none. */
    private PathLink leastWorth() {
        for (final Map.Entry<PathLink, Asked> one : open.entrySet()) {
            if (one.getValue().attempt.from != home) {
                return one.getKey();
            }
        }
        return open.keySet().iterator().next();
    }

    private List<Member> others() {
        return scope.members().all().stream()
                .filter(member -> member != home && member.isEligible())
                .toList();
    }

    private void next(final long nowNs) {
        while (!done) {
            final Attempt attempt = attempts.peek();
            if (attempt == null) {
                if (open.isEmpty() && isStarted) {
                    giveUp(nowNs);
                }
                return;
            }
            if (open.size() == MOST_OPEN || attempt.isLast() && !open.isEmpty()) {
                // One that is open leads on from here.
                return;
            }
            attempts.remove();
            if (made.add(attempt) && send(attempt, nowNs)) {
                return;
            }
        }
    }

    private void giveUp(final long nowNs) {
        done = true;
        if (last == null || !asker.onReachedFrom(last.from, last.peer, true, nowNs)) {
            asker.onNotMet(wasHeard, nowNs);
        }
    }

    private boolean send(final Attempt attempt, final long nowNs) {
        final byte[] request = qp.routes().record(attempt.flags, targetQpNum).encodeRequest();
        if (++askedCount > MOST_ASKED) {
            return false;
        }
        try {
            final PathLink link = datagrams.ask(this, attempt.from, attempt.to, targetQpNum, request);
            open.put(link, new Asked(attempt, nowNs, nowNs + patienceNs, false));
            link.waitUntil(nowNs + core.config().pathTimeoutNs() / HEDGES);
            return true;
        } catch (final VerbsException e) {
            core.counters().ignored(e);
            return false;
        }
    }

    @Override
    public boolean waitsOn(final PathLink slow, final long nowNs) {
        final Asked asked = open.get(slow);
        if (done || asked == null || asked.isSlow) {
            return false;
        }
        isLate = true;
        open.put(slow, new Asked(asked.attempt, asked.sinceNs, asked.untilNs, true));
        slow.waitUntil(asked.untilNs);
        next(nowNs);
        return true;
    }

    private @Nullable Asked end(final PathLink link) {
        link.close();
        return open.remove(link);
    }

    /** Nobody waits for an answer any more. */
    void cancel() {
        done = true;
        List.copyOf(open.keySet()).forEach(this::end);
    }

    @Override
    public void onLinkRejected(final PathLink rejected, final byte[] data, final long nowNs) {
        final Asked asked = end(rejected);
        if (done || asked == null) {
            return;
        }
        final UnsafeBuffer buffer = new UnsafeBuffer(data);
        if (DatagramRecord.validate(buffer, 0, data.length) != DecodeResult.OK) {
            // Another bond, or none, has that port now.
            unmet(asked, nowNs);
            return;
        }
        final DatagramRecord answer = DatagramRecord.decode(buffer, 0);
        if (answer.answerMayLeaveOut()) {
            scope.peers().heardSome(answer.instance(), answer.members());
        } else {
            scope.peers().heard(answer.instance(), answer.members());
        }
        scope.peers().answered(answer.instance(), asked.attempt.to);
        if (!asker.isOf(answer.instance(), asked.attempt.to)) {
            unmet(asked, nowNs);
            return;
        }
        // That path carries: where the other vQP moved meanwhile, it is asked again.
        made.remove(asked.attempt);
        heardAfter(nowNs - asked.sinceNs);
        final InetAddress at = home(answer);
        if (at == null) {
            cancel();
            asker.onGone(nowNs);
        } else if (at.equals(asked.attempt.to) && asked.attempt.from == home) {
            cancel();
            asker.onFound(answer, at, nowNs);
        } else {
            onNotMet(asked, new DatagramName(answer.instance(), targetQpNum), at, nowNs);
        }
    }

    /** One path took so long: no other one needs much longer, nor less than the usual time. */
    private void heardAfter(final long tookNs) {
        wasHeard = true;
        shorten(Math.max(core.config().patienceNs(0), tookNs * (PATIENCE + 1) / PATIENCE));
    }

    /** Datagrams wait for the answer: no path has longer than the usual time. */
    void hurry() {
        shorten(core.config().patienceNs(0));
    }

    private void shorten(final long enoughNs) {
        if (enoughNs < patienceNs) {
            patienceNs = enoughNs;
            for (final Map.Entry<PathLink, Asked> one : open.entrySet()) {
                final Asked asked = one.getValue();
                one.setValue(new Asked(asked.attempt, asked.sinceNs, asked.sinceNs + enoughNs, asked.isSlow));
                if (asked.isSlow) {
                    one.getKey().waitUntil(asked.sinceNs + enoughNs);
                }
            }
        }
    }

    private void onNotMet(final Asked asked, final DatagramName peer, final InetAddress at, final long nowNs) {
        final Attempt attempt = asked.attempt;
        if (attempt.from == home) {
            if (!at.equals(elsewhere)) {
                elsewhere = at;
                onElsewhere(attempt, peer, at);
            }
        } else {
            last = new Met(attempt.from, peer, at);
            if (at.equals(attempt.to)) {
                met = last;
                awaitHome(at, (nowNs - asked.sinceNs) * (PATIENCE + 1) / PATIENCE, nowNs);
                return;
            }
            // From over there it can be called, unless it can be reached from home.
            attempts.clear();
            if (home != null) {
                attempts.add(new Attempt(home, at, 0));
            }
        }
        next(nowNs);
    }

    /** Home has so long to be answered as well; then the vQP goes to the member that was. */
    private void awaitHome(final InetAddress at, final long enoughNs, final long nowNs) {
        if (home == null) {
            return;
        }
        final Attempt own = new Attempt(home, at, 0);
        final Long ownNs = waited.get(own);
        if (made.add(own) || ownNs != null && ownNs < enoughNs) {
            attempts.remove(own);
            final boolean unused = send(own, nowNs);
        }
        for (final Map.Entry<PathLink, Asked> one : open.entrySet()) {
            final Asked asked = one.getValue();
            if (asked.attempt.equals(own)) {
                final long untilNs = asked.sinceNs + Math.min(asked.untilNs - asked.sinceNs, enoughNs);
                one.setValue(new Asked(own, asked.sinceNs, untilNs, true));
                one.getKey().waitUntil(untilNs);
            }
        }
        decide(nowNs);
    }

    /** Goes where another member has met the other vQP, unless home may meet it yet; else the next path is asked. */
    private void decide(final long nowNs) {
        final Met other = met;
        if (other != null
                && home != null
                && open.values().stream()
                        .noneMatch(one -> one.attempt.equals(new Attempt(home, other.at, 0)))) {
            met = null;
            done = asker.onReachedFrom(other.from, other.peer, false, nowNs);
            if (done) {
                cancel();
            }
        }
        next(nowNs);
    }

    /** One path was asked in vain. */
    private void unmet(final @Nullable Asked asked, final long nowNs) {
        if (asked != null && !done) {
            decide(nowNs);
        }
    }

    private void onElsewhere(final Attempt attempt, final DatagramName peer, final InetAddress at) {
        attempts.clear();
        attempts.add(new Attempt(attempt.from, at, 0));
        final boolean callsFirst = home == scope.monitor().chosen()
                || others().isEmpty()
                || new DatagramName(core.datagramInstance(), qp.qpNum()).isBefore(peer);
        if (callsFirst) {
            attempts.add(new Attempt(attempt.from, attempt.to, DatagramRecord.CALL));
        }
        others().forEach(other -> attempts.add(new Attempt(other, at, 0)));
        attempts.add(new Attempt(attempt.from, attempt.to, DatagramRecord.CALL | DatagramRecord.LAST));
    }

    /** Where a record says that its vQP lives; null when it lives nowhere. */
    static @Nullable InetAddress home(final DatagramRecord record) {
        final MemberId home = record.home();
        if (home == null) {
            return null;
        }
        for (final MemberAddress one : record.members()) {
            if (one.member() == home.index()) {
                return one.inetAddress();
            }
        }
        return null;
    }

    @Override
    public void onLinkEstablished(
            final PathLink made, final byte[] reply, final ConnectParameters parameters, final long nowNs) {
        onLinkFailed(made, nowNs);
    }

    @Override
    public void onLinkFailed(final PathLink failed, final long nowNs) {
        final Asked asked = end(failed);
        if (asked != null && asked.attempt.from == home) {
            waited.put(asked.attempt, nowNs - asked.sinceNs);
        }
        unmet(asked, nowNs);
    }
}
