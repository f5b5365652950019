package io.vhca.bond.control;

import io.vhca.api.AccessFlags;
import io.vhca.api.NativeMemory;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QpState;
import io.vhca.api.RecvWorkRequest;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.VerbsException;
import io.vhca.api.WcDescriptor;
import io.vhca.api.WrOpcode;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.cm.BondCmId;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.core.BondCounters;
import io.vhca.bond.failover.QpRecovery;
import io.vhca.bond.link.Peer;
import io.vhca.bond.member.Member;
import io.vhca.bond.member.Members;
import io.vhca.bond.queue.LocalKeys;
import io.vhca.bond.trace.TraceEventDescriptor;
import io.vhca.bond.verbs.BondCompletionQueue;
import io.vhca.bond.verbs.BondMemoryRegion;
import io.vhca.bond.verbs.BondProtectionDomain;
import io.vhca.bond.verbs.BondQueuePair;
import io.vhca.bond.wire.QpNumDescriptor;
import io.vhca.recovery.wire.Agreement;
import io.vhca.recovery.wire.FailureReason;
import io.vhca.recovery.wire.MemberAddress;
import io.vhca.recovery.wire.SessionId;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One connection between two bonds: what their members are, and which physical keys stand behind a virtual one.
 *
 * <p>Control lock. Messages that find no free buffer wait in a queue.
 */
public final class ControlLink {
    static final int DEPTH = 16;
    public static final ConnectParameters PARAMETERS = ConnectParameters.of(new byte[0]);

    private static final int MOST_UNKNOWN = 64;
    /** A bond posts a receive again at once: it never says so much while what it is told finds none. */
    private static final int MOST_UNHEARD = 1_024;
    private static final int MESSAGE_SIZE = ControlMessageDescriptor.MAX_SIZE;

    private final BondCore core;
    private final Members members;
    private final LocalKeys keys;
    private final BondCmId id;
    private final Peer peer;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory = arena.allocate((long) 2 * DEPTH * MESSAGE_SIZE, 64);
    private final BondMemoryRegion region;
    private final BondQueuePair qp;
    private final SendWorkRequest send = SendWorkRequest.allocate(arena, 1);
    private final RecvWorkRequest recv = RecvWorkRequest.allocate(arena, 1);
    private final ArrayDeque<Integer> freeSlots = new ArrayDeque<>();
    private final ArrayDeque<ControlMessage> queued = new ArrayDeque<>();
    private final List<Asked> asked = new ArrayList<>();
    /** Questions that the peer has not answered: each is, once, also where nobody waits for it any more. */
    private int unanswered;
    /** Indexes of the keys that the peer was told of and may know: as many as there can be regions, no more. */
    private final BitSet told = new BitSet();
    /** Indexes of which it has asked for another key, of any generation, and was told that there is none. */
    private final BitSet missed = new BitSet();
    private final Set<BondQueuePair> shown = new HashSet<>();
    /** Types of messages that the peer has said it does not know. */
    private final Set<Integer> unknown = new HashSet<>();
    private final ControlCalls calls;
    private long askedNs;
    /** Messages that came while others waited to be sent, less those that the peer has taken since. */
    private int unheard;
    private final boolean isProven;
    private @Nullable MessageProof proof;
    /** With a key, what came before the link is known to stand, in its order: the session that proves it comes then. */
    private final ArrayDeque<Arrival> early = new ArrayDeque<>();

    private boolean established;
    private boolean closed;

    /** A vQP whose sends wait for a key. */
    private record Asked(BondQueuePair qp, int virtualKey) {}

    /** What lies in a receive, which is posted again once that was taken. */
    private record Arrival(int index, int length) {}

