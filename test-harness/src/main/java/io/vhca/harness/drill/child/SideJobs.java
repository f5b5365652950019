package io.vhca.harness.drill.child;

import io.vhca.api.Context;
import io.vhca.harness.drill.protocol.ChildFailure;
import io.vhca.harness.drill.protocol.DrillLine;
import io.vhca.harness.drill.protocol.Idling;
import io.vhca.harness.drill.protocol.QpGroup;
import io.vhca.harness.drill.protocol.SideTraffic;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** The sender's side traffic: each in a thread of its own, until it is told to finish. */
final class SideJobs {
    private static final long PATIENCE_MS = TimeUnit.MINUTES.toMillis(2);

    private final List<SideJob> jobs = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();

    /** Connects one kind of traffic to where the receiver listens for it. */
    void connect(final Context context, final SideTraffic kind, final DrillLine where, final long seed) {
        final InetSocketAddress peer = new InetSocketAddress(where.text("host"), (int) where.number("port"));
        final int count = kind.qps();
        jobs.add(switch (kind) {
            case BANK -> new BankJob(
                    group(context, count, BankJob.regionBytes(count), peer),
                    where.number("address"),
                    (int) where.number("rkey"),
                    seed);
            case SRQ -> new SharedSendJob(group(context, count, SharedSendJob.regionBytes(count), peer));
            case UD -> new DatagramJob(context, peer);
            case EXS -> new ExsStreamJob(context, peer);
            case RDP -> new RdpJob(context, peer);
        });
    }

    private static QpGroup group(
            final Context context, final int count, final long bytes, final InetSocketAddress peer) {
        final QpGroup qps = new QpGroup(context, count, bytes, 0);
        qps.connect(peer, count);
        return qps;
    }

    void start() {
        for (final SideJob job : jobs) {
            threads.add(ChildFailure.thread("drill-side", () -> {
                int idle = 0;
                while (!job.isFinished()) {
                    idle = job.doWork() ? 0 : idle + 1;
                    Idling.pause(idle);
                }
            }));
        }
    }

    /** The longest outage of datagrams, or of connections; -1 where there are none. */
    long longestOutageMs(final boolean ofDatagrams) {
        return jobs.stream()
                .filter(job -> job instanceof DatagramJob == ofDatagrams)
                .mapToLong(job -> TimeUnit.NANOSECONDS.toMillis(job.longestOutageNs()))
                .max()
                .orElse(-1);
    }

    /** Ends all of it; what came of it, a sentence each, empty where there is none. */
    String finish() {
        jobs.forEach(SideJob::stop);
        for (final Thread thread : threads) {
            try {
                thread.join(PATIENCE_MS);
            } catch (final InterruptedException e) {
                throw new IllegalStateException("nobody interrupts a drill", e);
            }
        }
        return jobs.stream()
                .map(job -> job.isFinished() ? job.verdict() : SideJob.WRONG + "what goes beside the file never ended")
                .collect(Collectors.joining("; "));
    }
}
