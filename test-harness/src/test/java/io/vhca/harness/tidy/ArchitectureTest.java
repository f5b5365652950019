package io.vhca.harness.tidy;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.constant.ClassDesc;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/**
 * Dependencies point one way: api, then recovery and physical, then bond, then ras, then the tool, then the harness.
 * Each rule is also shown a class that breaks it.
 */
class ArchitectureTest {
    private static final JavaClasses CLASSES =
            new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests()).importPackages("io.vhca");

    private static void mustNot(final String from, final String... to) {
        final ArchRule rule = noClasses()
                .that()
                .resideInAPackage(from)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(to);
        rule.check(CLASSES);
        for (final String target : to) {
            assertThatThrownBy(() -> rule.check(planted(from, target)))
                    .as("a dependency on %s", target)
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("Planted");
        }
    }

    /** A class in the one package with a field of a class in the other: what the rule must not let pass. */
    private static JavaClasses planted(final String from, final String to) throws IOException {
        final Path directory = Files.createTempDirectory("planted");
        final Path file = directory.resolve("Planted.class");
        try {
            Files.write(file, ClassFile.of().build(ClassDesc.of(packageOf(from), "Planted"), builder ->
                    builder.withField("target", ClassDesc.of(packageOf(to), "Target"), ClassFile.ACC_PRIVATE)));
            return new ClassFileImporter().importPath(directory);
        } finally {
            Files.deleteIfExists(file);
            Files.delete(directory);
        }
    }

    private static String packageOf(final String pattern) {
        return pattern.substring(0, pattern.length() - "..".length());
    }

    @Test
    void theApiKnowsNobody() {
        mustNot(
                "io.vhca.api..",
                "io.vhca.recovery..", "io.vhca.physical..", "io.vhca.bond..", "io.vhca.ras..", "io.vhca.examples..",
                "io.vhca.tool..", "io.vhca.harness..", "net.openhft..");
    }

    @Test
    void recoveryNeverTouchesADevice() {
        mustNot(
                "io.vhca.recovery..",
                "io.vhca.physical..", "io.vhca.bond..", "io.vhca.ras..", "io.vhca.examples..", "io.vhca.tool..",
                "io.vhca.harness..", "io.vhca.api.cm..");
    }

    @Test
    void physicalDevicesKnowNoBond() {
        mustNot(
                "io.vhca.physical..",
                "io.vhca.recovery..", "io.vhca.bond..", "io.vhca.ras..", "io.vhca.examples..", "io.vhca.tool..",
                "io.vhca.harness..", "net.openhft..");
    }

    @Test
    void theSoftDeviceNeedsNoLibibverbs() {
        mustNot("io.vhca.physical.soft..", "io.vhca.physical.verbs..", "io.vhca.physical.rdmacore..");
    }

    @Test
    void theBondNeverAsksWhatAMemberIs() {
        mustNot("io.vhca.bond..", "io.vhca.physical..", "io.vhca.examples..", "io.vhca.tool..", "io.vhca.harness..");
    }

    /** What shows a bond and what writes its journal is found by ServiceLoader. */
    @Test
    void neitherBondNorRecoveryKnowsWhatLooksOn() {
        mustNot("io.vhca.bond..", "io.vhca.ras..", "net.openhft..", "jdk.jfr..");
        mustNot("io.vhca.recovery..", "io.vhca.ras..", "net.openhft..", "jdk.jfr..");
    }

    @Test
    void whatLooksOnKnowsApiRecoveryAndBondOnly() {
        mustNot("io.vhca.ras..", "io.vhca.physical..", "io.vhca.examples..", "io.vhca.tool..", "io.vhca.harness..");
    }

    @Test
    void onlyTheJournalNeedsChronicle() {
        mustNot("io.vhca.ras.status..", "net.openhft..");
        mustNot("io.vhca.ras.jfr..", "net.openhft..");
        mustNot("io.vhca.ras.metrics..", "net.openhft..");
        mustNot("io.vhca.tool..", "net.openhft..");
    }

    @Test
    void theToolKnowsNoHarness() {
        mustNot("io.vhca.tool..", "io.vhca.harness..", "org.openjdk.jmh..", "org.junit..");
    }

    @Test
    void examplesSeeOnlyTheApi() {
        mustNot("io.vhca.examples..", "io.vhca.recovery..", "io.vhca.physical..", "io.vhca.bond..",
                "io.vhca.ras..", "io.vhca.tool..", "io.vhca.harness..");
    }

    @Test
    void facadesSeeOnlyTheApi() {
        mustNot("io.vhca.disni..", "io.vhca.recovery..", "io.vhca.physical..", "io.vhca.bond..", "io.vhca.ras..",
                "io.vhca.examples..", "io.vhca.tool..", "io.vhca.harness..", "io.vhca.rdp..", "io.vhca.exs..");
        mustNot("io.vhca.rdp..", "io.vhca.recovery..", "io.vhca.physical..", "io.vhca.bond..", "io.vhca.ras..",
                "io.vhca.examples..", "io.vhca.tool..", "io.vhca.harness..", "io.vhca.disni..", "io.vhca.exs..");
        mustNot("io.vhca.exs..", "io.vhca.recovery..", "io.vhca.physical..", "io.vhca.bond..", "io.vhca.ras..",
                "io.vhca.disni..", "io.vhca.rdp..", "io.vhca.examples..", "io.vhca.tool..", "io.vhca.harness..");
    }

    @Test
    void theEngineOfDatagramsDoesNoInputOrOutput() {
        mustNot("io.vhca.rdp.engine..", "io.vhca.rdp.verbs..", "io.vhca.api.cm..", "java.nio.channels..");
    }

    /** The protocol of a socket is told of what happens: it has no device, no clock and no thread. */
    @Test
    void theEngineOfASocketDoesNoInputOrOutput() {
        mustNot("io.vhca.exs.engine..", "io.vhca.api.cm..", "java.net..", "java.nio.channels..",
                "java.util.concurrent..");
        mustNot("io.vhca.exs.wire..", "io.vhca.exs.engine..");
    }

    @Test
    void theTransportEngineDoesNoInputOrOutput() {
        mustNot(
                "io.vhca.physical.soft.engine..",
                "io.vhca.physical.soft.udp..", "io.vhca.physical.soft.fabric..", "java.net..", "java.nio.channels..");
    }
}
