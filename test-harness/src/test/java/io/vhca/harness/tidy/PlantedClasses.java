package io.vhca.harness.tidy;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.constant.ClassDesc;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Classes made up to break a rule: each has fields of the classes that it is to depend on. */
final class PlantedClasses {
    private record Planted(String name, List<String> known) {}

    private final List<Planted> all = new ArrayList<>();

    /** A class with its package that knows others. */
    PlantedClasses plant(final String name, final String... known) {
        all.add(new Planted(name, List.of(known)));
        return this;
    }

    /** As ArchUnit sees them. */
    JavaClasses classes() {
        try {
            final Path directory = Files.createTempDirectory("planted");
            final List<Path> files = new ArrayList<>();
            try {
                for (final Planted planted : all) {
                    final Path file = directory.resolve(planted.name() + ".class");
                    files.add(file);
                    Files.write(file, bytes(planted));
                }
                return new ClassFileImporter().importPath(directory);
            } finally {
                for (final Path file : files) {
                    Files.deleteIfExists(file);
                }
                Files.delete(directory);
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] bytes(final Planted planted) {
        return ClassFile.of().build(ClassDesc.of(planted.name()), builder -> {
            for (int i = 0; i < planted.known().size(); i++) {
                builder.withField("field" + i, ClassDesc.of(planted.known().get(i)), ClassFile.ACC_PRIVATE);
            }
        });
    }
}
