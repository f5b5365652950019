package io.vhca.harness.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where a bond's configuration comes from: the system property, else the variable, else ./vhca.conf. */
class BondSourcesIT {
    private static final Map<String, String> VARIABLE = Map.of("VHCA_BOND", "bond-variable: members=soft0,soft1");

    @TempDir
    private Path directory;

    private ToolProcess list(final Map<String, String> environment) throws IOException, InterruptedException {
        return ToolProcess.run(ToolProcess.launcher(), directory, environment, "devinfo", "--list");
    }

    private void writeFile(final String name, final String text) throws IOException {
        Files.writeString(directory.resolve(name), text);
    }

    @Test
    void eachSourceIsReadAndTheFirstOneWins() throws IOException, InterruptedException {
        assertThat(list(Map.of()).output().lines()).as("nothing configured").contains("bond0", "soft0");
        writeFile("vhca.conf", "[bond-file]\nmembers = soft0, soft1\n");
        assertThat(list(Map.of()).output().lines()).contains("bond-file", "soft0").doesNotContain("bond0");
        assertThat(list(VARIABLE).output().lines()).contains("bond-variable").doesNotContain("bond-file");
        writeFile("other.conf", "[bond-property]\nmembers = soft0, soft1\n");
        assertThat(list(Map.of("VHCA_BOND", "bond-variable: members=soft0,soft1",
                                "VHCA_JAVA_OPTS", "-Dvhca.bond=other.conf")).output().lines())
                .contains("bond-property")
                .doesNotContain("bond-variable", "bond-file");
    }

    @Test
    void anErrorNamesItsSourceAndItsPlace() throws IOException, InterruptedException {
        writeFile("vhca.conf", "[bond0]\nmembers = soft0, soft1\nmimon = 5\nretry_cnt = 9\n");
        final ToolProcess file = list(Map.of());
        assertThat(file.code()).as(file.output()).isEqualTo(3);
        assertThat(file.output())
                .contains("vhca.conf: bond0, line 3", "did you mean miimon", "line 4: retry_cnt", "0 to 7");
        final ToolProcess variable = list(Map.of("VHCA_BOND", "bond0: members=soft0,soft1 mode=802.3ad"));
        assertThat(variable.code()).as(variable.output()).isEqualTo(3);
        assertThat(variable.output()).contains("VHCA_BOND", "802.3ad").doesNotContain("\tat ");
        final ToolProcess missing = list(Map.of("VHCA_JAVA_OPTS", "-Dvhca.bond=none.conf"));
        assertThat(missing.code()).as(missing.output()).isEqualTo(3);
        assertThat(missing.output()).contains("none.conf", "there is no such file").doesNotContain("\tat ");
    }
}
