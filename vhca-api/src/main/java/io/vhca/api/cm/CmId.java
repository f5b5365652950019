package io.vhca.api.cm;

import io.vhca.api.Context;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QueuePair;
import io.vhca.api.ServiceClass;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A communication identifier ({@code struct rdma_cm_id}), the socket of RDMA. Any thread; calls on one id one at a
 * time.
 *
 * <p>Active side: resolveAddr, ADDR_RESOLVED, resolveRoute, ROUTE_RESOLVED, createQp, connect, ESTABLISHED. Passive
 * side: bindAddr, listen, CONNECT_REQUEST, createQp on the new id, accept, ESTABLISHED. The QP is brought to INIT by
 * createQp, and to RTR and RTS by connect and accept. A call made in the wrong state throws
 * {@link io.vhca.api.VerbsException} with EINVAL.
 */
public interface CmId extends AutoCloseable {
    CmEventChannel channel();

    /** The device that the id belongs to. */
    Context context();

    @Nullable Object idContext();

    CmPortSpace portSpace();

    /** The QP made by {@link #createQp}, or null. */
    @Nullable QueuePair qp();

    /**
     * Own address and port, or null before binding or resolving ({@code rdma_get_local_addr}). The same for the id's
     * life, and no other live connection of the device has the same: an active id that was not bound gets a free port
     * when its address is resolved. An id of a bond shows the source that was asked for, else the bond's alias, else
     * the address of its first member, whatever member carries the connection.
     */
    @Nullable InetSocketAddress localAddress();

    /**
     * The peer's address and port, or null before resolving ({@code rdma_get_peer_addr}). The same for the id's life.
     * Of an active id what was resolved; of a passive one where the request came from: between bonds the address of
     * the member that sent the first request, through all failovers, and the port that the peer's id shows. Each live
     * connection has another.
     */
    @Nullable InetSocketAddress peerAddress();

    /**
     * Binds to an own address ({@code rdma_bind_addr}).
     *
     * @param address port 0 picks one; a wildcard address stands for the device's own: of a bond every member's, of a
     *                hardware device with several the first one of its GID table (unlike there, an id is of one device
     *                here); one id each listens on more
     * @throws io.vhca.api.VerbsException EADDRINUSE, EADDRNOTAVAIL
     */
    void bindAddr(InetSocketAddress address);

    /**
     * Starts resolving the peer's address ({@code rdma_resolve_addr}); ends in ADDR_RESOLVED or ADDR_ERROR.
     *
     * @param source      own address, or null for the device's
     * @param destination the peer's; a wildcard address stands for this id's own, as in C
     * @param timeoutMs   how long resolution may take
     */
    void resolveAddr(@Nullable InetSocketAddress source, InetSocketAddress destination, int timeoutMs);

    /** Starts resolving the route ({@code rdma_resolve_route}); ends in ROUTE_RESOLVED or ROUTE_ERROR. */
    void resolveRoute(int timeoutMs);

    /**
     * A QP for this id, moved to INIT ({@code rdma_create_qp}). The id owns it: {@link #close} destroys it.
     */
    QueuePair createQp(ProtectionDomain pd, QpInitAttributes attributes);

    /** Destroys the QP of this id ({@code rdma_destroy_qp}). Idempotent. */
    void destroyQp();

    /**
     * Sets the local ack timeout of the QP to come, 4.096 us * 2^timeout ({@code rdma_set_option},
     * RDMA_OPTION_ID_ACK_TIMEOUT). On an id of a bond it is checked and has no effect: the bond's option of that name
     * holds.
     */
    void ackTimeout(int timeout);

    /**
     * Sets how often the QP to come repeats a request for which the peer has no receive, 0 .. 7 where 7 is without end,
     * in place of what the peer's {@link ConnectParameters#rnrRetryCount()} says. Before {@link #connect} or
     * {@link #accept}. No option in C: there a program that moves its QP itself gives it to {@code ibv_modify_qp}.
     */
    void rnrRetry(int count);

    /**
     * Sets what the packets of the QP to come ask of the fabric. Before {@link #resolveAddr}, so that the request tells
     * the peer, or before {@link #accept}. In C the traffic class is {@code rdma_set_option}'s RDMA_OPTION_ID_TOS;
     * service level and hop limit have no option there: a program that moves its QP itself gives them to
     * {@code ibv_modify_qp}. Of a bond the class holds on whatever member the QP lives.
     */
    void serviceClass(ServiceClass wanted);

    /**
     * What {@link #serviceClass(ServiceClass)} was given; for what it left open, on a passive id, what the request asks
     * for, as both directions of a connection have one class unless the passive side says otherwise.
     */
    ServiceClass serviceClass();

    /**
     * Sets the type of service of the QP to come, and nothing else of its class ({@code rdma_set_option},
     * RDMA_OPTION_ID_TOS).
     */
    default void tos(final int tos) {
        serviceClass(ServiceClass.ofTos(tos));
    }

    /**
     * Listens for connection requests ({@code rdma_listen}).
     *
     * @param backlog how many requests may wait until they are taken as CONNECT_REQUEST; below 1 for as many as the
     *     device lets wait. Further ones have no answer and come again. Those that were taken and not accepted yet do
     *     not count; a bond takes its members' at once, and bounds those that are not decided by itself
     */
    void listen(int backlog);

    /**
     * Sends a connection request ({@code rdma_connect}); ends in ESTABLISHED, REJECTED, UNREACHABLE or CONNECT_ERROR.
     * Where no connection comes about, here or after {@link #accept}, a device's QP is in ERR, and what was posted is
     * flushed; a bond's keeps what was posted, and its active id may connect again.
     *
     * @throws io.vhca.api.VerbsException EINVAL when the private data is longer than 56 bytes; on an id of a bond,
     *     whose own record takes a part, than 32, or 16 where it has a key
     */
    void connect(ConnectParameters parameters);

    /**
     * Accepts a request ({@code rdma_accept}); ends in ESTABLISHED. On an id of RDMA_PS_UDP, where nothing follows the
     * answer, some devices say ESTABLISHED at once and rdma_cm says nothing: do not wait for it. EINVAL: private data
     * longer than {@link CmPortSpace#maxAcceptPrivateData}, on an id of a bond than 80 bytes or, of RDMA_PS_UDP, 112;
     * nothing has happened then.
     *
     * <p>On an active id without a QP of its own it takes the answer that CONNECT_RESPONSE told of ({@code
     * rdma_establish}), with parameters that are not looked at. The connection stands when it returns: ESTABLISHED
     * comes to the passive side alone.
     */
    void accept(ConnectParameters parameters);

    /**
     * Rejects a request ({@code rdma_reject}). EINVAL: private data longer than {@link
     * CmPortSpace#maxRejectPrivateData}, on an id of a bond than 120 bytes or, of RDMA_PS_UDP, 108.
     */
    void reject(byte[] privateData);

    /** Disconnects and moves the QP to ERR ({@code rdma_disconnect}); DISCONNECTED follows on both sides. */
    void disconnect();

    /** Destroys the id and its QP ({@code rdma_destroy_id}); whatever was under way is cancelled. Idempotent. */
    @Override
    void close();
}
