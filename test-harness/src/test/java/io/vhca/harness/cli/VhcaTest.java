package io.vhca.harness.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.bond.config.BondOption;
import io.vhca.harness.drill.DrillOptions;
import io.vhca.physical.soft.SoftConfig;
import io.vhca.tool.Vhca;
import io.vhca.tool.console.FailureHandler;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.ParseResult;

class VhcaTest {
    private static final Set<String> TELLS_OF_ALL = Set.of("completion", "manual");
    private static final ParseResult NONE = Vhca.commandLine().parseArgs();

    /** A device of this test's own; others of this JVM, and of this host, have theirs. */
    @RegisterExtension
    static final SystemProperty DEVICES =
            new SystemProperty(SoftConfig.PROPERTY, "soft0=" + OwnAddress.of(22).getHostAddress());

    private final Tool tool = new Tool();

    @Test
    void helpTeachesExamplesAndExitCodes() {
        assertThat(tool.run("--help")).isZero();
        assertThat(tool.out()).contains("Examples:", "vhca sim --seeds", "Exit codes:", "verdict is bad");
    }

    @Test
    void helpOfBondSetListsEachOptionThatIsLive() {
        assertThat(tool.run("bond", "set", "--help")).isZero();
        assertThat(tool.out())
                .contains("Changes options", "while it is open:", String.join("\n", BondOption.liveHelp()) + "\n");
    }

    @Test
    void commandsOfTheHarnessStandInOneListWithTheTools() {
        assertThat(Vhca.commandLine().getSubcommands().keySet())
                .containsExactly(
                        "version", "drill", "sim", "bench", "lab", "example", "exs", "devinfo", "doctor", "journal",
                        "status", "stat", "errors", "trace", "snapshot", "decode", "dump", "users", "guard", "health",
                        "memory", "check", "threads", "metrics", "bond", "rdp", "completion", "manual");
    }

    @Test
    void aCommandIsBuiltAloneAndIsTheSameThen() {
        Vhca.commandLine().getSubcommands().forEach((name, command) -> {
            final Map<String, CommandLine> built =
                    Vhca.commandLineFor(name, "--help").getSubcommands();
            if (TELLS_OF_ALL.contains(name)) {
                assertThat(built).hasSizeGreaterThan(TELLS_OF_ALL.size());
            } else {
                assertThat(built).containsOnlyKeys(name);
            }
            assertThat(Objects.requireNonNull(built.get(name)).getUsageMessage())
                    .as(name)
                    .isEqualTo(command.getUsageMessage());
        });
    }

    @Test
    void theWholeToolIsBuiltWhereNoCommandIsNamed() {
        final Set<String> all = Vhca.commandLine().getSubcommands().keySet();
        for (final String[] words : new String[][] {{}, {""}, {"--help"}, {"versoin"}, {"-V", "status"}}) {
            assertThat(Vhca.commandLineFor(words).getSubcommands().keySet()).isEqualTo(all);
        }
    }

    @Test
    void theListOfCommandsShowsWholeSentences() {
        Vhca.commandLine().getSubcommands().forEach((name, command) -> assertThat(
                        command.getCommandSpec().usageMessage().description()[0])
                .as(name)
                .matches("[A-Z].*[.]"));
    }

    @Test
    void versionNamesJavaToo() {
        assertThat(tool.run("version")).isZero();
        assertThat(tool.out()).containsPattern("vhca \\d+\\.\\d+\\.\\d+").contains("Java " + Runtime.version());
        assertThat(tool.out()).doesNotContain("$");
    }

    @Test
    void unknownSubcommandIsUsageErrorWithSuggestion() {
        assertThat(tool.run("versoin")).isEqualTo(2);
        assertThat(tool.err()).contains("versoin", "version");
    }

