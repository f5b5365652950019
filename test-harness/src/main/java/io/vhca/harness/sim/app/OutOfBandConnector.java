package io.vhca.harness.sim.app;

import io.vhca.api.AccessFlags;
import io.vhca.api.AhAttributes;
import io.vhca.api.Gid;
import io.vhca.api.Mtu;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpState;
import io.vhca.api.QueuePair;
import io.vhca.api.VerbsException;
import io.vhca.harness.sim.check.Directions;
import io.vhca.harness.sim.core.Feature;
import io.vhca.harness.sim.core.History;
import io.vhca.harness.sim.core.HistoryEvent;
import io.vhca.harness.sim.core.Side;
import io.vhca.harness.sim.core.Violations;
import io.vhca.harness.sim.host.SimHost;
import io.vhca.harness.sim.scenario.EarlyEnd;
import io.vhca.harness.sim.scenario.Ending;
import io.vhca.harness.sim.scenario.QpScenario;
import io.vhca.harness.sim.scenario.Scenario;
import java.util.Arrays;
import java.util.Objects;
import java.util.SplittableRandom;

/**
 * Brings queue pairs up by modifyQp alone; what they are is exchanged out of band. All that live again do so at the
 * same time: each is moved to RESET, and comes to another peer where all are of one kind.
 *
 * <pre>
 *   FRESH -- INIT, receives, offer --> OFFERED -- the peer's offer, RTR --> READY -- RTS --> UP
 *     '--------- at its side's own time, RESET of all -------- OVER <-- it lives again --'
 * </pre>
 */
final class OutOfBandConnector implements Connector {
    private static final long LONGEST_STEP_NS = 1_000_000;
    private static final int MAX_RD_ATOMIC = 4;
    private static final int MAX_RNR_TIMER = 14;
    private static final int PSN_MASK = 0xff_ffff;

    private final Side side;
    private final Scenario scenario;
    private final SimHost host;
    private final AppObjects objects;
    private final AppConnection[] connections;
    private final Directions directions;
    private final Rendezvous rendezvous;
    private final SplittableRandom random;
    private final History history;
    private final Violations violations;
    private final QueuePair[] qps;
    private final Stage[] stages;
    private final long[] dueNs;
    private final boolean[] hasGivenUp;
    private final boolean canSwap;
    private int life;
    private boolean mustReset;
    private long resetNs;
    private boolean isEnding;
    private boolean hasEnded;
    private long lastEndNs;

    /** How far one end is. */
    private enum Stage {
        FRESH,
        OFFERED,
        READY,
        UP,
        OVER
    }

    OutOfBandConnector(
            final Side side, final Scenario scenario, final SimHost host, final AppObjects objects,
            final AppConnection[] connections, final Directions directions, final Rendezvous rendezvous,
            final SplittableRandom random, final History history, final Violations violations) {
        this.side = side;
        this.scenario = scenario;
        this.host = host;
        this.objects = objects;
        this.connections = connections;
        this.directions = directions;
        this.rendezvous = rendezvous;
        this.random = random;
        this.history = history;
        this.violations = violations;
        final int count = connections.length;
        qps = new QueuePair[count];
        stages = new Stage[count];
        Arrays.fill(stages, Stage.FRESH);
        dueNs = new long[count];
        hasGivenUp = new boolean[count];
        for (int i = 0; i < count; i++) {
            qps[i] = objects.resources().opened(objects.pd().createQp(objects.qpAttributes(i)));
            dueNs[i] = scenario.network().startNs() + random.nextLong(LONGEST_STEP_NS);
        }
        canSwap = scenario.qps().stream().map(QpScenario::isSignalAll).distinct().count() == 1;
    }

    @Override
    public void listen() {
        // Nobody connects to a port.
    }

    @Override
    public boolean hasGivenUp(final int index) {
        return hasGivenUp[index];
    }

    /** The left side's queue pairs change places with each life, so that each meets other peers. */
    private QueuePair qp(final int index) {
        return qps[side == Side.LEFT && canSwap ? (index + life) % qps.length : index];
    }

    @Override
    public int doWork(final long nowNs, final SimHost peer) {
        if (mustReset && resetNs - nowNs <= 0) {
            reset(nowNs);
        }
        int work = 0;
        for (int i = 0; i < stages.length && !isEnding; i++) {
            if (stages[i].ordinal() < Stage.UP.ordinal() && dueNs[i] - nowNs <= 0 && !hasGivenUp[i]) {
                work += tryStep(nowNs, i, peer) ? 1 : 0;
            }
        }
        return work;
    }

    private void reset(final long nowNs) {
        mustReset = false;
        life++;
        for (final AppConnection connection : connections) {
            connection.detach();
        }
        for (final QueuePair qp : qps) {
            qp.modify(new QpAttributes().qpState(QpState.RESET));
            host.forget(qp);
            history.used(Feature.RESET, 1);
        }
        Arrays.fill(stages, Stage.FRESH);
        for (int i = 0; i < dueNs.length; i++) {
            dueNs[i] = nowNs + random.nextLong(LONGEST_STEP_NS);
        }
    }

    private boolean tryStep(final long nowNs, final int index, final SimHost peer) {
        try {
            return step(nowNs, index, peer);
        } catch (final VerbsException e) {
            history.note(nowNs, side.ordinal(), index, "control call failed: " + e.getMessage());
            hasGivenUp[index] = true;
            // A peer that is ahead may have erred already.
            final boolean mayFail = directions.mistakenSide(index) != null && qp(index).state() == QpState.ERR;
            if (scenario.mustSurvive() && !mayFail) {
                violations.report("control calls work", side.label() + " qp " + index, String.valueOf(e.getMessage()));
            }
            return true;
        }
    }

