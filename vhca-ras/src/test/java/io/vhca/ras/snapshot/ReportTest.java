package io.vhca.ras.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.bond.trace.TraceObject;
import io.vhca.ras.file.PrivateDirectory;
import io.vhca.ras.status.StatusDirectory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Reports are read as they were written, or refused; pages and differences show what is in them. */
class ReportTest {
    private static final int MUTANTS = 10_000;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    private static Report report(final String state) {
        final Report.Builder builder = new Report.Builder();
        builder.section("queue pair");
        builder.value("state", state);
        builder.value("epoch", 3);
        builder.prefix("qp:0x1 ");
        builder.section("hardware");
        builder.value("sq_psn", 77);
        return builder.build();
    }

    @Test
    void whatIsWrittenIsRead() throws Exception {
        final Report report = report("RTS");
        assertThat(Report.parse(report.text())).isEqualTo(report);
        assertThat(report.section("queue pair").get("state")).isEqualTo("RTS");
        assertThat(report.section("qp:0x1 hardware").get("sq_psn")).isEqualTo("77");
        assertThat(report.section("nothing").get("sq_psn")).isEmpty();
    }

    /** It may be cut, or go while it is read. */
    @Test
    void aTraceThatCannotBeReadIsSaidAndTheRestStays() throws Exception {
        Files.writeString(
                directory.resolve("bond0." + ProcessHandle.current().pid() + ".trace"), "no trace at all");
        final Report.Builder builder = new Report.Builder();
        builder.section("queue pair");
        builder.value("state", "RTS");
        BondReport.trace(directory, "bond0", TraceObject.NONE, builder);
        final Report read = Report.parse(builder.build().text());
        assertThat(read.section("queue pair").get("state")).isEqualTo("RTS");
        assertThat(read.section("trace").get("cannot be read")).contains("is no trace of a bond");
    }

    @Test
    void whatWouldBreakTheFormIsReplaced() throws Exception {
        final Report.Builder builder = new Report.Builder();
        builder.section("a\n[b]");
        builder.value("x = y", "1\n[c]\033[2J");
        builder.value("[d]", "e".repeat(100_000));
        final Report report = builder.build();
        final Report read = Report.parse(report.text());
        assertThat(read).isEqualTo(report);
        assertThat(read.sections()).hasSize(1);
        assertThat(read.sections().getFirst().facts()).hasSize(2);
    }

