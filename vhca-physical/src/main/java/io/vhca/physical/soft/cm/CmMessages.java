package io.vhca.physical.soft.cm;

import io.vhca.api.Gid;
import io.vhca.api.Mtu;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import java.nio.ByteBuffer;

/** Writes the CM's messages, 256 bytes each, as the descriptors lay them out. Pure; any thread. */
final class CmMessages {
    private static final int DEFAULT_PKEY = 0xffff;
    private static final int RESPONSE_TIMEOUT_CODE = 16;
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

    private static ByteBuffer startPair(final ConnInput message, final Connection connection) {
        return start(message, connection.transaction)
                .putInt(PairDescriptor.LOCAL_COMM_ID_OFFSET, connection.localCommId)
                .putInt(PairDescriptor.REMOTE_COMM_ID_OFFSET, connection.remoteCommId);
    }

    private static void putGid(final ByteBuffer message, final int offset, final Gid gid) {
        message.putLong(offset, gid.subnetPrefix()).putLong(offset + Long.BYTES, gid.interfaceId());
    }

    /** The addressing header and the user's bytes. A GID in it loses its v4 mapping, as rdma_cm has it. */
    private static void putPrivate(
            final ByteBuffer message,
            final int offset,
            final Gid source,
            final int sourcePort,
            final Gid destination,
            final byte[] data) {
        final boolean v4 = isV4(source);
        message.put(offset + CmaHeaderDescriptor.VERSION_OFFSET, (byte) 0);
        message.put(offset + CmaHeaderDescriptor.IP_VERSION_OFFSET, (byte) (v4 ? 4 << 4 : 6 << 4));
        message.putShort(offset + CmaHeaderDescriptor.PORT_OFFSET, (short) sourcePort);
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

    static byte[] req(
            final Connection connection,
            final CmHost host,
            final int sourcePort,
            final int destinationPort,
            final int ackTimeout,
            final ConnectParameters parameters) {
        final ByteBuffer message = start(ConnInput.REQ, connection.transaction);
        message.putInt(ReqDescriptor.LOCAL_COMM_ID_OFFSET, connection.localCommId);
        message.putLong(ReqDescriptor.SERVICE_ID_OFFSET, ServiceId.of(CmPortSpace.TCP, destinationPort));
        message.putLong(ReqDescriptor.CA_GUID_OFFSET, host.nodeGuid());
        message.putInt(ReqDescriptor.QPN_OFFSET, connection.localQpn << 8 | parameters.responderResources() & 0xff);
        message.putInt(ReqDescriptor.LOCAL_EECN_OFFSET, parameters.initiatorDepth() & 0xff);
        message.putInt(ReqDescriptor.REMOTE_EECN_OFFSET, RESPONSE_TIMEOUT_CODE << 3);
        message.putInt(
                ReqDescriptor.PSN_OFFSET,
                connection.receivePsn << 8 | RESPONSE_TIMEOUT_CODE << 3 | parameters.retryCount() & 7);
        message.putShort(ReqDescriptor.PKEY_OFFSET, (short) DEFAULT_PKEY);
        message.put(
                ReqDescriptor.MTU_RNR_OFFSET,
                (byte) (connection.mtu.code() << 4 | parameters.rnrRetryCount() & 7));
        message.put(ReqDescriptor.CM_RETRIES_OFFSET, (byte) (15 << 4 | NO_SRQ));
        putGid(message, ReqDescriptor.LOCAL_GID_OFFSET, host.address());
        putGid(message, ReqDescriptor.REMOTE_GID_OFFSET, connection.peer);
        message.putInt(ReqDescriptor.FLOW_RATE_OFFSET, PACKET_RATE_10G);
        message.put(ReqDescriptor.HOP_LIMIT_OFFSET, (byte) HOP_LIMIT);
        message.put(ReqDescriptor.ACK_TIMEOUT_OFFSET, (byte) (ackTimeout << 3));
        putPrivate(
                message,
                ReqDescriptor.PRIVATE_DATA_OFFSET,
                host.address(),
                sourcePort,
                connection.peer,
                parameters.privateData());
        return message.array();
    }

    static byte[] rep(final Connection connection, final CmHost host, final ConnectParameters parameters) {
        final ByteBuffer message = startPair(ConnInput.REP, connection);
        message.putInt(RepDescriptor.QPN_OFFSET, connection.localQpn << 8);
        message.putInt(RepDescriptor.PSN_OFFSET, connection.receivePsn << 8);
        message.put(RepDescriptor.RESPONDER_RESOURCES_OFFSET, (byte) parameters.responderResources());
        message.put(RepDescriptor.INITIATOR_DEPTH_OFFSET, (byte) parameters.initiatorDepth());
        message.put(RepDescriptor.RNR_RETRY_OFFSET, (byte) (parameters.rnrRetryCount() << 5));
        message.putLong(RepDescriptor.CA_GUID_OFFSET, host.nodeGuid());
        message.put(RepDescriptor.PRIVATE_DATA_OFFSET, parameters.privateData());
        return message.array();
    }

    static byte[] rtu(final Connection connection) {
        return startPair(ConnInput.RTU, connection).array();
    }

    static byte[] drep(final Connection connection) {
        return startPair(ConnInput.DREP, connection).array();
    }

    /** A DREP for a connection that is not known here. */
    static byte[] drep(final int localCommId, final int remoteCommId, final long transaction) {
        return start(ConnInput.DREP, transaction)
                .putInt(PairDescriptor.LOCAL_COMM_ID_OFFSET, localCommId)
                .putInt(PairDescriptor.REMOTE_COMM_ID_OFFSET, remoteCommId)
                .array();
    }

    static byte[] dreq(final Connection connection) {
        return startPair(ConnInput.DREQ, connection)
                .putInt(PairDescriptor.DREQ_QPN_OFFSET, connection.remoteQpn << 8)
                .array();
    }

    static byte[] mra(final Connection connection, final int serviceTimeout) {
        return startPair(ConnInput.MRA, connection)
                .put(MraDescriptor.SERVICE_TIMEOUT_OFFSET, (byte) (serviceTimeout << 3))
                .array();
    }

    static byte[] rej(
            final int localCommId,
            final int remoteCommId,
            final long transaction,
            final int message,
            final int reason,
            final byte[] data) {
        return start(ConnInput.REJ, transaction)
                .putInt(RejDescriptor.LOCAL_COMM_ID_OFFSET, localCommId)
                .putInt(RejDescriptor.REMOTE_COMM_ID_OFFSET, remoteCommId)
                .put(RejDescriptor.MESSAGE_OFFSET, (byte) (message << 6))
                .putShort(RejDescriptor.REASON_OFFSET, (short) reason)
                .put(RejDescriptor.PRIVATE_DATA_OFFSET, data)
                .array();
    }

    /** The path MTU of a request is more than this side carries: says what it does carry. */
    static byte[] rejMtu(final CmMessage request, final Mtu mtu) {
        final byte[] message = rej(
                0,
                request.localCommId(),
                request.transaction(),
                RejDescriptor.MESSAGE_REQ,
                RejectReason.INVALID_PATH_MTU,
                new byte[0]);
        ByteBuffer.wrap(message)
                .put(RejDescriptor.INFO_LENGTH_OFFSET, (byte) (Byte.BYTES << 1))
                .put(RejDescriptor.INFO_OFFSET, (byte) (mtu.code() << 4));
        return message;
    }

    /** Waited in vain: the peer finds the connection by its own copy of our id, and by the GUID. */
    static byte[] rejTimeout(final Connection connection, final CmHost host) {
        final byte[] message = rej(
                connection.localCommId,
                connection.remoteCommId,
                connection.transaction,
                connection.isPassive ? RejDescriptor.MESSAGE_OTHER : RejDescriptor.MESSAGE_REQ,
                RejectReason.TIMEOUT,
                new byte[0]);
        ByteBuffer.wrap(message)
                .put(RejDescriptor.INFO_LENGTH_OFFSET, (byte) (Long.BYTES << 1))
                .putLong(RejDescriptor.INFO_OFFSET, host.nodeGuid());
        return message;
    }

    static byte[] sidrReq(
            final Connection connection,
            final CmHost host,
            final int sourcePort,
            final int destinationPort,
            final byte[] data) {
        final ByteBuffer message = start(ConnInput.SIDR_REQ, connection.transaction);
        message.putInt(SidrReqDescriptor.REQUEST_ID_OFFSET, connection.localCommId);
        message.putShort(SidrReqDescriptor.PKEY_OFFSET, (short) DEFAULT_PKEY);
        message.putLong(SidrReqDescriptor.SERVICE_ID_OFFSET, ServiceId.of(CmPortSpace.UDP, destinationPort));
        putPrivate(message, SidrReqDescriptor.PRIVATE_DATA_OFFSET, host.address(), sourcePort, connection.peer, data);
        return message.array();
    }

    static byte[] sidrRep(
            final int requestId,
            final long transaction,
            final int status,
            final int qpNum,
            final int qkey,
            final long serviceId,
            final byte[] data) {
        return start(ConnInput.SIDR_REP, transaction)
                .putInt(SidrRepDescriptor.REQUEST_ID_OFFSET, requestId)
                .put(SidrRepDescriptor.STATUS_OFFSET, (byte) status)
                .putInt(SidrRepDescriptor.QPN_OFFSET, qpNum << 8)
                .putLong(SidrRepDescriptor.SERVICE_ID_OFFSET, serviceId)
                .putInt(SidrRepDescriptor.QKEY_OFFSET, qkey)
                .put(SidrRepDescriptor.PRIVATE_DATA_OFFSET, data)
                .array();
    }
}
