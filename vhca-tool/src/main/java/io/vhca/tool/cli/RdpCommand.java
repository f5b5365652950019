package io.vhca.tool.cli;

import io.vhca.api.FailureText;
import io.vhca.api.VerbsException;
import io.vhca.rdp.RdpDriver;
import io.vhca.rdp.EndRequest;
import io.vhca.rdp.RdpInterface;
import io.vhca.rdp.RdpSocket;
import io.vhca.rdp.RdpSockets;
import io.vhca.rdp.access.AccessControl;
import io.vhca.rdp.access.AccessList;
import io.vhca.rdp.common.RdpConfig;
import io.vhca.rdp.common.RdpConfigParser;
import io.vhca.rdp.common.RdpOption;
import io.vhca.rdp.shared.SharedServer;
import io.vhca.rdp.status.ControlSocket;
import io.vhca.rdp.status.DriverStatus;
import io.vhca.rdp.status.StatusFiles;
import io.vhca.tool.console.EnvironmentException;
import io.vhca.tool.console.TextTable;
import io.vhca.tool.metrics.MetricsOutput;
import io.vhca.tool.rdp.DriverText;
import io.vhca.tool.rdp.Ping;
import io.vhca.tool.rdp.RdpMetrics;
import io.vhca.tool.rdp.Stress;
import io.vhca.tool.rdp.StressOptions;
import io.vhca.tool.rdp.StressPlan;
import io.vhca.tool.rdp.StressProcess;
import io.vhca.tool.rdp.StressSockets;
import io.vhca.tool.rdp.UsedDriver;
import io.vhca.tool.status.UnreadableFiles;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** {@code vhca rdp}: reliable datagram sockets, by a driver in this process or one that all processes share. */
@Command(
        name = "rdp",
        mixinStandardHelpOptions = true,
        description = {
            "Reliable datagram sockets: their options, a ping, and load with the columns of rds-stress.",
            "",
            "ping and stress have a driver of their own in their process, over the device of --device, or",
            "with --shared use the one that `vhca rdp driver` has there for all processes."
        },
        synopsisSubcommandLabel = "COMMAND")
public final class RdpCommand {
    private static final String HOST = "the address of the other node: be its client";

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Option(
            names = {"-d", "--device"},
            paramLabel = "NAME",
            defaultValue = "soft0",
            description = "device to use (default: ${DEFAULT-VALUE})",
            scope = ScopeType.INHERIT)
    private String device = "soft0";

    @Option(
            names = {"-o", "--option"},
            paramLabel = "NAME=VALUE",
            description = "an option of the driver; `vhca rdp config` lists them",
            scope = ScopeType.INHERIT)
    private Map<String, String> options = new LinkedHashMap<>();

    @Option(names = "--stats", description = "print the driver's counters at the end", scope = ScopeType.INHERIT)
    private boolean isWithStats;

    @Option(
            names = "--shared",
            description = "ping, stress: use the driver that `vhca rdp driver` has for all processes",
            scope = ScopeType.INHERIT)
    private boolean isShared;

    @Command(
            name = "driver",
            mixinStandardHelpOptions = true,
            description = {
                "Has a driver of --device for all processes of this host, until it is ended.",
                "",
                "Processes attach to it by the socket DEVICE.rdpd: beside the status files, where only this",
                "user's processes reach it, or in -Dvhca.rdp.socket.dir, else VHCA_RDP_SOCKET_DIR, where all",
                "reach it that reach the directory. Who of them may have sockets says `vhca rdp access`.",
                "Programs of NIO use it by -Dvhca.rdp.driver=shared, others by SharedDriver.attach(DEVICE),",
                "ping and stress by --shared. `vhca rdp info` lists who is attached.",
                "",
                "SIGTERM and SIGINT close it in order: clients hear that it has ended, and go on with the",
                "same ports when one is there again."
            },
            exitCodeListHeading = "%nExit codes:%n",
            exitCodeList = {
                "143, 130:it was told to end by SIGTERM, SIGINT, and everything is closed",
                "2:wrong usage",
                "3:no driver of that device can be had, because of the device or because there is one; or it has"
                        + " ended by itself"
            })
    int driver() {
        final RdpConfig config = parsed();
        check(!isShared, "--shared is for those who use this driver");
        try (EndRequest end = new EndRequest();
                UsedDriver used = UsedDriver.own(device, config);
                SharedServer server = SharedServer.open(Objects.requireNonNull(used.own()), end::ask)) {
            out().println("driver of " + device + " at " + used.sockets().address().getHostAddress()
                    + ": processes attach at " + server.path());
            out().flush();
            end.await();
            server.checkServing();
        } catch (final VerbsException e) {
            throw new EnvironmentException(String.valueOf(e.getMessage()), e);
        }
        return 0;
    }