    /** Throws as a member says; then nothing is left of it, and the id is still the caller's. */
    ControlLink(
            final ControlPlane plane,
            final BondCmId id,
            final Peer peer,
            final BondProtectionDomain pd,
            final BondCompletionQueue cq) {
        core = plane.verbs().core();
        members = plane.verbs().members();
        keys = plane.verbs().keys();
        this.id = id;
        this.peer = peer;
        isProven = core.hasKey();
        calls = new ControlCalls(plane, this);
        core.holds(this, memory.byteSize());
        BondMemoryRegion registered = null;
        try {
            registered = (BondMemoryRegion) pd.regMr(memory, AccessFlags.LOCAL_WRITE);
            qp = id.createControlQp(pd, QpInitAttributes.rc(cq, cq, new QpCapabilities(DEPTH, DEPTH, 1, 1, 0)));
        } catch (final VerbsException e) {
            free(registered);
            throw e;
        }
        region = registered;
        for (int slot = 0; slot < DEPTH; slot++) {
            freeSlots.add(slot);
            postRecv(DEPTH + slot);
        }
        peer.hold();
    }

    BondCmId id() {
        return id;
    }

    int qpNum() {
        return qp.qpNum();
    }

    private long slot(final int index) {
        return memory.address() + (long) index * MESSAGE_SIZE;
    }

    private void postRecv(final int index) {
        recv.wrId(index).sge(slot(index), MESSAGE_SIZE, region.lkey());
        qp.postRecv(recv);
    }

    /** Tells what the CM says; false when the link is over. */
    boolean onEvent(final CmEvent event) {
        assert core.holdsLock();
        return switch (event.type()) {
            case ESTABLISHED -> {
                established = true;
                core.traceQp(TraceEventDescriptor.CONTROL_CONNECTED, qp.qpNum(), queued.size(), 0, 0);
                queued.addFirst(hello());
                takeEarly();
                flush();
                yield true;
            }
            case CONNECT_REQUEST -> true;
            default -> false;
        };
    }

    /** Asks for a key; the vQP is told when the answer is here. */
    void ask(final BondQueuePair waiting, final int virtualKey) {
        assert core.holdsLock();
        asked.add(new Asked(waiting, virtualKey));
        sendAsk(virtualKey);
    }

    private void sendAsk(final int virtualKey) {
        askedNs = core.nowNs();
        unanswered++;
        say(ControlMessage.of(ControlMessageDescriptor.ASK_KEY, virtualKey));
    }

    /** Asks once more where no answer came: nothing else would tell that the peer died after it had the question. */
    int doTimers(final long nowNs) {
        assert core.holdsLock();
        final int work = calls.doTimers(nowNs);
        if (asked.isEmpty() || nowNs - askedNs < againNs(core)) {
            return work;
        }
        askedNs = nowNs;
        if (queued.isEmpty()) {
            sendAsk(asked.getFirst().virtualKey);
        }
        return 1;
    }

    /** When {@link #doTimers} has something to do; {@link Long#MAX_VALUE} for never. */
    long nextDeadlineNs() {
        return calls.earlier(asked.isEmpty() ? Long.MAX_VALUE : askedNs + againNs(core));
    }

    /**
     * The link could not be made or broke for good: the paths of the vQPs that wait are in doubt. They recover or fail
     * like after any loss of a path, and ask anew, over a new link, once they are healthy.
     */
    void abandon(final long nowNs) {
        assert core.holdsLock();
        for (final Asked one : List.copyOf(asked)) {
            QpRecovery.of(one.qp).onPathFailure(FailureReason.CONNECT_FAILED, nowNs);
        }
        asked.clear();
        calls.abandon(nowNs);
    }

    /** With a key, what the messages of this link are signed with; null as long as it is not connected. */
    private @Nullable MessageProof proof() {
        if (proof == null && QpRecovery.of(qp).session() != null) {
            proof = MessageProof.of(QpRecovery.of(qp).identity());
        }
        return proof;
    }

    /** How messages name the session of a vQP. */
    SessionId shown(final SessionId session) {
        final MessageProof signing = isProven ? proof() : null;
        return signing == null ? session : signing.shown(session);
    }

