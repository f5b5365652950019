package io.vhca.tool.cli;

import io.vhca.api.ServiceClass;
import io.vhca.tool.console.FailureHandler;
import io.vhca.tool.doctor.Doctor;
import io.vhca.tool.doctor.Finding;
import io.vhca.tool.doctor.Host;
import io.vhca.tool.doctor.ThisHost;
import io.vhca.tool.doctor.Verdict;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code vhca doctor}: what a host lacks, and what to do about it. */
@Command(
        name = "doctor",
        mixinStandardHelpOptions = true,
        description = {
            "Checks this host and says what to fix.",
            "",
            "It looks at Java, limits, libraries, kernel modules, permissions, devices with",
            "their ports, GIDs and MTUs, soft devices, the configured bonds, the kernel's",
            "settings for their networks and what their interfaces have of converged",
            "Ethernet (PFC, ETS, ECN and DCBX, by dcb of iproute2 and /sys). Devices are",
            "opened and closed again; nothing is changed, and nothing is sent.",
            "",
            "  ok           it is as it should be",
            "  warning      it works, not as well as it could; the next line says what to do",
            "  problem      it does not work; the next line says what to do",
            "  not checked  it cannot be seen from here; the line says why",
            "",
            "Without RDMA hardware soft devices do: RDMA that is missing is a problem only",
            "where a bond's member needs it, or where there is no soft device either.",
            ""
        },
        footer = {
            "",
            "Exit codes: 0 nothing is a problem, 1 something is, 2 wrong usage.",
            "",
            "Example: check what an application with that bond would find",
            "  VHCA_BOND='bond0: members=mlx5_0,mlx5_1' vhca doctor"
        })
public final class DoctorCommand implements Callable<Integer> {
    private static final int MOST_CLASS = 255;

    private final Host host;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Option(
            names = "--tos",
            paramLabel = "N",
            description = {
                "The traffic class that applications ask for, 0 to 255: judges whether its",
                "priority loses nothing, has a share of the link, and answers ECN."
            })
    private @Nullable Integer trafficClass;

    public DoctorCommand() {
        this(new ThisHost(AssumedBond.configuration()));
    }

    DoctorCommand(final Host host) {
        this.host = host;
    }

    @Override
    public Integer call() {
        if (trafficClass != null && (trafficClass < 0 || trafficClass > MOST_CLASS)) {
            throw new ParameterException(spec.commandLine(), "--tos must be 0 .. " + MOST_CLASS);
        }
        final List<Finding> findings =
                Doctor.examine(host, trafficClass == null ? ServiceClass.UNSET : trafficClass);
        spec.commandLine().getOut().print(Doctor.text(findings, DoctorCommand::paint));
        spec.commandLine().getOut().flush();
        return Doctor.hasProblem(findings) ? FailureHandler.BAD : 0;
    }

    /** Colours, where a terminal shows them. */
    private static String paint(final Verdict verdict, final String text) {
        return Ansi.AUTO.string("@|" + verdict.style() + " " + text + "|@");
    }
}
