package io.vhca.physical.verbs;

import io.vhca.api.AtomicCapability;
import io.vhca.api.DeviceAttributes;
import io.vhca.api.Gid;
import io.vhca.api.LinkLayer;
import io.vhca.api.Mtu;
import io.vhca.api.NativeMemory;
import io.vhca.api.PortAttributes;
import io.vhca.api.PortState;
import io.vhca.physical.ffm.CFunction;
import io.vhca.physical.rdmacore.ibv_context;
import io.vhca.physical.rdmacore.ibv_device_attr;
import io.vhca.physical.rdmacore.ibv_port_attr;
import io.vhca.physical.rdmacore.ibv_qp_init_attr;
import io.vhca.physical.rdmacore.verbs_context;
import io.vhca.physical.verbs.lib.GidTable;
import io.vhca.physical.verbs.lib.Ibv;
import io.vhca.physical.verbs.lib.QpAttrCodec;
import io.vhca.physical.verbs.lib.VerbFailure;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** Reads the attributes of a device and of its ports. Any thread. */
final class DeviceQuery {
    private static final long ALL_ONES = -1;
    private static final long CONTEXT_OFFSET =
            verbs_context.layout().byteOffset(MemoryLayout.PathElement.groupElement("context"));
    /** By the function's address: linking one takes as long as hundreds of calls, and a bond asks all the time. */
    private static final ConcurrentMap<Long, CFunction> QUERY_PORTS = new ConcurrentHashMap<>();
    /** Sizes of inline data to try, the largest that a QP can be created with counts. */
    private static final int[] INLINE_SIZES = {1024, 512, 400, 256, 128, 64, 32};

    private static final int RC = 2;

    private DeviceQuery() {}

    /** An unsigned size of C: one beyond Java's, as all ones of a device without a limit, is the largest there is. */
    static long signed(final long unsigned) {
        return unsigned < 0 ? Long.MAX_VALUE : unsigned;
    }

    /** The same for 32 bits. */
    static int signed(final int unsigned) {
        return unsigned < 0 ? Integer.MAX_VALUE : unsigned;
    }

    /** A limit that every device has: of 0 its driver has not filled it in, as hns before Linux 6.9 did not max_ah. */
    static int told(final int limit) {
        return limit == 0 ? Integer.MAX_VALUE : signed(limit);
    }

