package io.vhca.harness.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When the tests are compiled anew before they run in the machines. */
class LabSuiteTest {
    private static final FileTime EARLIER = FileTime.fromMillis(1_000_000);
    private static final FileTime BUILT = FileTime.fromMillis(2_000_000);
    private static final FileTime LATER = FileTime.fromMillis(3_000_000);

    @TempDir
    private Path project;

    private Path file(final String name, final FileTime written) throws IOException {
        final Path file = project.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, name);
        return Files.setLastModifiedTime(file, written);
    }

    @Test
    void testsAreCompiledWhereASourceIsNewer() throws IOException {
        final Path test = file("test-harness/src/test/java/OneTest.java", EARLIER);
        final Path main = file("vhca-bond/src/main/java/One.java", EARLIER);
        final Path pom = file("pom.xml", EARLIER);
        assertThat(LabSuite.isStale(project)).as("never built").isTrue();
        file("test-harness/target/vhca-test.classpath", BUILT);
        assertThat(LabSuite.isStale(project)).as("no classes").isTrue();
        file("test-harness/target/test-classes/OneTest.class", LATER);
        assertThat(LabSuite.isStale(project)).isFalse();
        for (final Path source : new Path[] {test, main, pom}) {
            Files.setLastModifiedTime(source, LATER);
            assertThat(LabSuite.isStale(project)).as("%s is newer", source).isTrue();
            Files.setLastModifiedTime(source, EARLIER);
        }
        assertThat(LabSuite.isStale(project)).isFalse();
    }
}
