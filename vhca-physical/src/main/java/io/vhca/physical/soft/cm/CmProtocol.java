package io.vhca.physical.soft.cm;

import io.vhca.api.Errno;
import io.vhca.api.Gid;
import io.vhca.api.Mtu;
import io.vhca.api.QueuePair;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.physical.soft.cm.message.CmMessage;
import io.vhca.physical.soft.cm.message.CmMessages;
import io.vhca.physical.soft.cm.message.ConnInput;
import io.vhca.physical.soft.cm.message.RejDescriptor;
import io.vhca.physical.soft.cm.message.RejectReason;
import io.vhca.physical.soft.cm.message.SidrRepDescriptor;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The CM protocol of one device: takes messages, times and calls, looks up what to do in {@link ConnTable}, and does
 * it. Guarded by the lock of the {@link CommunicationManager}.
 */
final class CmProtocol {
    private static final byte[] NOTHING = new byte[0];
    private static final int PSN_BITS = 24;
    /** An RTU, which nothing answers, is sent so often, the last 240 ms after the first. */
    private static final int RTU_TRIES = 4;
    /** With the times of {@link CmConfig#DEFAULT} a minute, which is what the kernel's manager waits. */
    private static final int MRA_TRIES = 112;

    private final CommunicationManager manager;
    private final CmHost host;
    private final CmConfig config;
    private final RandomGenerator random;
    private final CmCounters counters;
    private final ConnTimers timers = new ConnTimers();
    private final ConnRegistry connections;
    private final RequestDispatcher requests;
    private final Admission admission;

    CmProtocol(
            final CommunicationManager manager, final CmHost host, final CmConfig config,
            final RandomGenerator random, final CmCounters counters) {
        this.manager = manager;
        this.host = host;
        this.config = config;
        this.random = random;
        this.counters = counters;
        connections = new ConnRegistry(random, config);
        requests = new RequestDispatcher(manager, host);
        admission = new Admission(manager, this, connections, counters);
    }

    /** True while a connection with that peer is established. Any thread. */
    boolean isConnected(final Gid peer) {
        return connections.isConnected(peer);
    }

    int halfOpen() {
        return connections.sizeHalfOpen();
    }

    long earliestNs() {
        return timers.earliestNs();
    }

    // Calls of the ids' owners.

    void connect(final SoftCmId id) {
        assert manager.holdsLock() : "the protocol needs the manager's lock";
        final boolean isUd = id.portSpace() == CmPortSpace.UDP;
        final Connection connection = new Connection(
                connections.newCommId(),
                Gid.of(id.requiredPeer().getAddress()),
                false,
                isUd ? ConnState.SIDR_REQ_SENT : ConnState.REQ_SENT,
                id);
        connection.transaction = Integer.toUnsignedLong(connection.localCommId) << 32 | random.nextInt() >>> 1;
        connection.localQpn = CommunicationManager.qpNum(id);
        connection.receivePsn = random.nextInt(1 << PSN_BITS);
        connection.mtu = host.pathMtu();
        id.connection = connection;
        connections.add(connection);
        if (isUd) {
            sendAndWait(
                    connection,
                    CmMessages.sidrReq(connection.ids(), connection.route(host, id), id.parameters.privateData()));
            return;
        }
        sendRequest(connection, id);
    }

    private void sendRequest(final Connection connection, final SoftCmId id) {
        final int ackTimeout = id.ackTimeout < 0 ? SoftCmId.DEFAULT_ACK_TIMEOUT : id.ackTimeout;
        sendAndWait(
                connection,
                CmMessages.req(
                        connection.ids(),
                        connection.route(host, id),
                        connection.ownEnd(),
                        connection.mtu,
                        ackTimeout,
                        id.serviceClass(),
                        id.parameters));
    }

