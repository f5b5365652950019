package io.vhca.bond.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.vhca.bond.wire.QpNumDescriptor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every row of the options: read, printed, refused, changed live, told of. */
class BondOptionTest {
    private static final String MEMBERS = "[bond0]\nmembers = a, b\n";

    /** A value that is not the default, and values that are refused, the nearest outside of the range among them. */
    private record Sample(String value, List<String> refused) {
        private static final String JUST_TOO_LONG = "1000000000001us";

        static Sample of(final String value, final String... refused) {
            return new Sample(value, List.of(refused));
        }

        static Sample time(final String value) {
            return of(value, "0", "0s", "-1ns", "1", "1.5s", "1 h", "s", "", JUST_TOO_LONG, "9223372036854775807s");
        }

        static Sample timeOrNone(final String value) {
            return of(value, "-1ns", "1", "1.5s", "1 h", "s", "", "off", JUST_TOO_LONG, "9223372036854775807s");
        }

        static Sample word(final String value) {
            return of(value, "", "fast", value + 's', value.toUpperCase(Locale.ROOT));
        }
    }

    private static final Map<String, Sample> SAMPLES = Map.ofEntries(
            Map.entry(
                    "mode",
                    Sample.of("balance-xor", "", "fast", "7", "-1", "802.3ad", "broadcast", "balance-alb", "3")),
            Map.entry("members", Sample.of("c, d, e", "", "a", ",", "a, b, a")),
            Map.entry("primary", Sample.of("b", "")),
            Map.entry("primary_reselect", Sample.word("failure")),
            Map.entry("active_slave", Sample.of("b")),
            Map.entry("xmit_hash_policy", Sample.word("src-dst-port")),
            Map.entry("alias", Sample.of("10.9.0.1", "", "cafe", "localhost", "10.9.0.256")),
            Map.entry("recovery_timeout", Sample.time("1000000s")),
            Map.entry("path_timeout", Sample.time("1ns")),
            Map.entry("drain_timeout", Sample.time("33us")),
            Map.entry("miimon", Sample.time("7ms")),
            Map.entry("updelay", Sample.timeOrNone("8ms")),
            Map.entry("downdelay", Sample.timeOrNone("9ms")),
            Map.entry("min_links", Sample.of("2", "0", "17", "", "two", "1.0", "99999999999")),
            Map.entry("watchdog", Sample.timeOrNone("5s")),
            Map.entry("heartbeat", Sample.timeOrNone("0")),
            Map.entry("detect", Sample.word("hardware")),
            Map.entry("standby", Sample.word("cold")),
            Map.entry("standby_max", Sample.of("7", "", "0", "-1", "1048577", "many")),
            Map.entry("detect_min", Sample.of("20ms", "", "-1", "0", "1", "1000001s")),
            Map.entry("ack_timeout", Sample.of("8", "-1", "32", "")),
            Map.entry("retry_cnt", Sample.of("7", "-1", "8", "")),
            Map.entry("ledger", Sample.word("batch")),
            Map.entry("write_replay", Sample.word("fail")),
            Map.entry("atomics", Sample.word("native")),
            Map.entry("confirm", Sample.word("peer")),
            Map.entry("unprotected", Sample.word("allow")),
            Map.entry("base_port", Sample.of("64511", "1023", "64512", "")),
            Map.entry("journal", Sample.of("/tmp/j", "")),
            Map.entry("status_mode", Sample.word("group")),
            Map.entry("auth_key_file", Sample.of("/etc/vhca.key", "")),
            Map.entry("trace", Sample.of("off,post=detail,qp:0x1=event", "", "loud", "posts=off", "qp:=off")),
            Map.entry("state_interval", Sample.timeOrNone("1s")),
            Map.entry("memory_trace", Sample.word("site")),
            Map.entry("checks", Sample.of("full", "", "fasts", "FULL")),
            Map.entry("health", Sample.of(
                    "path.grace_period=5000,path.auto_recover=true,memory.auto_dump=true", "", "loud",
                    "path.auto_recover=yes", "paths.auto_dump=true", "path.grace_period=86400001",
                    "path.grace_period=-1", "queue_pair.auto_recover=true", "path=auto_dump.true", "path.auto=true")),
            Map.entry("stuck_ms", Sample.of("50", "", "-1", "1s", "3600001")),
            Map.entry("dump_on", Sample.word("fatal,failed")),
            Map.entry("leaks", Sample.word("report")),
            Map.entry("peer.ADDRESS", Sample.of("10.1.0.2, fd00:0:0:0:0:0:0:3", "", ",", "cafe", "10.1.0.2, x")));

