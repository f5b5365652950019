package io.vhca.bond.datagram;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.cm.PathCandidates;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.link.Links;
import io.vhca.bond.link.PathLink;
import io.vhca.recovery.wire.DatagramRecord;
import io.vhca.recovery.wire.DecodeResult;
import io.vhca.recovery.wire.RejectCode;
import io.vhca.recovery.wire.RejectRecord;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The active side of a service of datagrams: a SIDR_REQ over one path after another until the service answers which vQP
 * it is. A question that was not answered in time stays open while the next path is asked: an application that is slow
 * answers the first one, late. Control lock.
 */
final class ServiceResolution implements PathLink.Question {
    private static final int STATUS_UNSUPPORTED = 1;
    private static final int STATUS_REJECTED = 2;
    /** Questions without an answer; of more the oldest is given up. */
    private static final int MOST_OPEN = 8;

    private final BondDatagramCmId id;
    private final BondCore core;
    private final Links links;
    private final PathCandidates candidates;
    private final int port;
    private final ConnectParameters parameters;
    private final Deque<PathLink> open = new ArrayDeque<>();
    /** Those that are waited for as long as for the last one: the next path was asked meanwhile. */
    private final Set<PathLink> late = new HashSet<>();
    private boolean hasAsked;
    /** It is called again once a round may follow, or a member is up. */
    private boolean isAwaiting;
    private boolean done;

    ServiceResolution(
            final BondDatagramCmId id,
            final PathCandidates candidates,
            final int port,
            final ConnectParameters parameters) {
        this.id = id;
        this.candidates = candidates;
        this.port = port;
        this.parameters = parameters;
        core = id.scope().core();
        links = id.scope().links();
    }

    void start(final long nowNs) {
        if (!done) {
            candidates.begin(nowNs);
            next(nowNs);
        }
    }

    private void next(final long nowNs) {
        while (!done) {
            final PathCandidates.Candidate candidate = candidates.next(nowNs);
            if (candidate == null) {
                await(nowNs);
                return;
            }
            if (ask(candidate, nowNs)) {
                return;
            }
        }
    }

    /** The end of a question that has time left goes on. One that is late ends with all: rounds go on beside it. */
    private void await(final long nowNs) {
        if (isAwaiting || !late.containsAll(open)) {
            return;
        }
        isAwaiting = candidates.await(this::again, nowNs);
        if (!isAwaiting && open.isEmpty()) {
            done = true;
            id.unreachable(-Errno.ETIMEDOUT, new byte[0]);
        }
    }

    private void again(final long nowNs) {
        isAwaiting = false;
        next(nowNs);
    }

    private boolean ask(final PathCandidates.Candidate candidate, final long nowNs) {
        if (open.size() == MOST_OPEN) {
            close(open.getFirst());
        }
        final DatagramRecord question = id.question(hasAsked ? DatagramRecord.AGAIN : 0);
        try {
            final PathLink made = links.resolveService(
                    this,
                    candidate.member(),
                    new InetSocketAddress(candidate.address(), port),
                    question.encodeBefore(parameters.privateData()));
            made.waitUntil(candidates.untilNs(nowNs));
            open.add(made);
            hasAsked = true;
            return true;
        } catch (final VerbsException e) {
            core.counters().ignored(e);
            return false;
        }
    }

    private void close(final PathLink one) {
        open.remove(one);
        late.remove(one);
        one.close();
    }

    private void end() {
        done = true;
        List.copyOf(open).forEach(this::close);
    }

    void cancel() {
        end();
    }

    @Override
    public boolean waitsOn(final PathLink slow, final long nowNs) {
        if (done || !late.add(slow)) {
            return false;
        }
        slow.waitUntil(candidates.endNs());
        next(nowNs);
        return true;
    }

    @Override
    public int ownPort() {
        return id.ownPort();
    }

    @Override
    public void onLinkEstablished(
            final PathLink made, final byte[] reply, final ConnectParameters from, final long nowNs) {
        final UnsafeBuffer buffer = new UnsafeBuffer(reply);
        final DatagramRecord record = DatagramRecord.validate(buffer, 0, reply.length) == DecodeResult.OK
                ? DatagramRecord.decode(buffer, 0)
                : null;
        if (candidates.isPast(made.remote()) && (record == null || !isPeer(record))) {
            candidates.leave(made.remote());
            onLinkFailed(made, nowNs);
            return;
        }
        close(made);
        end();
        if (record == null) {
            // Somebody without the bond answered: its datagrams could not be told apart from those of others.
            id.unreachable(STATUS_REJECTED, new byte[0]);
            return;
        }
        id.established(
                Arrays.copyOfRange(reply, DatagramRecord.SIZE, reply.length),
                new ConnectParameters(
                        new byte[0], 0, 0, 0, 0, record.vQpNum(), from.qkey()));
    }

    /** Whether a bond that answers where the peer was is the peer: the address that was given names it. */
    private boolean isPeer(final DatagramRecord answer) {
        final InetSocketAddress to = Objects.requireNonNull(id.peerAddress());
        return id.scope().peers().datagrams().isNamed(answer.instance(), to.getAddress());
    }

    @Override
    public void onLinkRejected(final PathLink rejected, final byte[] data, final long nowNs) {
        final RejectRecord record = RejectRecord.read(data);
        if (record != null && record.code() == RejectCode.NO_RESOURCES) {
            // No answer: the member that it waited at leaves, or too many wait there. It may be asked again.
            onLinkFailed(rejected, nowNs);
            return;
        }
        if (candidates.passesOver(rejected.remote(), record != null)) {
            onLinkFailed(rejected, nowNs);
            return;
        }
        close(rejected);
        end();
        if (record == null) {
            id.unreachable(STATUS_UNSUPPORTED, new byte[0]);
        } else {
            id.unreachable(
                    STATUS_REJECTED,
                    record.code() == RejectCode.APPLICATION ? record.applicationData() : new byte[0]);
        }
    }

    @Override
    public void onLinkFailed(final PathLink failed, final long nowNs) {
        // While another question is open, the next path is asked when that one has had its time.
        final boolean wasLate = late.contains(failed);
        close(failed);
        if (!wasLate || open.isEmpty()) {
            next(nowNs);
        }
    }

    @Override
    public ConnectParameters connectParameters() {
        return parameters;
    }
}