    @Command(
            name = "config",
            mixinStandardHelpOptions = true,
            description = {
                "Shows every option of a driver, as it is with the -o given.",
                "",
                "With NAME=VALUE it changes the open drivers of --device, of all processes of this user or",
                "that of --pid. What a socket has of its own, SO_SNDBUF and SO_RCVBUF, its program changes."
            })
    int config(
            @Parameters(arity = "0..*", paramLabel = "NAME=VALUE", description = "what open drivers are to change to")
                    final @Nullable List<String> changes,
            @Option(names = "--pid", paramLabel = "PID", description = "the process whose driver is changed")
                    final @Nullable Long pid,
            @Option(names = "--answer-within", paramLabel = "SECONDS", defaultValue = "10",
                            description = "how long an open driver may take to answer (default: ${DEFAULT-VALUE})")
                    final int answerSeconds)
            throws IOException {
        check(answerSeconds > 0, "--answer-within must be 1 or more");
        if (changes != null && !changes.isEmpty()) {
            return change(changes, pid, Duration.ofSeconds(answerSeconds));
        }
        final RdpConfig config = parsed();
        final TextTable table = new TextTable("option", "value", "changes", "meaning");
        for (final RdpOption option : RdpOption.values()) {
            table.row(
                    option.label(), option.of(config), option.isLive() ? "any time" : "when opened",
                    option.description());
        }
        out().print(table.render());
        out().flush();
        return 0;
    }

    private int change(final List<String> changes, final @Nullable Long pid, final Duration limit)
            throws IOException {
        final UnreadableFiles unreadable = unreadable();
        int told = 0;
        int code = 0;
        for (final DriverStatus driver : StatusFiles.read(unreadable)) {
            if (driver.device().equals(device) && (pid == null || pid == driver.pid())) {
                told++;
                code |= tell(driver, changes, limit);
            }
        }
        out().flush();
        check(told > 0, "no driver of " + device + " is open in " + (pid == null ? "a process of this user" : "process "
                + pid) + "; --device names another");
        return code | unreadable.exitCode();
    }

    /** A driver that does not answer keeps nobody from the others, and is waited for once. */
    private int tell(final DriverStatus driver, final List<String> changes, final Duration limit) {
        int code = 0;
        boolean isDeaf = false;
        for (int i = 0; i < changes.size() && !isDeaf; i++) {
            String answer;
            try {
                answer = ControlSocket.ask(driver.device(), driver.pid(), changes.get(i), limit);
            } catch (final IOException e) {
                isDeaf = e instanceof SocketTimeoutException;
                final List<String> untold = changes.subList(i, isDeaf ? changes.size() : i + 1);
                answer = "cannot be told " + String.join(" ", untold) + ": " + FailureText.of(e);
            }
            out().println("driver of " + device + ", process " + driver.pid() + ": " + answer);
            code |= answer.startsWith("changed") ? 0 : 1;
        }
        return code;
    }

    @Command(
            name = "interfaces",
            mixinStandardHelpOptions = true,
            description = "Lists the devices that sockets can use, with the address they have there.")
    int interfaces() {
        final TextTable table = new TextTable("device", "address");
        for (final RdpInterface usable : RdpInterface.all()) {
            table.row(usable.device(), usable.address().getHostAddress());
        }
        out().print(table.render());
        out().flush();
        return 0;
    }