    /** Passive: brings the QP up and sends the REP. Active without an own QP: sends the RTU, and that is all. */
    void accept(final SoftCmId id) {
        assert manager.holdsLock() : "the protocol needs the manager's lock";
        final Connection connection = id.connection;
        if (connection == null) {
            throw id.invalid("accept", "the request is gone: the peer gave up");
        }
        if (connection.state == ConnState.SIDR_REQ_RCVD) {
            acceptSidr(id, connection);
            return;
        }
        if (connection.state == ConnState.REP_RCVD) {
            establishActive(connection);
            return;
        }
        if (connection.state != ConnState.REQ_RCVD) {
            throw id.invalid("accept", "the request is gone: the peer gave up");
        }
        connection.localQpn = CommunicationManager.qpNum(id);
        connection.receivePsn = random.nextInt(1 << PSN_BITS);
        final ConnectParameters own = id.parameters;
        final QueuePair qp = id.qp;
        if (qp != null) {
            connection.sgidIndex = host.gidIndex();
            QpBringUp.connect(
                    qp,
                    connection,
                    own.responderResources(),
                    Math.min(own.initiatorDepth(), connection.peerResponderResources),
                    id.ackTimeout >= 0 ? id.ackTimeout : connection.peerAckTimeout,
                    connection.peerRetryCount,
                    id);
        }
        id.leaveBacklog();
        id.state = CmIdState.ACCEPTED;
        connection.state = ConnState.REP_SENT;
        connection.acceptedNs = host.nowNs();
        sendAndWait(connection, CmMessages.rep(connection.ids(), connection.ownEnd(), host.nodeGuid(), own));
    }

    private void acceptSidr(final SoftCmId id, final Connection connection) {
        id.leaveBacklog();
        id.state = CmIdState.ACCEPTED;
        final ConnectParameters own = id.parameters;
        answerSidr(
                connection,
                SidrRepDescriptor.STATUS_VALID,
                CommunicationManager.qpNum(id),
                own.qkey() != 0 ? own.qkey() : ConnectParameters.UDP_QKEY,
                own.privateData());
        manager.raise(id, CmEventType.ESTABLISHED, 0);
    }

    private void answerSidr(
            final Connection connection, final int status, final int qpNum, final int qkey, final byte[] data) {
        connection.state = ConnState.SIDR_REP_SENT;
        connection.lastMessage = CmMessages.sidrRep(connection.ids(), status, qpNum, qkey, connection.serviceId, data);
        send(connection, connection.lastMessage);
        timers.set(connection, host.nowNs() + config.timewaitNs());
    }

    /** Refuses a request; a repeated request gets the same answer until timewait ends. */
    void reject(final Connection connection, final int reason, final byte[] privateData) {
        if (connection.state == ConnState.SIDR_REQ_RCVD) {
            answerSidr(connection, SidrRepDescriptor.STATUS_REJECT, 0, 0, privateData);
            return;
        }
        final int message = switch (connection.state) {
            case REQ_RCVD -> RejDescriptor.MESSAGE_REQ;
            case REP_RCVD -> RejDescriptor.MESSAGE_REP;
            default -> RejDescriptor.MESSAGE_OTHER; // its own REP is withdrawn
        };
        connection.lastMessage = CmMessages.rej(connection.ids(), message, reason, privateData);
        send(connection, connection.lastMessage);
        endWith(connection, ConnState.REJ_SENT);
    }

    /** What disconnect does; false where the id has no connection. */
    boolean disconnect(final SoftCmId id) {
        final Connection connection = id.connection;
        if (connection == null || !connection.wasEstablished && connection.state != ConnState.REP_SENT) {
            return false;
        }
        id.failQp();
        disconnect(connection);
        return true;
    }

    private void disconnect(final Connection connection) {
        if (connection.state == ConnState.ESTABLISHED || connection.state == ConnState.REP_SENT) {
            connection.state = ConnState.DREQ_SENT;
            connection.transaction++;
            sendAndWait(connection, CmMessages.dreq(connection.ids(), connection.remoteQpn));
        }
    }

    /** The id of a connection is closed; what the peer must know is said, what must be answered later stays. */
    void abandon(final Connection connection) {
        connection.id = null;
        end(connection);
    }

    /** The process ends: what closing every id would say is said, and the ids stay. */
    void sayGoodbye() {
        connections.all().forEach(this::end);
    }

    /** True while a peer has not confirmed that its connection is over. */
    boolean isSayingGoodbye() {
        return connections.all().stream().anyMatch(connection -> connection.state == ConnState.DREQ_SENT);
    }

    private void end(final Connection connection) {
        switch (connection.state) {
            case REQ_SENT -> {
                send(connection, connection.rejTimeout(host.nodeGuid()));
                remove(connection);
            }
            case REQ_RCVD, REP_RCVD, REP_SENT, SIDR_REQ_RCVD ->
                reject(connection, RejectReason.CONSUMER_DEFINED, NOTHING);
            case ESTABLISHED -> disconnect(connection);
            case SIDR_REQ_SENT -> remove(connection);
            default -> {
                // It answers late messages until its waiting time is over.
            }
        }
    }

