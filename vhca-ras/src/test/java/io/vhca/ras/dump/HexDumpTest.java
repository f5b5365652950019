package io.vhca.ras.dump;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.bond.memory.CursorSink;
import io.vhca.bond.memory.FrozenMemory;
import io.vhca.bond.memory.Gate;
import io.vhca.bond.memory.GatedMemory;
import io.vhca.bond.memory.MemoryTracker;
import io.vhca.bond.memory.NativeBlock;
import io.vhca.ras.snapshot.DumpHeader;
import io.vhca.ras.snapshot.Report;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A block that was copied reads as it was, with what begins where; one that was overrun names the marker. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HexDumpTest {
    private static final int UNIT = 64;
    private static final int SLOTS = 4;
    private static final int MUTANTS = 2_000;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    /** A queue of four slots, of which two hold a request. */
    private record Queue(NativeBlock nativeBlock) implements GatedMemory, Gate {
        @Override
        public boolean enterUnless(final BooleanSupplier isLate) {
            return true;
        }

        @Override
        public void leave() {
            // Nobody else is there.
        }

        @Override
        public void cursors(final CursorSink to) {
            to.cursor("vSQ", "retired", 7);
            to.cursor("vSQ", "posted", 8);
            to.cursor("vSQ", "producer", 9);
        }

        @Override
        public String toString() {
            return "bond0 qp 0x12";
        }
    }

    /** A dump of such a queue, where somebody wrote a byte so far behind it. */
    private Path write(final int overrun) throws IOException {
        final Path file = directory.resolve("own.dump");
        try (Arena arena = Arena.ofConfined();
                NativeBlock block = new NativeBlock("bond0", 0x12, NativeBlock.bytesOf(UNIT * SLOTS));
                FileChannel to = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            final long slots = block.part("vSQ", UNIT * SLOTS, UNIT, 48);
            MemorySegment.ofAddress(slots).reinterpret(UNIT * SLOTS).asSlice(UNIT, 1).fill((byte) 0x41);
            if (overrun >= 0) {
                MemorySegment.ofAddress(slots + UNIT * SLOTS + overrun).reinterpret(1).fill((byte) 0x42);
            }
            final MemoryTracker tracker = new MemoryTracker(() -> 0);
            tracker.beginIn(new Queue(block), this);
            final FrozenMemory frozen = tracker.freeze(arena, () -> 0, object -> { });
            assertThat(frozen.gates()).isOne();
            final Report.Builder report = new Report.Builder();
            final List<MemorySegment> memory = new ArrayList<>();
            for (final FrozenMemory.Block one : frozen.blocks()) {
                NativeFacts.tell(one, "bond0", 0, report);
                memory.add(Objects.requireNonNull(one.copy()));
            }
            DumpFile.write(to, report.build(), memory);
        }
        return file;
    }

    private static List<Report.Fact> lines(final Path file) throws IOException {
        try (DumpFile dump = DumpFile.open(file)) {
            return HexDump.of(dump, dump.report()).getFirst().facts();
        }
    }

    @Test
    void whatBeginsWhereIsInTheMargin() throws IOException {
        assertThat(lines(write(-1)).stream().map(Report.Fact::value).filter(line -> line.matches(".*\\|  [a-z].*")))
                .satisfiesExactly(
                        line -> assertThat(line).startsWith("76 53 51 20 ").endsWith("|  marker before vSQ 000012"),
                        line -> assertThat(line).endsWith("|  vSQ[0], #8 waits"),
                        line -> assertThat(line).endsWith("|  data of the application"),
                        line -> assertThat(line).startsWith("41 00").endsWith("|  vSQ[1]"),
                        line -> assertThat(line).endsWith("|  data of the application"),
                        line -> assertThat(line).endsWith("|  vSQ[2]"),
                        line -> assertThat(line).endsWith("|  data of the application"),
                        line -> assertThat(line).endsWith("|  vSQ[3], #7 at the hardware"),
                        line -> assertThat(line).endsWith("|  data of the application"),
                        line -> assertThat(line).endsWith("|  marker behind vSQ 000012"));
    }

    @Test
    void aBrokenMarkerIsNamed() throws IOException {
        assertThat(lines(write(5)).getLast().value()).doesNotContain("BROKEN");
        assertThat(lines(directory.resolve("own.dump")).stream().map(Report.Fact::value))
                .anyMatch(line -> line.endsWith("|  marker behind vSQ 000012: BROKEN"))
                .anyMatch(line -> line.endsWith("|  marker before vSQ 000012"));
    }

    /** Dumps that were damaged are read as far as they can be, or refused; nothing else. */
    @Test
    void damagedDumpsAreReadOrRefused() throws IOException {
        final Path file = write(-1);
        final byte[] whole = Files.readAllBytes(file);
        final SplittableRandom random = new SplittableRandom(21);
        int taken = 0;
        for (int i = 0; i < MUTANTS; i++) {
            final byte[] damaged = Arrays.copyOf(
                    whole, random.nextInt(4) == 0 ? random.nextInt(whole.length) : whole.length);
            for (int hit = random.nextInt(4); hit > 0 && damaged.length > 0; hit--) {
                damaged[random.nextInt(Math.min(damaged.length, 400))] = (byte) random.nextInt(' ', 0x80);
            }
            Files.write(file, damaged);
            try (DumpFile dump = DumpFile.open(file)) {
                taken += HexDump.of(dump, dump.report()).isEmpty() ? 0 : 1;
            } catch (final IOException e) {
                assertThat(e.getMessage()).isNotBlank();
            }
        }
        assertThat(taken).isBetween(1, MUTANTS - 1);
    }

    /** Zeros are few lines, but each is looked at: a small file that names them often would keep a reader for hours. */
    @Test
    void noMoreIsLookedAtThanADumpHas() throws IOException {
        final int zeros = 4 << 20;
        final int most = (int) (DumpHeader.MOST_RAW / zeros);
        final Report.Builder report = new Report.Builder();
        for (int i = 0; i < most + 2; i++) {
            report.section("qp:0x" + i + " native memory");
            report.value("block", zeros + " bytes at 0x7f0012345000, raw at 0, of bond0, number 0x" + i);
        }
        final Path file = directory.resolve("own.dump");
        try (FileChannel to = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            DumpFile.write(to, report.build(), List.of(MemorySegment.ofArray(new byte[zeros])));
        }
        try (DumpFile dump = DumpFile.open(file)) {
            final List<Report.Section> shown = HexDump.of(dump, dump.report());
            assertThat(shown).hasSize(most + 1);
            assertThat(shown.getLast().get("blocks")).startsWith("2, as they would be too much");
        }
    }
}
