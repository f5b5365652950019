package io.vhca.physical.verbs;

import io.vhca.api.AddressHandle;
import io.vhca.api.AhAttributes;
import io.vhca.api.DeviceAttributes;
import io.vhca.api.Errno;
import io.vhca.api.MemoryRegion;
import io.vhca.api.NativeMemory;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QpType;
import io.vhca.api.QueuePair;
import io.vhca.api.SharedReceiveQueue;
import io.vhca.api.SrqAttributes;
import io.vhca.api.VerbsException;
import io.vhca.physical.rdmacore.ibv_ah_attr;
import io.vhca.physical.rdmacore.ibv_qp_init_attr;
import io.vhca.physical.rdmacore.ibv_srq_attr;
import io.vhca.physical.rdmacore.ibv_srq_init_attr;
import io.vhca.physical.verbs.lib.Ibv;
import io.vhca.physical.verbs.lib.QpAttrCodec;
import io.vhca.physical.verbs.lib.VerbFailure;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** A protection domain of libibverbs. Any thread. */
final class VerbsPd implements ProtectionDomain {
    private final VerbsContext context;
    private final long address;
    private final Children children = new Children();
    private boolean isClosed;

    VerbsPd(final VerbsContext context, final long address) {
        this.context = context;
        this.address = address;
        context.children().add(this);
    }

    @Override
    public VerbsContext context() {
        return context;
    }

    Children children() {
        return children;
    }

    private void requireOpen(final String verb) {
        if (isClosed) {
            throw VerbFailure.closed(verb, toString());
        }
        context.requireLive(verb);
    }

    @Override
    public synchronized MemoryRegion regMr(final MemorySegment memory, final int access) {
        NativeMemory.requireRegistrable(this, memory, access);
        requireOpen("regMr");
        final long mr = Ibv.REG_MR.pointer(address, memory.address(), memory.byteSize(), access);
        if (mr < 0) {
            throw VerbFailure.of("regMr", mr, this + ", " + memory.byteSize() + " bytes");
        }
        return new VerbsMr(this, mr);
    }

