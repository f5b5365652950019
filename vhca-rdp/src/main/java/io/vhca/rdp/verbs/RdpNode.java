package io.vhca.rdp.verbs;

import io.vhca.api.CompletionChannel;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.WcFlags;
import io.vhca.api.WcOpcode;
import io.vhca.api.WcStatus;
import io.vhca.api.WorkCompletion;
import io.vhca.rdp.common.RdpConfig;
import io.vhca.rdp.engine.Buffer;
import io.vhca.rdp.engine.RdpEngine;
import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The engine with its connections over one open device: everything that has turns, in one. It has no thread; who owns
 * it calls {@link #doWork}, one thread at a time.
 */
public final class RdpNode implements AutoCloseable {
    private static final int BATCH = 64;
    private static final int MOST_BATCHES = 16;

    /** What closes what it has of the device, the last that was made first. */
    private final ArrayDeque<Runnable> made = new ArrayDeque<>();

    private final CompletionChannel wake;
    private final CompletionQueue cq;
    private final Connections connections;
    private final RdpEngine engine;
    private final Arena arena = Arena.ofShared();
    private final WorkCompletion wc = WorkCompletion.allocate(arena, BATCH);
    /** All that was in the queue by then was taken. */
    private long takenToNs;

    /** By then was in the queue what is being taken; so much of that, and of what came behind, was. */
    private long markedNs;

    private int takenSince;

    /**
     * Begins to listen.
     *
     * @param context an open device; its {@link Context#ipGid} is how other nodes know this one
     * @throws io.vhca.api.VerbsException EADDRINUSE where another driver listens at this address and port
     */
    public RdpNode(final Context context, final RdpConfig config, final SplittableRandom random, final long nowNs) {
        made.push(arena::close);
        takenToNs = nowNs;
        markedNs = nowNs;
        boolean isDone = false;
        try {
            final ProtectionDomain pd = context.allocPd();
            made.push(pd::close);
            final DeviceMemory memory = new DeviceMemory(pd);
            made.push(memory::close);
            wake = context.createCompChannel();
            made.push(wake::close);
            cq = context.createCq(2 * Connections.completionsOfSession(config), null, wake);
            made.push(cq::close);
            connections = new Connections(
                    context, pd, cq,
                    transport -> new RdpEngine(config, context.ipGid(1).address(), transport, memory, memory, nowNs),
                    config, random);
            made.push(connections::close);
            engine = connections.engine();
            made.push(engine::close);
            isDone = true;
        } finally {
            if (!isDone) {
                closeDevice();
            }
        }
    }

    public RdpEngine engine() {
        return engine;
    }

    /** Where a completion wakes whoever waits for one; {@link #arm} first. */
    public CompletionChannel wake() {
        return wake;
    }

    /**
     * Asks for a wake-up at the next completion, and at the next event of the connection manager; what came before is
     * to be taken after this.
     *
     * @return false where the connection manager wakes nobody: it is to be asked
     */
    public boolean arm() {
        cq.reqNotify(false);
        return connections.onEvent(wake::wakeUp);
    }

    /** Takes what the device has, and lets everything happen that is due; how much that was. */
    public int doWork(final long nowNs) {
        engine.begin(nowNs);
        int work = poll(nowNs);
        work += connections.doWork();
        return work + engine.doWork(nowNs, takenToNs);
    }

    /** Takes completions alone: what a thread does that waits for one. */
    private int poll(final long nowNs) {
        int work = 0;
        int polled = BATCH;
        for (int batch = 0; batch < MOST_BATCHES && polled == BATCH; batch++) {
            polled = cq.poll(wc);
            for (int i = 0; i < polled; i++) {
                wc.at(i);
                onCompletion(wc.wrId());
            }
            work += Math.max(0, polled);
        }
        // A queue that gives a few may have them in front of what its device has not looked at yet.
        taken(nowNs, work, polled <= 0);
        return work;
    }

    /**
     * After a pause there may be more than a turn takes: until that is taken nobody knows who was silent. Where there
     * is always more, that is so once as many were taken as the queue holds.
     */
    private void taken(final long nowNs, final int count, final boolean isAll) {
        takenSince += count;
        if (isAll || takenSince >= cq.cqe()) {
            takenToNs = isAll ? nowNs : markedNs;
            markedNs = nowNs;
            takenSince = 0;
        }
    }

    private void onCompletion(final long wrId) {
        final Session session = connections.session(WrIdDescriptor.node(wrId), WrIdDescriptor.session(wrId));
        if (session == null) {
            return;
        }
        if (wc.status() != WcStatus.SUCCESS.code()) {
            // Where no connection came of it, the connection manager says why, and by which name to call instead.
            if (session.isUp()) {
                engine.nodes().onDown(session.peer());
            }
            return;
        }
        final int pool = WrIdDescriptor.pool(wrId);
        final Buffer buffer = engine.arrivals().pool(pool).buffer(WrIdDescriptor.index(wrId));
        if (engine.arrivals().isReceivePool(pool)) {
            if (wc.opcode() == WcOpcode.RECV_RDMA_WITH_IMM.code()) {
                engine.arrivals().onPlaced(session.peer(), pool, buffer, wc.byteLen(), wc.immData());
            } else if ((wc.wcFlags() & WcFlags.WITH_IMM) != 0) {
                engine.arrivals().onImmediate(session.peer(), pool, buffer, wc.byteLen(), wc.immData());
            } else {
                engine.arrivals().onReceived(session.peer(), pool, buffer, wc.byteLen());
            }
        } else {
            engine.arrivals().onSent(buffer);
        }
    }

    public long nextDeadlineNs() {
        return engine.nextDeadlineNs();
    }

    /**
     * Ends all sessions and gives everything back; the device stays open. What the device does not take back keeps
     * nothing else open, and is tried again by closing it again.
     */
    @Override
    public void close() {
        closeDevice();
    }

    private void closeDevice() {
        @Nullable RuntimeException first = null;
        for (final Iterator<Runnable> left = made.iterator(); left.hasNext(); ) {
            try {
                left.next().run();
                left.remove();
            } catch (final RuntimeException e) {
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }
}
