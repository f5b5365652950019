package io.vhca.harness.tidy;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** Dependencies point one way: api, then recovery and physical, then bond, then everything else. */
class ArchitectureTest {
    private static final JavaClasses CLASSES =
            new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests()).importPackages("io.vhca");

    private static void mustNot(final String from, final String... to) {
        noClasses().that().resideInAPackage(from).should().dependOnClassesThat().resideInAnyPackage(to).check(CLASSES);
    }

    @Test
    void theApiKnowsNobody() {
        mustNot(
                "io.vhca.api..",
                "io.vhca.recovery..", "io.vhca.physical..", "io.vhca.bond..", "io.vhca.examples..",
                "io.vhca.harness..");
    }

    @Test
    void recoveryNeverTouchesADevice() {
        mustNot(
                "io.vhca.recovery..",
                "io.vhca.physical..", "io.vhca.bond..", "io.vhca.examples..", "io.vhca.harness..", "io.vhca.api.cm..");
    }

    @Test
    void physicalDevicesKnowNoBond() {
        mustNot(
                "io.vhca.physical..",
                "io.vhca.recovery..", "io.vhca.bond..", "io.vhca.examples..", "io.vhca.harness..");
    }

    @Test
    void theSoftDeviceNeedsNoLibibverbs() {
        mustNot("io.vhca.physical.soft..", "io.vhca.physical.verbs..", "io.vhca.physical.rdmacore..");
    }

    @Test
    void theBondNeverAsksWhatAMemberIs() {
        mustNot("io.vhca.bond..", "io.vhca.physical..", "io.vhca.examples..", "io.vhca.harness..");
    }

    @Test
    void examplesSeeOnlyTheApi() {
        mustNot("io.vhca.examples..", "io.vhca.recovery..", "io.vhca.physical..", "io.vhca.bond..",
                "io.vhca.harness..");
    }

    @Test
    void theTransportEngineDoesNoInputOrOutput() {
        mustNot(
                "io.vhca.physical.soft.engine..",
                "io.vhca.physical.soft.udp..", "io.vhca.physical.soft.fabric..", "java.net..", "java.nio.channels..");
    }
}