    void forgetAll() {
        for (final Connection connection : connections.all()) {
            remove(connection);
        }
    }

    // Messages and times.

    /** @param mad 256 bytes, not kept */
    void onMessage(final Gid source, final byte[] mad) {
        final CmMessage message = CmMessage.read(mad);
        if (message == null) {
            counters.increment(CmCounter.MALFORMED);
            return;
        }
        switch (message.type()) {
            case REQ, SIDR_REQ -> onRequest(source, message);
            default -> {
                final Connection found = connections.find(source, message);
                if (found == null) {
                    counters.increment(CmCounter.NO_CONNECTION);
                    requests.answerUnknown(source, message);
                } else {
                    found.owedAnswers++;
                    // Who names the id that only an answer of ours has told it hears what is sent there.
                    found.hasHeard |= message.remoteCommId() == found.localCommId;
                    step(found, ConnTable.step(found.state, message.type()), message);
                }
            }
        }
    }

    private void onRequest(final Gid source, final CmMessage message) {
        final boolean isUd = message.type() == ConnInput.SIDR_REQ;
        assert message.type() == ConnInput.REQ || isUd : "only requests come here";
        final Connection repeated = connections.repeated(source, message.localCommId());
        if (repeated != null) {
            repeated.owedAnswers++;
            step(repeated, ConnTable.step(repeated.state, message.type()), message);
            return;
        }
        if (!message.hasAddressing()) {
            counters.increment(CmCounter.MALFORMED);
            requests.refuse(source, message, RejectReason.UNSUPPORTED_REQUEST);
            return;
        }
        final SoftCmId listener = requests.listener(message);
        if (listener == null) {
            counters.increment(CmCounter.NO_LISTENER);
            requests.refuse(source, message, RejectReason.INVALID_SERVICE_ID);
            return;
        }
        if (!isUd && (message.mtu() == Mtu.UNKNOWN || message.mtu().bytes() > host.pathMtu().bytes())) {
            host.sendMad(source, CmMessages.rejMtu(message, host.pathMtu()));
            return;
        }
        if (!admission.takes(listener, source, host.nowNs())) {
            return;
        }
        final Connection connection = new Connection(
                connections.newCommId(), source, true, isUd ? ConnState.SIDR_REQ_RCVD : ConnState.REQ_RCVD, null);
        connection.remoteCommId = message.localCommId();
        connection.serviceId = message.serviceId();
        connection.transaction = message.transaction();
        connection.bornNs = host.nowNs();
        connection.owedAnswers = 1;
        if (!isUd) {
            connection.readRequest(message);
        }
        connections.add(connection);
        requests.announce(listener, connection, message);
    }

    /** The peer's first data came over the QP: it has the REP, though its RTU may be lost. */
    void onEstablished(final int qpNum) {
        final Connection waiting = connections.waitingOn(qpNum);
        if (waiting != null) {
            step(waiting, ConnTable.step(waiting.state, ConnInput.COMM_EST), null);
        }
    }

    int onTime(final long nowNs) {
        int work = 0;
        for (Connection due = timers.takeDue(nowNs); due != null; due = timers.takeDue(nowNs)) {
            onTime(due);
            work++;
        }
        return work;
    }

    private void onTime(final Connection due) {
        try {
            step(due, ConnTable.step(due.state, ConnInput.TIMEOUT), null);
        } catch (final RuntimeException | Error e) {
            counters.fault(e);
        }
    }

    // Steps.

    private void step(final Connection connection, final ConnStep step, final @Nullable CmMessage message) {
        assert manager.holdsLock() : "the protocol needs the manager's lock";
        switch (step) {
            case IGNORE -> {
                if (message != null) {
                    counters.increment(CmCounter.OUT_OF_PLACE);
                }
            }
            case RESEND -> send(connection, connection.lastMessage);
            case SEND_MRA -> sendMra(connection);
            case EXTEND -> extend(connection, require(message));
            case REP_ARRIVED -> repArrived(connection, require(message));
            case ESTABLISH -> establishPassive(connection);
            case REJECTED -> rejected(connection, require(message));
            case LOST -> disconnected(connection, 0);
            case PEER_DISCONNECTS -> {
                answerDreq(connection, require(message));
                disconnected(connection, 0);
            }
            case SEND_DREP -> answerDreq(connection, require(message));
            case DISCONNECTED -> {
                if (require(message).type() == ConnInput.DREQ) {
                    answerDreq(connection, require(message));
                }
                disconnected(connection, 0);
            }
            case RETRY -> retry(connection);
            case SIDR_ARRIVED -> sidrArrived(connection, require(message));
            case EXPIRE -> expire(connection);
        }
    }

