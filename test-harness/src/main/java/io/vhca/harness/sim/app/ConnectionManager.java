package io.vhca.harness.sim.app;

import io.vhca.api.QpAttributes;
import io.vhca.api.QpState;
import io.vhca.api.QueuePair;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.harness.sim.check.Directions;
import io.vhca.harness.sim.check.PeerMemory;
import io.vhca.harness.sim.core.History;
import io.vhca.harness.sim.core.HistoryEvent;
import io.vhca.harness.sim.core.Side;
import io.vhca.harness.sim.core.Violations;
import io.vhca.harness.sim.host.SimHost;
import io.vhca.harness.sim.scenario.EarlyEnd;
import io.vhca.harness.sim.scenario.Ending;
import io.vhca.harness.sim.scenario.RnrPatience;
import io.vhca.harness.sim.scenario.Scenario;
import io.vhca.harness.sim.scenario.Trait;
import java.util.Arrays;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The connection manager's side of a simulated application: the left one connects every QP and tries again when that
 * fails, the right one listens and accepts.
 */
public final class ConnectionManager implements Connector {
    private static final int PORT = 4_420;
    private static final int RESOLVE_TIMEOUT_MS = 2_000;
    private static final int MOST_ATTEMPTS = 30;
    private static final int MOST_ATTEMPTS_IN_VAIN = 3;
    private static final long RETRY_NS = 20_000_000;
    private static final int MAX_RD_ATOMIC = 4;
    private static final int MAX_RNR_TIMER = 14;

    private final Side side;
    private final Scenario scenario;
    private final SimHost host;
    private final AppObjects objects;
    private final AppConnection[] connections;
    private final Directions directions;
    private final SplittableRandom random;
    private final History history;
    private final Violations violations;
    private final CmEventChannel channel;
    private final @Nullable CmId[] ids;
    private final ConnectionInfo[] peers;
    private final int[] attempts;
    /** The attempt with which the life of each connection began. */
    private final int[] firstAttempts;
    private final long[] retryAtNs;
    private final boolean[] isWaiting;
    private final boolean[] hasGivenUp;
    /** How often each id was told that it is disconnected. */
    private final int[] endsHeard;
    private @Nullable CmId listener;
    /** All is to end: what comes to stand now is not wanted any more. */
    private boolean isEnding;
    private boolean hasEnded;
    private long lastEndNs;

    ConnectionManager(
            final Side side, final Scenario scenario, final SimHost host, final AppObjects objects,
            final AppConnection[] connections, final Directions directions, final SplittableRandom random,
            final History history, final Violations violations) {
        this.side = side;
        this.scenario = scenario;
        this.host = host;
        this.objects = objects;
        this.connections = connections;
        this.directions = directions;
        this.random = random;
        this.history = history;
        this.violations = violations;
        final int qpCount = scenario.qps().size();
        ids = new CmId[qpCount];
        peers = new ConnectionInfo[qpCount];
        Arrays.fill(peers, new ConnectionInfo(0, 0, 0, 0, 0, 0));
        attempts = new int[qpCount];
        firstAttempts = new int[qpCount];
        retryAtNs = new long[qpCount];
        isWaiting = new boolean[qpCount];
        hasGivenUp = new boolean[qpCount];
        endsHeard = new int[qpCount];
        channel = objects.resources().opened(objects.context().createEventChannel());
        Arrays.fill(retryAtNs, scenario.network().startNs());
        Arrays.fill(isWaiting, side == Side.LEFT);
    }

    @Override
    public void listen() {
        final CmId id = channel.createId(CmPortSpace.TCP, null);
        listener = id;
        id.bindAddr(host.address(PORT));
        id.listen(2 * ids.length);
    }

    @Override
    public boolean hasGivenUp(final int index) {
        return hasGivenUp[index];
    }

    @Override
    public int doWork(final long nowNs, final SimHost peer) {
        int work = 0;
        for (CmEvent event = channel.getEvent(0); event != null; event = channel.getEvent(0)) {
            onEvent(nowNs, event);
            work++;
        }
        for (int i = 0; i < ids.length; i++) {
            if (isWaiting[i] && retryAtNs[i] - nowNs <= 0) {
                isWaiting[i] = false;
                start(nowNs, i, peer);
                work++;
            }
        }
        return work;
    }

    private void start(final long nowNs, final int index, final SimHost peer) {
        call(nowNs, index, 0);
        try {
            final CmId id = channel.createId(CmPortSpace.TCP, index);
            ids[index] = id;
            id.resolveAddr(null, peer.address(PORT), RESOLVE_TIMEOUT_MS);
        } catch (final VerbsException e) {
            failed(nowNs, index, e);
        }
    }

