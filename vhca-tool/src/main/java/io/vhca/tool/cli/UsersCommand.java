package io.vhca.tool.cli;

import io.vhca.api.FailureText;
import io.vhca.ras.status.BondStatus;
import io.vhca.tool.console.EnvironmentException;
import io.vhca.tool.console.TextTable;
import io.vhca.tool.status.BondStatuses;
import io.vhca.tool.status.UnreadableFiles;
import io.vhca.tool.users.DeviceHolders;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code vhca users}: who holds a device. */
@Command(
        name = "users",
        mixinStandardHelpOptions = true,
        description = {
            "Shows who holds a device, or a bond: process, program, what for and since when.",
            "",
            "Bonds of this user's processes say so themselves, of soft devices too. Of devices of",
            "libibverbs every process is shown that has them open, whatever it runs; of other users'",
            "processes root alone sees that.",
            ""
        },
        footer = {
            "",
            "Exit codes: 0 somebody holds it, 1 nobody is seen to.",
            "",
            "Example: why rxe0 cannot be removed",
            "  vhca users rxe0"
        })
public final class UsersCommand implements Callable<Integer> {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT);

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Parameters(paramLabel = "DEVICE", description = "the device's name: rxe0, soft0 or bond0")
    private String device = "";

    @Override
    public Integer call() {
        final TextTable table = new TextTable("pid", "program", "holds it", "queue pairs", "since");
        int count = 0;
        for (final BondStatuses.Found found :
                BondStatuses.all("", new UnreadableFiles(spec.commandLine().getErr()))) {
            final BondStatus bond = found.status();
            if (found.isAlive() && row(bond, table)) {
                count++;
            }
        }
        final DeviceHolders holders;
        try {
            holders = DeviceHolders.find(Path.of("/proc"), Path.of("/sys"), device);
        } catch (final IOException e) {
            throw new EnvironmentException("processes cannot be listed: " + FailureText.of(e), e);
        }
        for (final DeviceHolders.Process process : holders.processes()) {
            table.row(
                    String.valueOf(process.pid()), process.program(),
                    "opened " + process.openFiles() + (process.openFiles() == 1 ? " time" : " times"), "-",
                    time(process.sinceMs()));
            count++;
        }
        final PrintWriter out = spec.commandLine().getOut();
        out.print(count == 0 ? "nobody is seen to hold " + device + "\n" : table.render());
        if (holders.unseen() > 0) {
            out.println(holders.unseen() + " processes of other users were not looked into; root may");
        }
        out.flush();
        return count == 0 ? 1 : 0;
    }

    private boolean row(final BondStatus bond, final TextTable table) {
        final List<BondStatus.MemberRow> own =
                bond.members().stream().filter(member -> member.name().equals(device)).toList();
        final boolean isBond = bond.name().equals(device);
        if (isBond || !own.isEmpty()) {
            table.row(
                    String.valueOf(bond.pid()), bond.program(),
                    isBond ? "has it open" : "member of " + bond.name(),
                    String.valueOf(isBond ? bond.qpCount() : own.getFirst().queuePairs()),
                    time(bond.startedMs()));
        }
        return isBond || !own.isEmpty();
    }

    private static String time(final long epochMs) {
        return TIME.format(Instant.ofEpochMilli(epochMs).atZone(ZoneId.systemDefault()));
    }
}
