package io.vhca.harness.lab;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.stream.Stream;

/** When what a JVM runs was built. */
final class ClassPathTime {
    private ClassPathTime() {}

    /** Of the newest file of a class path, in its directories or an archive of it; what is not there does not count. */
    static FileTime newest(final String classPath) throws IOException {
        FileTime newest = FileTime.fromMillis(0);
        for (final String entry : classPath.split(File.pathSeparator)) {
            for (final Path file : files(Path.of(entry))) {
                final FileTime time = Files.getLastModifiedTime(file);
                newest = time.compareTo(newest) > 0 ? time : newest;
            }
        }
        return newest;
    }

    private static List<Path> files(final Path entry) throws IOException {
        if (Files.notExists(entry)) {
            return List.of();
        }
        try (Stream<Path> all = Files.walk(entry)) {
            return all.filter(Files::isRegularFile).toList();
        }
    }
}
