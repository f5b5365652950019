package io.vhca.tool.cli;

import io.vhca.bond.config.BondOption;
import io.vhca.tool.console.FailureHandler;
import io.vhca.tool.status.BondOrders;
import io.vhca.tool.status.BondStatuses;
import io.vhca.tool.status.MemberRemoval;
import io.vhca.tool.status.UnreadableFiles;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.IModelTransformer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code vhca bond}: tells the bond of a running application what to do. */
@Command(
        name = "bond",
        mixinStandardHelpOptions = true,
        description = {
            "Tells the bond of a running application what to do.",
            "",
            "Queue pairs move one by one, without an error or a loss; `vhca status` shows",
            "where they are.",
            "",
            "Only the user that runs the application may do so, and its group where the bond's",
            "status_mode says so.",
            ""
        },
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "Exit codes: 0 done; 1 the bond refuses; 3 there is no such bond, this user may not, or it",
            "does not answer in time.",
            "",
            "Example: take soft0 out of use, then back into it",
            "  vhca bond drain bond0 soft0",
            "  vhca bond resume bond0 soft0",
            "",
            "Example: wait longer before queue pairs go back to a link",
            "  vhca bond set bond0 updelay 5s",
            "",
            "Example: replace soft1 by soft2",
            "  vhca bond add bond0 soft2",
            "  vhca bond remove bond0 soft1",
            "",
            "Example: a new key for the bonds of two hosts; copy the file to both, then tell both",
            "  vhca bond key rotate /etc/vhca.key",
            "  vhca bond set bond0 auth_key_file /etc/vhca.key"
        },
        subcommands = KeyCommand.class)
public final class BondCommand {
    private static final String BOND = "the bond's name: bond0";
    private static final String MEMBER = "the member's name: soft0";

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Option(
            names = "--pid",
            paramLabel = "PID",
            description = "of the application, where several have a bond of that name open",
            scope = picocli.CommandLine.ScopeType.INHERIT)
    private long pid;

    @Option(
            names = "--answer-within",
            paramLabel = "SECONDS",
            defaultValue = "10",
            description = "how long the application may take to answer (default: ${DEFAULT-VALUE})",
            scope = picocli.CommandLine.ScopeType.INHERIT)
    private int answerSeconds;

    @Command(
            name = "add",
            mixinStandardHelpOptions = true,
            description = "Makes a device a member; done when it returns.")
    int add(
            @Parameters(paramLabel = "BOND", description = BOND) final String bond,
            @Parameters(paramLabel = "DEVICE", description = "the device's name: soft2") final String device) {
        return tell("add", bond, device);
    }

    @Command(
            name = "remove",
            mixinStandardHelpOptions = true,
            description = {
                "Drains a member, and closes its device when the last queue pair has left it.",
                "",
                "`vhca status` shows it until then, and resume keeps it."
            },
            footer = {"", "With --wait, exit code 1 also when it is not gone in time: what holds it is said."})
    int remove(
            @Parameters(paramLabel = "BOND", description = BOND) final String bond,
            @Parameters(paramLabel = "MEMBER", description = MEMBER) final String member,
            @Option(names = {"-w", "--wait"}, description = "return when the member is gone") final boolean isWaiting,
            @Option(
                            names = "--timeout",
                            paramLabel = "SECONDS",
                            defaultValue = "30",
                            description = "how long to wait at most (default: ${DEFAULT-VALUE})")
                    final int timeoutSeconds)
            throws InterruptedException {
        if (timeoutSeconds < 0) {
            throw new ParameterException(spec.commandLine(), "--timeout must be 0 or more");
        }
        final BondStatuses.Found told = find(bond);
        final int code = tell(told, "remove " + member);
        // Not before: what is published while the order is on the way does not show it.
        final long sinceMs = System.currentTimeMillis();
        if (code != 0 || !isWaiting) {
            return code;
        }
        final String holder =
                MemberRemoval.await(told.file(), member, sinceMs, TimeUnit.SECONDS.toNanos(timeoutSeconds));
        if (!holder.isEmpty()) {
            complain(member + " is not gone after " + timeoutSeconds + " s: " + holder);
            return FailureHandler.BAD;
        }
        return 0;
    }

    @Command(
            name = "drain",
            mixinStandardHelpOptions = true,
            description = "Moves every queue pair off a member and places no new one there.")
    int drain(
            @Parameters(paramLabel = "BOND", description = BOND) final String bond,
            @Parameters(paramLabel = "MEMBER", description = MEMBER) final String member) {
        return tell("drain", bond, member);
    }

    @Command(name = "resume", mixinStandardHelpOptions = true, description = "Ends a drain.")
    int resume(
            @Parameters(paramLabel = "BOND", description = BOND) final String bond,
            @Parameters(paramLabel = "MEMBER", description = MEMBER) final String member) {
        return tell("resume", bond, member);
    }

    @Command(
            name = "activate",
            mixinStandardHelpOptions = true,
            description = "Makes a member the active one; mode active-backup.")
    int activate(
            @Parameters(paramLabel = "BOND", description = BOND) final String bond,
            @Parameters(paramLabel = "MEMBER", description = MEMBER) final String member) {
        return tell("activate", bond, member);
    }

    @Command(
            name = "set",
            mixinStandardHelpOptions = true,
            modelTransformer = LiveOptions.class,
            description = "Changes options, all that are named or, where one is wrong, none.",
            footerHeading = "%nOptions of a bond that change while it is open:%n")
    int set(
            @Parameters(paramLabel = "BOND", description = BOND) final String bond,
            @Parameters(
                            paramLabel = "KEY VALUE",
                            arity = "1..*",
                            description = "updelay 5s, as in the configuration; or several: updelay=5s min_links=2")
                    final List<String> words) {
        final boolean isPair = words.size() == 2 && words.getFirst().indexOf('=') < 0;
        return tell("set", bond, isPair ? String.join("=", words) : String.join(" ", words));
    }

    /** Lists the options below the help of {@code set}, from the rows that the bond judges them by. */
    static final class LiveOptions implements IModelTransformer {
        @Override
        public CommandSpec transform(final CommandSpec set) {
            set.usageMessage()
                    .footer(BondOption.liveHelp().stream()
                            .map(line -> line.replace("%", "%%"))
                            .toArray(String[]::new));
            return set;
        }
    }

    private int tell(final String verb, final String bond, final String member) {
        return tell(find(bond), verb + " " + member);
    }

    private BondStatuses.Found find(final String bond) {
        return BondOrders.find(bond, pid, new UnreadableFiles(spec.commandLine().getErr()));
    }

    private int tell(final BondStatuses.Found bond, final String command) {
        if (answerSeconds < 1) {
            throw new ParameterException(spec.commandLine(), "--answer-within must be 1 or more");
        }
        final String refusal = BondOrders.tell(bond, command, Duration.ofSeconds(answerSeconds));
        if (!refusal.isEmpty()) {
            complain(refusal);
            return FailureHandler.BAD;
        }
        return 0;
    }

    private void complain(final String what) {
        spec.commandLine().getErr().println(spec.qualifiedName() + ": " + what);
    }
}
