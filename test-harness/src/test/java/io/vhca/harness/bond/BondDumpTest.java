package io.vhca.harness.bond;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.CompletionQueue;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QueuePair;
import io.vhca.bond.BondContext;
import io.vhca.bond.memory.FrozenMemory;
import io.vhca.bond.memory.GatedMemory;
import io.vhca.bond.verbs.BondQueuePair;
import io.vhca.examples.RdmaConnection;
import io.vhca.examples.RdmaListener;
import io.vhca.harness.cli.StatusFiles;
import io.vhca.harness.cli.Tool;
import io.vhca.physical.soft.SoftDevice;
import io.vhca.ras.dump.BondDump;
import io.vhca.ras.dump.DumpReceiver;
import io.vhca.ras.snapshot.MemoryReport;
import io.vhca.ras.status.StatusPublisher;
import io.vhca.ras.thread.ThreadReport;
import io.vhca.ras.trace.TracePublisher;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.agrona.concurrent.SystemNanoClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A dump stops a bond for a moment, and harms neither it nor its peer, whatever becomes of the dump. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BondDumpTest {
    private static final int MANY = 1_000;

    @RegisterExtension
    private final StatusFiles files = new StatusFiles();

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    private final Tool tool = new Tool();
    private final SoftDevice first = SoftBonds.soft("dump-a", 191);
    private final SoftDevice second = SoftBonds.soft("dump-b", 192);
    private final SoftDevice third = SoftBonds.soft("dump-c", 193);
    private final SoftDevice fourth = SoftBonds.soft("dump-d", 194);

    private interface Use {
        void with(BondContext client, BondContext server, RdmaConnection there, RdmaConnection here) throws Exception;
    }

    private void connected(final Use use) throws Exception {
        try (BondContext client = SoftBonds.openCalm("bond-v", first, second);
                BondContext server = SoftBonds.openCalm("bond-w", third, fourth);
                RdmaListener listener = RdmaListener.listen(server, 0)) {
            TracePublisher.attach(client);
            StatusPublisher.attach(client, Map.of(
                    "dump", () -> BondDump.write(client, false),
                    "dump payload", () -> BondDump.write(client, true)));
            try (RdmaConnection there = RdmaConnection.connect(client, listener.address());
                    RdmaConnection here = listener.accept()) {
                there.awaitEstablished();
                files.await(status -> status.name().equals("bond-v"));
                exchange(there, here, "before");
                use.with(client, server, there, here);
                exchange(there, here, "goes on");
                assertThat(client.admin().failoversAfter(0)).isEmpty();
                assertThat(server.admin().failoversAfter(0)).isEmpty();
            }
        }
    }

    private static void exchange(final RdmaConnection from, final RdmaConnection to, final String text) {
        from.send(text);
        assertThat(to.receiveText()).isEqualTo(text);
        to.send(text + " too");
        assertThat(from.receiveText()).isEqualTo(text + " too");
    }

    private String decode(final Path file, final String... words) {
        final List<String> all = new ArrayList<>(List.of("decode", file.toString()));
        all.addAll(List.of(words));
        assertThat(tool.run(all.toArray(String[]::new))).as(tool.all()).isZero();
        return tool.out();
    }

    @Test
    void itHasNativeMemoryWithItsMarkersAndSaysHowLongThePauseWas() throws Exception {
        final Path dump = directory.resolve("own.dump");
        connected((client, server, there, here) -> {
            assertThat(tool.run("dump", "bond-v", "--to", dump.toString())).as(tool.all()).isZero();
            final String qp = "qp:0x" + Integer.toHexString(there.qp().qpNum());
            assertThat(decode(dump))
                    .containsPattern("pause\n  data path +stopped\n  length ns +[1-9]\\d*\n  gates +[1-9]\\d*\n")
                    .containsPattern("\n" + qp + " native memory\n  block +\\d+ bytes at 0x\\w+, raw at \\d+, of ")
                    .containsPattern("\nobjects\n  1 +qp ")
                    .contains("records between bonds");
            final String hex = decode(dump, "qp", "0x" + Integer.toHexString(there.qp().qpNum()), "--hex");
            final String name = String.format(Locale.ROOT, "vSQ %06x", there.qp().qpNum());
            assertThat(hex)
                    .containsPattern("\n" + qp + " hexdump\n")
                    .containsPattern("76 53 51 20 .*\\|" + name + " .*\\|  marker before " + name + "\n")
                    .containsPattern("\\|  marker behind " + name + "\n")
                    .containsPattern("\\|  vSQ\\[0\\]")
                    .containsPattern("\\|  vRQ\\[\\d+\\], #\\d+ at the hardware\n")
                    .doesNotContain("BROKEN");
            assertThat(decode(dump, "--hex", "--as", "html", "--section", qp)).contains("marker before " + name);
            assertThat(decode(dump, "--hex", "--as", "json", "--section", qp)).contains("marker before " + name);
            assertThat(tool.run("decode", dump.toString(), "qp", "0xdead")).isEqualTo(3);
        });
    }

    /** What a recovery would do is said of each request: this one hangs on what the peer has. */
    @Test
    void eachRequestHasWhatARecoveryWouldDo() throws Exception {
        final Path dump = directory.resolve("stopped.dump");
        connected((client, server, there, here) -> {
            final BondQueuePair qp = (BondQueuePair) there.qp();
            qp.sendQueue().closeGate();
            final Thread sender = Thread.ofPlatform().start(() -> there.send("waits"));
            while (qp.sendQueue().producerInside() == qp.sendQueue().retired()) {
                Thread.yield();
            }
            assertThat(tool.run("dump", "bond-v", "--to", dump.toString())).as(tool.all()).isZero();
            assertThat(decode(dump)).containsPattern("#\\d+ +waits, SEND wr_id=\\S+ .*, recovery: post first\n");
            qp.sendQueue().openGate();
            sender.join();
            assertThat(here.receiveText()).isEqualTo("waits");
        });
    }

    @Test
    void dataOfTheApplicationIsThereOnlyWhereItIsAskedFor() throws Exception {
        final Path without = directory.resolve("without.dump");
        final Path with = directory.resolve("with.dump");
        connected((client, server, there, here) -> {
            assertThat(tool.run("dump", "bond-v", "--to", without.toString())).isZero();
            assertThat(tool.run("dump", "bond-v", "--payload", "--to", with.toString())).isZero();
            assertThat(decode(without)).contains("data of the application  left out").doesNotContain(" payload\n");
            assertThat(decode(with)).contains("data of the application  asked for")
                    .containsPattern(" payload\n  vRQ #\\d+ +\\d+ bytes at 0x\\w+, \\d+ of them raw at \\d+\n");
        });
    }

    /** As one that another thread is writing right then: the dump failed as a whole. */
    @Test
    void aSnapshotThatCannotBeReadIsLeftOut() throws Exception {
        final Path dump = directory.resolve("own.dump");
        connected((client, server, there, here) -> {
            final String empty = "bond-v." + ProcessHandle.current().pid() + ".9.snapshot";
            Files.createFile(files.directory().resolve(empty));
            assertThat(tool.run("dump", "bond-v", "--to", dump.toString())).as(tool.all()).isZero();
            assertThat(decode(dump)).contains("\n" + empty + " not read\n  why ").contains(" native memory\n");
        });
    }

    /** One took the other's dump, and both said that all was well. */
    @Test
    void whileOneIsUnderWayAnotherIsRefused() throws Exception {
        final Path dump = directory.resolve("own.dump");
        connected((client, server, there, here) -> {
            final Path trace = files.directory().resolve("bond-v." + ProcessHandle.current().pid() + ".trace");
            try (FileChannel other = FileChannel.open(trace, StandardOpenOption.WRITE)) {
                other.lock();
                assertThat(tool.run("dump", "bond-v", "--to", dump.toString())).isEqualTo(3);
                assertThat(tool.err()).contains("another vhca dump of bond-v is under way");
            }
            assertThat(dump).doesNotExist();
            assertThat(tool.run("dump", "bond-v", "--to", dump.toString())).as(tool.all()).isZero();
        });
    }

    /** As where one that was asked for before, by somebody who left, has taken its place. */
    @Test
    void whatWasNotAskedForIsNotHandedOn() throws Exception {
        final Path dump = directory.resolve("own.dump");
        try (BondContext bond = SoftBonds.open("bond-v", first, second);
                DumpReceiver receiver = receiver()) {
            StatusPublisher.attach(bond, Map.of("dump", () -> BondDump.write(bond, true)));
            files.await(status -> status.name().equals("bond-v"));
            for (final String to : List.of(dump.toString(), "tcp://127.0.0.1:" + receiver.address().getPort())) {
                assertThat(tool.run("dump", "bond-v", "--to", to)).as(tool.all()).isEqualTo(3);
                assertThat(tool.err()).contains("has taken the place of this one; try again");
            }
            assertThat(dump).doesNotExist();
        }
    }

    /** They write and read files of one name too; each waits for none of another kind. */
    @ParameterizedTest
    @CsvSource({"memory, 1", "threads, 2"})
    void ofOtherReportsOneIsMadeAtATimeToo(final String command, final long place) throws Exception {
        try (BondContext bond = SoftBonds.open("bond-v", first, second)) {
            StatusPublisher.attach(bond, Map.of(
                    "memory", () -> MemoryReport.write(bond, false), "threads", () -> ThreadReport.write(bond)));
            files.await(status -> status.name().equals("bond-v"));
            final Path status = files.directory().resolve("bond-v." + ProcessHandle.current().pid() + ".status");
            try (FileChannel other = FileChannel.open(status, StandardOpenOption.WRITE)) {
                other.lock(place, 1, false);
                assertThat(tool.run(command, "bond-v")).isEqualTo(3);
                assertThat(tool.err()).contains("another vhca " + command + " of bond-v is under way");
            }
            try (FileChannel other = FileChannel.open(status, StandardOpenOption.WRITE)) {
                other.lock(0, 1, false);
                assertThat(tool.run(command, "bond-v")).as(tool.all()).isZero();
            }
        }
    }

    /** A peer that sends all the time while dumps are taken sees no failure. */
    @Test
    void thePeerDoesNotFailOverBecauseOfIt() throws Exception {
        connected((client, server, there, here) -> {
            final AtomicBoolean isOver = new AtomicBoolean();
            final AtomicReference<Throwable> failure = new AtomicReference<>();
            final Thread traffic = Thread.ofPlatform().start(() -> {
                try {
                    while (!isOver.get()) {
                        exchange(here, there, "under way");
                    }
                } catch (final Throwable e) {
                    failure.set(e);
                }
            });
            for (int i = 0; i < 20; i++) {
                assertThat(BondDump.write(client, i % 2 == 0)).isEmpty();
            }
            isOver.set(true);
            traffic.join();
            assertThat(failure.get()).isNull();
        });
    }

    /** Its copies are gone when this returns. */
    private static FrozenMemory freeze(final BondContext bond, final Consumer<GatedMemory> onlooker) {
        try (Arena arena = Arena.ofShared()) {
            return bond.admin().still(() -> bond.admin().memory().freeze(arena, SystemNanoClock.INSTANCE, onlooker));
        }
    }

    /** Each way in which a dump may fail; the next exchange finds the gates open. */
    @Test
    void theGatesAreOpenAfterEachFailure() throws Exception {
        connected((client, server, there, here) -> {
            final BondQueuePair qp = (BondQueuePair) there.qp();
            final Path stuck = directory.resolve("stuck.dump");
            qp.sendQueue().enter();
            try {
                // Its requests are looked at from inside too: who dumps waits for the thread that does not leave.
                final FrozenMemory frozen = freeze(client, object -> { });
                assertThat(frozen.why()).contains("was not left for 50 ms");
                assertThat(frozen.blocks()).isEmpty();
            } finally {
                qp.sendQueue().leave();
            }
            exchange(there, here, "after a gate that nobody left");

            assertThatThrownBy(() -> freeze(client, object -> {
                throw new IllegalStateException("while all gates are closed");
            })).hasMessage("while all gates are closed");
            exchange(there, here, "after an error under the pause");

            try (FileChannel full = FileChannel.open(Path.of("/dev/full"), StandardOpenOption.WRITE)) {
                assertThatThrownBy(() -> BondDump.write(client, false, full, files.directory()))
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("No space left");
            }
            exchange(there, here, "after a disk that is full");

            final Path tooLong = directory.resolve("a".repeat(300));
            assertThat(tool.run("dump", "bond-v", "--to", tooLong.toString())).isEqualTo(3);
            final String own = "bond-v." + ProcessHandle.current().pid() + ".asked.dump";
            assertThat(tool.err()).contains("was not written").contains("the dump is ").contains(own);
            exchange(there, here, "after a target that cannot be");

            assertThat(tool.run("dump", "bond-v", "--to", "tcp://127.0.0.1:" + closedPort())).isEqualTo(3);
            assertThat(tool.err()).contains("did not take the dump").contains(own);
            assertThat(decode(files.directory().resolve(own))).contains("native memory");
            exchange(there, here, "after a target that is gone");
            assertThat(Files.exists(stuck)).isFalse();
        });
    }

    private int closedPort() throws IOException {
        try (DumpReceiver gone = receiver()) {
            return gone.address().getPort();
        }
    }

    private DumpReceiver receiver() throws IOException {
        return new DumpReceiver(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), directory.resolve("into"), 4);
    }

    @Test
    void itGoesToAnotherMachine() throws Exception {
        connected((client, server, there, here) -> {
            final List<String> told = new ArrayList<>();
            final Thread serving;
            try (DumpReceiver receiver = receiver()) {
                serving = Thread.ofVirtual().start(() -> receiver.serve(told::add));
                assertThat(tool.run("dump", "bond-v", "--to", "tcp://127.0.0.1:" + receiver.address().getPort()))
                        .as(tool.all())
                        .isZero();
                final Path taken = Path.of(tool.out().strip());
                assertThat(decode(taken, "--hex")).contains("marker before vSQ");
            }
            serving.join();
            assertThat(told).singleElement().asString().contains(" ok ");
        });
    }

    /** As many queue pairs as a server has; how long they stand still is printed, and measured elsewhere. */
    @Test
    void thousandQueuePairsStandStillTogether() throws Exception {
        try (BondContext bond = SoftBonds.open("bond-v", first, second);
                ProtectionDomain pd = bond.allocPd();
                CompletionQueue cq = bond.createCq(64, null, null)) {
            final List<QueuePair> qps = new ArrayList<>();
            for (int i = 0; i < MANY; i++) {
                qps.add(pd.createQp(QpInitAttributes.rc(cq, cq, new QpCapabilities(16, 16, 1, 1, 64))));
            }
            for (int round = 0; round < 5; round++) {
                final FrozenMemory frozen = freeze(bond, object -> { });
                assertThat(frozen.why()).isEmpty();
                assertThat(frozen.blocks()).hasSizeGreaterThanOrEqualTo(MANY);
                assertThat(frozen.leftOut()).isZero();
                assertThat(frozen.gates()).isGreaterThanOrEqualTo(2 * MANY + 1);
                System.out.printf(Locale.ROOT, "%d gates closed for %.2f ms%n", frozen.gates(), frozen.pauseNs() / 1e6);
            }
            qps.forEach(QueuePair::close);
        }
    }
}
