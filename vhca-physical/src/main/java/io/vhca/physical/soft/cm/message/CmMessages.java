package io.vhca.physical.soft.cm.message;

import io.vhca.api.Gid;
import io.vhca.api.Mtu;
import io.vhca.api.ServiceClass;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import java.nio.ByteBuffer;

/** Writes the CM's messages, 256 bytes each, as the descriptors lay them out. Pure; any thread. */
public final class CmMessages {
    private static final int DEFAULT_PKEY = 0xffff;
    /** How long this manager's peers may expect to wait for an answer, 4.096 us * 2^code. */
    public static final int RESPONSE_TIMEOUT_CODE = 16;

    private static final int HOP_LIMIT = 64;
    private static final int PACKET_RATE_10G = 3;
    private static final int NO_SRQ = 0;

    private CmMessages() {}

    private static ByteBuffer start(final ConnInput message, final long transaction) {
        return ByteBuffer.allocate(MadDescriptor.SIZE)
                .put(MadDescriptor.BASE_VERSION_OFFSET, (byte) MadDescriptor.BASE_VERSION)
                .put(MadDescriptor.CLASS_OFFSET, (byte) MadDescriptor.CLASS_CM)
                .put(MadDescriptor.CLASS_VERSION_OFFSET, (byte) MadDescriptor.CLASS_VERSION_CM)
                .put(MadDescriptor.METHOD_OFFSET, (byte) MadDescriptor.METHOD_SEND)
                .putLong(MadDescriptor.TRANSACTION_OFFSET, transaction)
                .putShort(MadDescriptor.ATTRIBUTE_OFFSET, (short) message.attribute());
    }

    private static ByteBuffer startPair(final ConnInput message, final CommIds ids) {
        return start(message, ids.transaction())
                .putInt(PairDescriptor.LOCAL_COMM_ID_OFFSET, ids.local())
                .putInt(PairDescriptor.REMOTE_COMM_ID_OFFSET, ids.remote());
    }

    private static void putGid(final ByteBuffer message, final int offset, final Gid gid) {
        message.putLong(offset, gid.subnetPrefix()).putLong(offset + Long.BYTES, gid.interfaceId());
    }

    /** The addressing header and the user's bytes. A GID in it loses its v4 mapping, as rdma_cm has it. */
    private static void putPrivate(
            final ByteBuffer message, final int offset, final CmRoute route, final byte[] data) {
        final Gid source = route.local();
        final Gid destination = route.peer();
        final boolean v4 = isV4(source);
        message.put(offset + CmaHeaderDescriptor.VERSION_OFFSET, (byte) 0);
        message.put(offset + CmaHeaderDescriptor.IP_VERSION_OFFSET, (byte) (v4 ? 4 << 4 : 6 << 4));
        message.putShort(offset + CmaHeaderDescriptor.PORT_OFFSET, (short) route.localPort());
        putGid(message, offset + CmaHeaderDescriptor.SOURCE_OFFSET, v4 ? bare(source) : source);
        putGid(message, offset + CmaHeaderDescriptor.DESTINATION_OFFSET, v4 ? bare(destination) : destination);
        message.put(offset + CmaHeaderDescriptor.SIZE, data);
    }

    private static boolean isV4(final Gid gid) {
        return gid.subnetPrefix() == 0 && gid.interfaceId() >>> 32 == 0xffffL;
    }

    private static Gid bare(final Gid gid) {
        return new Gid(0, gid.interfaceId() & 0xffff_ffffL);
    }

