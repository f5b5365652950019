package io.vhca.tool.cli;

import io.vhca.tool.console.Terminal;
import io.vhca.tool.status.BondStatuses;
import io.vhca.tool.status.StatusText;
import io.vhca.tool.status.UnreadableFiles;
import java.io.PrintWriter;
import java.time.ZoneId;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code vhca status}: what the bonds of running applications do. */
@Command(
        name = "status",
        mixinStandardHelpOptions = true,
        description = {
            "Shows the bonds of running applications: mode, members, queue pairs, last failovers.",
            "",
            "Every open bond writes a status file four times a second, in /dev/shm/vhca-USER,",
            "/dev/shm/vhca-UID of a user without a name, or where VHCA_STATUS_DIR says; this",
            "reads it. A file that a crashed process left behind is shown as well, until the",
            "bond is opened again.",
            ""
        },
        footer = {"", "Exit codes: 0 bonds were shown, 1 one of them could not be read, 3 there is none."})
public final class StatusCommand implements Callable<Integer> {
    private static final long WATCH_MS = 1_000;
    private static final String CLEAR = "\033[H\033[2J";

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Parameters(arity = "0..1", paramLabel = "BOND", defaultValue = "", description = "only bonds of this name")
    private String name = "";

    @Option(names = {"-w", "--watch"}, description = {
        "again every second, until interrupted, or nobody reads;",
        "a bond that is closed is waited for"
    })
    private boolean isWatching;

    @Option(
            names = "--qps",
            paramLabel = "N",
            defaultValue = "32",
            description = "queue pairs to list a bond (default: ${DEFAULT-VALUE})")
    private int maxQps = 32;

    @Option(names = {"-o", "--options"}, description = "the options that bonds run with, as in a configuration, alone")
    private boolean isOfOptions;

    @Override
    public Integer call() throws InterruptedException {
        if (maxQps < 0) {
            throw new ParameterException(spec.commandLine(), "--qps must be 0 or more");
        }
        final PrintWriter out = spec.commandLine().getOut();
        final UnreadableFiles unreadable = new UnreadableFiles(spec.commandLine().getErr());
        int code = show(out, BondStatuses.find(name, unreadable), unreadable);
        while (isWatching && !out.checkError()) {
            Thread.sleep(WATCH_MS);
            out.print(Terminal.isThere() ? CLEAR : "\n");
            code = showAgain(out);
        }
        return code;
    }

    /** A bond that was closed is waited for: its application may be started again. */
    private int showAgain(final PrintWriter out) {
        final UnreadableFiles unreadable = new UnreadableFiles(spec.commandLine().getErr());
        final List<BondStatuses.Found> bonds = BondStatuses.all(name, unreadable);
        if (bonds.isEmpty() && unreadable.exitCode() == 0) {
            out.println(name.isEmpty() ? "no bond is open" : "no bond " + name + " is open");
        }
        return show(out, bonds, unreadable);
    }

    private int show(
            final PrintWriter out, final List<BondStatuses.Found> bonds, final UnreadableFiles unreadable) {
        String between = "";
        for (final BondStatuses.Found bond : bonds) {
            out.print(between);
            out.print(isOfOptions
                    ? StatusText.options(bond.status())
                    : StatusText.status(bond.status(), bond.isAlive(), ZoneId.systemDefault(), maxQps));
            between = "\n";
        }
        out.flush();
        return unreadable.exitCode();
    }
}