    private void onEvent(final long nowNs, final CmEvent event) {
        final int index = indexOf(event.id());
        history.add(nowNs, side.ordinal(), index, HistoryEvent.CM_EVENT, event.type().code(), event.status());
        try {
            switch (event.type()) {
                case CONNECT_REQUEST -> onRequest(nowNs, event);
                case ADDR_RESOLVED -> event.id().resolveRoute(RESOLVE_TIMEOUT_MS);
                case ROUTE_RESOLVED -> connect(nowNs, index, event.id());
                case ESTABLISHED -> established(nowNs, index, event);
                case ADDR_ERROR, ROUTE_ERROR, CONNECT_ERROR, UNREACHABLE, REJECTED -> unconnected(nowNs, index);
                case DISCONNECTED -> disconnected(nowNs, index);
                default -> {
                    // Nothing to do for an application.
                }
            }
        } catch (final VerbsException e) {
            failed(nowNs, index, e);
        } finally {
            event.ack();
        }
    }

    private void connect(final long nowNs, final int index, final CmId id) {
        call(nowNs, index, 1);
        directions.attempt(index, attempts[index]);
        createQp(nowNs, index, id);
        prepare(index, id);
        id.connect(parameters(index));
    }

    private void onRequest(final long nowNs, final CmEvent event) {
        final CmId id = event.id();
        final ConnectionInfo info;
        try {
            info = ConnectionInfo.decode(event.privateData(), directions.commonWord(side.other()));
        } catch (final IllegalArgumentException e) {
            violations.report("private data", side.label(), String.valueOf(e.getMessage()));
            id.reject(new byte[0]);
            id.close();
            return;
        }
        final int index = info.qpIndex();
        final boolean isRepeated = ids[index] != null && info.attempt() == attempts[index];
        // A request may come after the peer gave it up: it was refused before there was a listener, and doubled.
        if (info.attempt() < attempts[index] || isRepeated || directions.isOver(index, info.attempt())) {
            id.reject(new byte[0]);
            id.close();
            return;
        }
        drop(index);
        attempts[index] = info.attempt();
        peers[index] = info;
        ids[index] = id;
        call(nowNs, index, 2);
        directions.attempt(index, info.attempt());
        prepare(index, id);
        createQp(nowNs, index, id);
        id.accept(parameters(index));
    }

    private void prepare(final int index, final CmId id) {
        id.ackTimeout(scenario.transport().ackTimeout());
        final RnrPatience own = connections[index].rnr().patience();
        if (own.isOfOwnId()) {
            id.rnrRetry(own.retries());
        }
    }

    private void createQp(final long nowNs, final int index, final CmId id) {
        final QueuePair qp = id.createQp(objects.pd(), objects.qpAttributes(index));
        final AppConnection connection = connections[index];
        connection.attach(qp, directions.of(index, side), directions.of(index, side.other()));
        connection.refill(nowNs, true);
    }

    private ConnectParameters parameters(final int index) {
        final AppConnection connection = connections[index];
        final PeerMemory.Word word =
                new PeerMemory.Word(objects.commonWord().rkey(), objects.commonWord().addr());
        directions.commonWord(side, word);
        final ConnectionInfo info = new ConnectionInfo(
                index, attempts[index], connection.rkey(), connection.regionAddress(), word.rkey(), word.address());
        final int room = random.nextInt(ConnectionInfo.SIZE, ConnectionInfo.MAX_SIZE + 1);
        final boolean hasProof = scenario.has(Trait.AUTH_KEY) && side == Side.LEFT;
        final byte[] data = info.encode(hasProof ? ConnectionInfo.SHORT_SIZE : room);
        final int peersRnrRetries = RnrPatience.of(scenario, index, side.other()).saidByPeer();
        return new ConnectParameters(
                data, MAX_RD_ATOMIC, MAX_RD_ATOMIC, scenario.transport().retryCnt(), peersRnrRetries, 0, 0);
    }

    private void established(final long nowNs, final int index, final CmEvent event) {
        final AppConnection connection = connections[index];
        if (side == Side.LEFT) {
            peers[index] = ConnectionInfo.decode(
                    event.privateData(), directions.commonWord(side.other()));
        }
        connection.establish(peers[index]);
        final QueuePair qp = connection.qp();
        // It may have been connected and ended since: the peer gave the attempt up, and this end hears of both at once.
        if (qp != null && qp.state() == QpState.RTS) {
            qp.modify(new QpAttributes().minRnrTimer(connection.rnr().timer(random.nextInt(1, MAX_RNR_TIMER))));
        }
        if (isEnding) {
            disconnect(nowNs, index);
        }
    }

    /** An attempt came to nothing. */
    private void unconnected(final long nowNs, final int index) {
        if (index < 0 || connections[index].isEstablished()) {
            return;
        }
        drop(index);
        if (side == Side.LEFT) {
            attempts[index]++;
            final int tried = attempts[index] - firstAttempts[index];
            hasGivenUp[index] = tried >= (scenario.mustSurvive() ? MOST_ATTEMPTS : MOST_ATTEMPTS_IN_VAIN);
            isWaiting[index] = !hasGivenUp[index];
            retryAtNs[index] = nowNs + random.nextLong(RETRY_NS);
        }
    }

