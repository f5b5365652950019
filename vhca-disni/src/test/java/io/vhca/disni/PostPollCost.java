package io.vhca.disni;

import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * What DiSNI's calls add to those of vhca-api, on a soft device; asked for by name, as vhca-disni/README.md says. It
 * tells, and judges nothing.
 */
class PostPollCost {
    private static final int ROUNDS = 41;
    private static final int TIMES = 2_000;

    @Test
    void cost() throws Exception {
        final InetSocketAddress address = new InetSocketAddress(DisniWorld.addressOf("soft0"), 4001);
        final CountDownLatch listening = new CountDownLatch(1);
        final CountDownLatch over = new CountDownLatch(1);
        final CompletableFuture<long[]> target = new CompletableFuture<>();
        final Consumer<long[]> memory = target::complete;
        Thread.ofPlatform().daemon().name("server").start(() -> {
            try {
                DisniWorld.program(2, "soft0")
                        .call("CostProgram", "serve", address, (Runnable) listening::countDown, memory, over);
            } catch (final Exception e) {
                target.completeExceptionally(e);
                listening.countDown();
            }
        });
        listening.await();
        final CompletableFuture<double[][]> asked = new CompletableFuture<>();
        final DisniWorld.Program client = DisniWorld.program(2, "soft2");
        Thread.ofPlatform().daemon().name("client").start(() -> {
            try {
                asked.complete((double[][]) client.call("CostProgram", "ask", address, target, ROUNDS, TIMES));
            } catch (final Exception e) {
                asked.completeExceptionally(e);
            }
        });
        final double[][] figures = asked.get();
        over.countDown();
        tell("post and poll of a WRITE", figures, 0);
        tell("poll that finds nothing", figures, 2);
    }

    private static void tell(final String what, final double[][] figures, final int column) {
        final double[] disni = sorted(figures, column);
        final double[] api = sorted(figures, column + 1);
        System.out.printf(
                Locale.ROOT, "%s: DiSNI %.0f ns (%.0f .. %.0f), vhca-api %.0f ns (%.0f .. %.0f)%n", what,
                disni[disni.length / 2], disni[disni.length / 4], disni[disni.length * 3 / 4], api[api.length / 2],
                api[api.length / 4], api[api.length * 3 / 4]);
    }

    private static double[] sorted(final double[][] figures, final int column) {
        return Arrays.stream(figures).mapToDouble(round -> round[column]).sorted().toArray();
    }
}
