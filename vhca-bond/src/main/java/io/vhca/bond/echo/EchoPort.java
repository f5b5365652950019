package io.vhca.bond.echo;

import io.vhca.api.AccessFlags;
import io.vhca.api.AddressHandle;
import io.vhca.api.AhAttributes;
import io.vhca.api.Gid;
import io.vhca.api.MemoryRegion;
import io.vhca.api.NativeMemory;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QpState;
import io.vhca.api.QpType;
import io.vhca.api.QueuePair;
import io.vhca.api.RecvWorkRequest;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.ServiceClass;
import io.vhca.api.VerbsException;
import io.vhca.api.WcDescriptor;
import io.vhca.api.WcFlags;
import io.vhca.api.WrOpcode;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.member.CompletionWakers;
import io.vhca.bond.member.MadeObjects;
import io.vhca.bond.member.Member;
import io.vhca.bond.member.WakingCq;
import io.vhca.bond.wire.EchoDescriptor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.SplittableRandom;

/**
 * The UD queue pair on one member by which a bond asks others whether a path carries, and answers them; slots 0 to
 * {@link #DEPTH} are sent from, those behind are received into. An echo that finds no slot is lost, as any datagram may
 * be. Control lock. Owns all that it is made of, with address handles for each address of a peer's.
 */
final class EchoPort implements AutoCloseable {
    static final int DEPTH = 64;
    /** Of more addresses the one that was used longest ago is forgotten; many more than there are slots. */
    static final int MOST_ADDRESSES = 1_024;
    /** So many classes of an address's have a handle; echoes of others go with none. */
    static final int MOST_CLASSES = 8;

    private static final int SLOT_SIZE = 128;
    private static final int BATCH = 16;
    /** So many completions are taken in a turn, so that others have theirs. */
    private static final int MOST_A_TURN = 256;

    private final BondCore core;
    private final Member member;
    private final int gidIndex;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory = arena.allocate(2L * DEPTH * SLOT_SIZE, 64);
    private final SendWorkRequest send = SendWorkRequest.allocate(arena, 1);
    private final RecvWorkRequest recv = RecvWorkRequest.allocate(arena, 1);
    private final MadeObjects made;
    private final WakingCq cq;
    private final ProtectionDomain pd;
    private final MemoryRegion region;
    private final QueuePair qp;
    private final SequencedMap<InetAddress, Remote> known = new LinkedHashMap<>(16, 0.75f, true);
    private final ArrayDeque<Integer> free = new ArrayDeque<>();
    private boolean closed;

    /**
     * Whom echoes are sent to. Each has nonces of its own: of one question who sees it knows all that follow, and those
     * go nowhere else. A source that gives none away takes too long for each.
     */
    private record Remote(
            AddressHandle handle, Map<AhAttributes, AddressHandle> ofClass, SplittableRandom nonces) {}

    /** Who is told what arrives. */
    interface Arrivals {
        /**
         * An echo.
         *
         * @param fromQpn the number of the queue pair that sent it
         */
        void onEcho(EchoPort port, Echo echo, int fromQpn);
    }

    private EchoPort(final BondCore core, final CompletionWakers wakers, final Member member) {
        this.core = core;
        this.member = member;
        gidIndex = member.gidIndex();
        made = new MadeObjects(core);
        try {
            cq = made.add(new WakingCq(wakers, member, 2 * DEPTH, true));
            pd = made.add(member.context().allocPd());
            region = made.add(pd.regMr(memory, AccessFlags.LOCAL_WRITE));
            made.add(this::destroyHandles);
            qp = made.add(pd.createQp(new QpInitAttributes(
                    cq.queue(), cq.queue(), null, new QpCapabilities(DEPTH, DEPTH, 1, 1, 0), QpType.UD, false)));
            qp.modify(new QpAttributes()
                    .qpState(QpState.INIT)
                    .pkeyIndex(0)
                    .portNum(Member.PORT)
                    .qkey(EchoDescriptor.QKEY));
            qp.modify(new QpAttributes().qpState(QpState.RTR));
            qp.modify(new QpAttributes().qpState(QpState.RTS).sqPsn(0));
        } catch (final VerbsException e) {
            close();
            throw e;
        }
        core.holds(this, memory.byteSize());
        for (int slot = 0; slot < DEPTH; slot++) {
            free.add(slot);
            receive(DEPTH + slot);
        }
    }

    /**
     * Creates one, ready to receive.
     *
     * @throws VerbsException as the member says; nothing is left of it then
     */
    static EchoPort create(final BondCore core, final CompletionWakers wakers, final Member member) {
        assert core.holdsLock();
        return new EchoPort(core, wakers, member);
    }

    /** The number of its queue pair: what others send to. */
    int number() {
        return qp.qpNum();
    }

    /** Whether it sends from where the member's address stands in the device's table now. */
    boolean isCurrent() {
        return gidIndex == member.gidIndex();
    }

    private MemorySegment slot(final int index) {
        return memory.asSlice((long) index * SLOT_SIZE, SLOT_SIZE);
    }

    private void receive(final int slot) {
        recv.wrId(slot).sge(slot(slot).address(), SLOT_SIZE, region.lkey());
        qp.postRecv(recv);
    }

    /**
     * Makes an address one that echoes can be sent to.
     *
     * @throws VerbsException as the member says
     */
    void admit(final InetAddress remote) {
        assert core.holdsLock();
        if (known.get(remote) == null) {
            known.put(remote, new Remote(
                    pd.createAh(vector(remote, ServiceClass.NONE)),
                    new HashMap<>(),
                    new SplittableRandom(core.random().nextLong())));
        }
        if (known.size() > MOST_ADDRESSES) {
            destroy(known.pollFirstEntry().getValue());
        }
    }

