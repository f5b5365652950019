package io.vhca.tool.console;

import io.vhca.api.FailureText;
import io.vhca.api.VerbsException;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.ParseResult;

/**
 * What a failed job says and its exit code: 3 with one sentence where something is missing, a device that cannot be had
 * and a file that cannot be opened included; 1 with one sentence for any other verb that failed, and for whom a peer or
 * another process let down. What another thread failed by counts as if this one had. Everything else is a defect and
 * shows its trace, with 1.
 */
public final class FailureHandler implements IExecutionExceptionHandler {
    /** Exit code: the job ran and its verdict is bad. */
    public static final int BAD = 1;
    /** Exit code: something is missing in the environment. */
    public static final int MISSING = 3;

    /** Of a host that has no room for one more thread. */
    public static final String NO_THREAD =
            "the host has no room for one more thread of this user or process; raise `ulimit -u`";

    private static final Set<String> ABOUT_DEVICES = Set.of("configure", "getDeviceList", "openDevice");

    @Override
    public int handleExecutionException(
            final Exception failure, final CommandLine commandLine, final ParseResult parsed) throws Exception {
        final Throwable cause = cause(failure);
        final int code =
                switch (cause) {
                    case EnvironmentException e -> MISSING;
                    case OutOfMemoryError e when isNoThread(e) -> MISSING;
                    case VerbsException e -> ABOUT_DEVICES.contains(e.verb()) ? MISSING : BAD;
                    case FileSystemException e -> MISSING;
                    case IOException e -> BAD;
                    default -> throw failure;
                };
        commandLine.getErr().println(commandLine.getCommandSpec().qualifiedName() + ": " + text(cause));
        return code;
    }

    private static @Nullable String text(final Throwable cause) {
        return switch (cause) {
            case IOException e -> FailureText.of(e);
            case OutOfMemoryError _ -> NO_THREAD;
            default -> cause.getMessage();
        };
    }

    /** Whether the host has no room for one more thread, which {@link #NO_THREAD} says. */
    public static boolean isNoThread(final OutOfMemoryError failure) {
        return failure.getMessage() != null && failure.getMessage().contains("native thread");
    }

    private static Throwable cause(final Exception failure) {
        Throwable cause = failure;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }
}
