package io.vhca.harness.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.Devices;
import io.vhca.physical.soft.SoftConfig;
import io.vhca.physical.soft.SoftDevice;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * A file that is copied from bond to bond while the sender's links go down and come back, one after the other. Who cuts
 * may be slower than the copy: then it is copied once more, until there were enough cuts.
 * {@code -Dvhca.exs.copy.mb=1000} copies a gigabyte.
 */
class ExsCopyThroughCutsTest {
    private static final String BONDS = "vhca.bond";
    private static final int CUTS = 10;
    private static final long BYTES = Long.getLong("vhca.exs.copy.mb", 22) * 1_000_000;
    private static final long BYTES_A_CUT = BYTES / (CUTS + 1);
    private static final int PIECE = 1_000_000;
    private static final long PATIENCE_S = 120 + BYTES / 1_000_000;
    private static final int MOST_COPIES = 100;
    /** Each waits for the other: none may wait for a thread of a pool. */
    private static final Executor THREADS = task -> Thread.ofPlatform().daemon().start(task);
    private static final int PID = (int) ProcessHandle.current().pid();
    private static final String NET = "127." + (64 + (PID >> 8 & 63)) + "." + (PID & 255) + ".";

    @RegisterExtension
    static final SystemProperty DEVICES = new SystemProperty(
            SoftConfig.PROPERTY, "soft0=" + NET + "11,soft1=" + NET + "12,soft2=" + NET + "13,soft3=" + NET + "14");

    @RegisterExtension
    static final SystemProperty MEMBERS =
            new SystemProperty(BONDS, "bond0: members=soft0,soft1; bond1: members=soft2,soft3");

    private static void port(final String device, final boolean isUp) {
        ((SoftDevice) Devices.byName(device)).setPortUp(isUp);
    }

    @Test
    void everyByteArrives(@TempDir final Path directory) throws Exception {
        final Path file = write(directory.resolve("file"));
        int cuts = 0;
        for (int copy = 0; cuts < CUTS && copy < MOST_COPIES; copy++) {
            final Path into = Files.createDirectory(directory.resolve("into" + copy));
            cuts += copy(file, into, cuts);
            assertThat(Files.mismatch(into.resolve("file"), file)).isEqualTo(-1);
            Files.delete(into.resolve("file"));
        }
        assertThat(cuts).isEqualTo(CUTS);
    }

    private static Path write(final Path file) throws IOException {
        final SplittableRandom random = new SplittableRandom(2);
        final byte[] piece = new byte[PIECE];
        try (OutputStream out = Files.newOutputStream(file)) {
            for (long written = 0; written < BYTES; written += PIECE) {
                random.nextBytes(piece);
                out.write(piece);
            }
        }
        return file;
    }

    /** Copies the file; gives how often a link was cut meanwhile. */
    private static int copy(final Path file, final Path into, final int cutsBefore) throws Exception {
        final Tool server = new Tool();
        final Tool client = new Tool();
        final var received = CompletableFuture.supplyAsync(
                () -> server.run(
                        "exs", "copy", "--device", "bond1", "--listen", "17953", "--clients", "1", "--into",
                        into.toString()),
                THREADS);
        final long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_S);
        final var sent = CompletableFuture.supplyAsync(
                () -> {
                    int code = 1;
                    while (code != 0 && !received.isDone() && System.nanoTime() - endNs < 0) {
                        code = client.run("exs", "copy", "--file", file.toString(), NET + "13:17953");
                    }
                    return code;
                },
                THREADS);
        final int cuts = cut(into.resolve(".file.part"), sent, cutsBefore);
        assertThat(sent.get(PATIENCE_S, TimeUnit.SECONDS)).as(client.all()).isZero();
        assertThat(received.get(PATIENCE_S, TimeUnit.SECONDS)).as(server.all()).isZero();
        return cuts;
    }

    /** The next cut comes when enough has arrived since the last one; one link stays up. */
    private static int cut(final Path part, final CompletableFuture<Integer> sent, final int cutsBefore) {
        int cuts = 0;
        try {
            while (!sent.isDone() && cutsBefore + cuts < CUTS) {
                if (part.toFile().length() > cuts * BYTES_A_CUT) {
                    port("soft" + (cuts + 1) % 2, true);
                    port("soft" + cuts % 2, false);
                    cuts++;
                }
                Thread.onSpinWait();
            }
        } finally {
            port("soft0", true);
            port("soft1", true);
        }
        return cuts;
    }
}
