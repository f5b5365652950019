package io.vhca.harness.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every source of the project keeps the house rules. */
class TidyTest {
    private static final String GENERATED = "io/vhca/physical/rdmacore";
    private static final long MAX_FILE_BYTES = 1 << 20;

    private static Path root() {
        Path path = Path.of("").toAbsolutePath();
        while (!Files.isDirectory(path.resolve("vhca-api"))) {
            path = java.util.Objects.requireNonNull(path.getParent(), "not inside the checkout");
        }
        return path;
    }

    private static List<Path> files(final String glob) throws IOException {
        try (Stream<Path> all = Files.walk(root())) {
            return all.filter(path -> path.getFileSystem().getPathMatcher("glob:**" + glob).matches(path))
                    .filter(path -> !path.toString().contains("/target/") && !path.toString().contains("/.git/"))
                    .filter(path -> !path.toString().contains(GENERATED))
                    .filter(Files::isRegularFile)
                    .sorted()
                    .toList();
        }
    }

    private static JavaSource read(final Path path) throws IOException {
        return new JavaSource(Files.readString(path));
    }

    @Test
    void sourcesAreTidy() throws IOException {
        final List<String> found = new ArrayList<>();
        for (final Path path : files(".java")) {
            found.addAll(TidyRules.violations(root().relativize(path).toString(), read(path)));
        }
        assertThat(found).isEmpty();
    }

    @Test
    void sizesHoldTheRatchet() throws IOException {
        final Map<String, Integer> ratchet = new TreeMap<>();
        for (final String line : Files.readAllLines(root().resolve("test-harness/src/test/tidy-ratchet.txt"))) {
            if (!line.isBlank() && !line.startsWith("#")) {
                final int space = line.indexOf(' ');
                ratchet.put(line.substring(space + 1), Integer.valueOf(line.substring(0, space)));
            }
        }
        final Map<String, Integer> now = new TreeMap<>();
        for (final Path path : files(".java")) {
            now.putAll(TidyRules.oversized(root().relativize(path).toString(), read(path)));
        }
        assertThat(TidyRules.compare(ratchet, now)).isEmpty();
    }

    @Test
    void everyPackageIsNullMarked() throws IOException {
        final List<String> found = new ArrayList<>();
        for (final Path path : files("/src/main/java/**.java")) {
            final Path info = path.resolveSibling("package-info.java");
            if (!Files.exists(info) || !Files.readString(info).contains("@NullMarked")) {
                found.add(root().relativize(path.getParent()).toString());
            }
        }
        assertThat(found).isEmpty();
    }

    @Test
    void noFileIsHuge() throws IOException {
        final List<String> found = new ArrayList<>();
        for (final Path path : files("*")) {
            if (Files.size(path) > MAX_FILE_BYTES) {
                found.add(root().relativize(path).toString());
            }
        }
        assertThat(found).isEmpty();
    }
}
