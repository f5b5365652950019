package io.vhca.physical.soft.cm.message;

import io.vhca.api.Mtu;
import io.vhca.api.ServiceClass;
import io.vhca.api.cm.ConnectParameters;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A CM message that is read, as the descriptors lay it out. Valid as long as the bytes under it are. */
public final class CmMessage {
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
    public static @Nullable CmMessage read(final byte[] mad) {
        final ByteBuffer bytes = ByteBuffer.wrap(mad);
        final ConnInput type = ConnInput.fromAttribute(bytes.getShort(MadDescriptor.ATTRIBUTE_OFFSET) & 0xffff);
        final boolean isRight = bytes.get(MadDescriptor.BASE_VERSION_OFFSET) == MadDescriptor.BASE_VERSION
                && bytes.get(MadDescriptor.CLASS_OFFSET) == MadDescriptor.CLASS_CM
                && bytes.get(MadDescriptor.CLASS_VERSION_OFFSET) == MadDescriptor.CLASS_VERSION_CM
                && bytes.get(MadDescriptor.METHOD_OFFSET) == MadDescriptor.METHOD_SEND
                && type != ConnInput.TIMEOUT;
        return isRight ? new CmMessage(type, bytes) : null;
    }

    /** Which message it is. */
    public ConnInput type() {
        return type;
    }

    /** What an answer of the connection {@code local} names its connection by. */
    public CommIds answerIds(final int local) {
        return new CommIds(local, localCommId(), transaction());
    }

    public long transaction() {
        return bytes.getLong(MadDescriptor.TRANSACTION_OFFSET);
    }

    /** The sender's id of the connection; of a SIDR request its request id. */
    public int localCommId() {
        return bytes.getInt(PairDescriptor.LOCAL_COMM_ID_OFFSET);
    }

    /** The receiver's id of the connection; of a SIDR_REP the request id, which the receiver gave. */
    public int remoteCommId() {
        return type == ConnInput.SIDR_REP
                ? bytes.getInt(SidrRepDescriptor.REQUEST_ID_OFFSET)
                : bytes.getInt(PairDescriptor.REMOTE_COMM_ID_OFFSET);
    }

    /** Of a REQ or SIDR_REQ. */
    public long serviceId() {
        return bytes.getLong(
                type == ConnInput.REQ ? ReqDescriptor.SERVICE_ID_OFFSET : SidrReqDescriptor.SERVICE_ID_OFFSET);
    }

    private int addressing() {
        return type == ConnInput.REQ ? ReqDescriptor.PRIVATE_DATA_OFFSET : SidrReqDescriptor.PRIVATE_DATA_OFFSET;
    }

    /** True when a request carries rdma_cm's addressing header, version 0, IPv4 or IPv6. */
    public boolean hasAddressing() {
        final int ipVersion = (bytes.get(addressing() + CmaHeaderDescriptor.IP_VERSION_OFFSET) & 0xff) >>> 4;
        return bytes.get(addressing() + CmaHeaderDescriptor.VERSION_OFFSET) == 0 && (ipVersion == 4 || ipVersion == 6);
    }

    /** The port that a request comes from. */
    public int sourcePort() {
        return bytes.getShort(addressing() + CmaHeaderDescriptor.PORT_OFFSET) & 0xffff;
    }

    /** What the user sent along: all of the room, zeros included. */
    public byte[] privateData() {
        final int from = switch (type) {
            case REQ, SIDR_REQ -> addressing() + CmaHeaderDescriptor.SIZE;
            case REP -> RepDescriptor.PRIVATE_DATA_OFFSET;
            case REJ -> RejDescriptor.PRIVATE_DATA_OFFSET;
            case SIDR_REP -> SidrRepDescriptor.PRIVATE_DATA_OFFSET;
            default -> MadDescriptor.SIZE;
        };
        return Arrays.copyOfRange(bytes.array(), from, MadDescriptor.SIZE);
    }

    private boolean isReq() {
        return type == ConnInput.REQ;
    }

