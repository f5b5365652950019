package io.vhca.bond.control;

import io.vhca.api.AccessFlags;
import io.vhca.api.NativeMemory;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.RecvWorkRequest;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.WcDescriptor;
import io.vhca.api.WrOpcode;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.cm.BondCmId;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.core.BondCounters;
import io.vhca.bond.core.EarliestDeadline;
import io.vhca.bond.failover.QpRecovery;
import io.vhca.bond.link.Peer;
import io.vhca.bond.member.Member;
import io.vhca.bond.member.Members;
import io.vhca.bond.queue.LocalKeys;
import io.vhca.bond.verbs.BondCompletionQueue;
import io.vhca.bond.verbs.BondMemoryRegion;
import io.vhca.bond.verbs.BondProtectionDomain;
import io.vhca.bond.verbs.BondQueuePair;
import io.vhca.bond.wire.QpNumDescriptor;
import io.vhca.recovery.FailureReason;
import io.vhca.recovery.MemberAddress;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * One connection between two bonds: what their members are, and which physical keys stand behind a virtual one.
 *
 * <pre>
 *   message, 320 bytes, big-endian:
 *   0       4                        8
 *   | type  | virtual key or count   | HELLO: (member u8, length u8, address) ...
 *                                    | KEYS: count u32, (generation u32, rkey u32) by member index ...
 * </pre>
 *
 * <p>Control lock. Messages that find no free buffer wait in a queue.
 */
public final class ControlLink {
    static final int DEPTH = 16;
    public static final ConnectParameters PARAMETERS = ConnectParameters.of(new byte[0]);

    private static final int MESSAGE_SIZE = 320; // a HELLO of all members there can be, with IPv6 addresses
    private static final int HELLO = 1;
    private static final int ASK = 2;
    private static final int KEYS = 3;
    private static final int REVOKE = 10;
    private static final int BODY = 8;
    private static final int KEY_SIZE = 2 * Integer.BYTES;
    private static final int FIRST_KEY = BODY + Integer.BYTES;

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
    private final ArrayDeque<byte[]> queued = new ArrayDeque<>();
    private final List<Asked> asked = new ArrayList<>();
    private final Set<Integer> told = new HashSet<>();
    private final ControlCalls calls;
    private long askedNs;
    private boolean established;
    private boolean closed;

