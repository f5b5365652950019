package io.vhca.harness.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The BOM has no parent to take anything from: it names every module that others use, in the version of the build. */
class BomTest {
    private static String read(final String module) throws IOException {
        final Path pom = Path.of(module, "pom.xml");
        return Files.readString(Files.exists(pom) ? pom : Path.of("..").resolve(pom));
    }

    private static List<String> all(final String regex, final String text) {
        final List<String> found = new ArrayList<>();
        final Matcher matcher = Pattern.compile(regex).matcher(text);
        while (matcher.find()) {
            found.add(matcher.group(1));
        }
        return found;
    }

    @Test
    void namesEveryModuleThatOthersUse() throws IOException {
        final List<String> modules = all("<module>(.*?)</module>", read(root()));
        modules.removeAll(List.of("vhca-bom", "test-harness", "vhca-dist"));
        final String bom = read("vhca-bom");
        assertThat(all("<dependency><groupId>io.vhca</groupId><artifactId>(.*?)</artifactId>", bom))
                .containsExactlyInAnyOrderElementsOf(modules);
        assertThat(bom).doesNotContain("<parent>");
    }

    @Test
    void hasTheVersionOfTheBuild() throws IOException {
        final String version = "<version>(.*?)</version>";
        assertThat(all(version, read("vhca-bom")).getFirst()).isEqualTo(all(version, read(root())).getFirst());
    }

    private static String root() {
        return Files.isDirectory(Path.of("vhca-api")) ? "." : "..";
    }
}