    /** A connection request; {@code ackTimeout} is the code of the local ack timeout. */
    public static byte[] req(
            final CommIds ids,
            final CmRoute route,
            final QpEnd own,
            final Mtu mtu,
            final int ackTimeout,
            final ServiceClass service,
            final ConnectParameters parameters) {
        final ByteBuffer message = start(ConnInput.REQ, ids.transaction());
        message.putInt(ReqDescriptor.LOCAL_COMM_ID_OFFSET, ids.local());
        message.putLong(ReqDescriptor.SERVICE_ID_OFFSET, ServiceId.of(CmPortSpace.TCP, route.peerPort()));
        message.putLong(ReqDescriptor.CA_GUID_OFFSET, route.localGuid());
        message.putInt(ReqDescriptor.QPN_OFFSET, own.qpNum() << 8 | parameters.responderResources() & 0xff);
        message.putInt(ReqDescriptor.LOCAL_EECN_OFFSET, parameters.initiatorDepth() & 0xff);
        message.putInt(ReqDescriptor.REMOTE_EECN_OFFSET, RESPONSE_TIMEOUT_CODE << 3);
        message.putInt(
                ReqDescriptor.PSN_OFFSET,
                own.psn() << 8 | RESPONSE_TIMEOUT_CODE << 3 | parameters.retryCount() & 7);
        message.putShort(ReqDescriptor.PKEY_OFFSET, (short) DEFAULT_PKEY);
        message.put(
                ReqDescriptor.MTU_RNR_OFFSET,
                (byte) (mtu.code() << 4 | parameters.rnrRetryCount() & 7));
        message.put(ReqDescriptor.CM_RETRIES_OFFSET, (byte) (15 << 4 | NO_SRQ));
        putGid(message, ReqDescriptor.LOCAL_GID_OFFSET, route.local());
        putGid(message, ReqDescriptor.REMOTE_GID_OFFSET, route.peer());
        message.putInt(ReqDescriptor.FLOW_RATE_OFFSET, PACKET_RATE_10G);
        message.put(ReqDescriptor.TRAFFIC_CLASS_OFFSET, (byte) Math.max(service.trafficClass(), 0));
        message.put(
                ReqDescriptor.HOP_LIMIT_OFFSET,
                (byte) (service.hopLimit() == ServiceClass.UNSET ? HOP_LIMIT : service.hopLimit()));
        message.put(ReqDescriptor.SL_OFFSET, (byte) (Math.max(service.serviceLevel(), 0) << 4));
        message.put(ReqDescriptor.ACK_TIMEOUT_OFFSET, (byte) (ackTimeout << 3));
        putPrivate(message, ReqDescriptor.PRIVATE_DATA_OFFSET, route, parameters.privateData());
        return message.array();
    }

    public static byte[] rep(
            final CommIds ids, final QpEnd own, final long localGuid, final ConnectParameters parameters) {
        final ByteBuffer message = startPair(ConnInput.REP, ids);
        message.putInt(RepDescriptor.QPN_OFFSET, own.qpNum() << 8);
        message.putInt(RepDescriptor.PSN_OFFSET, own.psn() << 8);
        message.put(RepDescriptor.RESPONDER_RESOURCES_OFFSET, (byte) parameters.responderResources());
        message.put(RepDescriptor.INITIATOR_DEPTH_OFFSET, (byte) parameters.initiatorDepth());
        message.put(RepDescriptor.RNR_RETRY_OFFSET, (byte) (parameters.rnrRetryCount() << 5));
        message.putLong(RepDescriptor.CA_GUID_OFFSET, localGuid);
        message.put(RepDescriptor.PRIVATE_DATA_OFFSET, parameters.privateData());
        return message.array();
    }

    public static byte[] rtu(final CommIds ids) {
        return startPair(ConnInput.RTU, ids).array();
    }

    public static byte[] drep(final CommIds ids) {
        return startPair(ConnInput.DREP, ids).array();
    }

    public static byte[] dreq(final CommIds ids, final int remoteQpn) {
        return startPair(ConnInput.DREQ, ids)
                .putInt(PairDescriptor.DREQ_QPN_OFFSET, remoteQpn << 8)
                .array();
    }

