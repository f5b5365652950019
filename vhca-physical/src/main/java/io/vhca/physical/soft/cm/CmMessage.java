package io.vhca.physical.soft.cm;

import io.vhca.api.Mtu;
import io.vhca.api.cm.ConnectParameters;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Reads a CM message, as the descriptors lay it out. Valid as long as the bytes under it are. */
final class CmMessage {
    private static final byte[] NOTHING = new byte[0];

    private final ConnInput type;
    private final ByteBuffer bytes;

    private CmMessage(final ConnInput type, final ByteBuffer bytes) {
        this.type = type;
        this.bytes = bytes;
    }

    /**
     * A message over 256 bytes.
     *
     * @return null when they are no CM message of version 2
     */
    static @Nullable CmMessage read(final byte[] mad) {
        final ByteBuffer bytes = ByteBuffer.wrap(mad);
        final ConnInput type = ConnInput.fromAttribute(bytes.getShort(MadDescriptor.ATTRIBUTE_OFFSET) & 0xffff);
        final boolean isRight = bytes.get(MadDescriptor.BASE_VERSION_OFFSET) == MadDescriptor.BASE_VERSION
                && bytes.get(MadDescriptor.CLASS_OFFSET) == MadDescriptor.CLASS_CM
                && bytes.get(MadDescriptor.CLASS_VERSION_OFFSET) == MadDescriptor.CLASS_VERSION_CM
                && bytes.get(MadDescriptor.METHOD_OFFSET) == MadDescriptor.METHOD_SEND
                && type != ConnInput.TIMEOUT;
        return isRight ? new CmMessage(type, bytes) : null;
    }

    ConnInput type() {
        return type;
    }

    long transaction() {
        return bytes.getLong(MadDescriptor.TRANSACTION_OFFSET);
    }

    /** The sender's id of the connection; of a SIDR request its request id. */
    int localCommId() {
        return bytes.getInt(PairDescriptor.LOCAL_COMM_ID_OFFSET);
    }

    /** The receiver's id of the connection; of a SIDR_REP the request id, which the receiver gave. */
    int remoteCommId() {
        return type == ConnInput.SIDR_REP
                ? bytes.getInt(SidrRepDescriptor.REQUEST_ID_OFFSET)
                : bytes.getInt(PairDescriptor.REMOTE_COMM_ID_OFFSET);
    }

    /** Of a REQ or SIDR_REQ. */
    long serviceId() {
        return bytes.getLong(
                type == ConnInput.REQ ? ReqDescriptor.SERVICE_ID_OFFSET : SidrReqDescriptor.SERVICE_ID_OFFSET);
    }

    private int addressing() {
        return type == ConnInput.REQ ? ReqDescriptor.PRIVATE_DATA_OFFSET : SidrReqDescriptor.PRIVATE_DATA_OFFSET;
    }

    /** True when a request carries rdma_cm's addressing header, version 0, IPv4 or IPv6. */
    boolean hasAddressing() {
        final int ipVersion = (bytes.get(addressing() + CmaHeaderDescriptor.IP_VERSION_OFFSET) & 0xff) >>> 4;
        return bytes.get(addressing() + CmaHeaderDescriptor.VERSION_OFFSET) == 0 && (ipVersion == 4 || ipVersion == 6);
    }

    /** The port that a request comes from. */
    int sourcePort() {
        return bytes.getShort(addressing() + CmaHeaderDescriptor.PORT_OFFSET) & 0xffff;
    }

    /** What the user sent along: all of the room, zeros included. */
    byte[] privateData() {
        final int from = switch (type) {
            case REQ, SIDR_REQ -> addressing() + CmaHeaderDescriptor.SIZE;
            case REP -> RepDescriptor.PRIVATE_DATA_OFFSET;
            case REJ -> RejDescriptor.PRIVATE_DATA_OFFSET;
            case SIDR_REP -> SidrRepDescriptor.PRIVATE_DATA_OFFSET;
            default -> MadDescriptor.SIZE;
        };
        return Arrays.copyOfRange(bytes.array(), from, MadDescriptor.SIZE);
    }