    /** The owner has not decided yet. An active side says so by itself: a stranger's REP is not repeated. */
    private void sendMra(final Connection connection) {
        send(connection, CmMessages.mra(connection.ids(), connection.isPassive, config.mraTimeout()));
        if (!connection.isPassive && connection.tries++ < MRA_TRIES) {
            timers.set(connection, host.nowNs() + CmConfig.codeToNs(config.mraTimeout()) / 2);
        }
    }

    private static CmMessage require(final @Nullable CmMessage message) {
        if (message == null) {
            throw new IllegalStateException("a step that needs a message was taken without one");
        }
        return message;
    }

    private void extend(final Connection connection, final CmMessage message) {
        final long excusedNs = connection.excusedNs(host.nowNs(), message.serviceTimeout());
        if (excusedNs > 0) {
            timers.set(connection, host.nowNs() + excusedNs + config.firstWaitNs());
        }
    }

    private void repArrived(final Connection connection, final CmMessage message) {
        timers.clear(connection);
        connection.readReply(message);
        final SoftCmId id = connection.id;
        if (id == null) {
            return;
        }
        connection.state = ConnState.REP_RCVD;
        connection.tries = 0;
        timers.set(connection, host.nowNs() + config.firstWaitNs());
        manager.raise(id, CmEventType.CONNECT_RESPONSE, message.privateData(), connection.peerParameters());
    }

    /**
     * The owner of an active id with a QP takes the answer to its request: the QP is brought up and the RTU sent now
     * and not before, as librdmacm does it. So the peer is never established with an owner that gives up.
     *
     * @return 0, or a negative errno: then the connection is over
     */
    int takeAnswer(final SoftCmId id, final QueuePair qp) {
        assert manager.holdsLock() : "the protocol needs the manager's lock";
        final Connection connection = id.connection;
        if (connection == null || connection.state != ConnState.REP_RCVD) {
            return -Errno.ECONNRESET; // the peer withdrew; the event that says so follows
        }
        try {
            connection.sgidIndex = host.gidIndex();
            QpBringUp.connect(
                    qp,
                    connection,
                    Math.min(id.parameters.responderResources(), connection.peerInitiatorDepth),
                    Math.min(id.parameters.initiatorDepth(), connection.peerResponderResources),
                    id.ackTimeout < 0 ? SoftCmId.DEFAULT_ACK_TIMEOUT : id.ackTimeout,
                    id.parameters.retryCount(),
                    id);
        } catch (final VerbsException e) {
            reject(connection, RejectReason.NO_RESOURCES, NOTHING);
            return -e.errno();
        }
        establishActive(connection);
        return 0;
    }

    private void establishActive(final Connection connection) {
        establish(connection);
        // The RTU has no answer: it is sent several times, for a peer that may not repeat its REP to a stranger.
        sendAndWait(connection, CmMessages.rtu(connection.ids()));
    }

    /**
     * Only now, when the peer has shown that it hears what is sent to its address, has it given up an older connection
     * of the same queue pair: whoever sends a request may name any address and any queue pair.
     */
    private void establish(final Connection connection) {
        final Connection leftover = connections.establish(connection);
        if (leftover != null && leftover.state == ConnState.ESTABLISHED) {
            step(leftover, ConnStep.LOST, null);
        }
    }

    private void establishPassive(final Connection connection) {
        timers.clear(connection);
        establish(connection);
        final SoftCmId id = connection.id;
        if (id != null) {
            manager.raise(id, CmEventType.ESTABLISHED, NOTHING, connection.peerParameters());
        }
    }

    private void rejected(final Connection connection, final CmMessage message) {
        final Mtu proposed = message.proposedMtu();
        if (connection.hasTaken(proposed)) {
            counters.increment(CmCounter.OUT_OF_PLACE); // it answers a request that was given up, once more
            return;
        }
        if (!connection.isPassive && connection.id != null && proposed.bytes() < connection.mtu.bytes()
                && proposed != Mtu.UNKNOWN) {
            connection.takeMtu(proposed);
            sendRequest(connection, connection.id);
            return;
        }
        if (connection.isPassive) {
            endWith(connection, ConnState.TIMEWAIT);
        } else {
            remove(connection);
        }
        final SoftCmId id = connection.id;
        if (id != null) {
            // A peer that withdrew must not keep others out of the backlog.
            id.leaveBacklog();
            manager.raise(id, CmEventType.REJECTED, message.reason(), message.privateData());
        }
    }

