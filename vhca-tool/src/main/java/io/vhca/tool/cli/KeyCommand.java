package io.vhca.tool.cli;

import io.vhca.bond.config.AuthKeyFile;
import io.vhca.tool.console.FailureHandler;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.security.SecureRandom;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code vhca bond key}: makes and changes the file of the option {@code auth_key_file}. */
@Command(
        name = "key",
        mixinStandardHelpOptions = true,
        description = {
            "Makes and changes key files, by which bonds prove to each other who they are.",
            "",
            "Bonds that are connected have the same file, each its own copy: its owner's, mode",
            "0600. Who can read it can pass for any of them.",
            ""
        },
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "A bond signs by the newest key and takes that and the one before it; where its peer",
            "has only the one before, it signs by that. So the order does not matter in which",
            "bonds are told of a new key, by `vhca bond set BOND auth_key_file FILE`.",
            "",
            "Exit codes: 0 done; 1 the file is refused, and as it was."
        })
public final class KeyCommand {
    private static final String FILE = "the key file: /etc/vhca.key";

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    /** Writes to a file or leaves it. */
    @FunctionalInterface
    private interface Change {
        void to(Path file, SecureRandom random) throws FileSystemException;
    }

    @Command(
            name = "new",
            mixinStandardHelpOptions = true,
            description = "Writes a new file with a new key; one that is there stays.")
    int create(@Parameters(paramLabel = "FILE", description = FILE) final Path file) {
        return change(file, AuthKeyFile::create);
    }

    @Command(
            name = "rotate",
            mixinStandardHelpOptions = true,
            description = "Puts a new key before the one in a file, and drops those before that.")
    int rotate(@Parameters(paramLabel = "FILE", description = FILE) final Path file) {
        return change(file, AuthKeyFile::rotate);
    }

    private int change(final Path file, final Change change) {
        try {
            change.to(file, new SecureRandom());
            return 0;
        } catch (final FileSystemException e) {
            spec.commandLine().getErr().println(spec.qualifiedName() + ": " + e.getFile() + ": " + e.getReason());
            return FailureHandler.BAD;
        }
    }
}
