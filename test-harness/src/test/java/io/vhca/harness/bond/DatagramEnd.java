package io.vhca.harness.bond;

import io.vhca.api.AccessFlags;
import io.vhca.api.AddressHandle;
import io.vhca.api.AhAttributes;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Gid;
import io.vhca.api.MemoryRegion;
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
import io.vhca.api.WcOpcode;
import io.vhca.api.WcStatus;
import io.vhca.api.WorkCompletion;
import io.vhca.api.WrOpcode;
import io.vhca.bond.BondContext;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/** One end of an exchange of datagrams between bonds: a UD queue pair, and what became of all that was posted to it. */
final class DatagramEnd implements AutoCloseable {
    static final int QKEY = 0x4711;
    static final int GRH = 40;
    static final int DEPTH = 64;
    private static final int SLOT = 128;
    private static final long SENDS = (long) DEPTH * SLOT;
    /** More than can be outstanding: what waits must not be written over. */
    private static final long SEND_SLOTS = 4 * DEPTH;

    final ProtectionDomain pd;
    final CompletionQueue cq;
    final QueuePair qp;
    final List<WcStatus> sendStatus = new ArrayList<>();
    final List<Long> sent = new ArrayList<>();
    final List<Long> receives = new ArrayList<>();
    final List<WcStatus> receiveStatus = new ArrayList<>();
    /** The number in each datagram that came, and the queue pair it came from. */
    final List<Long> numbers = new ArrayList<>();

    final List<Integer> sources = new ArrayList<>();
    Gid lastSource = new Gid(0, 0);
    boolean repostsReceives = true;

    private final BondContext bond;
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment memory = arena.allocate(SENDS + SEND_SLOTS * SLOT, 64);
    private final MemoryRegion region;
    private final SendWorkRequest send = SendWorkRequest.allocate(arena, 1);
    private final RecvWorkRequest recv = RecvWorkRequest.allocate(arena, 1);
    private final WorkCompletion wc = WorkCompletion.allocate(arena, 1);
    private long posted;
    private long postedReceives;

    DatagramEnd(final BondContext bond) {
        this.bond = bond;
        pd = bond.allocPd();
        cq = bond.createCq(4 * DEPTH, null, null);
        region = pd.regMr(memory, AccessFlags.LOCAL_WRITE);
        qp = pd.createQp(new QpInitAttributes(
                cq, cq, null, new QpCapabilities(DEPTH, DEPTH, 1, 1, 0), QpType.UD, false));
        bringUp();
    }

    void bringUp() {
        qp.modify(new QpAttributes().qpState(QpState.INIT).pkeyIndex(0).portNum(1).qkey(QKEY));
        qp.modify(new QpAttributes().qpState(QpState.RTR));
        qp.modify(new QpAttributes().qpState(QpState.RTS).sqPsn(0));
    }

    AddressHandle handleOf(final Gid gid) {
        return pd.createAh(new AhAttributes(gid, bond.ipGidIndex(1), 0, 0, 1));
    }

    /** Sends its own number. */
    int send(final AddressHandle to, final int qpNum) {
        return send(to, qpNum, SendFlags.SIGNALED);
    }

    int send(final AddressHandle to, final int qpNum, final int flags) {
        final long at = SENDS + posted % SEND_SLOTS * SLOT;
        memory.set(ValueLayout.JAVA_LONG, at, posted);
        final int taken = qp.postSend(send.wrId(posted)
                .opcode(WrOpcode.SEND)
                .sendFlags(flags)
                .sge(region.addr() + at, Long.BYTES, region.lkey())
                .ud(to.handle(), qpNum, QKEY));
        posted += taken > 0 ? 1 : 0;
        return taken;
    }

    long posted() {
        return posted;
    }

    void receive() {
        final int taken = qp.postRecv(recv.wrId(postedReceives)
                .sge(region.addr() + postedReceives % DEPTH * SLOT, SLOT, region.lkey()));
        if (taken != 1) {
            throw new AssertionError("post of a receive answered " + taken);
        }
        postedReceives++;
    }

    void fillReceives() {
        for (int i = 0; i < DEPTH; i++) {
            receive();
        }
    }

    /** Takes what has completed. */
    void poll() {
        while (cq.poll(wc) == 1) {
            if (wc.qpNum() != qp.qpNum()) {
                throw new AssertionError("a completion of queue pair " + wc.qpNum());
            }
            if (wc.opcode() != WcOpcode.RECV.code()) {
                sent.add(wc.wrId());
                sendStatus.add(wc.statusName());
                continue;
            }
            receives.add(wc.wrId());
            receiveStatus.add(wc.statusName());
            if (wc.statusName() == WcStatus.SUCCESS) {
                final long at = wc.wrId() % DEPTH * SLOT;
                numbers.add(memory.get(ValueLayout.JAVA_LONG, at + GRH));
                sources.add(wc.srcQp());
                // Over IPv4 the header is the last 20 bytes, its source address in bytes 12 to 15.
                final int ip = Integer.reverseBytes(memory.get(ValueLayout.JAVA_INT_UNALIGNED, at + 32));
                lastSource = new Gid(0, 0xffffL << 32 | Integer.toUnsignedLong(ip));
                if (repostsReceives) {
                    receive();
                }
            }
        }
    }

    @Override
    public void close() {
        qp.close();
        cq.close();
        region.close();
        pd.close();
        arena.close();
    }
}
