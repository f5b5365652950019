package io.vhca.tool.status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.vhca.api.ProcessUser;
import io.vhca.ras.status.BondStatus;
import io.vhca.ras.status.StatusDirectory;
import io.vhca.ras.status.StatusReader;
import io.vhca.rdp.status.StatusFiles;
import io.vhca.tool.console.EnvironmentException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

class BondStatusesTest {
    private static final Path FILE = Path.of("bond0.7.status");
    private static final long OWN = ProcessHandle.current().pid();
    private static final long NO_PID = 1L << 40;

    private static BondStatus status(final long pid, final long publishedMs) {
        return new BondStatus(
                "bond0", pid, 0, "", 0, publishedMs, "", "", "", "", 0, 0, 0, 0, List.of(), List.of(), 0, List.of(), 0,
                Map.of(), List.of(), List.of(), List.of());
    }

    private static List<BondStatuses.Found> all(final BondStatuses.Reading reading, final LongSupplier clockMs) {
        return BondStatuses.all("", problem -> {}, () -> List.of(FILE), reading, clockMs);
    }

    @Test
    void aDirectoryThatCannotBeReadIsMissingInOneSentence() {
        final BondStatuses.Listing unreadable = () -> {
            throw new AccessDeniedException("/run/vhca");
        };
        assertThatThrownBy(() -> BondStatuses.all("", problem -> {}, unreadable, StatusReader::read, () -> 0))
                .isInstanceOf(EnvironmentException.class)
                .hasMessageContainingAll("the status directory ", "cannot be read", "/run/vhca", "VHCA_STATUS_DIR");
    }

    /** Also of a user that has a number and no name, as in a container. */
    @Test
    void bondsAndDriversOfAUserAreLookedForInOnePlace() throws IOException {
        assumeThat(System.getenv("VHCA_STATUS_DIR")).isNull();
        final String name = System.getProperty("user.name");
        try {
            for (final String user : List.of(name, "?")) {
                System.setProperty("user.name", user);
                assertThat(StatusDirectory.path()).isEqualTo(StatusFiles.directory());
            }
            assertThat(StatusDirectory.path()).hasFileName("vhca-" + ProcessUser.number());
        } finally {
            System.setProperty("user.name", name);
        }
    }

    @Test
    void nothingInItIsNoBond() {
        assertThat(BondStatuses.all("", problem -> {}, List::of, StatusReader::read, () -> 0)).isEmpty();
    }

    /** Its application is not to be started again, and its file not to be deleted. */
    @Test
    void aBondWhoseFileIsBeingWrittenIsNotSaidToBeClosed() {
        final BondStatuses.Reading reading = read -> {
            throw new StatusReader.BeingWrittenException(read);
        };
        final List<String> problems = new ArrayList<>();
        assertThatThrownBy(() -> BondStatuses.find("bond0", problems::add, () -> List.of(FILE), reading, () -> 0))
                .isInstanceOf(EnvironmentException.class)
                .hasMessageContaining("no bond bond0 is open that can be shown")
                .hasMessageNotContaining("start the application");
        assertThat(problems).singleElement().asString()
                .contains(FILE + " has been written to", "its process may be stopped")
                .doesNotContain("delete it");
    }

    /** Who looks was stopped after it had read the file. */
    @Test
    void aBondThatWasClosedSinceItWasReadHasNotEndedWithoutThat() {
        final Iterator<BondStatus> once = List.of(status(NO_PID, 0)).iterator();
        assertThat(all(file -> {
            if (!once.hasNext()) {
                throw new NoSuchFileException(file.toString());
            }
            return once.next();
        }, () -> 0)).isEmpty();
        assertThat(all(file -> status(NO_PID, 0), () -> 0)).singleElement().satisfies(
                left -> assertThat(left.isAlive()).isFalse());
    }

    @Test
    void aBondIsSilentAsFarAsItWasWhenItWasLookedFor() {
        final AtomicLong nowMs = new AtomicLong(1_000_000);
        final List<BondStatuses.Found> found = all(file -> {
            final BondStatus read = status(OWN, nowMs.get());
            nowMs.addAndGet(7_000);
            return read;
        }, nowMs::get);
        assertThat(found).singleElement().satisfies(one -> {
            assertThat(one.isAlive()).isTrue();
            assertThat(one.bond().seenMs()).isEqualTo(1_000_000);
        });
    }

    /** As where the whole host was stopped, and the tool goes on first. */
    @Test
    void aBondThatSeemsToBeSilentIsReadOnceMore() {
        final Iterator<BondStatus> reads = List.of(status(OWN, 1_000), status(OWN, 9_000)).iterator();
        assertThat(all(file -> reads.next(), () -> 8_000)).singleElement().satisfies(
                one -> assertThat(one.status().publishedMs()).isEqualTo(9_000));
    }
}
