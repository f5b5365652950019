package io.vhca.physical.soft.engine;

import io.vhca.api.CompletionQueue;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QpType;
import io.vhca.api.SharedReceiveQueue;
import io.vhca.physical.soft.engine.core.SoftNicConfig;
import io.vhca.physical.soft.engine.memory.MemoryDomain;
import io.vhca.physical.soft.engine.qp.QpContext;
import io.vhca.physical.soft.engine.qp.QpTable;
import io.vhca.physical.soft.engine.qp.Transport;
import io.vhca.physical.soft.engine.queue.SoftCq;
import io.vhca.physical.soft.engine.queue.SoftSrq;
import io.vhca.physical.soft.engine.rc.RcTransport;
import io.vhca.physical.soft.engine.ud.AhTable;
import io.vhca.physical.soft.engine.ud.UdTransport;

/**
 * Checks what a queue pair is to be created with, and creates it with the transport of its type. The engine's owner.
 */
final class QpFactory {
    private static final String VERB = "createQp";

    private final Engine engine;
    private final QpTable qps;
    private final AhTable ahs;

    QpFactory(final Engine engine, final AhTable ahs) {
        this.engine = engine;
        qps = engine.qps();
        this.ahs = ahs;
    }

    /** Creates a queue pair in RESET; EINVAL or ENOMEM where the device cannot. */
    SoftQp create(final MemoryDomain domain, final QpInitAttributes asked) {
        judge(domain, asked);
        final SoftQp qp = new SoftQp(engine, this, domain, asked, qps.allocate());
        qps.put(qp.context());
        return qp;
    }

    /** The transport of a queue pair by its type. */
    Transport transport(final QpContext qp) {
        return qp.isDatagram()
                ? new UdTransport(engine, engine.port(), engine.output(), ahs, qp)
                : new RcTransport(engine, engine.output(), qp);
    }

    /** The queue pair is destroyed: nothing finds it any more, and it needs no way to its peer. */
    void remove(final QpContext qp) {
        qps.remove(qp);
        qp.leavePeer(engine.port());
    }

    private void judge(final MemoryDomain domain, final QpInitAttributes asked) {
        engine.require(VERB, asked.qpType() == QpType.RC || asked.qpType() == QpType.UD, "only RC and UD are carried");
        engine.require(VERB, isOwn(asked.sendCq()) && isOwn(asked.recvCq()),
                "the CQs must be this device's, and not be destroyed");
        final SharedReceiveQueue srq = asked.srq();
        engine.require(
                VERB,
                srq == null || srq instanceof final SoftSrq own && own.domain() == domain && own.isOpen(),
                "the SRQ must be of the same protection domain, and not be destroyed");
        final QpCapabilities cap = asked.cap();
        final SoftNicConfig config = engine.config();
        requireRange("max_send_wr", cap.maxSendWr(), config.maxQpWr());
        requireRange("max_recv_wr", cap.maxRecvWr(), config.maxQpWr());
        requireRange("max_send_sge", cap.maxSendSge(), config.maxSge());
        requireRange("max_recv_sge", cap.maxRecvSge(), config.maxSge());
        requireRange("max_inline_data", cap.maxInlineData(), config.maxInlineData());
    }

    private boolean isOwn(final CompletionQueue cq) {
        return cq instanceof final SoftCq own && own.isOf(engine) && own.isOpen();
    }

    private void requireRange(final String what, final int asked, final int most) {
        engine.require(VERB, asked >= 0 && asked <= most, what + " must be 0 .. " + most + ", not " + asked);
    }
}
