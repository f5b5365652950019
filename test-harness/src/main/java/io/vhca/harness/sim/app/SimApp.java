package io.vhca.harness.sim.app;

import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.api.CompletionQueue;
import io.vhca.api.MemoryRegion;
import io.vhca.api.QueuePair;
import io.vhca.api.WorkCompletion;
import io.vhca.harness.sim.check.DatagramBook;
import io.vhca.harness.sim.check.Directions;
import io.vhca.harness.sim.core.Draws;
import io.vhca.harness.sim.core.Feature;
import io.vhca.harness.sim.core.History;
import io.vhca.harness.sim.core.HistoryEvent;
import io.vhca.harness.sim.core.Side;
import io.vhca.harness.sim.core.Violations;
import io.vhca.harness.sim.host.SimHost;
import io.vhca.harness.sim.scenario.Scenario;
import io.vhca.harness.sim.scenario.Trait;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * One simulated application: opens its device, connects or listens, and from then on wakes at random times, polls,
 * posts, and refills. It knows nothing of bonds.
 *
 * <p>The simulator's thread. {@link #doWork} once its time has come; {@link #close} at the end.
 */
public final class SimApp {
    private static final long MOST_IDLE_NS = 2_000_000;

    private final Side side;
    private final Scenario scenario;
    private final SimHost host;
    private final SplittableRandom random;
    private final History history;
    private final Violations violations;
    private final WrBlock wrs;
    private final AppConnection[] connections;
    private final AppObjects objects;
    private final Connector cm;
    private final DatagramTraffic datagrams;
    private long nextNs;
    private long idleNs;

    public SimApp(
            final Side side, final Scenario scenario, final SimHost host, final AppMemory memory,
            final Directions directions, final DatagramBook book, final Rendezvous rendezvous,
            final History history, final Violations violations) {
        this.side = side;
        this.scenario = scenario;
        this.host = host;
        wrs = memory.wrs();
        this.history = history;
        this.violations = violations;
        random = Draws.stream(scenario.seed(), side.ordinal());
        objects = new AppObjects(side, scenario, host.context(), memory, violations);
        connections = new AppConnection[scenario.qps().size()];
        for (int i = 0; i < connections.length; i++) {
            connections[i] = new AppConnection(
                    i, side, scenario, memory, objects, random.split(), history, violations);
            directions.memory(side, i, connections[i].forPeer(objects.commonWord().addr()));
        }
        datagrams = new DatagramTraffic(side, scenario, host, memory, objects, book, history, violations);
        cm = scenario.has(Trait.OUT_OF_BAND)
                ? new OutOfBandConnector(
                        side, scenario, host, objects, connections, directions, rendezvous, random.split(), history,
                        violations)
                : new ConnectionManager(
                        side, scenario, host, objects, connections, directions, random.split(), history, violations);
        nextNs = scenario.network().startNs();
        idleNs = scenario.maxPollNs();
    }

    Side side() {
        return side;
    }

    public AppConnection connection(final int index) {
        return connections[index];
    }

    public Connector cm() {
        return cm;
    }

    /** True while a connection is without a path. */
    boolean isRecovering(final int index) {
        final QueuePair qp = connections[index].qp();
        return qp != null && host.isRecovering(qp);
    }

    /** The word that atomics of all connections to this side share. */
    MemoryRegion commonWord() {
        return objects.commonWord();
    }

    public long nextDeadlineNs() {
        return nextNs;
    }

    /** Wakes up if its time has come. Returns how much it did. */
    public int doWork(final long nowNs, final SimHost peer) {
        if (nextNs - nowNs > 0) {
            return 0;
        }
        int work = cm.doWork(nowNs, peer) + drainAsyncEvents(nowNs);
        final int wakeups = objects.cqs().takeWakeups();
        history.used(Feature.WAKE_UP, wakeups);
        work += wakeups;
        final boolean isSilent = isSilent(nowNs);
        for (final CompletionQueue cq : objects.cqs().all()) {
            work += objects.cqs().isAwake(cq) && !isSilent ? poll(nowNs, cq) : 0;
        }
        final SharedReceives shared = objects.shared();
        if (shared != null) {
            shared.refill(random.nextInt(scenario.sharedReceives().of(side) + 1));
        }
        for (final AppConnection connection : connections) {
            if (random.nextInt(4) != 0) {
                connection.refill(nowNs, false);
            }
            if (random.nextInt(4) != 0) {
                work += connection.post(nowNs);
            }
            connection.change(nowNs);
        }
        datagrams.doWork(nowNs, peer);
        schedule(nowNs, work);
        return work;
    }

    private void schedule(final long nowNs, final int work) {
        idleNs = work > 0 ? scenario.maxPollNs() : Math.min(MOST_IDLE_NS, idleNs * 2);
        nextNs = nowNs + 1 + random.nextLong(Math.max(1, idleNs));
    }

    /** Wakes up now: something happened that an application would wait for. */
    void wake(final long nowNs) {
        idleNs = scenario.maxPollNs();
        nextNs = nowNs;
    }

    private boolean isSilent(final long nowNs) {
        for (final AppConnection connection : connections) {
            if (connection.isSilent(nowNs)) {
                return true;
            }
        }
        return false;
    }