    @Override
    public synchronized QueuePair createQp(final QpInitAttributes attributes) {
        requireOpen("createQp");
        if (!(attributes.sendCq() instanceof final VerbsCq sendCq && sendCq.context() == context)
                || !(attributes.recvCq() instanceof final VerbsCq recvCq && recvCq.context() == context)) {
            throw VerbFailure.invalid("createQp", toString(), "the completion queues belong to another context");
        }
        final VerbsSrq srq = attributes.srq() instanceof final VerbsSrq own ? own : null;
        if (attributes.srq() != null && (srq == null || srq.pd().context() != context)) {
            throw VerbFailure.invalid("createQp", toString(), "the shared receive queue belongs to another context");
        }
        requireWithinLimits(attributes);
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment init = arena.allocate(ibv_qp_init_attr.layout());
            final QpCapabilities cap = attributes.cap();
            ibv_qp_init_attr.send_cq(init, MemorySegment.ofAddress(sendCq.address("createQp")));
            ibv_qp_init_attr.recv_cq(init, MemorySegment.ofAddress(recvCq.address("createQp")));
            ibv_qp_init_attr.srq(init, MemorySegment.ofAddress(srq == null ? 0 : srq.address("createQp")));
            ibv_qp_init_attr.qp_type(init, attributes.qpType().code());
            ibv_qp_init_attr.sq_sig_all(init, attributes.sqSigAll() ? 1 : 0);
            QpAttrCodec.writeCap(
                    ibv_qp_init_attr.cap(init),
                    cap.maxSendWr(),
                    cap.maxRecvWr(),
                    cap.maxSendSge(),
                    cap.maxRecvSge(),
                    cap.maxInlineData());
            final long qp = Ibv.CREATE_QP.pointer(address, init.address());
            if (qp < 0) {
                throw VerbFailure.of("createQp", qp, toString());
            }
            return new VerbsQp(this, qp, attributes, QpAttrCodec.readCap(ibv_qp_init_attr.cap(init)), srq);
        }
    }

    private void requireWithinLimits(final QpInitAttributes attributes) {
        final DeviceAttributes limits = context.queryDevice();
        final QpCapabilities cap = attributes.cap();
        if (attributes.qpType() == QpType.UNKNOWN) {
            throw VerbFailure.invalid("createQp", toString(), "the type must be RC, UC or UD");
        }
        most("maxSendWr", cap.maxSendWr(), limits.maxQpWr());
        most("maxRecvWr", cap.maxRecvWr(), limits.maxQpWr());
        most("maxSendSge", cap.maxSendSge(), limits.maxSge());
        most("maxRecvSge", cap.maxRecvSge(), limits.maxSge());
        most("maxInlineData", cap.maxInlineData(), limits.maxInlineData());
    }

    private void most(final String what, final int asked, final int limit) {
        if (asked < 0 || asked > limit) {
            throw VerbFailure.invalid(
                    "createQp", toString(), what + " " + asked + " is asked for, the device has 0 to " + limit);
        }
    }

    @Override
    public synchronized SharedReceiveQueue createSrq(final SrqAttributes attributes) {
        requireOpen("createSrq");
        final DeviceAttributes limits = context.queryDevice();
        if (limits.maxSrq() == 0) {
            throw new VerbsException("createSrq", Errno.EOPNOTSUPP, toString(), "the device has no SRQs");
        }
        final boolean fits = attributes.maxWr() <= limits.maxSrqWr() && attributes.maxSge() <= limits.maxSrqSge();
        if (attributes.maxWr() < 1 || !fits) {
            throw VerbFailure.invalid(
                    "createSrq",
                    toString(),
                    "the device's SRQs hold 1 to " + limits.maxSrqWr() + " receives of up to " + limits.maxSrqSge()
                            + " elements");
        }
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment init = arena.allocate(ibv_srq_init_attr.layout());
            final MemorySegment attr = ibv_srq_init_attr.attr(init);
            ibv_srq_attr.max_wr(attr, attributes.maxWr());
            ibv_srq_attr.max_sge(attr, attributes.maxSge());
            final long srq = Ibv.CREATE_SRQ.pointer(address, init.address());
            if (srq < 0) {
                throw VerbFailure.of("createSrq", srq, toString());
            }
            final VerbsSrq created = new VerbsSrq(this, srq);
            try {
                if (attributes.limit() > 0) {
                    created.armLimit(attributes.limit());
                }
                return created;
            } catch (final RuntimeException e) {
                try {
                    created.close();
                } catch (final RuntimeException again) {
                    e.addSuppressed(again);
                }
                throw e;
            }
        }
    }

    @Override
    public synchronized AddressHandle createAh(final AhAttributes attributes) {
        requireOpen("createAh");
        final String fault = attributes.fault();
        if (!fault.isEmpty()) {
            throw VerbFailure.invalid("createAh", toString(), fault);
        }
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment attr = arena.allocate(ibv_ah_attr.layout());
            QpAttrCodec.writeAh(attr, attributes);
            final long ah = Ibv.CREATE_AH.pointer(address, attr.address());
            if (ah < 0) {
                throw VerbFailure.of("createAh", ah, this + " to " + attributes.dgid());
            }
            return new VerbsAh(this, ah, attributes);
        }
    }

    @Override
    public synchronized void close() {
        if (isClosed) {
            return;
        }
        children.requireNone("deallocPd", this);
        context.requireDestroyed(
                "deallocPd", context.destroying().behindQueuePairs(() -> Ibv.DEALLOC_PD.status(address)), this);
        isClosed = true;
        context.children().remove(this);
    }

    @Override
    public String toString() {
        return context + " pd 0x" + Long.toHexString(address);
    }
}
