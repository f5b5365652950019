package io.vhca.tool.status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.tool.console.EnvironmentException;
import java.nio.file.AccessDeniedException;
import java.util.List;
import org.junit.jupiter.api.Test;

class BondStatusesTest {
    @Test
    void aDirectoryThatCannotBeReadIsMissingInOneSentence() {
        final BondStatuses.Listing unreadable = () -> {
            throw new AccessDeniedException("/run/vhca");
        };
        assertThatThrownBy(() -> BondStatuses.all("", problem -> {}, unreadable))
                .isInstanceOf(EnvironmentException.class)
                .hasMessageContainingAll("the status directory ", "cannot be read", "/run/vhca", "VHCA_STATUS_DIR");
    }

    @Test
    void nothingInItIsNoBond() {
        assertThat(BondStatuses.all("", problem -> {}, List::of)).isEmpty();
    }
}
