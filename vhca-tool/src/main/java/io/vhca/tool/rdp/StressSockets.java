package io.vhca.tool.rdp;

import io.vhca.rdp.RdpSocket;
import io.vhca.rdp.RdpSockets;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/** The sockets of a stress in this process, and the threads that look after them. One thread has it. */
public final class StressSockets implements StressPart {
    private final List<StressSocket> sockets = new ArrayList<>();
    private final List<StressTask> tasks = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    /** Of the tasks that have ended by it. */
    private final BlockingQueue<String> failures = new LinkedBlockingQueue<>();

    /**
     * Binds the sockets.
     *
     * @param longest datagram that may come
     * @param host    whom to send requests to; null to acknowledge those of others
     */
    public StressSockets(
            final RdpSockets driver, final int longest, final StressPlan plan, final @Nullable InetAddress host) {
        final List<List<StressSocket>> ofTasks = new ArrayList<>();
        for (int task = 0; task < plan.tasks(); task++) {
            ofTasks.add(new ArrayList<>());
        }
        for (int i = 0; i < plan.sockets(); i++) {
            final RdpSocket socket = driver.bind(host == null ? plan.port() + i : 0);
            sockets.add(new StressSocket(
                    socket, plan, host == null ? null : new InetSocketAddress(host, plan.port() + i)));
            ofTasks.get(i % plan.tasks()).add(sockets.getLast());
        }
        ofTasks.forEach(own -> tasks.add(new StressTask(driver, own, longest, failures::add)));
    }

    @Override
    public void begin() {
        for (final StressTask task : tasks) {
            threads.add(Thread.ofPlatform().daemon().name("rdp-stress-" + threads.size()).start(task));
        }
    }

    @Override
    public Sample sample() throws IOException {
        final String failure = failures.peek();
        if (failure != null) {
            throw new IOException(failure);
        }
        return new Sample(sockets.stream().map(StressSocket::count).toList(), processorNs());
    }

    /** Waits until something goes wrong; says what. */
    public String awaitFailure() throws InterruptedException {
        return failures.take();
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
        sockets.forEach(socket -> socket.socket().close());
    }

    private static void join(final Thread thread) {
        try {
            thread.join();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
