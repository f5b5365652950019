package io.vhca.physical.soft.engine;

import io.vhca.api.AsyncEvent;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.physical.soft.carrier.Carrier;
import io.vhca.physical.soft.engine.core.EngineCore;
import io.vhca.physical.soft.engine.core.NicCounters;
import io.vhca.physical.soft.engine.core.NicEvents;
import io.vhca.physical.soft.engine.core.Ownership;
import io.vhca.physical.soft.engine.core.SoftNicConfig;
import io.vhca.physical.soft.engine.port.PacketOutput;
import io.vhca.physical.soft.engine.port.Port;
import io.vhca.physical.soft.engine.qp.QpContext;
import io.vhca.physical.soft.engine.qp.QpTable;
import io.vhca.physical.soft.engine.qp.RunQueue;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The duty cycle of a soft device, and what its parts have in common. It has no thread: whoever calls {@link #run} owns
 * the engine for that call, and a call that finds it owned returns at once.
 */
final class Engine implements EngineCore {
    private static final int MOST_BATCHES = 16;

    private final String name;
    private final Carrier carrier;
    private final SoftNicConfig config;
    private final NicEvents events;
    private final NicCounters counters;
    private final Ownership ownership = new Ownership();
    private final QpTable qps;
    private final Port port;
    private final PacketOutput output;
    private final ManagementQp management;
    private final PacketInput input;
    private final RunQueue turns;
    private final @Nullable InlineDrive inline;
    private volatile boolean isDead;
    private boolean isClosed;
    private long nowNs;

    Engine(
            final String name,
            final Carrier carrier,
            final SoftNicConfig config,
            final NicEvents events) {
        this.name = name;
        this.carrier = carrier;
        this.config = config;
        this.events = events;
        counters = new NicCounters(name);
        qps = new QpTable(this, config.random());
        port = new Port(this, carrier, () -> qps.forEach(QpContext::portWentDown));
        output = new PacketOutput(this, port, carrier);
        management = new ManagementQp(port, output, counters, events);
        input = new PacketInput(this, port, qps, management);
        turns = new RunQueue(port.createRate());
        final LongSupplier clock = config.inlineClock();
        inline = clock == null ? null : new InlineDrive(this, clock);
    }

    /** The parts that objects are made with. */
    Port port() {
        return port;
    }

    PacketOutput output() {
        return output;
    }

    ManagementQp management() {
        return management;
    }

    QpTable qps() {
        return qps;
    }

    RunQueue turns() {
        return turns;
    }

    // The duty cycle.

    /**
     * One duty cycle, or several while doorbells ring.
     *
     * @param isReceiving false to leave received packets where they are
     * @return how much was done; 0 also when another thread owns the engine
     */
    int run(final long now, final boolean isReceiving) {
        return run(now, isReceiving, false);
    }

    /**
     * As {@link #run(long, boolean)}. {@code isHolding} leaves what is sent in the carrier until it is full, and
     * answers to what is received now for the next cycle: requests that are posted until then go in front of them.
     * They wait for nothing else: that cycle sends them before it receives, for their sender waits as well.
     */
    int run(final long now, final boolean isReceiving, final boolean isHolding) {
        int work = 0;
        // A doorbell that rang while the engine was owned would wait for the next call: look again after giving it up.
        do {
            if (!ownership.tryTake()) {
                return work;
            }
            try {
                work += runOwned(now, isReceiving, isHolding);
            } finally {
                ownership.release();
            }
        } while (turns.hasRung());
        return work;
    }

    private int runOwned(final long now, final boolean isReceiving, final boolean isHolding) {
        nowNs = now;
        if (isClosed) {
            turns.takeRung();
            return 0;
        }
        final boolean isLate = !isDead && turns.isDue(now);
        int work = isLate ? receiveAll(now) : 0;
        if (isHolding) {
            work += takeTurns(now);
            if (output.hasAnswers()) {
                send();
            }
        }
        if (!isDead && !isLate) {
            port.check(now);
            work += isReceiving ? carrier.receive(input, config.receiveBatch()) : 0;
        }
        if (!isHolding) {
            work += takeTurnsAndSend(now);
        }
        return work;
    }

    /**
     * Takes what has come before a timer that expired is told: where the process stood still, the answer that the timer
     * waits for may have. A flood keeps no timer waiting for longer than so many batches.
     */
    private int receiveAll(final long now) {
        port.check(now);
        final int batch = config.receiveBatch();
        int work = 0;
        int received = batch;
        for (int i = 0; i < MOST_BATCHES && received >= batch; i++) {
            received = carrier.receive(input, batch);
            work += received;
        }
        return work;
    }

    private int takeTurns(final long now) {
        int work = turns.takeRung();
        work += turns.fire(now);
        work += turns.run(config.burstPackets(), now);
        return work;
    }

    private int takeTurnsAndSend(final long now) {
        final int work = takeTurns(now);
        send();
        return work;
    }

    private void send() {
        if (!isDead) {
            carrier.flush();
            output.flushed();
        }
    }

    /** Whether there is something to send, which a duty cycle leaves where pollers run the engine. */
    private boolean isHeld() {
        return output.hasGathered() || turns.hasWork();
    }

    /** Sends what a duty cycle left; nothing where another thread owns the engine and will. */
    @Override
    public void sendHeld() {
        if (inline != null && isHeld()) {
            inline.sendHeld();
        }
    }

    /** When {@link #run} must be called next though no packet arrives. Any thread. */
    long nextDeadlineNs() {
        ownership.take();
        try {
            return turns.nextDeadlineNs();
        } finally {
            release();
        }
    }

    /** True when another thread runs it, for the length of a duty cycle. Any thread. */
    boolean isRunElsewhere() {
        return ownership.isOthers();
    }

    /** True when {@link #run} has something to do at once, packets that wait in the carrier apart. Any thread. */
    boolean hasWork() {
        return turns.hasWork();
    }

    /** The sending side of every connected queue pair hangs. */
    void stallSenders() {
        qps.forEach(QpContext::stall);
    }

    /** The oldest send of every queue pair fails, and the queue pair with it. */
    void failSenders() {
        qps.forEach(QpContext::failOldestSend);
    }

    /** The device dies; false when it was dead already. */
    boolean die() {
        assert isOwner() : "only the owner kills the device";
        if (isDead) {
            return false;
        }
        isDead = true;
        port.kill();
        qps.forEach(QpContext::die);
        return true;
    }

    /** The device is closed, all objects of it before. Idempotent. */
    void close() {
        assert isOwner() && qps.size() == 0 : "the owner closes a device without objects";
        if (!isClosed) {
            isClosed = true;
            isDead = true;
            port.kill();
            output.free();
        }
    }

    // EngineCore.

    @Override
    public String name() {
        return name;
    }

    @Override
    public SoftNicConfig config() {
        return config;
    }

    @Override
    public NicCounters counters() {
        return counters;
    }

    @Override
    public void queuePairFault(final Throwable e) {
        counters.queuePairFault(e);
    }

    @Override
    public long nowNs() {
        assert isOwner() : "the time of the duty cycle is its owner's";
        return nowNs;
    }

    @Override
    public boolean isDead() {
        return isDead;
    }

    @Override
    public void acquire() {
        ownership.take();
        try {
            sendUnanswered();
        } catch (final RuntimeException | Error e) {
            // Nobody else could ever run the device, and whoever asked for it does not give it back.
            ownership.release();
            throw e;
        }
    }

    /**
     * What a poll received is answered before anything changes: its poller has the completions, and closes the queue
     * pair or the device because of them. The peer must not take for lost what has arrived.
     */
    private void sendUnanswered() {
        if (inline != null && !isClosed && isHeld()) {
            takeTurnsAndSend(nowNs);
        }
    }

    @Override
    public void acquireFor(final String verb) {
        acquire();
        if (isDead) {
            ownership.release();
            requireAlive(verb);
        }
    }

    @Override
    public void release() {
        ownership.release();
    }

    @Override
    public boolean isOwner() {
        return ownership.isMine();
    }

    @Override
    public void raise(final AsyncEvent event) {
        assert isOwner() : "only the owner raises events";
        events.asyncEvent(event);
    }

    @Override
    public void destroyed(final Object object) {
        assert isOwner() : "only the owner destroys";
        events.destroyed(object);
    }

    @Override
    public void firstRequest(final int qpNum) {
        assert isOwner() : "only the owner takes requests";
        events.firstRequest(qpNum);
    }

    @Override
    public void notifyCq(final CompletionQueue cq) {
        assert isOwner() : "only the owner completes";
        events.cqEvent(cq);
    }

    @Override
    public boolean driveInline() {
        return inline != null && inline.onPoll(false);
    }

    @Override
    public boolean driveHolding() {
        return inline != null && inline.onPoll(true);
    }

    @Override
    public void driveSends(final boolean isAnswerDue) {
        if (inline != null) {
            inline.onPost(isAnswerDue);
        }
    }

    @Override
    public void require(final String verb, final boolean isRight, final String rule) {
        if (!isRight) {
            throw new VerbsException(verb, Errno.EINVAL, name, rule);
        }
    }

    /** Throws EIO on a dead device. Any thread. */
    void requireAlive(final String verb) {
        if (isDead) {
            throw new VerbsException(verb, Errno.EIO, name, "the device is dead: close its objects and open it again");
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
