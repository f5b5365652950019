package io.vhca.bond.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.vhca.recovery.WriteReplay;
import java.net.InetAddress;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BondConfigParserTest {
    private static BondConfig one(final String text) {
        return BondConfigParser.parse(text, "test").get(0);
    }

    private static List<String> errors(final String text) {
        final BondConfigException e =
                catchThrowableOfType(BondConfigException.class, () -> BondConfigParser.parse(text, "test"));
        assertThat(e).as("accepted: %s", text).isNotNull();
        return e.errors();
    }

    /** The errors of one line in an otherwise good section; it is line 3. */
    private static String error(final String line) {
        assertThat(errors("[bond0]\nmembers = a, b\n" + line + "\n")).hasSize(1);
        return errors("[bond0]\nmembers = a, b\n" + line + "\n").get(0);
    }

    @Test
    void everyKeyIsRead() {
        final BondConfig bond = one("""
                # the lab
                [bond0]
                mode = active-backup   # the only one
                members = soft0, soft1
                primary = soft1
                primary_reselect = failure
                alias = 10.9.0.1
                peer.10.9.0.2 = 10.1.0.2, 10.2.0.2
                recovery_timeout = 31s
                path_timeout = 32ms
                drain_timeout = 33us
                miimon = 34ns
                ack_timeout = 31
                retry_cnt = 7
                ledger = batch
                write_replay = fail
                atomics = native
                confirm = peer
                base_port = 30000
                journal = /tmp/j
                """);
        assertThat(bond.name()).isEqualTo("bond0");
        assertThat(bond.mode()).isEqualTo(BondMode.ACTIVE_BACKUP);
        assertThat(bond.members()).containsExactly("soft0", "soft1");
        assertThat(bond.primary()).isEqualTo("soft1");
        assertThat(bond.alias()).isEqualTo(InetAddress.ofLiteral("10.9.0.1"));
        assertThat(bond.peers()).containsOnlyKeys(InetAddress.ofLiteral("10.9.0.2"));
        assertThat(bond.peers().get(InetAddress.ofLiteral("10.9.0.2")))
                .containsExactly(InetAddress.ofLiteral("10.1.0.2"), InetAddress.ofLiteral("10.2.0.2"));
        assertThat(bond.recoveryTimeoutNs()).isEqualTo(31_000_000_000L);
        assertThat(bond.pathTimeoutNs()).isEqualTo(32_000_000);
        assertThat(bond.drainTimeoutNs()).isEqualTo(33_000);
        assertThat(bond.miimonNs()).isEqualTo(34);
        assertThat(bond.ackTimeout()).isEqualTo(31);
        assertThat(bond.retryCnt()).isEqualTo(7);
        assertThat(bond.ledger()).isEqualTo(LedgerMode.BATCH);
        assertThat(bond.writeReplay()).isEqualTo(WriteReplay.FAIL);
        assertThat(bond.confirm()).isEqualTo(ConfirmMode.PEER);
        assertThat(bond.atomics()).isEqualTo(AtomicsMode.NATIVE);
        assertThat(bond.basePort()).isEqualTo(30_000);
        assertThat(bond.journal()).isEqualTo("/tmp/j");
    }

    @Test
    void inlineSaysTheSame() {
        final List<BondConfig> bonds = BondConfigParser.parse(
                "bond0: mode=active-backup members=a,b recovery_timeout=2s peer.fd00::2=fd00::3; bond1: members=c,d",
                "test");
        assertThat(bonds).extracting(BondConfig::name).containsExactly("bond0", "bond1");
        assertThat(bonds.get(0).recoveryTimeoutNs()).isEqualTo(2_000_000_000L);
        assertThat(bonds.get(0).peers()).containsOnlyKeys(InetAddress.ofLiteral("fd00::2"));
        assertThat(bonds.get(1).members()).containsExactly("c", "d");
    }

    @ParameterizedTest
    @CsvSource({
        "ack_timeout, -1, 32, 0 to 31",
        "retry_cnt, -1, 8, 0 to 7",
        "base_port, 1023, 64512, 1024 to 64511",
        "miimon, 0s, 30, ms",
        "path_timeout, -1s, 10000000000s, ms",
        "drain_timeout, s, 5h, ms",
        "recovery_timeout, 1.5s, soon, ms",
        "primary_reselect, best, never, always or better or failure",
        "downdelay, -1s, 3, ms",
        "min_links, 0, 17, 1 to 16 members",
        "xmit_hash_policy, layer2, none, src-dst or src-dst-port",
    })
    void aValueOutOfRangeIsNamedWithWhatIsAllowed(
            final String key, final String low, final String high, final String allowed) {
        for (final String value : List.of(low, high)) {
            assertThat(error(key + " = " + value)).contains("bond0", "line 3", key, '"' + value + '"', allowed);
        }
    }

    @ParameterizedTest
    @CsvSource({"ack_timeout, 0, 31", "retry_cnt, 0, 7", "base_port, 1024, 64511"})
    void theEndsOfARangeAreAllowed(final String key, final int least, final int most) {
        for (final int value : new int[] {least, most}) {
            final BondConfig bond = one("bond0: members=a,b " + key + "=" + value);
            assertThat(switch (key) {
                        case "ack_timeout" -> bond.ackTimeout();
                        case "retry_cnt" -> bond.retryCnt();
                        default -> bond.basePort();
                    })
                    .isEqualTo(value);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"broadcast", "802.3ad", "balance-alb"})
    void modesThatAreNotCarriedAreRefusedByName(final String mode) {
        assertThat(error("mode = " + mode)).contains("line 3", "mode " + mode + " is refused: ", "active-backup");
    }

    @Test
    void anUnknownModeIsNotCalledRefused() {
        assertThat(error("mode = fast")).contains("\"fast\"", "allowed is active-backup").doesNotContain("refused");
    }

    @ParameterizedTest
    @CsvSource({
        "mimon, miimon", "retrycnt, retry_cnt", "pat_timeout, path_timeout", "primray, primary",
        "pack_timeout, ack_timeout", "patk_timeout, path_timeout",
    })
    void aMisspeltKeyBringsTheNearest(final String wrong, final String right) {
        assertThat(error(wrong + " = 1")).contains("line 3", "unknown key " + wrong, "did you mean " + right + "?");
    }

    @Test
    void aKeyLikeNoOtherBringsNoSuggestion() {
        assertThat(error("xyzzy = 1")).contains("unknown key xyzzy", "keys are mode, members").doesNotContain("mean");
    }

    @ParameterizedTest
    @ValueSource(strings = {"alias = cafe", "alias = localhost", "peer.cafe = 10.0.0.1", "peer.10.0.0.1 = beef"})
    void anAddressIsALiteralAndNeverAskedOfTheNetwork(final String line) {
        assertThat(errors("[bond0]\nmembers = a, b\n" + line).get(0)).contains("line 3", "is no IP address");
    }

    @Test
    void membersAreTwoOrMoreDifferentDevicesOfOneBond() {
        assertThat(errors("[bond0]\nmembers = a")).singleElement().asString().contains("bond0, line 2", "two or more");
        assertThat(errors("[bond0]")).singleElement().asString().contains("bond0", "two or more");
        assertThat(errors("[bond0]\nmembers = a, b, a")).singleElement().asString().contains("line 2", "twice");
        assertThat(errors("[x]\nmembers = a, b\n[y]\nmembers = c, b"))
                .singleElement()
                .asString()
                .contains("y, line 4", "member b", "belongs to x");
        assertThat(errors("[x]\nmembers = a, y\n[y]\nmembers = c, d"))
                .singleElement()
                .asString()
                .contains("x, line 2", "member y", "itself a bond");
        assertThat(error("primary = c")).contains("line 3", "\"c\"", "[a, b]");
    }

    @Test
    void theWatchdogWaitsLongerThanTheHardwareAndNoneIsZero() {
        final String members = "bond0: members=a,b ";
        assertThat(one(members).watchdogNs()).as("14 and 3: four budgets of 268 ms").isEqualTo(4 * 4 * (4_096L << 14));
        assertThat(one(members + "ack_timeout=8 retry_cnt=1").watchdogNs()).as("at least").isEqualTo(1_000_000_000);
        assertThat(one(members + "ack_timeout=0").watchdogNs()).isEqualTo(1_000_000_000);
        assertThat(one(members + "watchdog=0 heartbeat=0"))
                .satisfies(bond -> assertThat(bond.watchdogNs()).isZero())
                .satisfies(bond -> assertThat(bond.heartbeatNs()).isZero());
        assertThat(one(members + "watchdog=269ms heartbeat=3s"))
                .satisfies(bond -> assertThat(bond.watchdogNs()).isEqualTo(269_000_000))
                .satisfies(bond -> assertThat(bond.heartbeatNs()).isEqualTo(3_000_000_000L));
        assertThat(error("watchdog = 268ms")).contains("line 3", "watchdog is 268000us", "268435us", "retry_cnt");
        assertThat(errors("[b]\nmembers = a, b\nwatchdog = 1s\nack_timeout = 20").get(0)).contains("line 3", "budget");
        assertThat(error("heartbeat = off")).contains("line 3", "heartbeat", "\"off\"", "0 for none");
    }

    private static List<String> changeErrors(final BondConfig now, final String... entries) {
        return catchThrowableOfType(
                        BondConfigException.class, () -> BondConfigParser.change(now, List.of(entries)))
                .errors();
    }

    @Test
    void allErrorsOfAChangeComeAtOnceAndNothingChanges() {
        final BondConfig now = one("[bond0]\nmembers = a, b\nprimary = a\nupdelay = 1s\n");
        assertThat(changeErrors(
                        now, "updelay=5", "mode=balance-rr", "min_links=3", "primary=c", "mimon=1s", "updelay=1s"))
                .satisfiesExactlyInAnyOrder(
                        error -> assertThat(error).contains("updelay is \"5\"", "a number with a unit"),
                        error -> assertThat(error).contains("mode does not change"),
                        error -> assertThat(error).contains("min_links is \"3\"", "number of members: 2"),
                        error -> assertThat(error).contains("primary is \"c\"", "[a, b]"),
                        error -> assertThat(error).contains("unknown key mimon", "did you mean miimon?"),
                        error -> assertThat(error).contains("updelay is given twice"));
        assertThat(now.updelayNs()).isEqualTo(1_000_000_000L);
        assertThat(BondConfigParser.change(now, List.of("primary=none")).primary()).isNull();
        assertThat(now.primary()).isEqualTo("a");
    }

    @Test
    void theNumbersOfLinuxAreModesToo() {
        assertThat(one("bond0: members=a,b mode=5").mode()).isEqualTo(BondMode.BALANCE_TLB);
        assertThat(error("mode = 4")).contains("mode 4 is refused: ", "stripes packets");
        assertThat(error("mode = 7")).contains("\"7\"", "allowed is active-backup").doesNotContain("refused");
    }

    @Test
    void moreLinksThanMembersAreRefusedWithTheirNumber() {
        assertThat(error("min_links = 3")).contains("line 3", "\"3\"", "1 to the number of members: 2");
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "../x y", "/tmp", ".", "..", ".x", "-x", "a/b", "a b", "b\u00e4nd", "a=b", "x,y", "a\\b", "a[0"
    })
    void aBondIsCalledWhatAFileAndAWordInACommandMayBe(final String name) {
        assertThat(errors("[" + name + "]\nmembers = a, b\nretry_cnt = 8\n"))
                .satisfiesExactly(
                        error -> assertThat(error)
                                .contains("line 1", "cannot be called \"" + name + '"', "letters, digits, '.', '-'"),
                        error -> assertThat(error).contains(name + ", line 3", "retry_cnt"));
        assertThatThrownBy(() -> BondConfig.builder(name)).hasMessageContaining('"' + name + '"');
    }

    @Test
    void aNameIsJudgedInOneLineToo() {
        assertThat(errors("../x y: members=a,b").get(0)).contains("cannot be called \"../x y\"", "allowed is a letter");
        assertThat(errors(": members=a,b").get(0)).contains("the bond has no name", "bond0: ");
        final String longest = "b".repeat(63);
        assertThat(one(longest + ": members=a,b").name()).isEqualTo(longest);
        assertThat(errors(longest + "b: members=a,b").get(0)).contains("at most 63");
    }

    @ParameterizedTest
    @ValueSource(strings = {"members = soft0", "members=soft0,soft1 mode=active-backup", "bond0:members=a,b"})
    void optionsWithoutABondsNameAreSaidToBeThat(final String text) {
        assertThat(errors(text))
                .singleElement()
                .asString()
                .contains("test: line 1", '"' + text + '"', "options without a bond's name", "bond0: members=");
    }

    @Test
    void whatABondIsToldIsNoConfiguration() {
        assertThat(error("active_slave = b")).contains("line 3", "vhca bond set bond0 active_slave=b");
    }

    @Test
    void moreMembersThanABondCanNameAreRefused() {
        final String names = IntStream.range(0, 16).mapToObj(i -> "m" + i).collect(Collectors.joining(","));
        assertThat(one("bond0: members=" + names).members()).hasSize(16);
        assertThat(errors("bond0: members=" + names + ",m16").get(0)).contains("at most 16");
    }

    @Test
    void duplicatesAndStrayLinesAreNamed() {
        assertThat(error("members = c, d")).contains("line 3", "members is given twice");
        assertThat(error("nonsense")).contains("line 3", "\"nonsense\" is not key = value");
        assertThat(error("journal =")).contains("line 3", "journal", "a directory");
        assertThat(errors("[x]\nmembers=a,b\n[x]\nmembers=c,d").get(0)).contains("line 3", "[x] is configured twice");
        assertThat(errors("x: members=a,b; x: members=c,d").get(0)).contains("x", "configured twice");
        assertThat(errors("members = a, b").get(0)).contains("line 1", "before the first section");
        assertThat(errors("[ ]\nmembers = a, b").get(0)).contains("line 1", "names no bond");
    }

    @Test
    void allErrorsOfATextComeAtOnce() {
        final List<String> all = errors("[b]\nmode=broadcast\nmembers=a\nretry_cnt=9\n[c]\nmembers=d,e\nmiimn=1s\n");
        assertThat(all).hasSize(4).allMatch(e -> e.startsWith("test: "));
        assertThat(String.join("\n", all)).contains("line 2", "line 3", "line 4", "c, line 7");
    }
}