    private boolean step(final long nowNs, final int index, final SimHost peer) {
        final Rendezvous.Offer offer = rendezvous.get(side.other(), index, life);
        if (stages[index] != Stage.FRESH && offer == null) {
            return false;
        }
        call(nowNs, index, stages[index].ordinal());
        switch (stages[index]) {
            case FRESH -> makeOffer(nowNs, index);
            case OFFERED -> toRtr(index, Objects.requireNonNull(offer), peer);
            default -> toRts(index, Objects.requireNonNull(offer));
        }
        stages[index] = Stage.values()[stages[index].ordinal() + 1];
        dueNs[index] = nowNs + random.nextLong(LONGEST_STEP_NS);
        return true;
    }

    private void makeOffer(final long nowNs, final int index) {
        final AppConnection connection = connections[index];
        directions.attempt(index, life);
        qp(index).modify(new QpAttributes()
                .qpState(QpState.INIT)
                .pkeyIndex(0)
                .portNum(1)
                .accessFlags(AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_ATOMIC));
        connection.attach(qp(index), directions.of(index, side), directions.of(index, side.other()));
        connection.refill(nowNs, true);
        rendezvous.put(side, index, new Rendezvous.Offer(
                life, qp(index).qpNum(), random.nextInt() & PSN_MASK,
                new ConnectionInfo(
                        index, life, connection.rkey(), connection.regionAddress(), objects.commonWord().rkey(),
                        objects.commonWord().addr())));
    }

    private void toRtr(final int index, final Rendezvous.Offer offer, final SimHost peer) {
        qp(index).modify(new QpAttributes()
                .qpState(QpState.RTR)
                .ah(AhAttributes.to(Gid.of(peer.address(0).getAddress())))
                .pathMtu(Mtu.MTU_1024)
                .destQpNum(offer.qpNum())
                .rqPsn(offer.sqPsn())
                .maxDestRdAtomic(MAX_RD_ATOMIC)
                .minRnrTimer(connections[index].rnr().timer(random.nextInt(1, MAX_RNR_TIMER))));
    }

    private void toRts(final int index, final Rendezvous.Offer offer) {
        final Rendezvous.Offer own = Objects.requireNonNull(rendezvous.get(side, index, life));
        qp(index).modify(new QpAttributes()
                .qpState(QpState.RTS)
                .timeout(scenario.transport().ackTimeout())
                .retryCnt(scenario.transport().retryCnt())
                .rnrRetry(connections[index].rnr().patience().retries())
                .sqPsn(own.sqPsn())
                .maxRdAtomic(MAX_RD_ATOMIC));
        connections[index].establish(offer.info());
    }

    @Override
    public void liveAgain(final long nowNs, final int index) {
        connections[index].endLife();
        stages[index] = Stage.OVER;
        if (!mustReset) {
            mustReset = true;
            resetNs = nowNs + random.nextLong(LONGEST_STEP_NS);
        }
    }

    @Override
    public void forgive(final int index) {
        hasGivenUp[index] = false;
    }

    @Override
    public void deviceDied() {
        for (int i = 0; i < connections.length; i++) {
            connections[i].onDeviceDied();
            hasGivenUp[i] |= !connections[i].isEstablished();
        }
    }

    @Override
    public void disconnect(final long nowNs) {
        isEnding = true;
        for (int i = 0; i < connections.length; i++) {
            toError(nowNs, i);
        }
    }

    private void toError(final long nowNs, final int index) {
        final AppConnection connection = connections[index];
        final QueuePair qp = connection.qp();
        if (qp == null || !connection.isEstablished() || connection.isDisconnected()) {
            return;
        }
        call(nowNs, index, Stage.OVER.ordinal());
        hasEnded = true;
        lastEndNs = nowNs;
        connection.onDisconnect();
        qp.modify(new QpAttributes().qpState(QpState.ERR));
    }

    @Override
    public void end(final long nowNs, final int index, final Ending how) {
        switch (how) {
            case DISCONNECTED -> toError(nowNs, index);
            case MOVED_TO_ERR -> {
                connections[index].onFlushAllowed();
                qp(index).modify(new QpAttributes().qpState(QpState.ERR));
            }
            case DESTROYED -> {
                hasGivenUp[index] = true;
                connections[index].detach();
                objects.resources().closeNow(qp(index));
            }
            default -> {
                // All is closed as it is.
            }
        }
    }

    @Override
    public void end(final long nowNs, final int index, final EarlyEnd.Kind how) {
        switch (how) {
            case DISCONNECTED -> end(nowNs, index, Ending.DISCONNECTED);
            case MOVED_TO_ERR -> end(nowNs, index, Ending.MOVED_TO_ERR);
            case DESTROYED, CLOSED -> end(nowNs, index, Ending.DESTROYED);
            case MOVED_TO_RESET -> {
                hasGivenUp[index] = true;
                connections[index].detach();
                qp(index).modify(new QpAttributes().qpState(QpState.RESET));
                host.forget(qp(index));
            }
        }
    }

    @Override
    public boolean isOver(final int index) {
        return hasGivenUp[index] || connections[index].isInError();
    }

    @Override
    public long sinceLastEndNs(final long nowNs, final long mostNs) {
        return hasEnded ? Math.min(nowNs - lastEndNs, mostNs) : mostNs;
    }

    @Override
    public void close() {
        for (final AppConnection connection : connections) {
            connection.detach();
        }
    }

    private void call(final long nowNs, final int index, final int code) {
        history.add(nowNs, side.ordinal(), index, HistoryEvent.MODIFIED, code, life);
    }
}