    @Test
    void everyStateOfTheHandshakeIsSeenToADepth() {
        assertThat(tool.run("sim", "--exhaustive", "--depth", "4")).isZero();
        assertThat(tool.out()).contains("EVERYTHING: 3 failures", "not all of it, as far as 4 steps", "good end");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "sim --seeds 0                         | at least 1",
        "sim --depth 3                         | --depth needs --exhaustive",
        "sim --rdp --only-soft                 | --rdp goes with --seeds",
        "sim --exhaustive --depth 0            | must be at least 1",
        "status --qps -1                       | --qps must be 0 or more",
        "bond remove b m --wait --timeout -1   | --timeout must be 0 or more",
        "bench --only x                        | --only is one or more of a, b, c, d, e, f, g, h and i",
        "bench --only f --profile /etc/passwd  | '/etc/passwd' is a file; name a directory",
        "lab test --only sute                  | Invalid value for option '--only'",
        "lab up --accel foo                    | Invalid value for option '--accel'",
        "lab up --memory 1                     | --memory must be 256 or more",
        "lab run -c x --timeout 0              | --timeout must be 1 or more",
        "drill --json /no/such/result.json     | there is no directory /no/such",
        "sim --seeds 1 --history /proc/self/x  | this user may not write /proc/self/x",
        "drill --modes --json /                | '/' is a directory",
        "drill --report /proc/self/x/y         | this user may not write /proc/self",
        "drill --report /etc/passwd/x          | '/etc/passwd' is a file; name a directory",
        "lab drill --report /etc/passwd        | '/etc/passwd' is a file; name a directory",
        "lab drill --for 60                    | --for goes with --kind flap",
        "drill --mode 802.3ad                  | '802.3ad' is no mode; there are active-backup, balance-rr",
        "doctor --tos 300                      | --tos must be 0 .. 255",
        "doctor --tos -1                       | --tos must be 0 .. 255",
        "sim --exhaustive --history /tmp/h     | goes with --depth, --threads alone, and not with --history",
        "sim --exhaustive --longest 9          | and not with --longest",
        "sim --exs --longest 9                 | and not with --longest",
        "sim --exs --only-soft                 | and not with --only-soft",
        "sim --rdp --longest 9                 | and not with --longest",
        "drill --versions --json /tmp/j        | --versions goes with --seed alone, and not with --json",
        "drill --versions --report /tmp/r      | and not with --report",
        "drill --modes --seed 1                | and not with --seed",
        "drill --attack --cuts 3               | and not with --cuts",
        "drill --for 60 --rate 5               | and not with --rate",
        "drill --for 60 --window 0             | --window and --recovery-timeout 1 or more",
        "drill --for 60 --starve 0             | --starve is 1 to",
        "drill --hosts a,b --fabric netns      | --fabric goes without --hosts",
        "lab drill --for 9 -k flap -n 9        | --times goes without --for",
        "memory 1 --pid 2                      | --pid goes with a bond's name",
        "drill --key                           | --key needs --attack",
        "drill --only flood                    | --only needs --attack",
        "drill --attack --only fload           | --only 'fload' is in the name of no attack",
        "drill --attack --only [               | --only '[' is no regular expression",
        "drill --members a,b                   | --members needs --hosts",
        "drill --scenario quake                | 'quake' is no scenario; there are cut, ",
    })
    void wrongUseOfAnOptionIsUsageError(final String words, final String why) {
        assertThat(tool.run(words.split(" +"))).isEqualTo(2);
        assertThat(tool.err()).contains(why);
    }

    @Test
    void whatIsMissingIsSaidInOneSentence() {
        assertThat(tool.run("journal", "/no/such/journal")).isEqualTo(3);
        assertThat(tool.err().lines())
                .containsExactly("vhca journal: there is no /no/such/journal; name a journal's directory");
        assertThat(tool.run("drill", "--input", "/no/such/file")).isEqualTo(3);
        assertThat(tool.err()).contains("vhca drill: ", "/no/such/file");
    }

    @Test
    void aDeviceThatDoesNotExistIsMissing() {
        assertThat(tool.run("example", "hello", "--device", "nosuch0")).isEqualTo(3);
        assertThat(tool.err()).contains("vhca example hello: openDevice on nosuch0 failed (ENODEV)", "soft0");
        assertThat(tool.err()).doesNotContain("\tat ");
    }

    @ParameterizedTest
    @CsvSource({"openDevice, 3", "configure, 3", "getDeviceList, 3", "createQp, 1"})
    void aVerbThatFailedIsOneSentence(final String verb, final int code) throws Exception {
        final StringWriter err = new StringWriter();
        final CommandLine commandLine = Vhca.commandLine().setErr(new PrintWriter(err, true));
        final VerbsException failure = new VerbsException(verb, Errno.EINVAL, "soft0", "no");
        assertThat(new FailureHandler().handleExecutionException(failure, commandLine, NONE)).isEqualTo(code);
        assertThat(err.toString().lines()).containsExactly("vhca: " + failure.getMessage());
    }

    /** A peer that refuses, a file that is not there: nothing of that is a defect of the tool. */
    @Test
    void aFailureOutsideIsOneSentence() throws Exception {
        final StringWriter err = new StringWriter();
        final CommandLine commandLine = Vhca.commandLine().setErr(new PrintWriter(err, true));
        final FailureHandler handler = new FailureHandler();
        assertThat(handler.handleExecutionException(new IOException("it is gone"), commandLine, NONE)).isEqualTo(1);
        assertThat(handler.handleExecutionException(new NoSuchFileException("f"), commandLine, NONE)).isEqualTo(3);
        assertThat(err.toString().lines()).containsExactly("vhca: it is gone", "vhca: there is no f");
    }

    @Test
    void aHostWithoutRoomForAThreadIsOneSentence() throws Exception {
        final StringWriter err = new StringWriter();
        final CommandLine commandLine = Vhca.commandLine().setErr(new PrintWriter(err, true));
        final Exception failure = new ExecutionException(
                new OutOfMemoryError("unable to create native thread: possibly out of memory or limits reached"));
        assertThat(new FailureHandler().handleExecutionException(failure, commandLine, NONE)).isEqualTo(3);
        assertThat(err.toString().lines()).singleElement().asString().endsWith("raise `ulimit -u`");
        final Exception heap = new ExecutionException(new OutOfMemoryError("Java heap space"));
        assertThatThrownBy(() -> new FailureHandler().handleExecutionException(heap, commandLine, NONE))
                .isSameAs(heap);
    }

    @Test
    void whatAnotherThreadFailedByIsOneSentenceToo() throws Exception {
        final StringWriter err = new StringWriter();
        final CommandLine commandLine = Vhca.commandLine().setErr(new PrintWriter(err, true));
        final FailureHandler handler = new FailureHandler();
        final VerbsException verb = new VerbsException("openDevice", Errno.ENODEV, "soft0", "no");
        final Exception gone = new ExecutionException(new CompletionException(new IOException("it is gone")));
        assertThat(handler.handleExecutionException(new CompletionException(verb), commandLine, NONE)).isEqualTo(3);
        assertThat(handler.handleExecutionException(gone, commandLine, NONE)).isEqualTo(1);
        assertThat(err.toString().lines()).containsExactly("vhca: " + verb.getMessage(), "vhca: it is gone");
    }

    @Test
    void aFileThatIsNotThereIsToldInWords(@TempDir final Path directory) {
        final Path file = directory.resolve("file");
        for (final String command : List.of("decode", "snapshot show", "trace show --file")) {
            final List<String> words = new ArrayList<>(List.of(command.split(" ")));
            words.add(file.toString());
            assertThat(tool.run(words.toArray(String[]::new))).as(command).isEqualTo(3);
            assertThat(tool.err()).as(command).endsWith(": there is no " + file + "\n");
        }
    }

    @Test
    void theDrillsHelpNamesEveryFabric() {
        assertThat(tool.run("drill", "--help")).isZero();
        for (final DrillOptions.FabricKind fabric : DrillOptions.FabricKind.values()) {
            assertThat(tool.out()).contains(fabric.name().toLowerCase(Locale.ROOT) + ":");
        }
    }

    @Test
    void aRefusedConnectionIsOneSentence() throws IOException {
        final int port;
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = taken.getLocalPort();
        }
        assertThat(tool.run("example", "rc_pingpong", "-d", "soft0", "-p", String.valueOf(port), "127.0.0.1"))
                .isEqualTo(1);
        assertThat(tool.err().lines()).singleElement().asString()
                .contains("vhca example rc_pingpong: exchange on TCP 127.0.0.1 " + port, "ECONNREFUSED",
                        "start rc_pingpong --server first");
    }

    /** The list of subcommands shows no more of what one does. */
    @Test
    void everyCommandSaysFirstInOneSentenceWhatItDoes() {
        final List<String> others = new ArrayList<>();
        addOtherThanSentences(Vhca.commandLine(), others);
        assertThat(others).isEmpty();
    }

    private static void addOtherThanSentences(final CommandLine command, final List<String> others) {
        final String[] description = command.getCommandSpec().usageMessage().description();
        if (description.length == 0 || !description[0].endsWith(".")) {
            others.add(command.getCommandSpec().qualifiedName() + ": " + Arrays.toString(description));
        }
        command.getSubcommands().values().forEach(each -> addOtherThanSentences(each, others));
    }

    @Test
    void aDefectShowsItsTrace() {
        final IllegalStateException defect = new IllegalStateException("defect");
        assertThatThrownBy(() -> new FailureHandler().handleExecutionException(defect, Vhca.commandLine(), NONE))
                .isSameAs(defect);
    }
}
