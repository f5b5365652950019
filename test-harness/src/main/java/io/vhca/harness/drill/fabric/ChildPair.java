package io.vhca.harness.drill.fabric;

import io.vhca.harness.drill.protocol.DrillLine;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The receiver and the sender of a measurement, on a {@code bond0} over two soft ports each, and what they say. Owns
 * both processes. One thread.
 */
public final class ChildPair implements AutoCloseable {
    private static final int PATIENCE_SECONDS = 180;

    private final BlockingQueue<ChildProcess.Said> said = new LinkedBlockingQueue<>();
    private final String what;
    private @Nullable Starvation starvation;
    private int patienceSeconds = PATIENCE_SECONDS;
    private final ChildProcess receiver;
    private final ChildProcess sender;

    /**
     * Starts both.
     *
     * @param what        a word for what is measured, for messages
     * @param portOptions of each soft port
     * @param bondOptions of the bond, without its members
     * @param main        its first argument is the process' role, {@code args} come after that
     */
    public ChildPair(
            final String what,
            final String portOptions,
            final String bondOptions,
            final Class<?> main,
            final String... args)
            throws IOException {
        this.what = what;
        receiver = start(true, portOptions, bondOptions, main, args);
        try {
            sender = start(false, portOptions, bondOptions, main, args);
        } catch (final IOException e) {
            receiver.close();
            throw e;
        }
    }

    private ChildProcess start(
            final boolean isReceiver,
            final String portOptions,
            final String bondOptions,
            final Class<?> main,
            final String... args)
            throws IOException {
        final List<String> words = new ArrayList<>(List.of(args));
        words.addFirst(Fabric.name(isReceiver));
        return ChildProcess.start(
                Fabric.name(isReceiver),
                List.of(),
                List.of(
                        "vhca.soft=" + LoopbackFabric.devices(isReceiver, portOptions),
                        "vhca.bond=bond0: " + bondOptions + " members=" + String.join(",", LoopbackFabric.MEMBERS)),
                main,
                words,
                said);
    }

    /**
     * What one of them says next; the sender is led to the receiver meanwhile.
     *
     * @throws IOException when a process failed, or neither said anything for three minutes, or for as many times
     *                     longer as they are starved
     */
    public DrillLine next() throws IOException, InterruptedException {
        while (true) {
            final ChildProcess.Said next = said.poll(patienceSeconds, TimeUnit.SECONDS);
            if (next == null) {
                throw new IOException(what + ": nothing was said for " + patienceSeconds + " s\n" + noise());
            }
            final DrillLine line = next.line();
            switch (line.kind()) {
                case "listening" -> sender.tell(line);
                case "died", "exited" -> throw new IOException(
                        what + ": the " + next.child() + " ended: " + line.values() + "\n" + noise());
                default -> {
                    return line;
                }
            }
        }
    }

    /** From now on both run for one part in so many of the time. */
    public void starve(final int share) {
        patienceSeconds = PATIENCE_SECONDS * share;
        starvation = new Starvation(share, List.of(receiver.handle(), sender.handle()));
    }

    public void tellSender(final DrillLine line) {
        sender.tell(line);
    }

    private String noise() {
        return receiver.noise() + sender.noise();
    }

    @Override
    public void close() {
        if (starvation != null) {
            starvation.close();
        }
        sender.close();
        receiver.close();
    }
}
