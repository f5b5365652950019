package io.vhca.harness.tidy;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Rules for the inside of a module, of any module: packages without cycles, layers that import one way, how many
 * classes a package has and how many a class knows. Nested classes count as their outermost class, package-info as
 * none. Each rule throws AssertionError and names what breaks it.
 */
final class ArchitectureRules {
    private ArchitectureRules() {}

    /** No package that begins with {@code root} imports, by any detour, one that imports it. */
    static void freeOfCycles(final JavaClasses classes, final String root) {
        slices().assignedFrom(new SliceAssignment() {
                    @Override
                    public SliceIdentifier getIdentifierOf(final JavaClass javaClass) {
                        final String name = javaClass.getPackageName();
                        return isWithin(name, root) ? SliceIdentifier.of(name) : SliceIdentifier.ignore();
                    }

                    @Override
                    public String getDescription() {
                        return "packages of " + root;
                    }
                })
                .should()
                .beFreeOfCycles()
                .check(classes);
    }

    /**
     * Each layer imports only layers below it.
     *
     * @param topDown the packages of each layer, without those below them; packages of one layer do not know each other
     */
    static void layered(final JavaClasses classes, final List<Set<String>> topDown) {
        final List<String> above = new ArrayList<>();
        for (final Set<String> layer : topDown) {
            for (final String from : layer) {
                final List<String> forbidden = new ArrayList<>(above);
                layer.stream().filter(other -> !other.equals(from)).forEach(forbidden::add);
                if (!forbidden.isEmpty()) {
                    layer(from, forbidden).check(classes);
                }
            }
            above.addAll(layer);
        }
    }

    private static ArchRule layer(final String from, final List<String> forbidden) {
        return noClasses()
                .that()
                .resideInAPackage(from)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(forbidden.toArray(String[]::new))
                .allowEmptyShould(true);
    }

    /** Every package of these classes is in one of the layers. */
    static void allLayered(final JavaClasses classes, final List<Set<String>> topDown) {
        final Set<String> missing = new TreeSet<>();
        for (final JavaClass javaClass : classes) {
            missing.add(javaClass.getPackageName());
        }
        topDown.forEach(missing::removeAll);
        fail("packages that are in no layer", missing);
    }

    /** No package has more than {@code most} classes. */
    static void packagesOfAtMost(final JavaClasses classes, final int most) {
        final Map<String, Set<String>> members = new TreeMap<>();
        for (final JavaClass javaClass : classes) {
            if (!javaClass.getSimpleName().equals("package-info")) {
                members.computeIfAbsent(javaClass.getPackageName(), name -> new TreeSet<>())
                        .add(outermost(javaClass));
            }
        }
        final List<String> broken = new ArrayList<>();
        members.forEach((name, types) -> {
            if (types.size() > most) {
                broken.add(name + " has " + types.size());
            }
        });
        fail("packages of more than " + most + " classes", broken);
    }

    /**
     * How many other classes each class knows.
     *
     * @param counted which of the classes that it knows count
     */
    static Map<String, Integer> fanOut(final JavaClasses classes, final Predicate<JavaClass> counted) {
        final Map<String, Set<String>> known = new TreeMap<>();
        for (final JavaClass javaClass : classes) {
            final Set<String> others = known.computeIfAbsent(outermost(javaClass), name -> new TreeSet<>());
            for (final Dependency dependency : javaClass.getDirectDependenciesFromSelf()) {
                final JavaClass target = dependency.getTargetClass().getBaseComponentType();
                if (counted.test(target) && !outermost(target).equals(outermost(javaClass))) {
                    others.add(outermost(target));
                }
            }
        }
        final Map<String, Integer> counts = new TreeMap<>();
        known.forEach((name, others) -> counts.put(name, others.size()));
        return counts;
    }

    /**
     * No class knows more than {@code most} others, but those of the ratchet, which know exactly as many as it says:
     * who gets below takes the row down with it.
     *
     * @param fanOut what {@link #fanOut} counted
     */
    static void fanOutOfAtMost(
            final Map<String, Integer> fanOut, final int most, final Map<String, Integer> ratchet) {
        final List<String> broken = new ArrayList<>();
        fanOut.forEach((name, count) -> {
            final int allowed = ratchet.getOrDefault(name, most);
            if (count > allowed) {
                broken.add(name + " knows " + count + " classes, allowed are " + allowed);
            } else if (ratchet.containsKey(name) && count < allowed) {
                broken.add(name + " knows " + count + " classes: "
                        + (count > most ? "lower its row to that" : "take its row out"));
            }
        });
        ratchet.keySet().stream()
                .filter(name -> !fanOut.containsKey(name))
                .forEach(name -> broken.add(name + " does not exist: take its row out"));
        fail("fan-out", broken);
    }

    /** Reads a ratchet: a class and a number a line, {@code #} before a remark. */
    static Map<String, Integer> ratchet(final Class<?> owner, final String resource) {
        final Map<String, Integer> rows = new TreeMap<>();
        try (InputStream in = Objects.requireNonNull(owner.getResourceAsStream(resource), resource);
                BufferedReader reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            reader.lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .map(line -> line.strip().split(" +"))
                    .forEach(row -> rows.put(row[0], Integer.valueOf(row[1])));
        } catch (final IOException e) {
            throw new AssertionError(resource, e);
        }
        return rows;
    }

    private static boolean isWithin(final String name, final String root) {
        return name.equals(root) || name.startsWith(root + ".");
    }

    private static String outermost(final JavaClass javaClass) {
        return Arrays.stream(javaClass.getName().split("\\$")).findFirst().orElseThrow();
    }

    private static void fail(final String what, final Iterable<String> broken) {
        final String all = String.join("\n  ", broken);
        if (!all.isEmpty()) {
            throw new AssertionError(what + ":\n  " + all);
        }
    }
}
