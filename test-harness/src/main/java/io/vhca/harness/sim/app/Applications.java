package io.vhca.harness.sim.app;

import io.vhca.api.QueuePair;
import io.vhca.harness.sim.check.DatagramBook;
import io.vhca.harness.sim.check.Directions;
import io.vhca.harness.sim.core.Deadlines;
import io.vhca.harness.sim.core.History;
import io.vhca.harness.sim.core.PerSide;
import io.vhca.harness.sim.core.Side;
import io.vhca.harness.sim.core.Violations;
import io.vhca.harness.sim.fault.Effect;
import io.vhca.harness.sim.fault.HostThread;
import io.vhca.harness.sim.host.Machines;
import io.vhca.harness.sim.host.ThreadTurns;
import io.vhca.harness.sim.scenario.Scenario;

/** The applications of both sides. One whose process is dead does nothing any more. */
public final class Applications {
    private final Scenario scenario;
    private final Machines machines;
    private final PerSide<SimApp> apps;
    private final Lives lives;

    /** Opens both; the right one listens. */
    public Applications(
            final Scenario scenario, final Machines machines, final PerSide<AppMemory> memory,
            final Directions directions, final DatagramBook datagrams, final History history,
            final Violations violations) {
        this.scenario = scenario;
        this.machines = machines;
        final Rendezvous rendezvous = new Rendezvous(scenario.qps().size());
        apps = PerSide.each(side -> new SimApp(
                side, scenario, machines.of(side), memory.of(side), directions, datagrams, rendezvous, history,
                violations));
        apps.right().cm().listen();
        lives = new Lives(scenario, apps, directions, history);
    }

    public SimApp of(final Side side) {
        return apps.of(side);
    }

    /** Wakes one up if its time has come. Returns how much it did. */
    public int doWork(final Side side, final long nowNs) {
        final ThreadTurns turns = machines.of(side).turns().of(HostThread.APPLICATION);
        if (of(side).nextDeadlineNs() - nowNs > 0 || !turns.mayRun(nowNs)) {
            return 0;
        }
        final int work = of(side).doWork(nowNs, machines.of(side.other()));
        turns.ran(nowNs);
        machines.of(side).turns().stir();
        return work;
    }

    /** When one of them wakes up next; {@link Deadlines#NONE} for never. */
    public long nextDeadlineNs() {
        long next = Deadlines.NONE;
        for (final Side side : Side.BOTH) {
            if (!machines.isDead(side)) {
                final ThreadTurns turns = machines.of(side).turns().of(HostThread.APPLICATION);
                next = Deadlines.earlier(next, turns.deadlineNs(of(side).nextDeadlineNs()));
            }
        }
        return next;
    }

    /** Ends the connections that have done their work and are to live again. */
    public void beginLives(final long nowNs) {
        if (machines.areAlive()) {
            if (lives.doWork(nowNs) > 0) {
                machines.stir();
            }
        }
    }

    /** True when nothing is left to do, and every device that came back is a member again. */
    public boolean isFinished() {
        if (machines.areAlive() && lives.isBetween()) {
            return false;
        }
        if (machines.areAlive() && scenario.mustSurvive() && !lives.areMistakenEnded()) {
            return false;
        }
        if (machines.areAlive() && scenario.mustSurvive() && lives.areEndsPending()) {
            return false;
        }
        for (final Side side : Side.BOTH) {
            if (!machines.isDead(side)
                    && !(of(side).isFinished(of(side.other()), machines.isDead(side.other()))
                            && missing(side).isEmpty())) {
                return false;
            }
        }
        return true;
    }

    /** What is left to do, in words; empty for nothing. */
    public String unfinished() {
        final StringBuilder text = new StringBuilder();
        for (final Side side : Side.BOTH) {
            if (!machines.isDead(side)) {
                final String part = of(side).unfinished(of(side.other()), machines.isDead(side.other()));
                text.append(text.isEmpty() || part.isEmpty() ? "" : "; ").append(part);
                if (!missing(side).isEmpty()) {
                    text.append("; ").append(missing(side)).append(" is not back");
                }
            }
        }
        if (text.isEmpty() && lives.areEndsPending()) {
            return "an end of a connection that an application ended has not heard of it";
        }
        if (text.isEmpty() && !lives.areMistakenEnded()) {
            return "an end of a connection whose application erred is not in ERR";
        }
        return text.toString();
    }

    /** The member that should be back and is not, empty for none. */
    private String missing(final Side side) {
        return scenario.has(Effect.MEMBER_RETURNS) ? machines.of(side).missing() : "";
    }

    /** Nothing is wrong any more: what the physical queue pairs are set to. */
    public void checkSettings(final History history) {
        for (final Side side : Side.BOTH) {
            for (int qp = 0; qp < scenario.qps().size() && !machines.isDead(side); qp++) {
                final AppConnection connection = of(side).connection(qp);
                final QueuePair own = connection.qp();
                if (own != null && connection.works()) {
                    connection.rnr().onQuiet(machines.of(side).carrierOf(own), history);
                }
            }
        }
    }

    /** True when either end of a connection has failed. */
    public boolean hasFailed(final int qp) {
        return apps.left().connection(qp).hasFailed() || apps.right().connection(qp).hasFailed();
    }

    /** Ends of connections that have failed. */
    public int failedEnds() {
        int failed = 0;
        for (int qp = 0; qp < scenario.qps().size(); qp++) {
            for (final Side side : Side.BOTH) {
                failed += of(side).connection(qp).hasFailed() ? 1 : 0;
            }
        }
        return failed;
    }

    /** Datagrams that were posted and have not arrived. */
    public int datagramsLost() {
        return apps.left().datagramsLost() + apps.right().datagramsLost();
    }
}
