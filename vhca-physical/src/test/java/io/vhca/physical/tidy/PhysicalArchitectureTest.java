package io.vhca.physical.tidy;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * How the physical devices are layered, the generated bindings apart. What a class knows of vhca-api does not count for
 * its fan-out: that is the vocabulary of the verbs. Each rule is also shown classes that break it.
 */
class PhysicalArchitectureTest {
    private static final String SOFT = "io.vhca.physical.soft";
    private static final String EVENTS = "io.vhca.physical.events";
    private static final String VERBS = "io.vhca.physical.verbs";
    private static final String GENERATED = "io.vhca.physical.rdmacore";
    private static final String ENGINE = SOFT + ".engine";
    private static final int MOST_CLASSES = 30;
    private static final int MOST_KNOWN = 12;
    private static final List<Set<String>> LAYERS = List.of(
            Set.of(SOFT),
            Set.of(ENGINE, SOFT + ".cm", SOFT + ".udp", SOFT + ".fabric"),
            Set.of(ENGINE + ".rc", ENGINE + ".ud", SOFT + ".cm.message"),
            Set.of(ENGINE + ".qp"),
            Set.of(ENGINE + ".queue", ENGINE + ".port"),
            Set.of(ENGINE + ".memory"),
            Set.of(ENGINE + ".core"),
            Set.of(SOFT + ".carrier", SOFT + ".wire", EVENTS));

    private static final JavaClasses CLASSES =
            new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests()).importPackages(SOFT, VERBS);

    private static boolean isCounted(final JavaClass known) {
        return known.getPackageName().startsWith("io.vhca.physical.")
                && !known.getPackageName().equals(GENERATED);
    }

    private static JavaClasses soft() {
        return CLASSES.that(DescribedPredicate.describe(
                "of the soft device", type -> type.getPackageName().startsWith(SOFT)));
    }

    @Test
    void packagesHaveNoCycle() {
        ArchitectureRules.freeOfCycles(CLASSES, SOFT);
        ArchitectureRules.freeOfCycles(CLASSES, VERBS);

        final JavaClasses planted = new PlantedClasses()
                .plant(ENGINE + ".qp.A", ENGINE + ".rc.B")
                .plant(ENGINE + ".rc.B", ENGINE + ".ud.C")
                .plant(ENGINE + ".ud.C", ENGINE + ".qp.A")
                .classes();
        assertThatThrownBy(() -> ArchitectureRules.freeOfCycles(planted, SOFT))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("Cycle detected");
    }

    @Test
    void layersImportOneWay() {
        ArchitectureRules.allLayered(soft(), LAYERS);
        ArchitectureRules.layered(CLASSES, LAYERS);

        for (int upper = 0; upper < LAYERS.size() - 1; upper++) {
            for (final String above : LAYERS.get(upper)) {
                for (final String below : LAYERS.get(upper + 1)) {
                    final JavaClasses planted =
                            new PlantedClasses().plant(below + ".Planted", above + ".Target").classes();
                    assertThatThrownBy(() -> ArchitectureRules.layered(planted, LAYERS))
                            .as("%s imports %s", below, above)
                            .isInstanceOf(AssertionError.class)
                            .hasMessageContaining("Planted");
                }
            }
        }
        final JavaClasses stranger = new PlantedClasses().plant(SOFT + ".nowhere.Planted").classes();
        assertThatThrownBy(() -> ArchitectureRules.allLayered(stranger, LAYERS))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining(SOFT + ".nowhere");
    }

    @Test
    void verbsDevicesStandOnTheLibrariesBelowThem() {
        final List<Set<String>> layers = List.of(Set.of(VERBS), Set.of(VERBS + ".lib"), Set.of(GENERATED, EVENTS));
        ArchitectureRules.layered(CLASSES, layers);

        final JavaClasses planted =
                new PlantedClasses().plant(VERBS + ".lib.Planted", VERBS + ".Target").classes();
        assertThatThrownBy(() -> ArchitectureRules.layered(planted, layers))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("Planted");
    }

    @Test
    void packagesStaySmall() {
        ArchitectureRules.packagesOfAtMost(CLASSES, MOST_CLASSES);

        final PlantedClasses planted = new PlantedClasses();
        IntStream.rangeClosed(0, MOST_CLASSES).forEach(i -> planted.plant(SOFT + ".Planted" + i));
        assertThatThrownBy(() -> ArchitectureRules.packagesOfAtMost(planted.classes(), MOST_CLASSES))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining(SOFT + " has 31");
    }

    @Test
    void classesKnowFewOthers() {
        ArchitectureRules.fanOutOfAtMost(
                ArchitectureRules.fanOut(CLASSES, PhysicalArchitectureTest::isCounted),
                MOST_KNOWN,
                ArchitectureRules.ratchet(PhysicalArchitectureTest.class, "fan-out.ratchet"));

        final String name = SOFT + ".Planted";
        final Map<String, Integer> planted = ArchitectureRules.fanOut(
                new PlantedClasses()
                        .plant(name, IntStream.rangeClosed(0, MOST_KNOWN)
                                .mapToObj(i -> ENGINE + ".Target" + i)
                                .toArray(String[]::new))
                        .classes(),
                PhysicalArchitectureTest::isCounted);
        ArchitectureRules.fanOutOfAtMost(planted, MOST_KNOWN, Map.of(name, 13));
        assertThatThrownBy(() -> ArchitectureRules.fanOutOfAtMost(planted, MOST_KNOWN, Map.of()))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining(name + " knows 13 classes, allowed are 12");
        assertThatThrownBy(() -> ArchitectureRules.fanOutOfAtMost(planted, MOST_KNOWN, Map.of(name, 14)))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("lower its row");
        final Map<String, Integer> stale = Map.of(name, 13, SOFT + ".Gone", 20);
        assertThatThrownBy(() -> ArchitectureRules.fanOutOfAtMost(planted, MOST_KNOWN, stale))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("Gone does not exist");
    }
}
