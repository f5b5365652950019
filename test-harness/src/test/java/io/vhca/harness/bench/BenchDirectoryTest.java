package io.vhca.harness.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class BenchDirectoryTest {
    private Path path = Path.of("unset");

    @Test
    void itGoesWithAllThatIsInIt() throws IOException {
        try (BenchDirectory directory = BenchDirectory.make("server", "client")) {
            path = directory.path();
            assertThat(directory.parts()).containsExactly(path + "/server", path + "/client");
            Files.createFile(Path.of(directory.parts().getLast(), "bond0.rdpd"));
            Files.createFile(path.resolve("word"));
        }
        assertThat(path).doesNotExist();
    }

    /** What was missing of the processes that had not been started yet had been said in its place. */
    @Test
    void whyAProcessDidNotStartIsSaid() {
        assertThatThrownBy(() -> {
            try (BenchDirectory directory = BenchDirectory.make("server", "client")) {
                path = directory.path();
                Files.delete(Path.of(directory.parts().getLast()));
                throw new IOException("driver of the benchmark: there is no soft0");
            }
        }).hasMessage("driver of the benchmark: there is no soft0").hasNoSuppressedExceptions();
        assertThat(path).doesNotExist();
    }
}
