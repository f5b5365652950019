package io.vhca.harness.drill;

import io.vhca.api.Context;
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
        final long bytes = kind == SideTraffic.BANK
                ? BankJob.regionBytes(kind.qps())
                : SharedSendJob.regionBytes(kind.qps());
        final QpGroup qps = new QpGroup(context, kind.qps(), bytes, 0);
        qps.connect(new InetSocketAddress(where.text("host"), (int) where.number("port")), kind.qps());
        jobs.add(kind == SideTraffic.BANK
                ? new BankJob(qps, where.number("address"), (int) where.number("rkey"), seed)
                : new SharedSendJob(qps));
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
