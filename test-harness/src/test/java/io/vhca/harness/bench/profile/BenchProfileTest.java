package io.vhca.harness.bench.profile;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.harness.drill.fabric.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BenchProfileTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    private static List<String> command() {
        return ChildProcess.command(List.of(), "Main", List.of());
    }

    @Test
    void everyProcessThatIsStartedMeanwhileIsRecorded() throws IOException {
        try (BenchProfile profile = BenchProfile.begin(directory.resolve("new"), "bc")) {
            assertThat(command()).contains(profile.flag());
            assertThat(profile.flag()).contains(directory.resolve("new").resolve("bc-%p.jfr").toString());
        }
        assertThat(command()).noneMatch(word -> word.contains("StartFlightRecording:filename=" + directory));
    }

    @Test
    void itsPageIsOfThatPartAloneAndOfThisTime() throws IOException {
        Files.writeString(directory.resolve("a-17.jfr"), "of another time");
        Files.writeString(directory.resolve("bc-17.jfr"), "of another part");
        try (BenchProfile profile = BenchProfile.begin(directory, "a")) {
            Files.writeString(directory.resolve("a-18.jfr"), ""); // its process was killed
            assertThat(profile.draw()).isEqualTo(directory.resolve("a.html"));
        }
        assertThat(directory.resolve("a.html")).content().contains("vhca bench --only a", "id=\"graph\"");
        assertThat(directory.resolve("a-own.jfr")).exists();
        assertThat(directory.resolve("a-17.jfr")).doesNotExist();
        assertThat(directory.resolve("bc-17.jfr")).exists();
    }
}