    /** Of a REQ or REP: the sender's queue pair. */
    public int qpNum() {
        return bytes.getInt(isReq() ? ReqDescriptor.QPN_OFFSET : RepDescriptor.QPN_OFFSET) >>> 8;
    }

    /** Of a REQ or REP: the first PSN that the sender expects. */
    public int psn() {
        return bytes.getInt(isReq() ? ReqDescriptor.PSN_OFFSET : RepDescriptor.PSN_OFFSET) >>> 8;
    }

    /** Of a REQ or REP: READs and atomics that the sender takes at a time. */
    public int responderResources() {
        return isReq()
                ? bytes.getInt(ReqDescriptor.QPN_OFFSET) & 0xff
                : bytes.get(RepDescriptor.RESPONDER_RESOURCES_OFFSET) & 0xff;
    }

    /** Of a REQ or REP: READs and atomics that the sender may have outstanding. */
    public int initiatorDepth() {
        return isReq()
                ? bytes.getInt(ReqDescriptor.LOCAL_EECN_OFFSET) & 0xff
                : bytes.get(RepDescriptor.INITIATOR_DEPTH_OFFSET) & 0xff;
    }

    /** Of a REQ or REP. */
    public int rnrRetryCount() {
        return isReq()
                ? bytes.get(ReqDescriptor.MTU_RNR_OFFSET) & 7
                : (bytes.get(RepDescriptor.RNR_RETRY_OFFSET) & 0xff) >>> 5;
    }

    /** Of a REQ. */
    public int retryCount() {
        return bytes.getInt(ReqDescriptor.PSN_OFFSET) & 7;
    }

    /** Of a REQ: how long its sender may take to answer a REP, each time that one is sent: 4.096 us * 2^code. */
    public int responseTimeout() {
        return bytes.getInt(ReqDescriptor.PSN_OFFSET) >>> 3 & 31;
    }

    /** Of a REQ: how often the REP may be sent again. */
    public int maxCmRetries() {
        return (bytes.get(ReqDescriptor.CM_RETRIES_OFFSET) & 0xff) >>> 4;
    }

    /** Of a REQ: the path MTU that it proposes. */
    public Mtu mtu() {
        return Mtu.fromCode((bytes.get(ReqDescriptor.MTU_RNR_OFFSET) & 0xff) >>> 4);
    }

    /** Of a REQ: code of the local ack timeout. */
    public int ackTimeout() {
        return (bytes.get(ReqDescriptor.ACK_TIMEOUT_OFFSET) & 0xff) >>> 3;
    }

    /** Of a REQ: what its sender asks of the fabric; its hop limit is counted from there, and no wish. */
    public ServiceClass serviceClass() {
        return ServiceClass.asked(
                bytes.get(ReqDescriptor.TRAFFIC_CLASS_OFFSET) & 0xff,
                (bytes.get(ReqDescriptor.SL_OFFSET) & 0xff) >>> 4);
    }

    /** Of a REJ. */
    public int reason() {
        return bytes.getShort(RejDescriptor.REASON_OFFSET) & 0xffff;
    }

    /** Of a REJ for the path MTU: the MTU that the peer carries; else {@link Mtu#UNKNOWN}. */
    public Mtu proposedMtu() {
        final boolean isProposal = reason() == RejectReason.INVALID_PATH_MTU
                && (bytes.get(RejDescriptor.INFO_LENGTH_OFFSET) & 0xff) >>> 1 > 0;
        return isProposal ? Mtu.fromCode((bytes.get(RejDescriptor.INFO_OFFSET) & 0xff) >>> 4) : Mtu.UNKNOWN;
    }

    /** Of an MRA: 4.096 us * 2^code. */
    public int serviceTimeout() {
        return (bytes.get(MraDescriptor.SERVICE_TIMEOUT_OFFSET) & 0xff) >>> 3;
    }

    /** Of a SIDR_REP. */
    public int sidrStatus() {
        return bytes.get(SidrRepDescriptor.STATUS_OFFSET) & 0xff;
    }

    /** Of a SIDR_REP: where to send to. */
    public ConnectParameters sidrParameters() {
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
