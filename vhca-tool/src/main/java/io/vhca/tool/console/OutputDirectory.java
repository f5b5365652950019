package io.vhca.tool.console;

import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A directory that a command makes and fills at its end, after minutes: whether it can is asked before it begins. */
public final class OutputDirectory implements ITypeConverter<Path> {
    @Override
    public Path convert(final String text) {
        final Path directory = Path.of(text);
        Path there = directory.toAbsolutePath();
        while (!Files.exists(there) && there.getParent() != null) {
            there = there.getParent();
        }
        if (!Files.isDirectory(there)) {
            throw new TypeConversionException("'" + there + "' is a file; name a directory");
        }
        if (!Files.isWritable(there)) {
            throw new TypeConversionException("this user may not write " + there);
        }
        return directory;
    }
}