    /** @param ofRequest whether it answers a REQ, else a REP */
    public static byte[] mra(final CommIds ids, final boolean ofRequest, final int serviceTimeout) {
        return startPair(ConnInput.MRA, ids)
                .put(
                        MraDescriptor.MESSAGE_OFFSET,
                        (byte) ((ofRequest ? RejDescriptor.MESSAGE_REQ : RejDescriptor.MESSAGE_REP) << 6))
                .put(MraDescriptor.SERVICE_TIMEOUT_OFFSET, (byte) (serviceTimeout << 3))
                .array();
    }

    public static byte[] rej(
            final CommIds ids,
            final int message,
            final int reason,
            final byte[] data) {
        return start(ConnInput.REJ, ids.transaction())
                .putInt(RejDescriptor.LOCAL_COMM_ID_OFFSET, ids.local())
                .putInt(RejDescriptor.REMOTE_COMM_ID_OFFSET, ids.remote())
                .put(RejDescriptor.MESSAGE_OFFSET, (byte) (message << 6))
                .putShort(RejDescriptor.REASON_OFFSET, (short) reason)
                .put(RejDescriptor.PRIVATE_DATA_OFFSET, data)
                .array();
    }

    /** The path MTU of a request is more than this side carries; the REJ proposes what it does carry. */
    public static byte[] rejMtu(final CmMessage request, final Mtu mtu) {
        final byte[] message = rej(
                request.answerIds(0),
                RejDescriptor.MESSAGE_REQ,
                RejectReason.INVALID_PATH_MTU,
                new byte[0]);
        ByteBuffer.wrap(message)
                .put(RejDescriptor.INFO_LENGTH_OFFSET, (byte) (Byte.BYTES << 1))
                .put(RejDescriptor.INFO_OFFSET, (byte) (mtu.code() << 4));
        return message;
    }

    /** No answer came in time. The peer finds the connection by its copy of this side's id, and by the GUID. */
    public static byte[] rejTimeout(final CommIds ids, final boolean isPassive, final long localGuid) {
        final byte[] message = rej(
                ids,
                isPassive ? RejDescriptor.MESSAGE_OTHER : RejDescriptor.MESSAGE_REQ,
                RejectReason.TIMEOUT,
                new byte[0]);
        ByteBuffer.wrap(message)
                .put(RejDescriptor.INFO_LENGTH_OFFSET, (byte) (Long.BYTES << 1))
                .putLong(RejDescriptor.INFO_OFFSET, localGuid);
        return message;
    }

    /** A service id resolution request; its request id is the local communication id. */
    public static byte[] sidrReq(final CommIds ids, final CmRoute route, final byte[] data) {
        final ByteBuffer message = start(ConnInput.SIDR_REQ, ids.transaction());
        message.putInt(SidrReqDescriptor.REQUEST_ID_OFFSET, ids.local());
        message.putShort(SidrReqDescriptor.PKEY_OFFSET, (short) DEFAULT_PKEY);
        message.putLong(SidrReqDescriptor.SERVICE_ID_OFFSET, ServiceId.of(CmPortSpace.UDP, route.peerPort()));
        putPrivate(message, SidrReqDescriptor.PRIVATE_DATA_OFFSET, route, data);
        return message.array();
    }

    /** The answer to a service id resolution; the peer's request id is the remote communication id. */
    public static byte[] sidrRep(
            final CommIds ids,
            final int status,
            final int qpNum,
            final int qkey,
            final long serviceId,
            final byte[] data) {
        return start(ConnInput.SIDR_REP, ids.transaction())
                .putInt(SidrRepDescriptor.REQUEST_ID_OFFSET, ids.remote())
                .put(SidrRepDescriptor.STATUS_OFFSET, (byte) status)
                .putInt(SidrRepDescriptor.QPN_OFFSET, qpNum << 8)
                .putLong(SidrRepDescriptor.SERVICE_ID_OFFSET, serviceId)
                .putInt(SidrRepDescriptor.QKEY_OFFSET, qkey)
                .put(SidrRepDescriptor.PRIVATE_DATA_OFFSET, data)
                .array();
    }
}
