package io.vhca.tool.console;

import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A file that a command writes at its end, after minutes: whether it can is asked before it begins. */
public final class OutputFile implements ITypeConverter<Path> {
    @Override
    public Path convert(final String text) {
        final Path file = Path.of(text);
        final Path directory = file.toAbsolutePath().getParent();
        if (Files.isDirectory(file) || directory == null) {
            throw new TypeConversionException("'" + text + "' is a directory; name a file in it");
        }
        if (!Files.isDirectory(directory)) {
            throw new TypeConversionException("there is no directory " + directory);
        }
        if (!Files.isWritable(Files.exists(file) ? file : directory)) {
            throw new TypeConversionException("this user may not write " + text);
        }
        return file;
    }
}
