package io.vhca.physical.verbs.lib;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.Errno;
import io.vhca.api.NativeMemory;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.WcOpcode;
import io.vhca.api.WcStatus;
import io.vhca.api.WorkCompletion;
import io.vhca.api.WrOpcode;
import io.vhca.physical.rdmacore.ibv_context;
import io.vhca.physical.rdmacore.ibv_context_ops;
import io.vhca.physical.rdmacore.ibv_wc;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Posting and polling through a context whose operations table is made of upcalls: no library, no device. */
class DataPathTest {
    private static final long QP = 0x1111;
    private static final long CQ = 0x2222;

    private final Arena arena = Arena.ofShared();
    /** Requests as the provider saw them. */
    private final List<Long> seen = new ArrayList<>();

    private MemorySegment context = MemorySegment.NULL;
    /** How many requests of a chain the provider takes. */
    private int room = Integer.MAX_VALUE;

    private int errno;

    @BeforeEach
    void fakeContext() {
        context = arena.allocate(ibv_context.layout());
        final MemorySegment ops = ibv_context.ops(context);
        ibv_context_ops.post_send(ops, ibv_context_ops.post_send.allocate(this::post, arena));
        ibv_context_ops.post_recv(ops, ibv_context_ops.post_recv.allocate(this::post, arena));
        ibv_context_ops.post_srq_recv(ops, ibv_context_ops.post_srq_recv.allocate(this::post, arena));
        ibv_context_ops.poll_cq(ops, ibv_context_ops.poll_cq.allocate(DataPathTest::poll, arena));
        ibv_context_ops.req_notify_cq(
                ops, ibv_context_ops.req_notify_cq.allocate((cq, solicited) -> (int) cq.address() + solicited, arena));
    }

    @AfterEach
    void free() {
        arena.close();
    }

    private int post(final MemorySegment qp, final MemorySegment first, final MemorySegment bad) {
        assertThat(qp.address()).isEqualTo(QP);
        int taken = 0;
        for (long wr = first.address(); wr != 0; wr = NativeMemory.getLong(wr + 8)) {
            if (taken++ == room) {
                NativeMemory.putLong(bad.address(), wr);
                return errno;
            }
            seen.add(wr);
        }
        return 0;
    }

    /** Writes two completions, whatever is asked for. */
    private static int poll(final MemorySegment cq, final int max, final MemorySegment wcs) {
        assertThat(cq.address()).isEqualTo(CQ);
        for (int i = 0; i < 2; i++) {
            final MemorySegment wc =
                    NativeMemory.segment(wcs.address() + i * ibv_wc.sizeof(), ibv_wc.sizeof());
            ibv_wc.wr_id(wc, 100 + i);
            ibv_wc.status(wc, WcStatus.RETRY_EXC_ERR.code());
            ibv_wc.opcode(wc, WcOpcode.RECV.code());
            ibv_wc.byte_len(wc, max);
            ibv_wc.qp_num(wc, 0xabcdef);
        }
        return 2;
    }

    private long chain(final int length) {
        long next = 0;
        for (int i = 0; i < length; i++) {
            next = SendWorkRequest.allocate(arena, 1).opcode(WrOpcode.SEND).next(next).address();
        }
        return next;
    }

    private int postSend(final long wr) {
        return new WorkRequestPoster().post(DataPath.postSendFunction(context.address()), QP, wr);
    }

    @Test
    void aRequestIsHandedOnByItsAddress() {
        final long wr = chain(1);
        assertThat(postSend(wr)).isEqualTo(1);
        assertThat(seen).containsExactly(wr);
    }

    @Test
    void everyRoomOfEveryChainIsToldAsACount() {
        errno = Errno.ENOMEM;
        for (int length = 1; length <= 5; length++) {
            for (room = 0; room <= length; room++) {
                seen.clear();
                final int posted = postSend(chain(length));
                assertThat(posted).as("%d of %d", room, length).isEqualTo(room == 0 ? -Errno.ENOMEM : room);
                assertThat(seen).hasSize(room);
            }
        }
    }

    @Test
    void whatIsNoDatagramNeverReachesTheProvider() {
        for (int bad = 0; bad <= 4; bad++) {
            seen.clear();
            final long first = chain(4);
            long wr = first;
            for (int i = 0; i < 4; i++) {
                final SendWorkRequest request = new SendWorkRequest().wrap(wr).ud(0xa4, 1, 2);
                wr = request.next();
                if (i == bad) {
                    request.ud(0, 1, 2);
                }
            }
            final MemorySegment function = DataPath.postSendFunction(context.address());
            assertThat(new WorkRequestPoster().postDatagrams(function, QP, first))
                    .isEqualTo(bad == 0 ? -Errno.EINVAL : bad);
            assertThat(seen).hasSize(bad);
            int left = 0;
            for (wr = first; wr != 0; wr = new SendWorkRequest().wrap(wr).next()) {
                left++;
            }
            assertThat(left).as("the chain is left whole").isEqualTo(4);
        }
        final long read = chain(1);
        new SendWorkRequest().wrap(read).ud(0xa4, 1, 2).opcode(WrOpcode.RDMA_READ);
        assertThat(new WorkRequestPoster().postDatagrams(DataPath.postSendFunction(context.address()), QP, read))
                .isEqualTo(-Errno.EOPNOTSUPP);
    }

    @Test
    void aProviderThatAnswersMinusOneIsAnErrorToo() {
        errno = -1;
        room = 0;
        assertThat(postSend(chain(1))).isEqualTo(-Errno.EINVAL);
        assertThat(postSend(chain(2))).isEqualTo(-Errno.EINVAL);
    }

    @Test
    void receivesAndSharedReceivesTakeTheirOwnFunction() {
        final long wr = chain(1);
        final long address = context.address();
        assertThat(new WorkRequestPoster().post(DataPath.postRecvFunction(address), QP, wr)).isEqualTo(1);
        assertThat(new WorkRequestPoster().post(DataPath.postSrqRecvFunction(address), QP, wr)).isEqualTo(1);
        assertThat(seen).containsExactly(wr, wr);
        assertThat(DataPath.postRecvFunction(address)).isNotEqualTo(DataPath.postSendFunction(address));
        assertThat(DataPath.postRecvFunction(address)).isNotEqualTo(DataPath.postSrqRecvFunction(address));
    }

    @Test
    void completionsAreReadWhereTheProviderWroteThem() {
        final WorkCompletion wc = WorkCompletion.allocate(arena, 4);
        assertThat(DataPath.pollCq(DataPath.pollCqFunction(context.address()), CQ, 4, wc.address()))
                .isEqualTo(2);
        assertThat(wc.wrId()).isEqualTo(100);
        assertThat(wc.statusName()).isEqualTo(WcStatus.RETRY_EXC_ERR);
        assertThat(wc.opcode()).isEqualTo(WcOpcode.RECV.code());
        assertThat(wc.byteLen()).isEqualTo(4);
        assertThat(wc.qpNum()).isEqualTo(0xabcdef);
    }

    @Test
    void armingHandsOnWhatIsWaitedFor() {
        final MemorySegment function = DataPath.reqNotifyCqFunction(context.address());
        assertThat(DataPath.reqNotifyCq(function, 0, 0)).isZero();
        assertThat(DataPath.reqNotifyCq(function, 0, 1)).isEqualTo(1);
    }
}