    @Command(
            name = "access",
            mixinStandardHelpOptions = true,
            description = {
                "Says who may create sockets, and whether this user may; wrong lines of the file are named.",
                "",
                "The file is -Dvhca.rdp.access, else VHCA_RDP_ACCESS, else /etc/vhca/rdp.access. Each of its",
                "lines is user NAME or group NAME. Without it everybody may."
            })
    int access() throws IOException {
        final AccessControl access = AccessControl.ofThisHost();
        final AccessList list = access.list();
        if (list == null) {
            out().println("everybody may create sockets: there is no " + access.file());
        } else {
            out().println(access.file() + " lets in users " + list.users() + ", groups " + list.groups());
            list.wrong().forEach(line -> out().println("wrong, and passed over: " + line));
        }
        out().flush();
        access.checkThisProcess();
        return list == null || list.wrong().isEmpty() ? 0 : 1;
    }

    @Command(
            name = "ping",
            mixinStandardHelpOptions = true,
            description = {
                "Sends datagrams to `vhca rdp ping --server` at another node, and times their return.",
                "",
                "Each has 60 s to come back, so one that waits for its bond's other path counts.",
                "Without HOST and --server both ends are in this process."
            })
    int ping(
            @Parameters(arity = "0..1", paramLabel = "HOST", description = HOST) final @Nullable String host,
            @Option(names = {"-s", "--server"}, description = "answer, until it is ended") final boolean isServer,
            @Option(names = {"-c", "--count"}, paramLabel = "N", defaultValue = "5",
                            description = "how many (default: ${DEFAULT-VALUE})")
                    final int count,
            @Option(names = {"-S", "--size"}, paramLabel = "BYTES", defaultValue = "64",
                            description = "length of a datagram (default: ${DEFAULT-VALUE})")
                    final int size,
            @Option(names = {"-p", "--port"}, paramLabel = "PORT", defaultValue = "4000",
                            description = "the server's port (default: ${DEFAULT-VALUE})")
                    final int port)
            throws InterruptedException, IOException {
        final StressPlan plan = new StressPlan(1, 1, 1, size, size, port, 1);
        return withDriver(host, isServer, Ping.wrong(count, size, longest()), plan, (driver, peer) -> {
            try (RdpSocket socket = driver.bind(0)) {
                return new Ping(socket, new InetSocketAddress(peer, port), size, out()).run(count) == count ? 0 : 1;
            }
        });
    }

