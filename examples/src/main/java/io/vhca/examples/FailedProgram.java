package io.vhca.examples;

import io.vhca.api.VerbsException;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.ParseResult;

/**
 * What a program that failed says and its exit code, as under {@code vhca example}: one sentence, with 3 where a device
 * or a file cannot be had, else 1. A defect shows its trace.
 */
final class FailedProgram implements IExecutionExceptionHandler {
    private static final int BAD = 1;
    private static final int MISSING = 3;
    private static final Set<String> ABOUT_DEVICES = Set.of("configure", "getDeviceList", "openDevice");

    @Override
    public int handleExecutionException(
            final Exception failure, final CommandLine commandLine, final ParseResult parsed) throws Exception {
        final Throwable cause = cause(failure);
        final int code =
                switch (cause) {
                    case VerbsException e -> ABOUT_DEVICES.contains(e.verb()) ? MISSING : BAD;
                    case FileSystemException e -> MISSING;
                    case IOException e -> BAD;
                    default -> throw failure;
                };
        commandLine.getErr().println(commandLine.getCommandName() + ": " + text(cause));
        return code;
    }

    /** What another thread failed by. */
    private static Throwable cause(final Exception failure) {
        Throwable cause = failure;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }

    /** Of itself the JDK says of some failures no more than the path, or nothing. */
    private static String text(final Throwable cause) {
        final String message = cause.getMessage();
        if (message == null) {
            return cause.getClass().getSimpleName();
        }
        return cause instanceof FileSystemException ? cause.getClass().getSimpleName() + ": " + message : message;
    }
}
