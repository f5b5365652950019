package io.vhca.harness.sim;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.constant.ClassDesc;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Packages of the simulator import only those below them, and stay small enough to know. */
class LayersTest {
    private static final String ROOT = "io.vhca.harness.sim";
    private static final int MOST_CLASSES = 30;
    /** From the bottom up. */
    private static final List<String> ORDER =
            List.of(
                    "core", "fault", "fault.starve", "fault.attack", "fault.kind", "scenario", "proxy", "check",
                    "defect", "host", "app", "");

    private static final JavaClasses CLASSES =
            new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests()).importPackages(ROOT);

    private static String name(final String layer) {
        return layer.isEmpty() ? ROOT : ROOT + "." + layer;
    }

    private static ArchRule onlyBelow(final String layer) {
        final String[] above = ORDER.subList(ORDER.indexOf(layer) + 1, ORDER.size()).stream()
                .map(LayersTest::name)
                .toArray(String[]::new);
        return noClasses().that().resideInAPackage(name(layer)).should().dependOnClassesThat()
                .resideInAnyPackage(above);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "core", "fault", "fault.starve", "fault.attack", "fault.kind", "scenario", "proxy", "check", "defect",
                "host", "app"
            })
    void aPackageImportsOnlyThoseBelowIt(final String layer) throws IOException {
        onlyBelow(layer).check(CLASSES);
        final JavaClasses planted = planted(layer);
        assertThatThrownBy(() -> onlyBelow(layer).check(planted))
                .as("a dependency on what is above")
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("Planted");
    }

    /** A class of a layer with a field of a class of the topmost one. */
    private static JavaClasses planted(final String layer) throws IOException {
        final Path directory = Files.createTempDirectory("planted");
        final Path file = directory.resolve("Planted.class");
        try {
            Files.write(file, ClassFile.of().build(ClassDesc.of(name(layer), "Planted"), builder ->
                    builder.withField("target", ClassDesc.of(ROOT, "Target"), ClassFile.ACC_PRIVATE)));
            return new ClassFileImporter().importPath(directory);
        } finally {
            Files.deleteIfExists(file);
            Files.delete(directory);
        }
    }

    @Test
    void thePackagesAreThese() {
        final Map<String, Long> counts = CLASSES.stream()
                .filter(type -> type.isTopLevelClass() && !type.getSimpleName().equals("package-info"))
                .collect(Collectors.groupingBy(JavaClass::getPackageName, Collectors.counting()));
        assertThat(counts).containsOnlyKeys(ORDER.stream().map(LayersTest::name).toArray(String[]::new));
        assertThat(counts.values()).allMatch(count -> count <= MOST_CLASSES);
    }
}