    private static List<BondOption<?>> options() {
        return BondOption.all();
    }

    private static Stream<BondOption<?>> configured() {
        return BondOption.all().stream().filter(BondOption::isConfigured);
    }

    private static Sample sample(final BondOption<?> option) {
        return Objects.requireNonNull(SAMPLES.get(option.name()), "no value to try for " + option);
    }

    /** An entry of the option; for the one of many keys, of one key. */
    private static String entry(final BondOption<?> option, final String value) {
        return option.name().replace("ADDRESS", "10.9.0.2") + " = " + value;
    }

    private static BondConfig one(final String text) {
        return BondConfigParser.parse(text, "test").get(0);
    }

    private static BondConfig with(final BondOption<?> option, final String value) {
        return one((option == BondOption.MEMBERS ? "[bond0]\n" : MEMBERS) + entry(option, value));
    }

    private static List<String> errors(final Runnable call) {
        final BondConfigException e = catchThrowableOfType(BondConfigException.class, call::run);
        assertThat(e).as("accepted").isNotNull();
        return e.errors();
    }

    @Test
    void eachNameIsThereOnceAndSaysWhatItIsFor() {
        assertThat(options()).extracting(BondOption::name).doesNotHaveDuplicates();
        assertThat(options()).allSatisfy(option -> {
            assertThat(option.name()).matches("[a-z][a-z_.]*(ADDRESS)?");
            assertThat(option.help()).isNotBlank().doesNotEndWith(".").doesNotContain("|");
            assertThat(option.allowed()).isNotBlank().doesNotContain("|");
            assertThat(option.isLive()).isEqualTo(option.fixedBecause().isEmpty());
        });
        assertThat(SAMPLES).hasSameSizeAs(options());
    }

    @ParameterizedTest
    @MethodSource("configured")
    void theDefaultPrintsAndIsReadBack(final BondOption<?> option) {
        final BondConfig unset = one(MEMBERS);
        if (option.isRequired()) {
            assertThat(option.defaultText()).isEqualTo("required");
            assertThat(errors(() -> one("[bond0]")).get(0)).contains(option.name(), "missing", option.allowed());
        } else {
            assertThat(option.print(unset)).isEqualTo(option.defaultText());
            assertThat(one("[bond0]\nmembers = a, b\n" + String.join("\n", option.lines(unset))).get(option))
                    .isEqualTo(unset.get(option));
        }
    }

    @ParameterizedTest
    @MethodSource("configured")
    void aValuePrintsAndIsReadBack(final BondOption<?> option) {
        final String value = sample(option).value;
        final BondConfig config = with(option, value);
        assertThat(config.get(option)).isNotEqualTo(one("[bond0]\nmembers = a, b").get(option));
        assertThat(option.lines(config)).containsExactly(entry(option, value));
        final BondConfig again = one(config.toText());
        assertThat(again.name()).isEqualTo("bond0");
        assertThat(configured()).allSatisfy(each -> assertThat(again.get(each)).isEqualTo(config.get(each)));
    }

    @ParameterizedTest
    @MethodSource("configured")
    void aValueOutOfRangeIsRefusedWithWhatIsAllowed(final BondOption<?> option) {
        assertThat(sample(option).refused).isNotEmpty();
        for (final String value : sample(option).refused) {
            assertThat(errors(() -> with(option, value)))
                    .as("%s = %s", option, value)
                    .hasSize(1)
                    .first()
                    .asString()
                    .contains("test: bond0, line ", entry(option, "").replace(" = ", ""), value, option.allowed());
        }
    }

    @ParameterizedTest
    @MethodSource("options")
    void anOpenBondChangesTheOptionOrSaysWhyNot(final BondOption<?> option) {
        final BondConfig now = one(MEMBERS);
        final List<String> entries = List.of(entry(option, sample(option).value).replace(" = ", "="));
        if (option.isLive()) {
            final BondConfig changed = BondConfigParser.change(now, entries);
            assertThat(changed.get(option)).isNotEqualTo(now.get(option));
            if (option.isConfigured()) {
                assertThat(changed.get(option)).isEqualTo(with(option, sample(option).value).get(option));
            }
            assertThat(options().stream().filter(other -> other != option))
                    .allSatisfy(other -> assertThat(changed.get(other)).isEqualTo(now.get(other)));
        } else {
            assertThat(errors(() -> BondConfigParser.change(now, entries)))
                    .singleElement()
                    .asString()
                    .startsWith("set: bond0: ")
                    .endsWith(" does not change while the bond is open: " + option.fixedBecause());
        }
    }