    private void flush() {
        final MessageProof signing = isProven ? proof() : null;
        if (isProven && signing == null) {
            return; // without a session nothing can be signed
        }
        if (qp.state().compareTo(QpState.RTS) < 0) {
            return; // it takes nothing before it is connected
        }
        while (!queued.isEmpty() && !freeSlots.isEmpty()) {
            final int index = freeSlots.peek();
            final int length = queued.peek().copyTo(slot(index), signing);
            send.wrId(index)
                    .opcode(WrOpcode.SEND)
                    .sendFlags(SendFlags.SIGNALED)
                    .sge(slot(index), length, region.lkey());
            if (qp.postSend(send) != 1) {
                return;
            }
            if (signing != null) {
                signing.sent();
            }
            freeSlots.poll();
            queued.poll();
        }
    }

    /** Takes a completion of its vQP; false when the link is over: the vQP is in error, or the peer is a nuisance. */
    boolean onCompletion(final long wc) {
        assert core.holdsLock();
        final int index = (int) NativeMemory.getLong(wc + WcDescriptor.WR_ID_OFFSET);
        final boolean success = NativeMemory.getInt(wc + WcDescriptor.STATUS_OFFSET) == 0;
        if (index < DEPTH) {
            freeSlots.add(index);
            unheard = Math.max(0, unheard - 1);
            assert freeSlots.size() <= DEPTH : "a message completed twice";
        } else if (success) {
            final Arrival arrived = new Arrival(index, NativeMemory.getInt(wc + WcDescriptor.BYTE_LEN_OFFSET));
            if (isProven && !established) {
                early.add(arrived);
            } else {
                take(arrived);
            }
        }
        if (success) {
            flush();
        }
        return success && (index < DEPTH || isHeardOut());
    }

    /** The peer may speak before the connection manager here has said that it is connected. */
    private void takeEarly() {
        while (!early.isEmpty()) {
            take(early.poll());
        }
    }

    private void take(final Arrival arrived) {
        final ControlMessage message = open(arrived.index, arrived.length);
        try {
            if (message != null) {
                onMessage(message);
            }
        } finally {
            postRecv(arrived.index); // whatever comes of it: without receives the link would hear nothing more
        }
    }

    /** False where the peer asks on and on, and takes no answer: they would fill the heap. */
    private boolean isHeardOut() {
        unheard = queued.isEmpty() ? 0 : unheard + 1;
        if (unheard <= MOST_UNHEARD) {
            return true;
        }
        garbage();
        return false;
    }

    /** What arrived, as long as it is and no longer, without its proof; null where it is not the peer's. */
    private @Nullable ControlMessage open(final int index, final int length) {
        final ControlMessage arrived = ControlMessage.at(slot(index), Math.clamp(length, 0, MESSAGE_SIZE));
        if (!isProven) {
            return arrived;
        }
        final MessageProof signing = proof();
        if (signing != null && signing.takes(arrived.getBytes(0, arrived.length()))) {
            return ControlMessage.at(slot(index), arrived.length() - MessageProof.SIZE);
        }
        core.counters().add(BondCounters.Counter.CONTROL_BAD_PROOF, 1);
        return null;
    }

    private void onMessage(final ControlMessage message) {
        if (!ControlMessageDescriptor.isWhole(message)) {
            garbage();
            return;
        }
        switch (message.type()) {
            case ControlMessageDescriptor.HELLO -> onHello(message);
            case ControlMessageDescriptor.ASK_KEY -> queued.add(keysOf(message.value()));
            case ControlMessageDescriptor.KEYS -> onKeys(message);
            case ControlMessageDescriptor.REVOKE -> peer.forgetKey(message.value());
            case ControlMessageDescriptor.NOT_KNOWN -> onNotKnown(message.value());
            default -> {
                if (ControlMessageDescriptor.isOfQp(message.type())) {
                    calls.onMessage(message);
                } else {
                    onUnknown(message.type());
                }
            }
        }
    }

    /** Of a newer bond, which is told so, or nonsense. */
    private void onUnknown(final int type) {
        if (peer.agreement().has(Agreement.NOT_KNOWN) && type > ControlMessageDescriptor.LAST_OF_FIRST) {
            core.counters().add(BondCounters.Counter.CONTROL_UNKNOWN, 1);
            say(ControlMessage.of(ControlMessageDescriptor.NOT_KNOWN, type));
        } else {
            garbage();
        }
    }