    @Command(
            name = "stress",
            mixinStandardHelpOptions = true,
            description = {
                "Sends requests to `vhca rdp stress --server` at another node, which acknowledges each.",
                "",
                "Prints a line a second with the columns of rds-stress, and an average. Both ends are to be given the"
                        + " same --sockets (or --tasks) and --port. Without HOST and --server both are in this process."
                        + " least/most is what the least served socket got back of what the most served did.",
                "",
                "Other than for rds-stress -D is the depth, which is -d there, and -d the device."
            })
    int stress(
            @Parameters(arity = "0..1", paramLabel = "HOST", description = HOST) final @Nullable String host,
            @Option(names = {"-s", "--server"}, description = "acknowledge, until it is ended") final boolean isServer,
            @Mixin final StressOptions stress)
            throws InterruptedException, IOException {
        final StressPlan plan = stress.plan();
        final String wrong = stress.wrong(isShared, host != null);
        if (stress.processes() > 1 && host != null && wrong.isEmpty()) {
            check(plan, host, isServer, wrong);
            // Each of them would say that there is none.
            addressOf(host);
            return stressByProcesses(stress, host);
        }
        return withDriver(host, isServer, wrong, plan, (driver, peer) -> {
            final StressSockets sockets = new StressSockets(driver, longest(), plan, peer);
            if (stress.isPart()) {
                try (sockets; BufferedReader in = new BufferedReader(
                        new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
                    StressProcess.obey(sockets, in, out());
                }
                return 0;
            }
            try (Stress all = new Stress(plan, out())) {
                all.add(sockets);
                return said(all.request());
            }
        });
    }

    private int stressByProcesses(final StressOptions stress, final String host)
            throws InterruptedException, IOException {
        try (Stress all = new Stress(stress.plan(), out())) {
            for (int process = 0; process < stress.processes(); process++) {
                all.start(spec.root().userObject().getClass(), stress.partArguments(device, host, process));
            }
            return said(all.request());
        }
    }

    private int said(final String failure) {
        if (!failure.isEmpty()) {
            final String command = spec.commandLine().getParseResult().subcommand().commandSpec().qualifiedName();
            spec.commandLine().getErr().println(command + ": " + failure);
        }
        return failure.isEmpty() ? 0 : 1;
    }

    /** What an active end does with its driver, towards the node that serves. */
    private interface Job {
        int run(RdpSockets driver, InetAddress peer) throws InterruptedException, IOException;
    }

    /** Opens a driver, serves where this end is to, and runs the job where it is to. */
    private int withDriver(
            final @Nullable String host, final boolean isServer, final String wrong, final StressPlan plan,
            final Job job)
            throws InterruptedException, IOException {
        final RdpConfig config = parsed();
        check(plan, host, isServer, wrong);
        final InetAddress peer = host == null ? null : addressOf(host);
        try (UsedDriver used = isShared ? UsedDriver.shared(device) : UsedDriver.own(device, config);
                Stress serving = new Stress(plan, out())) {
            if (host == null) {
                final StressSockets passive = new StressSockets(used.sockets(), longest(), plan, null);
                serving.add(passive);
                passive.begin();
                if (isServer) {
                    out().println("serving at " + used.sockets().address().getHostAddress() + ", ports from "
                            + plan.port());
                    out().flush();
                    return said(passive.awaitFailure());
                }
            }
            final int code = job.run(used.sockets(), peer == null ? used.sockets().address() : peer);
            if (isWithStats) {
                stats(Objects.requireNonNull(used.own()));
            }
            return code;
        }
    }

    private void check(
            final StressPlan plan, final @Nullable String host, final boolean isServer, final String wrong) {
        final String wrongPlan = plan.wrong(longest());
        check(host == null || !isServer, "--server and HOST exclude each other");
        check(wrong.isEmpty(), wrong);
        check(wrongPlan.isEmpty(), wrongPlan);
        check(!isShared || options.isEmpty(),
                "-o is for a driver of one's own; `vhca rdp config NAME=VALUE` changes the shared one");
        check(!isShared || !isWithStats, "--stats is for a driver of one's own; `vhca rdp stats` has the shared one's");
    }

    private InetAddress addressOf(final String host) {
        try {
            return InetAddress.getByName(host);
        } catch (final UnknownHostException e) {
            throw new ParameterException(
                    spec.commandLine(), host + " is no address, and no host of that name is known", e);
        }
    }

    @Command(
            name = "stats",
            mixinStandardHelpOptions = true,
            description = {
                "Prints the counters of every driver that is open in a process of this user.",
                "",
                "Drivers write them once a second, into the directory of the status files."
            })
    int stats(
            @Option(names = "--prometheus", description = "in the text format of Prometheus") final boolean isMetrics)
            throws IOException {
        final UnreadableFiles unreadable = unreadable();
        final List<DriverStatus> drivers = StatusFiles.read(unreadable);
        if (isMetrics) {
            out().print(MetricsOutput.text(RdpMetrics.of(drivers)));
        } else {
            out().print(DriverText.counters(drivers));
        }
        out().flush();
        return unreadable.exitCode();
    }

    @Command(
            name = "info",
            mixinStandardHelpOptions = true,
            description = {
                "Prints nodes, sockets and attached processes of every driver in a process of this user."
            })
    int info() throws IOException {
        final UnreadableFiles unreadable = unreadable();
        out().print(DriverText.nodesAndSockets(StatusFiles.read(unreadable)));
        out().flush();
        return unreadable.exitCode();
    }

    private void stats(final RdpDriver driver) {
        out().print(DriverText.counters(List.of(driver.status())));
        out().flush();
    }

    private int longest() {
        return parsed().longestMessage();
    }

    private RdpConfig parsed() {
        try {
            return RdpConfigParser.parse(options);
        } catch (final IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage());
        }
    }

    private void check(final boolean isRight, final String wrong) {
        if (!isRight) {
            throw new ParameterException(spec.commandLine(), wrong);
        }
    }

    private UnreadableFiles unreadable() {
        return new UnreadableFiles(spec.commandLine().getErr());
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }
}