    /** Copies a REQ's fields. */
    void readRequest(final Connection to) {
        final int qp = bytes.getInt(ReqDescriptor.QPN_OFFSET);
        final int psn = bytes.getInt(ReqDescriptor.PSN_OFFSET);
        final int mtuRnr = bytes.get(ReqDescriptor.MTU_RNR_OFFSET) & 0xff;
        to.remoteQpn = qp >>> 8;
        to.peerResponderResources = qp & 0xff;
        to.peerInitiatorDepth = bytes.getInt(ReqDescriptor.LOCAL_EECN_OFFSET) & 0xff;
        to.sendPsn = psn >>> 8;
        to.peerRetryCount = psn & 7;
        to.mtu = Mtu.fromCode(mtuRnr >>> 4);
        to.peerRnrRetryCount = mtuRnr & 7;
        to.peerAckTimeout = (bytes.get(ReqDescriptor.ACK_TIMEOUT_OFFSET) & 0xff) >>> 3;
    }

    /** Copies a REP's fields. */
    void readReply(final Connection to) {
        to.remoteCommId = bytes.getInt(RepDescriptor.LOCAL_COMM_ID_OFFSET);
        to.remoteQpn = bytes.getInt(RepDescriptor.QPN_OFFSET) >>> 8;
        to.sendPsn = bytes.getInt(RepDescriptor.PSN_OFFSET) >>> 8;
        to.peerResponderResources = bytes.get(RepDescriptor.RESPONDER_RESOURCES_OFFSET) & 0xff;
        to.peerInitiatorDepth = bytes.get(RepDescriptor.INITIATOR_DEPTH_OFFSET) & 0xff;
        to.peerRnrRetryCount = (bytes.get(RepDescriptor.RNR_RETRY_OFFSET) & 0xff) >>> 5;
    }

    /**
     * What the peer asked for, turned round as rdma_cm does: its initiator depth is what is asked of this side's
     * responder resources.
     */
    static ConnectParameters peerParameters(final Connection connection) {
        return new ConnectParameters(
                NOTHING,
                connection.peerInitiatorDepth,
                connection.peerResponderResources,
                connection.peerRetryCount,
                connection.peerRnrRetryCount,
                connection.remoteQpn,
                0);
    }

    ConnectParameters parameters(final Connection connection) {
        return peerParameters(connection);
    }

    /** Of a REJ. */
    int reason() {
        return bytes.getShort(RejDescriptor.REASON_OFFSET) & 0xffff;
    }

    /** Of a REJ for the path MTU: the MTU that the peer carries; else {@link Mtu#UNKNOWN}. */
    Mtu proposedMtu() {
        final boolean isProposal = reason() == RejectReason.INVALID_PATH_MTU
                && (bytes.get(RejDescriptor.INFO_LENGTH_OFFSET) & 0xff) >>> 1 > 0;
        return isProposal ? Mtu.fromCode((bytes.get(RejDescriptor.INFO_OFFSET) & 0xff) >>> 4) : Mtu.UNKNOWN;
    }

    /** Of an MRA: 4.096 us * 2^code. */
    int serviceTimeout() {
        return (bytes.get(MraDescriptor.SERVICE_TIMEOUT_OFFSET) & 0xff) >>> 3;
    }

    /** Of a SIDR_REP. */
    int sidrStatus() {
        return bytes.get(SidrRepDescriptor.STATUS_OFFSET) & 0xff;
    }

    /** Of a SIDR_REP: where to send to. */
    ConnectParameters sidrParameters() {
        return new ConnectParameters(
                NOTHING,
                0,
                0,
                0,
                0,
                bytes.getInt(SidrRepDescriptor.QPN_OFFSET) >>> 8,
                bytes.getInt(SidrRepDescriptor.QKEY_OFFSET));
    }
}