    /** The peer is older than that kind of message: it gets none any more. What version 1 has, every peer knows. */
    private void onNotKnown(final int type) {
        if (type <= ControlMessageDescriptor.LAST_OF_FIRST || unknown.size() == MOST_UNKNOWN) {
            garbage();
            return;
        }
        core.counters().add(BondCounters.Counter.CONTROL_NOT_KNOWN, 1);
        unknown.add(type);
    }

    private void garbage() {
        core.counters().add(BondCounters.Counter.CONTROL_GARBAGE, 1);
    }

    /** What is asked beside members and keys. */
    ControlCalls calls() {
        return calls;
    }

    void say(final ControlMessage message) {
        assert core.holdsLock();
        if (unknown.contains(message.type())) {
            return;
        }
        queued.add(message);
        flush();
    }

    /** True when nothing waits to be sent. */
    boolean isIdle() {
        return queued.isEmpty();
    }

    private ControlMessage hello() {
        final List<MemberAddress> addresses = members.addresses(Member::isPresent);
        int length = ControlMessageDescriptor.BODY_OFFSET;
        for (final MemberAddress member : addresses) {
            length += ControlMessageDescriptor.ADDRESS_OFFSET + member.address().length;
        }
        final ControlMessage message = ControlMessage.of(ControlMessageDescriptor.HELLO, addresses.size(), length);
        int at = ControlMessageDescriptor.BODY_OFFSET;
        for (final MemberAddress member : addresses) {
            final byte[] address = member.address();
            message.putByte(at + ControlMessageDescriptor.MEMBER_INDEX_OFFSET, member.member())
                    .putByte(at + ControlMessageDescriptor.ADDRESS_LENGTH_OFFSET, address.length)
                    .putBytes(at + ControlMessageDescriptor.ADDRESS_OFFSET, address);
            at += ControlMessageDescriptor.ADDRESS_OFFSET + address.length;
        }
        return message;
    }

    private void onHello(final ControlMessage message) {
        final List<MemberAddress> named = new ArrayList<>();
        int at = ControlMessageDescriptor.BODY_OFFSET;
        for (int i = 0; i < message.value() && at + ControlMessageDescriptor.ADDRESS_OFFSET <= message.length(); i++) {
            final int length = message.getByte(at + ControlMessageDescriptor.ADDRESS_LENGTH_OFFSET);
            final int next = at + ControlMessageDescriptor.ADDRESS_OFFSET + length;
            if (!ControlMessageDescriptor.isAddressLength(length) || next > message.length()) {
                garbage();
                return;
            }
            named.add(new MemberAddress(
                    message.getByte(at + ControlMessageDescriptor.MEMBER_INDEX_OFFSET),
                    message.getBytes(at + ControlMessageDescriptor.ADDRESS_OFFSET, length)));
            at = next;
        }
        peer.told(named);
    }

    /** The answer to ASK: the physical key on each member, an invalid one where there is none (any more). */
    private ControlMessage keysOf(final int virtualKey) {
        final LocalKeys.Snapshot snapshot = keys.snapshot();
        final List<Member> all = members.all();
        final ControlMessage message = ControlMessage.of(
                        ControlMessageDescriptor.KEYS,
                        virtualKey,
                        ControlMessageDescriptor.FIRST_KEY_OFFSET + all.size() * ControlMessageDescriptor.KEY_SIZE)
                .putInt(ControlMessageDescriptor.KEY_COUNT_OFFSET, all.size());
        (snapshot.isValid(virtualKey) ? told : missed).set(LocalKeys.index(virtualKey));
        for (final Member member : all) {
            final int at = keyOffset(member.index());
            message.putInt(at + ControlMessageDescriptor.KEY_GENERATION_OFFSET, member.generation())
                    .putInt(at + ControlMessageDescriptor.RKEY_OFFSET, snapshot.rkey(virtualKey, member.index()));
        }
        return message;
    }

