package io.vhca.tool.console;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** What went wrong with a file, in words: of itself the JDK says of some failures no more than the path. */
public final class FailureText {
    private FailureText() {}

    public static String of(final IOException failure) {
        return switch (failure) {
            case NoSuchFileException e -> "there is no " + e.getFile();
            case AccessDeniedException e -> "this user may not open " + e.getFile();
            case FileAlreadyExistsException e -> e.getFile() + " is there already";
            case FileSystemException e when e.getReason() == null -> e.getFile() + " cannot be used: " + name(e);
            default -> failure.getMessage() == null ? name(failure) : failure.getMessage();
        };
    }

    private static String name(final IOException failure) {
        return failure.getClass().getSimpleName();
    }
}
