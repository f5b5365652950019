package io.vhca.tool.status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.vhca.api.ProcessUser;
import io.vhca.ras.status.StatusDirectory;
import io.vhca.ras.status.StatusReader;
import io.vhca.rdp.status.StatusFiles;
import io.vhca.tool.console.EnvironmentException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BondStatusesTest {
    @Test
    void aDirectoryThatCannotBeReadIsMissingInOneSentence() {
        final BondStatuses.Listing unreadable = () -> {
            throw new AccessDeniedException("/run/vhca");
        };
        assertThatThrownBy(() -> BondStatuses.all("", problem -> {}, unreadable, StatusReader::read))
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
        assertThat(BondStatuses.all("", problem -> {}, List::of, StatusReader::read)).isEmpty();
    }

    /** Its application is not to be started again, and its file not to be deleted. */
    @Test
    void aBondWhoseFileIsBeingWrittenIsNotSaidToBeClosed() {
        final Path file = Path.of("bond0.7.status");
        final BondStatuses.Reading reading = read -> {
            throw new StatusReader.BeingWrittenException(read);
        };
        final List<String> problems = new ArrayList<>();
        assertThatThrownBy(() -> BondStatuses.find("bond0", problems::add, () -> List.of(file), reading))
                .isInstanceOf(EnvironmentException.class)
                .hasMessageContaining("no bond bond0 is open that can be shown")
                .hasMessageNotContaining("start the application");
        assertThat(problems).singleElement().asString()
                .contains(file + " has been written to", "its process may be stopped")
                .doesNotContain("delete it");
    }
}