    private static int keyOffset(final int member) {
        return ControlMessageDescriptor.FIRST_KEY_OFFSET + member * ControlMessageDescriptor.KEY_SIZE;
    }

    private void onKeys(final ControlMessage message) {
        final int virtualKey = message.value();
        final int count = message.getInt(ControlMessageDescriptor.KEY_COUNT_OFFSET);
        if (count < 0
                || count > QpNumDescriptor.MAX_MEMBERS
                || keyOffset(count) > message.length()
                || unanswered == 0) {
            garbage();
            return;
        }
        unanswered--;
        if (asked.stream().noneMatch(one -> one.virtualKey == virtualKey)) {
            return; // answered before, or who waited is gone: what nobody waits for would fill the heap
        }
        for (int member = 0; member < count; member++) {
            final int at = keyOffset(member);
            peer.heardKey(
                    member,
                    message.getInt(at + ControlMessageDescriptor.KEY_GENERATION_OFFSET),
                    virtualKey,
                    message.getInt(at + ControlMessageDescriptor.RKEY_OFFSET));
        }
        for (final Asked one : List.copyOf(asked)) {
            if (one.virtualKey == virtualKey) {
                asked.remove(one);
                QpRecovery.of(one.qp).onKeysHeard();
                if (QpRecovery.of(one.qp).isOf(peer) && !QpRecovery.of(one.qp).attachment().isCurrent(peer)) {
                    // It waits for keys of a device that is gone, over a connection that is gone with it.
                    QpRecovery.of(one.qp).onPathFailure(FailureReason.CM_DISCONNECTED, core.nowNs());
                }
            }
        }
    }

    /**
     * A key means something else now, or nothing: the peer, where it knows it, forgets what. Of a key that comes to be,
     * it may know that there is none: it is not known of which generations of the index.
     */
    void revoke(final int virtualKey) {
        assert core.holdsLock();
        final int index = LocalKeys.index(virtualKey);
        final boolean isKnown = told.get(index) || missed.get(index) && keys.snapshot().isValid(virtualKey);
        told.clear(index);
        if (isKnown) {
            say(ControlMessage.of(ControlMessageDescriptor.REVOKE, virtualKey));
        }
    }

    /** Tells the peer once more what the members are. */
    void announce() {
        assert core.holdsLock();
        if (established) {
            say(hello());
        }
    }

    /** Shows the session of a vQP, once: the peer learns that it belongs to this bond. */
    void show(final BondQueuePair shownQp) {
        assert core.holdsLock();
        if (shown.add(shownQp)) {
            say(ControlMessage.of(ControlMessageDescriptor.SESSION, QpRecovery.of(shownQp).identity()));
        }
    }

    /** The peer's bond has shown the session of a vQP. */
    void proves(final BondQueuePair shownQp) {
        assert core.holdsLock();
        QpRecovery.of(shownQp).provenOf(peer);
    }

    /** After that time what had no answer, or no room, is tried again. */
    static long againNs(final BondCore core) {
        return core.config().pathTimeoutNs();
    }

    /** The vQP is gone, or has no session any more. */
    void forget(final BondQueuePair gone) {
        assert core.holdsLock();
        asked.removeIf(one -> one.qp == gone);
        shown.remove(gone);
        calls.forget(gone);
    }

    /** Whether it goes to that bond. */
    boolean goesTo(final Peer bond) {
        return peer == bond;
    }

    boolean isEstablished() {
        return established;
    }

    void close() {
        assert core.holdsLock();
        if (closed) {
            return;
        }
        closed = true;
        core.traceQp(TraceEventDescriptor.CONTROL_CLOSED, qp.qpNum(), queued.size(), 0, 0);
        peer.forgetKeys();
        peer.release();
        id.close();
        free(region);
    }

    private void free(final @Nullable BondMemoryRegion registered) {
        if (registered != null) {
            registered.close();
        }
        core.ends(this);
        arena.close();
    }
}
