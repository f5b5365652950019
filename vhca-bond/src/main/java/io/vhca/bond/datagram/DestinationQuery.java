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
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
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
 * and who lives where an operator or the configuration wants it: else both would go, and meet nowhere. Who has met an
 * earlier one where it lives stays there, unless that is the last way ({@link DatagramAttachment#meet}). Control lock.
 */
final class DestinationQuery implements PathLink.Question {
    private final Datagrams.Scope scope;
    private final BondCore core;
    private final BondDatagramQp qp;
    private final int targetQpNum;
    private final Asker asker;
    private final @Nullable Member home;
    private final Deque<Attempt> attempts = new ArrayDeque<>();
    private final Set<Attempt> made = new HashSet<>();
    private @Nullable Attempt current;
    private @Nullable PathLink link;
    /** What is left to do where nothing else helps: to go where the other bond at least answers. */
    private @Nullable Answered last;

    private boolean done;

    private record Attempt(Member from, InetAddress to, int flags) {
        private int affinity() {
            return Affinity.of(from.address(), to);
        }
    }

    /** Another member than the own home, and who answered it. */
    private record Answered(Member from, DatagramName peer) {}

    /** Whom the end is told, once. */
    interface Asker {
        /** The vQP lives at that address, and the path there carries. */
        void onFound(DatagramRecord answer, InetAddress at, long nowNs);

        /**
         * Another member of the own bond reaches that bond, the one in use does not; false where it stays there.
         *
         * @param isLast all else was tried
         */
        boolean onReachedFrom(Member other, DatagramName peer, boolean isLast, long nowNs);

        /** Nobody knows it, or nobody can be reached. */
        void onNotFound(long nowNs);
    }

    DestinationQuery(
            final Datagrams datagrams, final BondDatagramQp qp, final int targetQpNum, final Asker asker) {
        this.qp = qp;
        this.targetQpNum = targetQpNum;
        this.asker = asker;
        scope = datagrams.scope();
        core = scope.core();
        home = qp.home().member();
    }

    /** @param likely where the other vQP most likely is, and which own member it has reached from there; or null */
    void start(
            final List<InetAddress> addresses, final DatagramRoutes.@Nullable Heard likely, final long nowNs) {
        if (home != null) {
            if (likely != null) {
                attempts.add(new Attempt(home, likely.address(), 0));
                attempts.add(new Attempt(likely.at(), likely.address(), 0));
            }
            final Comparator<Attempt> nearestFirst = Comparator.comparing(attempt -> -attempt.affinity());
            attempts.addAll(addresses.stream()
                    .map(address -> new Attempt(home, address, 0)).sorted(nearestFirst).toList());
            attempts.addAll(others().stream()
                    .flatMap(other -> addresses.stream().map(address -> new Attempt(other, address, 0)))
                    .sorted(nearestFirst)
                    .toList());
        }
        next(nowNs);
    }

    private List<Member> others() {
        return scope.members().all().stream()
                .filter(member -> member != home && member.isEligible())
                .toList();
    }

    private void next(final long nowNs) {
        while (!done) {
            final Attempt attempt = attempts.poll();
            if (attempt == null) {
                done = true;
                if (last == null || !asker.onReachedFrom(last.from, last.peer, true, nowNs)) {
                    asker.onNotFound(nowNs);
                }
            } else if (made.add(attempt)) {
                current = attempt;
                if (send(attempt, nowNs)) {
                    return;
                }
            }
        }
    }

    private boolean send(final Attempt attempt, final long nowNs) {
        final byte[] request = qp.routes().record(attempt.flags, targetQpNum).encodeRequest();
        final int port = scope.port().of(targetQpNum);
        try {
            link = scope.links().connect(this, attempt.from, new InetSocketAddress(attempt.to, port), request);
            return true;
        } catch (final VerbsException e) {
            core.counters().ignored(e);
            return false;
        }
    }

    /** Nobody waits for the answer any more. */
    void cancel() {
        done = true;
        final PathLink open = link;
        link = null;
        if (open != null) {
            open.close();
        }
    }

    @Override
    public void onLinkRejected(final PathLink rejected, final byte[] data, final long nowNs) {
        rejected.close();
        final Attempt attempt = current;
        final UnsafeBuffer buffer = new UnsafeBuffer(data);
        if (done || attempt == null) {
            return;
        }
        if (DatagramRecord.validate(buffer, 0, data.length) != DecodeResult.OK) {
            // Another bond, or none, has that port now.
            next(nowNs);
            return;
        }
        final DatagramRecord answer = DatagramRecord.decode(buffer, 0);
        scope.peers().heard(answer.instance(), answer.members());
        final InetAddress at = home(answer);
        if (at == null) {
            done = true;
            asker.onNotFound(nowNs);
        } else if (at.equals(attempt.to) && attempt.from == home) {
            done = true;
            asker.onFound(answer, at, nowNs);
        } else {
            onNotMet(attempt, new DatagramName(answer.instance(), targetQpNum), at, nowNs);
        }
    }

    private void onNotMet(final Attempt attempt, final DatagramName peer, final InetAddress at, final long nowNs) {
        if (attempt.from == home) {
            onElsewhere(attempt, peer, at);
        } else {
            last = new Answered(attempt.from, peer);
            if (at.equals(attempt.to)) {
                done = asker.onReachedFrom(attempt.from, peer, false, nowNs);
            } else {
                // Nothing comes through from home, unless it has come here meanwhile. From over there it can be called.
                attempts.clear();
                if (home != null) {
                    attempts.add(new Attempt(home, at, 0));
                }
            }
        }
        next(nowNs);
    }

    private void onElsewhere(final Attempt attempt, final DatagramName peer, final InetAddress at) {
        attempts.clear();
        attempts.add(new Attempt(attempt.from, at, 0));
        final boolean callsFirst = home == scope.monitor().chosen()
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
        failed.close();
        next(nowNs);
    }
}