    private int poll(final long nowNs, final CompletionQueue cq) {
        final WorkCompletion completions = wrs.completions();
        final int most = random.nextInt(1, WrBlock.MAX_POLL + 1);
        final int count = cq.poll(completions.address(), most);
        for (int i = 0; i < count; i++) {
            dispatch(nowNs, completions.at(i));
        }
        if (count == 0) {
            objects.cqs().onEmpty(cq);
            for (final AppConnection connection : connections) {
                final QueuePair qp = connection.qp();
                if (qp != null && qp.sendCq() == cq) {
                    connection.onSendsEmpty();
                }
            }
        } else if (count < 0) {
            violations.report("poll works", side.label(), "poll answered " + count);
        }
        return Math.max(count, 0);
    }

    private void dispatch(final long nowNs, final WorkCompletion wc) {
        final AppConnection connection = byQpNum(wc.qpNum());
        final DatagramEnd end = connection == null ? datagrams.byQpNum(wc.qpNum()) : null;
        if (end != null) {
            datagrams.onCompletion(nowNs, end, wc);
        } else if (connection == null) {
            violations.report(
                    "completed once and in order", side.label(),
                    "a completion for QP number " + wc.qpNum() + ", which is gone");
        } else if (wc.wrId() >= WrIds.FIRST_RECV) {
            connection.onRecvCompletion(nowNs, wc);
        } else {
            connection.onSendCompletion(nowNs, wc);
        }
    }

    private @Nullable AppConnection byQpNum(final int qpNum) {
        for (final AppConnection connection : connections) {
            final QueuePair qp = connection.qp();
            if (qp != null && qp.qpNum() == qpNum) {
                return connection;
            }
        }
        return null;
    }

    /** A device may say in an event alone why it flushes; a bond has to say it in a completion, where one is due. */
    private void onAsyncEvent(final long nowNs, final AsyncEvent event) {
        if (event.type() == AsyncEventType.DEVICE_FATAL) {
            cm.deviceDied();
        } else if (event.type() == AsyncEventType.SQ_DRAINED && event.qp() != null) {
            final AppConnection connection = byQpNum(event.qp().qpNum());
            if (connection != null) {
                connection.onDrained(nowNs);
            }
        } else if (event.type() == AsyncEventType.QP_FATAL && event.qp() != null) {
            final AppConnection connection = byQpNum(event.qp().qpNum());
            if (connection != null) {
                connection.onFatal(!scenario.isBond());
            }
        } else if (isOfRefusal(event.type()) && event.qp() != null) {
            final AppConnection connection = byQpNum(event.qp().qpNum());
            if (connection != null) {
                connection.onFlushAllowed();
            }
        }
    }

    /** Whose peer erred is told so by such an event alone. */
    private static boolean isOfRefusal(final AsyncEventType type) {
        return type == AsyncEventType.QP_ACCESS_ERR || type == AsyncEventType.QP_REQ_ERR;
    }

    private int drainAsyncEvents(final long nowNs) {
        int events = 0;
        for (AsyncEvent event = host.context().getAsyncEvent(0); event != null;
                event = host.context().getAsyncEvent(0)) {
            history.add(nowNs, side.ordinal(), -1, HistoryEvent.ASYNC_EVENT, event.type().code(), event.portNum());
            host.context().ackAsyncEvent(event);
            onAsyncEvent(nowNs, event);
            events++;
        }
        return events;
    }

    /** True when every connection is done, given which of the peer's have failed. */
    public boolean isFinished(final SimApp peer, final boolean isPeerDead) {
        for (final AppConnection connection : connections) {
            if (!isFinished(connection, peer, isPeerDead)) {
                return false;
            }
        }
        return datagrams.isFinished(isPeerDead);
    }

    /** Datagrams that were posted and have not arrived. */
    public int datagramsLost() {
        return datagrams.lost();
    }

    /** What is left to do, in words. */
    public String unfinished(final SimApp peer, final boolean isPeerDead) {
        for (final AppConnection connection : connections) {
            if (!isFinished(connection, peer, isPeerDead)) {
                return side.label() + " qp " + connection.index() + ": " + connection.unfinished();
            }
        }
        return datagrams.unfinished(isPeerDead);
    }

    /** True when one connection is done, both processes alive. */
    boolean isFinished(final int index, final SimApp peer) {
        return isFinished(connections[index], peer, false);
    }

    private boolean isFinished(final AppConnection connection, final SimApp peer, final boolean isPeerDead) {
        final int index = connection.index();
        return cm.hasGivenUp(index) || connection.isFinished(isPeerDead || peer.hasEnded(index));
    }

    /** It posts nothing more, and nobody else need know; a bond finds out. */
    private boolean hasEnded(final int index) {
        final AppConnection connection = connections[index];
        final boolean isAlone = !scenario.isBond() && !scenario.mustSurvive();
        return connection.hasFailed() || cm.hasGivenUp(index) || isAlone && connection.isCutOff();
    }

    /** Ends every connection; the flushes are polled by {@link #doWork}. */
    public void disconnect(final long nowNs) {
        cm.disconnect(nowNs);
        datagrams.end();
        wake(nowNs);
    }

    /** For how long it has ended no connection; at most {@code mostNs}. */
    public long sinceLastEndNs(final long nowNs, final long mostNs) {
        return cm.sinceLastEndNs(nowNs, mostNs);
    }

    /** Closes all that the application opened, and the device. */
    public void close(final long nowNs) {
        cm.close();
        objects.resources().closeAll();
        history.add(nowNs, side.ordinal(), -1, HistoryEvent.CLOSED, 0, 0);
    }
}