    private AhAttributes vector(final InetAddress remote, final ServiceClass service) {
        return service.to(Gid.of(remote), gidIndex, Member.PORT);
    }

    /** Packets of that class go by it; without one where there are many, or the member has no room. */
    private AddressHandle handle(final InetAddress to, final Remote remote, final ServiceClass service) {
        if (service.equals(ServiceClass.NONE)) {
            return remote.handle;
        }
        final AhAttributes wanted = vector(to, service);
        final AddressHandle made = remote.ofClass.get(wanted);
        if (made != null || remote.ofClass.size() >= MOST_CLASSES) {
            return made == null ? remote.handle : made;
        }
        try {
            final AddressHandle fresh = pd.createAh(wanted);
            remote.ofClass.put(wanted, fresh);
            return fresh;
        } catch (final VerbsException e) {
            core.counters().ignored(e);
            return remote.handle;
        }
    }

    /** The nonce of the next question to an address; any, where that was not admitted. */
    long nextNonce(final InetAddress to) {
        assert core.holdsLock();
        final Remote remote = known.get(to);
        return remote == null ? 0 : remote.nonces().nextLong();
    }

    /** Sends an echo; false where the address was not admitted, there is no slot, or the queue pair is in error. */
    boolean send(final InetAddress to, final int qpNum, final Echo echo) {
        assert core.holdsLock();
        final Remote remote = known.get(to);
        if (remote == null || free.isEmpty()) {
            return false;
        }
        final AddressHandle handle = handle(to, remote, echo.service());
        final int slot = free.remove();
        echo.encode(slot(slot).asByteBuffer());
        send.wrId(slot)
                .opcode(WrOpcode.SEND)
                .sendFlags(SendFlags.SIGNALED | SendFlags.SOLICITED)
                .ud(handle.handle(), qpNum, EchoDescriptor.QKEY)
                .sge(slot(slot).address(), EchoDescriptor.SIZE, region.lkey());
        if (qp.postSend(send) == 1) {
            return true;
        }
        free.push(slot);
        return false;
    }

    /**
     * Takes what arrived and what was sent.
     *
     * @return 1 where some is left for the next turn, 0 where not, -1 where its queue pair is in error
     */
    int poll(final Arrivals arrivals) {
        assert core.holdsLock();
        int taken = 0;
        // Nobody is woken for what was sent: that is looked for before slots are wanting.
        int count = cq.mayHaveMore() || free.size() <= DEPTH / 2 ? BATCH : 0;
        while (count == BATCH && taken < MOST_A_TURN && !closed) {
            count = pollSome(arrivals);
            taken += count;
        }
        if (count == BATCH) {
            cq.heard();
            return 1;
        }
        return Math.min(count, 0);
    }

    private int pollSome(final Arrivals arrivals) {
        final long wcs = core.scratchWcs(BATCH);
        final int count = cq.poll(wcs, BATCH);
        final List<Runnable> arrived = new ArrayList<>();
        boolean isBroken = count < 0;
        for (int i = 0; i < count; i++) {
            final long wc = wcs + (long) i * WcDescriptor.SIZE;
            final int slot = (int) NativeMemory.getLong(wc + WcDescriptor.WR_ID_OFFSET);
            if (NativeMemory.getInt(wc + WcDescriptor.STATUS_OFFSET) != 0) {
                isBroken = true;
            } else if (slot < DEPTH) {
                free.add(slot);
            } else {
                final int fromQpn = NativeMemory.getInt(wc + WcDescriptor.SRC_QP_OFFSET);
                final byte[] echo = take(slot, NativeMemory.getInt(wc + WcDescriptor.BYTE_LEN_OFFSET));
                if (echo.length > 0) {
                    arrived.add(() -> arrivals.onEcho(this, Echo.decode(ByteBuffer.wrap(echo)), fromQpn));
                }
            }
        }
        arrived.forEach(Runnable::run); // which may use the memory of completions
        return isBroken ? -1 : count;
    }

    /** The echo in a slot, which receives anew; empty where it is none. */
    private byte[] take(final int slot, final int lengthBytes) {
        final MemorySegment echo = slot(slot).asSlice(WcFlags.GRH_BYTES);
        final int kind = echo.get(ValueLayout.JAVA_BYTE, EchoDescriptor.KIND_OFFSET);
        final byte[] taken = EchoDescriptor.isWhole(kind, lengthBytes - WcFlags.GRH_BYTES)
                ? echo.asSlice(0, EchoDescriptor.SIZE).toArray(ValueLayout.JAVA_BYTE)
                : new byte[0];
        receive(slot);
        return taken;
    }

    private void destroy(final Remote gone) {
        destroy(gone.handle);
        gone.ofClass.values().forEach(this::destroy);
    }

    private void destroy(final AddressHandle gone) {
        try {
            gone.close();
        } catch (final VerbsException e) {
            core.counters().ignored(e); // of a dead device all is destroyed
        }
    }

    /** Behind the queue pair, whose sends name them. */
    private void destroyHandles() {
        known.values().forEach(this::destroy);
        known.clear();
    }

    /** Idempotent. */
    @Override
    public void close() {
        assert core.holdsLock();
        if (closed) {
            return;
        }
        closed = true;
        made.destroy();
        core.ends(this);
        arena.close();
    }
}
