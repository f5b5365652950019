package io.vhca.tool.rdp;

import io.vhca.rdp.RdpSocket;
import io.vhca.rdp.RdpSockets;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Load over reliable datagram sockets, with the columns of rds-stress: a line a second, and one of all at the end. */
public final class Stress implements AutoCloseable {
    private static final double KB = 1_024;

    private final RdpSockets driver;
    private final int longest;
    private final StressPlan plan;
    private final PrintWriter out;
    private final List<RdpSocket> sockets = new ArrayList<>();
    private final List<StressTask> tasks = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();

    /** @param longest datagram that may come */
    public Stress(final RdpSockets driver, final int longest, final StressPlan plan, final PrintWriter out) {
        this.driver = driver;
        this.longest = longest;
        this.plan = plan;
        this.out = out;
    }

    /** Begins to acknowledge requests. */
    public void serve() {
        for (int task = 0; task < plan.tasks(); task++) {
            begin(driver.bind(plan.port() + task), null);
        }
    }

    private void begin(final RdpSocket socket, final @Nullable InetSocketAddress peer) {
        final StressTask task = new StressTask(socket, plan, peer, longest);
        sockets.add(socket);
        tasks.add(task);
        threads.add(Thread.ofPlatform().daemon().name("rdp-stress-" + tasks.size()).start(task));
    }

    /**
     * Sends requests to a host that serves.
     *
     * @return what went wrong in one sentence, or an empty string
     */
    public String request(final InetAddress host) throws InterruptedException {
        for (int task = 0; task < plan.tasks(); task++) {
            begin(driver.bind(0), new InetSocketAddress(host, plan.port() + task));
        }
        out.println("tsks   tx/s   rx/s  tx+rx K/s    mbi K/s    mbo K/s tx us/c   rtt us cpu %");
        final long beganNs = System.nanoTime();
        final long beganCpuNs = processorNs();
        StressCount before = StressCount.NONE;
        long beforeNs = beganNs;
        long beforeCpuNs = beganCpuNs;
        String failure = "";
        while (failure.isEmpty() && beforeNs - beganNs < plan.durationNs()) {
            TimeUnit.SECONDS.sleep(1);
            final long nowNs = System.nanoTime();
            final long cpuNs = processorNs();
            final StressCount now = sum();
            line(now.less(before), nowNs - beforeNs, cpuNs - beforeCpuNs, "");
            before = now;
            beforeNs = nowNs;
            beforeCpuNs = cpuNs;
            failure = failure();
        }
        line(before, beforeNs - beganNs, beforeCpuNs - beganCpuNs, "  (average)");
        return failure.isEmpty() && before.received() == 0 ? "nothing came back" : failure;
    }

    private StressCount sum() {
        StressCount sum = StressCount.NONE;
        for (final StressTask task : tasks) {
            sum = sum.plus(task.count());
        }
        return sum;
    }

    private String failure() {
        return tasks.stream().map(StressTask::failure).filter(text -> !text.isEmpty()).findFirst().orElse("");
    }

    private void line(final StressCount count, final long wallNs, final long cpuNs, final String note) {
        final double seconds = wallNs / 1e9;
        final double kilobytes =
                (count.sent() * (double) plan.requestBytes() + count.received() * (double) plan.ackBytes()) / KB;
        out.printf(
                "%4d %6.0f %6.0f %10.2f %10.2f %10.2f %7.2f %8.2f %5.2f%s%n", plan.tasks(), count.sent() / seconds,
                count.received() / seconds, kilobytes / seconds, 0.0, 0.0,
                count.sendNs() / 1e3 / Math.max(1, count.sent()),
                count.roundTripNs() / 1e3 / Math.max(1, count.received()), 100.0 * cpuNs / wallNs, note);
        out.flush();
    }

    private static long processorNs() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean system
                ? system.getProcessCpuTime()
                : 0;
    }

    @Override
    public void close() {
        tasks.forEach(StressTask::end);
        for (final Thread thread : threads) {
            join(thread);
        }
        sockets.forEach(RdpSocket::close);
    }

    private static void join(final Thread thread) {
        try {
            thread.join();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