    /** A vQP whose sends wait for a key. */
    private record Asked(BondQueuePair qp, int virtualKey) {}

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
        calls = new ControlCalls(plane, this);
        region = (BondMemoryRegion) pd.regMr(memory, AccessFlags.LOCAL_WRITE);
        qp = id.createControlQp(pd, QpInitAttributes.rc(cq, cq, new QpCapabilities(DEPTH, DEPTH, 1, 1, 0)));
        for (int slot = 0; slot < DEPTH; slot++) {
            freeSlots.add(slot);
            postRecv(DEPTH + slot);
        }
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
        return switch (event.type()) {
            case ESTABLISHED -> {
                established = true;
                queued.addFirst(hello());
                flush();
                yield true;
            }
            case CONNECT_REQUEST -> true;
            default -> false;
        };
    }

    /** Asks for a key; the vQP is told when the answer is here. */
    void ask(final BondQueuePair waiting, final int virtualKey) {
        asked.add(new Asked(waiting, virtualKey));
        sendAsk(virtualKey);
    }

    private void sendAsk(final int virtualKey) {
        askedNs = core.nowNs();
        final byte[] message = new byte[BODY];
        putInt(message, 0, ASK);
        putInt(message, Integer.BYTES, virtualKey);
        queued.add(message);
        flush();
    }

    /** Asks once more where no answer came: nothing else would tell that the peer died after it had the question. */
    int doTimers(final long nowNs) {
        final int work = calls.doTimers(nowNs);
        if (asked.isEmpty() || nowNs - askedNs < core.config().pathTimeoutNs()) {
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
        return new EarliestDeadline()
                .add(asked.isEmpty() ? Long.MAX_VALUE : askedNs + core.config().pathTimeoutNs())
                .add(calls.nextDeadlineNs())
                .atNs();
    }

    /**
     * The link could not be made or broke for good: the paths of the vQPs that wait are in doubt. They recover or fail
     * like after any loss of a path, and ask anew, over a new link, once they are healthy.
     */
    void abandon(final long nowNs) {
        for (final Asked one : List.copyOf(asked)) {
            QpRecovery.of(one.qp).onPathFailure(FailureReason.CONNECT_FAILED, nowNs);
        }
        asked.clear();
        calls.abandon(nowNs);
    }

    private void flush() {
        while (!queued.isEmpty() && !freeSlots.isEmpty()) {
            final int index = freeSlots.peek();
            final byte[] message = queued.peek();
            MemorySegment.copy(
                    MemorySegment.ofArray(message), 0, memory, (long) index * MESSAGE_SIZE, message.length);
            send.wrId(index)
                    .opcode(WrOpcode.SEND)
                    .sendFlags(SendFlags.SIGNALED)
                    .sge(slot(index), message.length, region.lkey());
            if (qp.postSend(send) != 1) {
                return;
            }
            freeSlots.poll();
            queued.poll();
        }
    }

    void onCompletion(final long wc) {
        final int index = (int) NativeMemory.getLong(wc + WcDescriptor.WR_ID_OFFSET);
        final boolean success = NativeMemory.getInt(wc + WcDescriptor.STATUS_OFFSET) == 0;
        if (index < DEPTH) {
            freeSlots.add(index);
        } else if (success) {
            onMessage(slot(index));
            postRecv(index);
        }
        if (success) {
            flush();
        }
    }

    private void onMessage(final long at) {
        final int second = getInt(at, Integer.BYTES);
        switch (getInt(at, 0)) {
            case HELLO -> onHello(at, second);
            case ASK -> queued.add(keysOf(second));
            case KEYS -> onKeys(at, second);
            case REVOKE -> peer.forgetKey(second);
            default -> {
                if (!calls.onMessage(getInt(at, 0), at)) {
                    core.counters().add(BondCounters.Counter.CONTROL_GARBAGE, 1);
                }
            }
        }
    }

    /** What is asked beside members and keys. */
    ControlCalls calls() {
        return calls;
    }

    void say(final byte[] message) {
        queued.add(message);
        flush();
    }

    /** True when nothing waits to be sent. */
    boolean isIdle() {
        return queued.isEmpty();
    }

    private byte[] hello() {
        final List<MemberAddress> addresses = members.addresses(Member::isPresent);
        final byte[] message = new byte[MESSAGE_SIZE];
        putInt(message, 0, HELLO);
        int at = BODY;
        int count = 0;
        for (final MemberAddress member : addresses) {
            final byte[] address = member.address();
            message[at] = (byte) member.member();
            message[at + 1] = (byte) address.length;
            System.arraycopy(address, 0, message, at + 2, address.length);
            at += 2 + address.length;
            count++;
        }
        putInt(message, Integer.BYTES, count);
        return java.util.Arrays.copyOf(message, at);
    }

    private void onHello(final long message, final int count) {
        final List<MemberAddress> named = new ArrayList<>();
        int at = BODY;
        for (int i = 0; i < count && at + 2 <= MESSAGE_SIZE; i++) {
            final int length = NativeMemory.getByte(message + at + 1);
            if (length != 4 && length != 16 || at + 2 + length > MESSAGE_SIZE) {
                core.counters().add(BondCounters.Counter.CONTROL_GARBAGE, 1);
                return;
            }
            final byte[] address = new byte[length];
            for (int b = 0; b < length; b++) {
                address[b] = NativeMemory.getByte(message + at + 2 + b);
            }
            named.add(new MemberAddress(NativeMemory.getByte(message + at) & 0xFF, address));
            at += 2 + length;
        }
        peer.told(named);
    }

    /** The answer to ASK: the physical key on each member, an invalid one where there is none (any more). */
    private byte[] keysOf(final int virtualKey) {
        final LocalKeys.Snapshot snapshot = keys.snapshot();
        final List<Member> all = members.all();
        final byte[] message = new byte[FIRST_KEY + all.size() * KEY_SIZE];
        told.add(virtualKey);
        putInt(message, 0, KEYS);
        putInt(message, Integer.BYTES, virtualKey);
        putInt(message, BODY, all.size());
        for (final Member member : all) {
            final int at = FIRST_KEY + member.index() * KEY_SIZE;
            putInt(message, at, member.generation());
            putInt(message, at + Integer.BYTES, snapshot.rkey(virtualKey, member.index()));
        }
        return message;
    }

    private void onKeys(final long message, final int virtualKey) {
        final int count = getInt(message, BODY);
        if (count < 0 || count > QpNumDescriptor.MAX_MEMBERS) {
            core.counters().add(BondCounters.Counter.CONTROL_GARBAGE, 1);
            return;
        }
        for (int member = 0; member < count; member++) {
            final int at = FIRST_KEY + member * KEY_SIZE;
            peer.heardKey(member, getInt(message, at), virtualKey, getInt(message, at + Integer.BYTES));
        }
        for (final Asked one : List.copyOf(asked)) {
            if (one.virtualKey == virtualKey) {
                asked.remove(one);
                QpRecovery.of(one.qp).onKeysHeard();
                if (!QpRecovery.of(one.qp).attachment().isCurrent(peer)) {
                    // It waits for keys of a device that is gone, over a connection that is gone with it.
                    QpRecovery.of(one.qp).onPathFailure(FailureReason.CM_DISCONNECTED, core.nowNs());
                }
            }
        }
    }

    /** A region is deregistered: the peer, where it knows the key, forgets it before it can come to mean another. */
    void revoke(final int virtualKey) {
        if (told.remove(virtualKey)) {
            final byte[] message = new byte[BODY];
            putInt(message, 0, REVOKE);
            putInt(message, Integer.BYTES, virtualKey);
            say(message);
        }
    }

    /** Tells the peer once more what the members are. */
    void announce() {
        if (established) {
            queued.add(hello());
            flush();
        }
    }

    private static void putInt(final byte[] message, final int at, final int value) {
        message[at] = (byte) (value >>> 24);
        message[at + 1] = (byte) (value >>> 16);
        message[at + 2] = (byte) (value >>> 8);
        message[at + 3] = (byte) value;
    }

    private static int getInt(final long message, final int at) {
        return Integer.reverseBytes(NativeMemory.getInt(message + at));
    }

    void close() {
        if (closed) {
            return;
        }
        closed = true;
        peer.forgetKeys();
        id.close();
        region.close();
        arena.close();
    }
}