    @Test
    void timesPrintInTheLongestUnitTheyAreAMultipleOf() {
        final Map<Long, String> times = Map.of(
                0L, "0", 1L, "1ns", 1_000L, "1us", 1_001L, "1001ns", 30_000_000L, "30ms", 90_000_000_000L, "90s");
        times.forEach((ns, text) -> assertThat(BondOption.UPDELAY.print(
                        BondConfig.builder("b").updelayNs(ns).build()))
                .isEqualTo(text));
    }

    @Test
    void theRangesAreThoseOfWhatBondsTellEachOther() {
        assertThat(BondConfig.MAX_MEMBERS).isEqualTo(QpNumDescriptor.MAX_MEMBERS);
        assertThat(BondConfig.PORTS).isEqualTo(QpNumDescriptor.SLOTS);
    }

    @Test
    void helpNamesEachLiveOptionInLinesOfATerminal() {
        final String help = String.join("\n", BondOption.liveHelp());
        options().forEach(option -> {
            if (option.isLive()) {
                assertThat(help).containsPattern("(?m)^  " + option.name() + " +" + option.help().substring(0, 10));
            } else {
                assertThat(help).doesNotContainPattern("(?m)^  " + option.name() + " ");
            }
        });
        assertThat(BondOption.liveHelp()).allMatch(line -> line.length() <= 80);
    }

    /**
     * What a new option costs: this row, and a class that asks for it. It is read, refused, changed live, printed and
     * suggested like any other.
     */
    @Test
    void aNewOptionIsOneRow() {
        final List<BondOption<?>> table = new ArrayList<>(BondOption.all());
        final BondOption<Integer> weight =
                new BondOption.Row<>(table, "weight", new OptionType.Number(1, 9, "shares"), 5).live("a trial");
        assertThat(table).contains(weight);

        final BondConfig config = new BondConfigParser(table, "test").read("bond0: members=a,b weight=7").get(0);
        assertThat(config.get(weight)).isEqualTo(7);
        assertThat(weight.lines(config)).containsExactly("weight = 7");
        assertThat(one(MEMBERS).get(weight)).as("the default where it is not given").isEqualTo(5);
        assertThat(new BondConfigParser(table, "set").changed(config, List.of("weight=8")).get(weight)).isEqualTo(8);
        assertThat(errors(() -> new BondConfigParser(table, "test").read("bond0: members=a,b weight=10")))
                .containsExactly("test: bond0: weight is \"10\", allowed is 1 to 9 shares");
        assertThat(errors(() -> new BondConfigParser(table, "test").read("bond0: members=a,b wieght=1")).get(0))
                .contains("did you mean weight?");
    }

    @Test
    void theDocumentHasTheTableOfTheRows() throws IOException {
        final String wanted = Stream.concat(
                        Stream.of(
                                "| option | default | allowed | live | what it is for |",
                                "|---|---|---|---|---|"),
                        options().stream().map(BondOptionTest::documented))
                .collect(Collectors.joining("\n"));
        final Path document = Path.of(System.getProperty("basedir", "."), "..", "docs", "OPERATIONS.md");
        final List<String> all = Files.readAllLines(document);
        final int first = all.indexOf("| option | default | allowed | live | what it is for |");
        final String found = first < 0
                ? "no such table"
                : all.stream().skip(first).takeWhile(line -> line.startsWith("|")).collect(Collectors.joining("\n"));
        assertThat(found).as("docs/OPERATIONS.md must have, of BondOption's rows:\n%s\n", wanted).isEqualTo(wanted);
    }

    private static String documented(final BondOption<?> option) {
        final String always = option.isConfigured() ? "yes" : "live only";
        final String live = option.isLive() ? always : "no: " + option.fixedBecause();
        return "| `" + option.name() + "` | " + (option.isConfigured() ? option.defaultText() : "") + " | "
                + option.allowed() + " | " + live + " | " + option.help() + " |";
    }
}
