package io.vhca.tool.rdp;

import io.vhca.rdp.unix.SameJvm;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Load over reliable datagram sockets, with the columns of rds-stress: a line a second, and one of all at the end. The
 * sockets are of this process or of several that it starts. One thread.
 */
public final class Stress implements AutoCloseable {
    private static final double KB = 1_024;
    private static final long LOOK_MS = 10;

    private final StressPlan plan;
    private final PrintWriter out;
    private final List<StressPart> parts = new ArrayList<>();

    /** What was counted at a time. */
    private record Reading(List<StressCount> each, long timeNs, long processorNs) {}

    public Stress(final StressPlan plan, final PrintWriter out) {
        this.plan = plan;
        this.out = out;
    }

    /** Has those sockets too. */
    public void add(final StressPart part) {
        parts.add(part);
    }

    /**
     * Starts a process that has a part of the sockets.
     *
     * @param main      its class
     * @param arguments its words, which make it {@link StressProcess#obey}
     */
    public void start(final Class<?> main, final List<String> arguments) throws IOException {
        parts.add(StressProcess.start(SameJvm.command(main, arguments)));
    }

    /**
     * Sends requests to a host that serves.
     *
     * @return what went wrong in one sentence, or an empty string
     */
    public String request() throws InterruptedException {
        out.println("tsks   tx/s   rx/s  tx+rx K/s    mbi K/s    mbo K/s tx us/c   rtt us cpu % least/most");
        try {
            for (final StressPart part : parts) {
                part.begin();
            }
            return measure();
        } catch (final IOException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private String measure() throws IOException, InterruptedException {
        final Reading first = read();
        Reading before = first;
        // Sockets are served equally from when each has had an answer: until then they are being connected.
        Reading warm = first;
        while (before.timeNs - first.timeNs < plan.durationNs()) {
            TimeUnit.SECONDS.sleep(1);
            final Reading now = read();
            line(before, now, StressCount.served(StressCount.less(now.each, before.each)), "");
            if (warm == first && StressCount.allAreServed(now.each) && now.timeNs - first.timeNs < plan.durationNs()) {
                warm = now;
            }
            before = now;
        }
        final List<StressCount> measured = StressCount.less(before.each, warm.each);
        line(first, before, StressCount.served(measured), "  (average)");
        out.printf(Locale.ROOT, "least/most of %d sockets: served %.2f, share of their sends that was taken %.2f%n",
                measured.size(), StressCount.served(measured), StressCount.taken(measured));
        out.flush();
        return judge(before.each);
    }

    /** What is wrong with what was counted in the end, in one sentence, or an empty string. */
    private String judge(final List<StressCount> counted) throws IOException, InterruptedException {
        // Who serves may have died since, or may be slow, also from the beginning on: each socket is to be acknowledged
        // once more, or says that it was not.
        while (!StressCount.allAreServed(StressCount.less(read().each, counted))) {
            TimeUnit.MILLISECONDS.sleep(LOOK_MS);
        }
        return "";
    }

    private Reading read() throws IOException {
        final List<StressCount> each = new ArrayList<>();
        long processorNs = 0;
        for (final StressPart part : parts) {
            final StressPart.Sample sample = part.sample();
            each.addAll(sample.each());
            processorNs += sample.processorNs();
        }
        return new Reading(each, System.nanoTime(), processorNs);
    }

    private void line(final Reading before, final Reading now, final double served, final String note) {
        final StressCount count = StressCount.sum(StressCount.less(now.each, before.each));
        final long wallNs = now.timeNs - before.timeNs;
        final double seconds = wallNs / 1e9;
        final double kilobytes =
                (count.sent() * (double) plan.requestBytes() + count.received() * (double) plan.ackBytes()) / KB;
        out.printf(
                Locale.ROOT,
                "%4d %6.0f %6.0f %10.2f %10.2f %10.2f %7.2f %8.2f %5.2f %10.2f%s%n", plan.tasks() * parts.size(),
                count.sent() / seconds, count.received() / seconds, kilobytes / seconds, 0.0, 0.0,
                count.sendNs() / 1e3 / Math.max(1, count.sent()),
                count.roundTripNs() / 1e3 / Math.max(1, count.received()),
                100.0 * (now.processorNs - before.processorNs) / wallNs, served, note);
        out.flush();
    }

    @Override
    public void close() {
        parts.forEach(StressPart::close);
    }
}