    /** What nobody could read is not written. */
    @ParameterizedTest
    @CsvSource({"100, 1000", "100000, 4", "26, 1000"})
    void whatIsMoreThanAReaderTakesIsCounted(final long mostBytes, final long mostLines) throws Exception {
        final Report.Builder builder = new Report.Builder(mostBytes, mostLines);
        final int all = 20;
        builder.section("first");
        for (int i = 1; i < all; i++) {
            builder.value("\u00e4" + i, "\u20ac");
            builder.section("of " + i);
        }
        final Report report = builder.build();
        assertThat(Report.parse(report.text())).isEqualTo(report);
        final Report.Section last = report.sections().getLast();
        assertThat(last.title()).isEqualTo("left out at the end");
        final long taken = report.text().lines().count() - 3;
        assertThat(last.get("lines")).isEqualTo("" + (2 * all - 1 - taken));
        final int lengthOfLast = "[left out at the end]\nlines = 99\n".length();
        assertThat(report.text().getBytes(StandardCharsets.UTF_8)).hasSizeLessThan((int) mostBytes + lengthOfLast);
        assertThat(taken).isLessThan(mostLines);
        assertThat(builder.bytes()).isLessThanOrEqualTo(mostBytes);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "nothing | does not begin with",
        "'vhca-report 1\nstate = RTS' | line 2 is neither",
        "'vhca-report 1\n[a]\nstate' | line 3 is neither",
    })
    void whatIsNoReportIsRefused(final String text, final String why) {
        assertThatThrownBy(() -> Report.parse(text))
                .isInstanceOf(Report.NoReportException.class)
                .hasMessageContaining(why);
    }

    @Test
    void aDifferenceNamesSectionAndFact() {
        assertThat(ReportDiff.lines(report("RTS"), report("ERR")))
                .containsExactly("[queue pair]", "- state = RTS", "+ state = ERR");
        assertThat(ReportDiff.lines(report("RTS"), report("RTS"))).isEmpty();
        assertThat(ReportDiff.lines(report("RTS"), new Report(List.of())))
                .containsExactly(
                        "[queue pair]", "- state = RTS", "- epoch = 3", "[qp:0x1 hardware]", "- sq_psn = 77");
    }

    /** Records of one time: the first of them alone had been compared. */
    @Test
    void whatHasOneNameIsComparedOneByOne() {
        final Report before = trace("A1", "A2", "A2", "A3");
        final Report after = trace("A2", "A3", "A4");
        assertThat(ReportDiff.lines(before, after))
                .containsExactly("[trace]", "- 17 = A1", "- 17 = A2", "+ 17 = A4");
        assertThat(ReportDiff.lines(before, before)).isEmpty();
    }

    private static Report trace(final String... records) {
        return new Report(List.of(new Report.Section(
                "trace", Stream.of(records).map(one -> new Report.Fact("17", one)).toList())));
    }

    /** A value comes from a peer, or from whoever wrote the file: in the page it is text and nothing else. */
    @Test
    void aPageHasNothingButText() {
        final String page = ReportHtml.page(report("<script>alert('x')</script>&\""));
        assertThat(page)
                .contains("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;&quot;", "<td>sq_psn</td><td>77</td>")
                .doesNotContain("<script", "http:", "https:", "src=");
    }

    /** It is printed in the character set of the locale, which had a question mark, or another byte, for a letter. */
    @Test
    void aPageIsTheSameInEachCharacterSet() {
        assertThat(ReportHtml.page(report("\u00e4 \ud83d\ude00"))).contains("&#228; &#128512;").isASCII();
    }

    @Test
    void theOldestGiveWay() throws IOException {
        try (PrivateDirectory opened =
                PrivateDirectory.create(directory.resolve("own"), PosixFilePermissions.fromString("rwx------"))) {
            for (int i = 1; i <= ReportFiles.KEPT + 3; i++) {
                final Path name = ReportFiles.name("bond0", i);
                ReportFiles.writeSnapshot(opened, "bond0", report("RTS"));
                Files.setLastModifiedTime(opened.path().resolve(name), FileTime.fromMillis(1_000L * i));
            }
            ReportFiles.writeSnapshot(opened, "bond00", report("RTS"));
            assertThat(opened.names()).hasSize(ReportFiles.KEPT + 1)
                    .contains(ReportFiles.name("bond0", 4), ReportFiles.name("bond00", 1))
                    .doesNotContain(ReportFiles.name("bond0", 3));
            final Path last = opened.path().resolve(ReportFiles.name("bond0", ReportFiles.KEPT + 3));
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(last))).isEqualTo("rw-------");
            assertThat(ReportFiles.read(last)).isEqualTo(report("RTS"));
            final Path link = Files.createSymbolicLink(opened.path().resolve("link"), last);
            assertThatThrownBy(() -> ReportFiles.read(link)).hasMessageContaining("no file");
        }
    }

    /** A name may have dots: of two bonds in one directory one's name may be the beginning of the other's. */
    @Test
    void aBondsSnapshotsAreNotThoseOfAnotherWhoseNameBeginsWithItsOwn() throws IOException {
        final Path own = directory.resolve("own");
        try (PrivateDirectory opened =
                PrivateDirectory.create(own, PosixFilePermissions.fromString("rwx------"))) {
            final Path other = ReportFiles.name("db.backup", 1);
            final Path numbered = ReportFiles.name("db.7", 1);
            for (final Path name : List.of(other, numbered)) {
                ReportFiles.write(opened, name, report("RTS"));
                Files.setLastModifiedTime(own.resolve(name), FileTime.fromMillis(1));
            }
            for (int i = 1; i <= ReportFiles.KEPT + 1; i++) {
                ReportFiles.writeSnapshot(opened, "db", report("RTS"));
            }
            assertThat(opened.names()).hasSize(ReportFiles.KEPT + 2).contains(other, numbered);
        }
        final String before = System.setProperty(StatusDirectory.PROPERTY, own.toString());
        try {
            assertThat(ReportFiles.snapshots("db")).hasSize(ReportFiles.KEPT);
            assertThat(ReportFiles.snapshots("db.backup")).hasSize(1);
            assertThat(ReportFiles.snapshots("")).hasSize(ReportFiles.KEPT + 2);
        } finally {
            if (before == null) {
                System.clearProperty(StatusDirectory.PROPERTY);
            } else {
                System.setProperty(StatusDirectory.PROPERTY, before);
            }
        }
    }

    /** Whatever stands in a file, it is read or refused in one sentence. */
    @Test
    void damagedFilesAreReadOrRefused() throws IOException {
        final Path file = directory.resolve("mutant");
        final byte[] good = report("RTS").text().getBytes(StandardCharsets.UTF_8);
        final SplittableRandom random = new SplittableRandom(18);
        int refused = 0;
        for (int mutant = 0; mutant < MUTANTS; mutant++) {
            final byte[] bytes = good.clone();
            for (int i = 0; i <= random.nextInt(3); i++) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
            }
            Files.write(file, bytes);
            try {
                final Report report = ReportFiles.read(file);
                assertThat(Report.parse(report.text())).isNotNull();
                assertThat(ReportHtml.page(report)).endsWith("</html>\n");
                assertThat(ReportDiff.lines(report, report)).isEmpty();
            } catch (final IOException e) {
                assertThat(e).hasMessageStartingWith(file.toString());
                refused++;
            } catch (final Report.NoReportException e) {
                throw new AssertionError("mutant " + mutant + " is read and cannot be written", e);
            }
        }
        assertThat(refused).isBetween(MUTANTS / 20, MUTANTS * 19 / 20);
    }
}