    static DeviceAttributes device(final VerbsContext context) {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment attr = arena.allocate(ibv_device_attr.layout());
            final int failed = Ibv.QUERY_DEVICE.status(context.address(), attr.address());
            if (failed < 0) {
                throw VerbFailure.of("queryDevice", failed, context.toString());
            }
            return new DeviceAttributes(
                    ibv_device_attr.fw_ver(attr).getString(0),
                    Long.reverseBytes(ibv_device_attr.node_guid(attr)),
                    signed(ibv_device_attr.max_mr_size(attr)),
                    ibv_device_attr.max_qp(attr),
                    ibv_device_attr.max_qp_wr(attr),
                    ibv_device_attr.max_sge(attr),
                    ibv_device_attr.max_cq(attr),
                    ibv_device_attr.max_cqe(attr),
                    ibv_device_attr.max_mr(attr),
                    ibv_device_attr.max_pd(attr),
                    ibv_device_attr.max_qp_rd_atom(attr),
                    ibv_device_attr.max_qp_init_rd_atom(attr),
                    AtomicCapability.fromCode(ibv_device_attr.atomic_cap(attr)),
                    told(ibv_device_attr.max_ah(attr)),
                    ibv_device_attr.max_srq(attr),
                    ibv_device_attr.max_srq_wr(attr),
                    ibv_device_attr.max_srq_sge(attr),
                    maxInlineData(context),
                    Byte.toUnsignedInt(ibv_device_attr.phys_port_cnt(attr)));
        }
    }

    /** libibverbs has no attribute for it: it is what a QP can be created with. Tried out until it was found. */
    private static int maxInlineData(final VerbsContext context) {
        final VerbsDevice device = context.device();
        if (device.maxInlineData() == 0) { // where nothing was granted something else may have lacked
            device.maxInlineData(tryInlineData(context.address()));
        }
        return device.maxInlineData();
    }

    private static int tryInlineData(final long context) {
        final long pd = Ibv.ALLOC_PD.pointer(context);
        final long cq = Ibv.CREATE_CQ.pointer(context, 1, 0, 0, 0);
        int granted = 0;
        if (pd > 0 && cq > 0) {
            for (int i = 0; i < INLINE_SIZES.length && granted == 0; i++) {
                granted = tryInlineData(pd, cq, INLINE_SIZES[i]);
            }
        }
        if (cq > 0) {
            Ibv.DESTROY_CQ.value(cq);
        }
        if (pd > 0) {
            Ibv.DEALLOC_PD.value(pd);
        }
        return granted;
    }

    /** What is granted for {@code bytes}, 0 when the QP cannot be created. */
    private static int tryInlineData(final long pd, final long cq, final int bytes) {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment init = arena.allocate(ibv_qp_init_attr.layout());
            ibv_qp_init_attr.send_cq(init, MemorySegment.ofAddress(cq));
            ibv_qp_init_attr.recv_cq(init, MemorySegment.ofAddress(cq));
            ibv_qp_init_attr.qp_type(init, RC);
            QpAttrCodec.writeCap(ibv_qp_init_attr.cap(init), 1, 1, 1, 1, bytes);
            final long qp = Ibv.CREATE_QP.pointer(pd, init.address());
            if (qp < 0) {
                return 0;
            }
            Ibv.DESTROY_QP.value(qp);
            return Math.max(bytes, QpAttrCodec.readCap(ibv_qp_init_attr.cap(init)).maxInlineData());
        }
    }

    /** As the inline {@code ibv_query_port} of verbs.h: the exported function fills an older, shorter struct. */
    static PortAttributes port(final VerbsContext context, final int portNum) {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment attr = arena.allocate(ibv_port_attr.layout());
            final long address = context.address();
            final long function = NativeMemory.getLong(address + ibv_context.abi_compat$offset()) == ALL_ONES
                    ? NativeMemory.getLong(address - CONTEXT_OFFSET + verbs_context.query_port$offset())
                    : 0;
            final int failed = function == 0
                    ? Ibv.QUERY_PORT.status(address, portNum, attr.address())
                    : QUERY_PORTS
                            .computeIfAbsent(function, f -> CFunction.of(MemorySegment.ofAddress(f), 4))
                            .status(address, portNum, attr.address(), attr.byteSize());
            if (failed < 0) {
                throw VerbFailure.of("queryPort", failed, context + " port " + portNum);
            }
            return new PortAttributes(
                    PortState.fromCode(ibv_port_attr.state(attr)),
                    Mtu.fromCode(ibv_port_attr.max_mtu(attr)),
                    Mtu.fromCode(ibv_port_attr.active_mtu(attr)),
                    ibv_port_attr.gid_tbl_len(attr),
                    Short.toUnsignedInt(ibv_port_attr.pkey_tbl_len(attr)),
                    signed(ibv_port_attr.max_msg_sz(attr)),
                    Short.toUnsignedInt(ibv_port_attr.lid(attr)),
                    LinkLayer.fromCode(Byte.toUnsignedInt(ibv_port_attr.link_layer(attr))),
                    lanes(ibv_port_attr.active_width(attr)) * laneMbps(ibv_port_attr.active_speed(attr)));
        }
    }

    static Gid gid(final VerbsContext context, final int portNum, final int index) {
        try (Arena arena = Arena.ofConfined()) {
            final long gid = arena.allocate(16, Long.BYTES).address();
            final int failed = Ibv.QUERY_GID.status(context.address(), portNum, index, gid);
            if (failed < 0) {
                throw VerbFailure.of("queryGid", failed, context + " port " + portNum + " GID " + index);
            }
            return GidTable.readGid(gid);
        }
    }

    /** Where the port's IP GID is in its table; 0 where it has none. */
    static int ipGidIndex(final VerbsContext context, final int portNum) {
        final GidTable.Entry ip = GidTable.of(context.address()).ip(portNum);
        return ip == null ? 0 : ip.index();
    }

    static int pkey(final VerbsContext context, final int portNum, final int index) {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment pkey = arena.allocate(ValueLayout.JAVA_SHORT);
            final int failed = Ibv.QUERY_PKEY.status(context.address(), portNum, index, pkey.address());
            if (failed < 0) {
                throw VerbFailure.of("queryPkey", failed, context + " port " + portNum + " P_Key " + index);
            }
            return Short.toUnsignedInt(Short.reverseBytes(pkey.get(ValueLayout.JAVA_SHORT, 0)));
        }
    }

    private static int lanes(final byte width) {
        return switch (width) {
            case 1 -> 1;
            case 2 -> 4;
            case 4 -> 8;
            case 8 -> 12;
            case 16 -> 2;
            default -> 0;
        };
    }

    private static int laneMbps(final byte speed) {
        return switch (Byte.toUnsignedInt(speed)) {
            case 1 -> 2_500;
            case 2 -> 5_000;
            case 4, 8 -> 10_000;
            case 16 -> 14_000;
            case 32 -> 25_000;
            case 64 -> 50_000;
            case 128 -> 100_000;
            default -> 0;
        };
    }
}