    @Override
    public void liveAgain(final long nowNs, final int index) {
        drop(index);
        attempts[index]++;
        firstAttempts[index] = attempts[index];
        isWaiting[index] = true;
        retryAtNs[index] = nowNs + random.nextLong(RETRY_NS);
    }

    private void disconnected(final long nowNs, final int index) {
        if (index >= 0) {
            if (++endsHeard[index] > 1) {
                violations.report("DISCONNECTED comes once", side.label() + " qp " + index, "it came once more");
            }
            disconnect(nowNs, index);
        }
    }

    @Override
    public void forgive(final int index) {
        hasGivenUp[index] = false;
    }

    @Override
    public void deviceDied() {
        for (int i = 0; i < ids.length; i++) {
            final AppConnection connection = connections[i];
            connection.onDeviceDied();
            hasGivenUp[i] |= !connection.isEstablished();
            isWaiting[i] = false;
        }
    }

    /** The device refused: nothing more can be done on it. */
    private void failed(final long nowNs, final int index, final VerbsException e) {
        history.note(nowNs, side.ordinal(), index, "control call failed: " + e.getMessage());
        if (index >= 0 && !connections[index].isEstablished()) {
            hasGivenUp[index] = true;
        }
        if (scenario.mustSurvive()) {
            violations.report("control calls work", side.label() + " qp " + index, String.valueOf(e.getMessage()));
        }
    }

    @Override
    public long sinceLastEndNs(final long nowNs, final long mostNs) {
        return hasEnded ? Math.min(nowNs - lastEndNs, mostNs) : mostNs;
    }

    @Override
    public void disconnect(final long nowNs) {
        isEnding = true;
        for (int i = 0; i < ids.length; i++) {
            isWaiting[i] = false;
            disconnect(nowNs, i);
        }
    }

    private void disconnect(final long nowNs, final int index) {
        final CmId id = ids[index];
        final AppConnection connection = connections[index];
        if (id == null || !connection.isEstablished() || connection.isDisconnected()) {
            return;
        }
        call(nowNs, index, 3);
        hasEnded = true;
        lastEndNs = nowNs;
        connection.onDisconnect();
        try {
            id.disconnect();
        } catch (final VerbsException e) {
            failed(nowNs, index, e);
        }
    }

    @Override
    public void end(final long nowNs, final int index, final Ending how) {
        final CmId id = ids[index];
        final QueuePair qp = connections[index].qp();
        switch (how) {
            case DISCONNECTED -> disconnect(nowNs, index);
            case MOVED_TO_ERR -> {
                connections[index].onFlushAllowed();
                if (qp != null) {
                    qp.modify(new QpAttributes().qpState(QpState.ERR));
                }
            }
            case DESTROYED -> {
                hasGivenUp[index] = id != null;
                drop(index);
            }
            default -> {
                // All is closed as it is.
            }
        }
    }

    @Override
    public void end(final long nowNs, final int index, final EarlyEnd.Kind how) {
        final CmId id = Objects.requireNonNull(ids[index], "it stands");
        final QueuePair qp = Objects.requireNonNull(connections[index].qp(), "it stands");
        switch (how) {
            case DISCONNECTED -> end(nowNs, index, Ending.DISCONNECTED);
            case MOVED_TO_ERR -> end(nowNs, index, Ending.MOVED_TO_ERR);
            case CLOSED -> end(nowNs, index, Ending.DESTROYED);
            case MOVED_TO_RESET -> {
                hasGivenUp[index] = true;
                connections[index].detach();
                qp.modify(new QpAttributes().qpState(QpState.RESET));
                host.forget(qp);
            }
            case DESTROYED -> {
                hasGivenUp[index] = true;
                connections[index].detach();
                id.destroyQp();
            }
        }
    }

    @Override
    public boolean isOver(final int index) {
        return ids[index] == null || endsHeard[index] > 0;
    }

    private void drop(final int index) {
        final CmId id = ids[index];
        ids[index] = null;
        endsHeard[index] = 0;
        if (id != null) {
            connections[index].detach();
            objects.resources().closeNow(id);
        }
    }

    @Override
    public void close() {
        for (int i = 0; i < ids.length; i++) {
            drop(i);
        }
        if (listener != null) {
            objects.resources().closeNow(listener);
        }
    }

    private void call(final long nowNs, final int index, final int code) {
        history.add(nowNs, side.ordinal(), index, HistoryEvent.CM_CALL, code, attempts[index]);
    }

    private int indexOf(final CmId id) {
        for (int i = 0; i < ids.length; i++) {
            if (ids[i] == id) {
                return i;
            }
        }
        return -1;
    }
}
