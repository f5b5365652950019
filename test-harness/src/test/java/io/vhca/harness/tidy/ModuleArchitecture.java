package io.vhca.harness.tidy;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
 * How the inside of one module is layered. What a class knows of other modules does not count for its fan-out: those
 * are the vocabulary that it speaks. Each rule is also shown classes that break it.
 */
abstract class ModuleArchitecture {
    private static final int MOST_CLASSES = 30;
    private static final int MOST_KNOWN = 12;

    private final String root;
    private final List<Set<String>> layers;
    private final String ratchet;
    private final JavaClasses classes;

    /**
     * A module, or a part of one.
     *
     * @param root     the package that all others begin with
     * @param layers   the packages of each layer, topmost first; a package stands without those below it
     * @param ratchet  the resource with the classes that know too many others
     */
    ModuleArchitecture(final String root, final List<Set<String>> layers, final String ratchet) {
        this.root = root;
        this.layers = layers;
        this.ratchet = ratchet;
        classes = new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests()).importPackages(root);
    }

    private boolean isCounted(final JavaClass known) {
        return known.getPackageName().equals(root) || known.getPackageName().startsWith(root + ".");
    }

    @Test
    void packagesHaveNoCycle() {
        ArchitectureRules.freeOfCycles(classes, root);

        final JavaClasses planted = new PlantedClasses()
                .plant(root + ".a.A", root + ".b.B")
                .plant(root + ".b.B", root + ".c.C")
                .plant(root + ".c.C", root + ".a.A")
                .classes();
        assertThatThrownBy(() -> ArchitectureRules.freeOfCycles(planted, root))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("Cycle detected");
    }

    @Test
    void layersImportOneWay() {
        ArchitectureRules.allLayered(classes, layers);
        ArchitectureRules.layered(classes, layers);

        for (int upper = 0; upper < layers.size() - 1; upper++) {
            for (final String above : layers.get(upper)) {
                for (final String below : layers.get(upper + 1)) {
                    final JavaClasses planted =
                            new PlantedClasses().plant(below + ".Planted", above + ".Target").classes();
                    assertThatThrownBy(() -> ArchitectureRules.layered(planted, layers))
                            .as("%s imports %s", below, above)
                            .isInstanceOf(AssertionError.class)
                            .hasMessageContaining("Planted");
                }
            }
        }
        final JavaClasses stranger = new PlantedClasses().plant(root + ".nowhere.Planted").classes();
        assertThatThrownBy(() -> ArchitectureRules.allLayered(stranger, layers))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining(root + ".nowhere");
    }

    @Test
    void packagesStaySmall() {
        ArchitectureRules.packagesOfAtMost(classes, MOST_CLASSES);

        final PlantedClasses planted = new PlantedClasses();
        IntStream.rangeClosed(0, MOST_CLASSES).forEach(i -> planted.plant(root + ".Planted" + i));
        assertThatThrownBy(() -> ArchitectureRules.packagesOfAtMost(planted.classes(), MOST_CLASSES))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining(root + " has 31");
    }

    @Test
    void classesKnowFewOthers() {
        ArchitectureRules.fanOutOfAtMost(
                ArchitectureRules.fanOut(classes, this::isCounted),
                MOST_KNOWN,
                ArchitectureRules.ratchet(ModuleArchitecture.class, ratchet));

        final String name = root + ".Planted";
        final Map<String, Integer> planted = ArchitectureRules.fanOut(
                new PlantedClasses()
                        .plant(name, IntStream.rangeClosed(0, MOST_KNOWN)
                                .mapToObj(i -> root + ".a.Target" + i)
                                .toArray(String[]::new))
                        .classes(),
                this::isCounted);
        ArchitectureRules.fanOutOfAtMost(planted, MOST_KNOWN, Map.of(name, 13));
        assertThatThrownBy(() -> ArchitectureRules.fanOutOfAtMost(planted, MOST_KNOWN, Map.of()))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining(name + " knows 13 classes, allowed are 12");
        assertThatThrownBy(() -> ArchitectureRules.fanOutOfAtMost(planted, MOST_KNOWN, Map.of(name, 14)))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("lower its row");
        final Map<String, Integer> stale = Map.of(name, 13, root + ".Gone", 20);
        assertThatThrownBy(() -> ArchitectureRules.fanOutOfAtMost(planted, MOST_KNOWN, stale))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("Gone does not exist");
    }
}