    private void answerDreq(final Connection connection, final CmMessage message) {
        connection.transaction = message.transaction();
        send(connection, CmMessages.drep(connection.ids()));
    }

    private void sidrArrived(final Connection connection, final CmMessage message) {
        remove(connection);
        final SoftCmId id = connection.id;
        if (id == null) {
            return;
        }
        if (message.sidrStatus() != SidrRepDescriptor.STATUS_VALID) {
            manager.raise(id, CmEventType.UNREACHABLE, message.sidrStatus(), message.privateData());
            return;
        }
        manager.raise(id, CmEventType.ESTABLISHED, message.privateData(), message.sidrParameters());
    }

    /** How often a message of the connection is sent. */
    private int tries(final Connection connection) {
        return connection.state == ConnState.ESTABLISHED ? RTU_TRIES : config.maxTries();
    }

    private void retry(final Connection connection) {
        if (connection.tries < tries(connection)) {
            send(connection, connection.lastMessage);
            timers.set(connection, host.nowNs() + config.waitNs(connection.tries));
            connection.tries++;
            return;
        }
        if (connection.state == ConnState.REP_SENT && connection.patienceNs > host.nowNs() - connection.bornNs) {
            // The RTU comes from the peer's application, which may need its time: the kernel's manager waits a minute.
            timers.set(connection, connection.bornNs + connection.patienceNs);
            return;
        }
        switch (connection.state) {
            case ESTABLISHED -> {
                // The last RTU is out.
            }
            case REQ_SENT -> {
                send(connection, connection.rejTimeout(host.nodeGuid()));
                remove(connection);
                raise(connection, CmEventType.UNREACHABLE, -Errno.ETIMEDOUT);
            }
            case SIDR_REQ_SENT -> {
                remove(connection);
                raise(connection, CmEventType.UNREACHABLE, -Errno.ETIMEDOUT);
            }
            case REP_SENT -> {
                connection.lastMessage = connection.rejTimeout(host.nodeGuid());
                send(connection, connection.lastMessage);
                endWith(connection, ConnState.REJ_SENT);
                raise(connection, CmEventType.UNREACHABLE, -Errno.ETIMEDOUT);
            }
            default -> disconnected(connection, -Errno.ETIMEDOUT);
        }
    }

    private void disconnected(final Connection connection, final int status) {
        endWith(connection, ConnState.TIMEWAIT);
        if (connection.id != null) {
            // So may a peer withdraw that was told which its connection is, but not whether it is taken.
            connection.id.leaveBacklog();
        }
        raise(connection, CmEventType.DISCONNECTED, status);
    }

    private void expire(final Connection connection) {
        remove(connection);
        if (connection.wasEstablished) {
            raise(connection, CmEventType.TIMEWAIT_EXIT, 0);
        }
    }

    // Small parts.

    private void raise(final Connection connection, final CmEventType type, final int status) {
        final SoftCmId id = connection.id;
        if (id != null) {
            manager.raise(id, type, status);
        }
    }

    private void endWith(final Connection connection, final ConnState state) {
        connection.state = state;
        connections.end(connection);
        timers.set(connection, host.nowNs() + config.timewaitNs());
    }

    /** Forgets a connection; its peer is told nothing. */
    void remove(final Connection connection) {
        timers.clear(connection);
        connection.state = ConnState.CLOSED;
        connections.remove(connection);
    }

    private void sendAndWait(final Connection connection, final byte[] message) {
        connection.lastMessage = message;
        send(connection, message);
        connection.tries = 1;
        timers.set(connection, host.nowNs() + config.waitNs(0));
    }

    /**
     * Sends a message; to who asked and never showed that it hears what is sent there, only one for each that came.
     */
    private void send(final Connection connection, final byte[] message) {
        if (connection.isPassive && !connection.hasHeard && !connections.isKnown(connection.peer)) {
            if (connection.owedAnswers == 0) {
                counters.increment(CmCounter.UNPROVEN_MUTED);
                return;
            }
            connection.owedAnswers--;
        }
        host.sendMad(connection.peer, message);
    }
}
