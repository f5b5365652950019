package io.vhca.bond.fake;

import io.vhca.api.AccessFlags;
import io.vhca.api.AddressHandle;
import io.vhca.api.AhAttributes;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Gid;
import io.vhca.api.NativeMemory;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QpState;
import io.vhca.api.QpType;
import io.vhca.api.RecvWorkRequest;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.WcDescriptor;
import io.vhca.api.WcOpcode;
import io.vhca.api.WrOpcode;
import io.vhca.api.cm.CmId;
import io.vhca.bond.datagram.BondDatagramQp;
import io.vhca.bond.verbs.BondMemoryRegion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A queue pair for datagrams as an application has it: a CQ, a region, {@value #DEPTH} sends and as many receives. */
public final class DatagramEnd implements AutoCloseable {
    public static final int DEPTH = 8;
    public static final int QKEY = 0x4711;
    private static final int GRH = 40;
    private static final int SLOT = 128;
    private static final int SIZE = 2 * DEPTH * SLOT;
    private static final int MOST = 4 * DEPTH;

    private final HandBond bond;
    private final Arena arena = Arena.ofConfined();
    private final CompletionQueue cq;
    private final MemorySegment memory = arena.allocate(SIZE, 64);
    private final BondMemoryRegion region;
    private final SendWorkRequest send = SendWorkRequest.allocate(arena, 1);
    private final RecvWorkRequest recv = RecvWorkRequest.allocate(arena, 1);
    private final long wcs = arena.allocate((long) MOST * WcDescriptor.SIZE, 64).address();
    private final List<AddressHandle> handles = new ArrayList<>();
    private final @Nullable CmId id;
    private final BondDatagramQp qp;
    private boolean closed;

    /** One that is in RTS. */
    public DatagramEnd(final HandBond bond) {
        this(bond, false);
    }

    /** The same, whose sends complete whatever their flags. */
    public DatagramEnd(final HandBond bond, final boolean isEachSignaled) {
        this(bond, null, isEachSignaled);
        bringUp();
    }

    /** One that an id has made, where there is one. */
    public DatagramEnd(final HandBond bond, final @Nullable CmId id) {
        this(bond, id, false);
    }

    private DatagramEnd(final HandBond bond, final @Nullable CmId id, final boolean isEachSignaled) {
        this.bond = bond;
        this.id = id;
        cq = bond.context().createCq(MOST, null, null);
        region = (BondMemoryRegion) bond.pd().regMr(memory, AccessFlags.LOCAL_WRITE);
        final QpInitAttributes attributes = new QpInitAttributes(
                cq, cq, null, new QpCapabilities(DEPTH, DEPTH, 1, 1, 0), QpType.UD, isEachSignaled);
        qp = (BondDatagramQp) (id == null ? bond.pd().createQp(attributes) : id.createQp(bond.pd(), attributes));
    }

    /** From RESET to RTS. */
    public void bringUp() {
        qp.modify(new QpAttributes().qpState(QpState.INIT).pkeyIndex(0).portNum(1).qkey(QKEY));
        qp.modify(new QpAttributes().qpState(QpState.RTR));
        qp.modify(new QpAttributes().qpState(QpState.RTS).sqPsn(0));
    }

    public BondDatagramQp qp() {
        return qp;
    }

    /** Where it lives: the name of a member, or nothing. */
    public String lives() {
        return bond.context().admin().path(qp);
    }

    /** A handle for an address; destroyed with this end. */
    public AddressHandle to(final String address) {
        return to(bond.pd(), new AhAttributes(Gid.of(InetAddress.ofLiteral(address)), 0, 0, 0, 1));
    }

    /** The same of that domain, by that vector. */
    public AddressHandle to(final ProtectionDomain of, final AhAttributes vector) {
        final AddressHandle made = of.createAh(vector);
        handles.add(made);
        return made;
    }

    private long from(final long wrId) {
        return memory.address() + wrId % DEPTH * SLOT;
    }

    private long into(final long wrId) {
        return memory.address() + SIZE / 2 + wrId % DEPTH * SLOT;
    }

    /** Posts a signaled datagram of a text. */
    public int send(final long wrId, final String text, final AddressHandle to, final int qpNum) {
        return post(wrId, WrOpcode.SEND, SendFlags.SIGNALED, text, to, qpNum);
    }

    /** The same of any kind. */
    public int post(
            final long wrId,
            final WrOpcode opcode,
            final int flags,
            final String text,
            final AddressHandle to,
            final int qpNum) {
        final byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        NativeMemory.segment(from(wrId), bytes.length).asByteBuffer().put(bytes);
        return qp.postSend(send.wrId(wrId)
                .next(0)
                .opcode(opcode)
                .sendFlags(flags)
                .sge(from(wrId), bytes.length, region.lkey())
                .ud(to.handle(), qpNum, QKEY));
    }

    /** Posts receives 0 .. count - 1. */
    public void receives(final int count) {
        for (int i = 0; i < count; i++) {
            if (qp.postRecv(recv.wrId(i).next(0).sge(into(i), SLOT, region.lkey())) != 1) {
                throw new AssertionError("receive " + i + " was refused");
            }
        }
    }

    /** Posts a receive into memory that is not there. */
    public int receiveNowhere(final long wrId) {
        return qp.postRecv(recv.wrId(wrId).next(0).sge(8, SLOT, region.lkey()));
    }

    /** All that the CQ has, a line each: {@code 7 SUCCESS}, and of a datagram its text and its sender's number. */
    public List<String> polled() {
        final List<String> all = new ArrayList<>();
        final int count = cq.poll(wcs, MOST);
        for (int i = 0; i < count; i++) {
            final Completion one = Completion.read(wcs + (long) i * WcDescriptor.SIZE);
            final boolean isMessage = one.opcode() == WcOpcode.RECV.code() && one.status() == 0;
            all.add(isMessage ? one.wrId() + " " + text(one) + " of " + one.srcQp() : one.text());
        }
        return all;
    }

    private String text(final Completion message) {
        return new String(
                Posted.bytes(into(message.wrId()) + GRH, message.byteLen() - GRH), StandardCharsets.US_ASCII);
    }

    /** Destroys all of it. Idempotent. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        qp.close();
        if (id != null) {
            id.close();
        }
        handles.forEach(AddressHandle::close);
        region.close();
        cq.close();
        arena.close();
    }
}
