package io.vhca.physical.verbs.lib;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.AhAttributes;
import io.vhca.api.Gid;
import io.vhca.api.Mtu;
import io.vhca.api.NativeMemory;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpState;
import io.vhca.api.QpType;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.WrOpcode;
import io.vhca.physical.rdmacore.ibv_context;
import io.vhca.physical.rdmacore.ibv_context_ops;
import io.vhca.physical.rdmacore.ibv_cq;
import io.vhca.physical.rdmacore.ibv_port_attr;
import io.vhca.physical.rdmacore.ibv_qp;
import io.vhca.physical.rdmacore.ibv_qp_attr;
import io.vhca.physical.rdmacore.ibv_recv_wr;
import io.vhca.physical.rdmacore.ibv_send_wr;
import io.vhca.physical.rdmacore.ibv_sge;
import io.vhca.physical.rdmacore.ibv_srq;
import io.vhca.physical.rdmacore.ibv_wc;
import io.vhca.physical.rdmacore.rdma_cm_event;
import io.vhca.physical.rdmacore.rdma_cm_id;
import io.vhca.physical.rdmacore.rdma_conn_param;
import io.vhca.physical.rdmacore.verbs_context;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The structs are as gcc lays them out, and what is written through vhca-api is read back through the bindings. */
class LayoutTest {
    @Test
    void structsHaveTheSizesOfC() {
        final Map<MemoryLayout, Integer> sizes = Map.ofEntries(
                Map.entry(ibv_context.layout(), 328),
                Map.entry(verbs_context.layout(), 648),
                Map.entry(ibv_send_wr.layout(), 128),
                Map.entry(ibv_recv_wr.layout(), 32),
                Map.entry(ibv_sge.layout(), 16),
                Map.entry(ibv_wc.layout(), 48),
                Map.entry(ibv_qp.layout(), 160),
                Map.entry(ibv_cq.layout(), 128),
                Map.entry(ibv_srq.layout(), 128),
                Map.entry(ibv_qp_attr.layout(), 144),
                Map.entry(ibv_port_attr.layout(), 52),
                Map.entry(rdma_cm_id.layout(), 416),
                Map.entry(rdma_cm_event.layout(), 80),
                Map.entry(rdma_conn_param.layout(), 24));
        sizes.forEach((layout, size) -> assertThat(layout.byteSize()).as("%s", layout.name()).isEqualTo((long) size));
    }

    @Test
    void theOperationsTableIsWhereItIsInC() {
        final long ops = ibv_context.layout().byteOffset(MemoryLayout.PathElement.groupElement("ops"));
        assertThat(ops).isEqualTo(8);
        assertThat(ops + ibv_context_ops.post_send$offset()).isEqualTo(8 + 200);
        assertThat(ops + ibv_context_ops.poll_cq$offset()).isEqualTo(8 + 88);
    }

    @Test
    void aSendRequestIsTheStruct() {
        try (Arena arena = Arena.ofConfined()) {
            final SendWorkRequest wr = SendWorkRequest.allocate(arena, 2)
                    .wrId(0x1122334455667788L)
                    .next(0x1000)
                    .opcode(WrOpcode.RDMA_WRITE_WITH_IMM)
                    .sendFlags(SendFlags.SIGNALED | SendFlags.FENCE)
                    .immData(0x01020304)
                    .rdma(0x2000, 0x3000)
                    .sge(0x4000, 17, 99);
            final MemorySegment c = NativeMemory.segment(wr.address(), ibv_send_wr.sizeof());
            assertThat(ibv_send_wr.wr_id(c)).isEqualTo(0x1122334455667788L);
            assertThat(ibv_send_wr.next(c).address()).isEqualTo(0x1000);
            assertThat(ibv_send_wr.num_sge(c)).isEqualTo(1);
            assertThat(ibv_send_wr.opcode(c)).isEqualTo(1);
            assertThat(ibv_send_wr.send_flags(c)).isEqualTo(3);
            final MemorySegment rdma = ibv_send_wr.wr.rdma(ibv_send_wr.wr(c));
            assertThat(ibv_send_wr.wr.rdma.remote_addr(rdma)).isEqualTo(0x2000);
            assertThat(ibv_send_wr.wr.rdma.rkey(rdma)).isEqualTo(0x3000);
            final MemorySegment sge = ibv_send_wr.sg_list(c).reinterpret(ibv_sge.sizeof());
            assertThat(ibv_sge.addr(sge)).isEqualTo(0x4000);
            assertThat(ibv_sge.length(sge)).isEqualTo(17);
            assertThat(ibv_sge.lkey(sge)).isEqualTo(99);
        }
    }

    @Test
    void atomicAndDatagramFieldsAreTheStructs() {
        try (Arena arena = Arena.ofConfined()) {
            final SendWorkRequest wr = SendWorkRequest.allocate(arena, 1).atomic(1, 2, 3, 4);
            final MemorySegment union =
                    ibv_send_wr.wr(NativeMemory.segment(wr.address(), ibv_send_wr.sizeof()));
            final MemorySegment atomic = ibv_send_wr.wr.atomic(union);
            assertThat(ibv_send_wr.wr.atomic.remote_addr(atomic)).isEqualTo(1);
            assertThat(ibv_send_wr.wr.atomic.rkey(atomic)).isEqualTo(2);
            assertThat(ibv_send_wr.wr.atomic.compare_add(atomic)).isEqualTo(3);
            assertThat(ibv_send_wr.wr.atomic.swap(atomic)).isEqualTo(4);
            wr.ud(5, 6, 7);
            final MemorySegment ud = ibv_send_wr.wr.ud(union);
            assertThat(ibv_send_wr.wr.ud.ah(ud).address()).isEqualTo(5);
            assertThat(ibv_send_wr.wr.ud.remote_qpn(ud)).isEqualTo(6);
            assertThat(ibv_send_wr.wr.ud.remote_qkey(ud)).isEqualTo(7);
        }
    }

    @Test
    void queuePairAttributesComeBackAsTheyWent() {
        final QpAttributes attributes = new QpAttributes()
                .qpState(QpState.RTS)
                .curQpState(QpState.RTR)
                .accessFlags(7)
                .pkeyIndex(0xfffe)
                .portNum(2)
                .ah(new AhAttributes(new Gid(0x0102030405060708L, 0x1112131415161718L), 200, 255, 9, 2))
                .pathMtu(Mtu.MTU_4096)
                .timeout(31)
                .retryCnt(7)
                .rnrRetry(6)
                .rqPsn(0xff_ffff)
                .maxRdAtomic(128)
                .minRnrTimer(12)
                .sqPsn(0x80_0001)
                .maxDestRdAtomic(255)
                .destQpNum(0x12_3456);
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment attr = arena.allocate(ibv_qp_attr.layout());
            QpAttrCodec.write(attr, attributes);
            assertThat(QpAttrCodec.read(attr, QpType.RC)).usingRecursiveComparison().isEqualTo(attributes);
        }
    }

    @Test
    void addressesComeBackAsTheyWent() {
        for (final String literal : new String[] {"10.77.0.1", "2001:db8::77", "0.0.0.0"}) {
            try (Arena arena = Arena.ofConfined()) {
                final InetAddress address = InetAddress.ofLiteral(literal);
                assertThat(SockAddr.read(SockAddr.write(arena, address, 54_321).address()))
                        .isEqualTo(new InetSocketAddress(address, 54_321));
            }
        }
        try (Arena arena = Arena.ofConfined()) {
            assertThat(SockAddr.read(arena.allocate(SockAddr.SIZE).address())).isNull();
        }
    }
}
