package io.vhca.physical.soft.engine;

import io.vhca.api.CompletionQueue;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QpType;
import io.vhca.api.SharedReceiveQueue;

/** Judges what a QP is asked to be created with. */
final class QpRequests {
    private QpRequests() {}

    /** Throws EINVAL for what the device cannot give. */
    static void judge(final SoftNic nic, final SoftPd pd, final QpInitAttributes asked) {
        final String verb = "createQp";
        final SoftNicConfig config = nic.config();
        nic.require(verb, asked.qpType() == QpType.RC || asked.qpType() == QpType.UD, "only RC and UD are carried");
        nic.require(verb, isOwn(nic, asked.sendCq()) && isOwn(nic, asked.recvCq()), "the CQs are another device's");
        final SharedReceiveQueue srq = asked.srq();
        nic.require(
                verb,
                srq == null || srq instanceof final SoftSrq own && own.pd() == pd,
                "the SRQ is of another protection domain");
        final QpCapabilities cap = asked.cap();
        requireRange(nic, "max_send_wr", cap.maxSendWr(), config.maxQpWr());
        requireRange(nic, "max_recv_wr", cap.maxRecvWr(), config.maxQpWr());
        requireRange(nic, "max_send_sge", cap.maxSendSge(), config.maxSge());
        requireRange(nic, "max_recv_sge", cap.maxRecvSge(), config.maxSge());
        requireRange(nic, "max_inline_data", cap.maxInlineData(), config.maxInlineData());
    }

    private static boolean isOwn(final SoftNic nic, final CompletionQueue cq) {
        return cq instanceof final SoftCq own && own.nic == nic;
    }

    private static void requireRange(final SoftNic nic, final String what, final int asked, final int most) {
        nic.require("createQp", asked >= 0 && asked <= most, what + " must be 0 .. " + most + ", not " + asked);
    }
}
