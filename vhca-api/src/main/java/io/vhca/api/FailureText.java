package io.vhca.api;

import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/**
 * What went wrong with a file, in words: of itself the JDK says of some failures no more than the path. For providers.
 * Any thread.
 */
public final class FailureText {
    private FailureText() {}

    /** Of anything else its message, or its class where it has none. */
    public static String of(final Throwable failure) {
        return switch (failure) {
            case NoSuchFileException e -> "there is no " + e.getFile();
            case AccessDeniedException e -> "this user may not open " + e.getFile();
            case FileAlreadyExistsException e -> e.getFile() + " is there already";
            case CharacterCodingException _ -> "it is no text in UTF-8";
            case FileSystemException e when e.getReason() == null -> e.getFile() + " cannot be used: " + name(e);
            default -> failure.getMessage() == null ? name(failure) : failure.getMessage();
        };
    }

    private static String name(final Throwable failure) {
        return failure.getClass().getSimpleName();
    }
}
