package io.vhca.bond.config;

import io.vhca.bond.config.OptionType.Address;
import io.vhca.bond.config.OptionType.Devices;
import io.vhca.bond.config.OptionType.Duration;
import io.vhca.bond.config.OptionType.Maybe;
import io.vhca.bond.config.OptionType.Mode;
import io.vhca.bond.config.OptionType.Number;
import io.vhca.bond.config.OptionType.Peers;
import io.vhca.bond.config.OptionType.RefusedValueException;
import io.vhca.bond.config.OptionType.Settings;
import io.vhca.bond.config.OptionType.Text;
import io.vhca.bond.config.OptionType.Word;
import io.vhca.bond.config.ServiceMode.Checks;
import io.vhca.bond.config.ServiceMode.Detect;
import io.vhca.bond.config.ServiceMode.DumpOn;
import io.vhca.bond.config.ServiceMode.Leaks;
import io.vhca.bond.config.ServiceMode.MemoryTrace;
import io.vhca.bond.config.ServiceMode.StatusMode;
import io.vhca.bond.trace.TraceLevels;
import io.vhca.recovery.WriteReplay;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;

/**
 * An option of a bond, a row each: its name, which is that of Linux bonding where it has one, what values it takes, its
 * default, whether it changes while the bond is open, and what it is for. The parser of configurations, {@code vhca
 * bond set} and its help, what a running bond shows, and the table of the documentation are made from the rows; a new
 * option is a row here and the class that asks {@link BondConfig#get} for it.
 *
 * <p>An enum in all but that each constant has a type of its own, which constants of an enum cannot have. Immutable;
 * any thread.
 *
 * @param <T> of its values
 */
public final class BondOption<T> {
    private static final AtomicInteger INDEXES = new AtomicInteger();
    private static final List<BondOption<?>> ROWS = new ArrayList<>();

    private static final int HELP_WIDTH = 78;
    private static final int HELP_INDENT = 20;
    private static final long MS = 1_000_000;
    private static final Duration TIME = new Duration(1);
    private static final Duration TIME_OR_NONE = new Duration(0);
    private static final String COUNTED_ON = "recoveries under way count on it";
    private static final String FAILS_ALIKE = "queue pairs of either age would fail at different times";
    private static final String PROMISED = "what queue pairs promise depends on it";

    public static final BondOption<BondMode> MODE = row("mode", new Mode(), BondMode.ACTIVE_BACKUP)
            .fixed("queue pairs were placed by it; close the bond first, as with Linux bonding",
                    "which member a queue pair is placed on");

    public static final BondOption<List<String>> MEMBERS =
            row("members", new Devices(BondConfig.MAX_MEMBERS), List.<String>of())
                    .required()
                    .fixed("add and remove change them one by one", "the devices below the bond, preferred ones first");

    public static final BondOption<Optional<String>> PRIMARY =
            row("primary", new Maybe<>(new Text("one of the members"), "none"), Optional.<String>empty())
                    .check(BondOption::wrongPrimary)
                    .live("the member that is active while it is up");

    public static final BondOption<PrimaryReselect> PRIMARY_RESELECT =
            row("primary_reselect", Word.of(PrimaryReselect.values(), PrimaryReselect::text), PrimaryReselect.ALWAYS)
                    .live("when a primary that is up again becomes the active member: at once, where its link is"
                            + " faster, or only when the active member fails");

    public static final BondOption<String> ACTIVE_SLAVE =
            row("active_slave", new Text("one of the members"), "")
                    .order("makes a member the active one, in mode active-backup");

    public static final BondOption<XmitHashPolicy> XMIT_HASH_POLICY =
            row("xmit_hash_policy", Word.of(XmitHashPolicy.values(), XmitHashPolicy::text), XmitHashPolicy.SRC_DST)
                    .live("what balance-xor hashes; counts for queue pairs that connect from then on");

    public static final BondOption<Optional<InetAddress>> ALIAS =
            row("alias", new Maybe<>(new Address(), "none"), Optional.<InetAddress>empty())
                    .fixed("peers know the bond by it", "the address that peers know the bond by, of no member");

    public static final BondOption<Long> RECOVERY_TIMEOUT = row("recovery_timeout", TIME, 30_000 * MS)
            .fixed(COUNTED_ON,
                    "how long a queue pair may be without a path before it fails; neither waiting for its turn counts,"
                            + " nor a bond that has no processor");

    public static final BondOption<Long> PATH_TIMEOUT = row("path_timeout", TIME, 500 * MS)
            .fixed(COUNTED_ON,
                    "how long a recovery tries one path before it tries the next; longer each time that no path was"
                            + " answered");

    public static final BondOption<Long> DRAIN_TIMEOUT = row("drain_timeout", TIME, 100 * MS)
            .fixed(COUNTED_ON, "after which a queue pair that was fenced counts as drained");

    public static final BondOption<Long> MIIMON = row("miimon", TIME, 100 * MS)
            .live("how often ports are looked at, besides listening to their events");

    public static final BondOption<Long> UPDELAY = row("updelay", TIME_OR_NONE, 0L)
            .live("how long a member must have been up before queue pairs move back to it");

    public static final BondOption<Long> DOWNDELAY = row("downdelay", TIME_OR_NONE, 0L)
            .live("how long a port must have been down before queue pairs leave it; their own errors count at once");

    public static final BondOption<Integer> MIN_LINKS =
            row("min_links", new Number(1, BondConfig.MAX_MEMBERS, "members"), 1)
                    .check(BondOption::wrongMinLinks)
                    .live("how many members must be up for the bond's own port to be active");

    public static final BondOption<Optional<Long>> WATCHDOG =
            row("watchdog", new Maybe<>(TIME_OR_NONE, "auto"), Optional.<Long>empty())
                    .check(BondOption::wrongWatchdog)
                    .fixed("queue pairs take it when they are made",
                            "how long requests may wait without any completion before the path counts as failed; auto:"
                                    + " four retry budgets, at least 1s, and without limit where the peer has no bond");

    public static final BondOption<Long> HEARTBEAT = row("heartbeat", TIME_OR_NONE, 1_000 * MS)
            .fixed("the rhythm of all looks follows from it",
                    "how often a path in use that carries nothing else is probed");

    public static final BondOption<Detect> DETECT =
            row("detect", Word.of(Detect.values(), Detect::text), Detect.PROBE)
                    .live("how a path that dies without a word is found: the peer is asked over it and over another one"
                            + " when requests do not complete, or hardware gives up");

    public static final BondOption<Long> DETECT_MIN = row("detect_min", TIME, 50 * MS)
            .live("how long requests wait before the peer is asked, at least; half as long its answer may be later than"
                    + " over another path");

    public static final BondOption<ServiceMode.Standby> STANDBY =
            row("standby", Word.of(ServiceMode.Standby.values(), ServiceMode.Standby::text), ServiceMode.Standby.WARM)
                    .live("whether a queue pair keeps a second connection, over another path, for its next failover");

    public static final BondOption<Integer> STANDBY_MAX =
            row("standby_max", new Number(1, 1 << 20, "queue pairs"), 16_384)
                    .live("how many queue pairs that stand by the bond makes at most");

    public static final BondOption<Integer> ACK_TIMEOUT = row("ack_timeout", new Number(0, 31, "for 4.096us * 2^n"), 14)
            .fixed(FAILS_ALIKE, "after which hardware sends again what was not acknowledged; 0 for never");

    public static final BondOption<Integer> RETRY_CNT = row("retry_cnt", new Number(0, 7, "times"), 3)
            .fixed(FAILS_ALIKE, "how often hardware sends again before it reports an error");

    public static final BondOption<LedgerMode> LEDGER =
            row("ledger", Word.of(LedgerMode.values(), LedgerMode::text), LedgerMode.OFF)
                    .fixed(PROMISED,
                            "how often marks follow one-sided requests: never, behind every eighth, behind each");

    public static final BondOption<WriteReplay> WRITE_REPLAY =
            row("write_replay", Word.of(WriteReplay.values(), WriteReplay::text), WriteReplay.REPLAY)
                    .fixed(PROMISED, "what becomes of a WRITE in doubt: written again, or the queue pair fails");

    public static final BondOption<AtomicsMode> ATOMICS =
            row("atomics", Word.of(AtomicsMode.values(), AtomicsMode::text), AtomicsMode.EMULATED)
                    .fixed(PROMISED, "who executes atomics: the member, or the peer's bond exactly once");

    public static final BondOption<ConfirmMode> CONFIRM =
            row("confirm", Word.of(ConfirmMode.values(), ConfirmMode::text), ConfirmMode.OFF)
                    .fixed(PROMISED, "whether a send completes only when the peer's bond says that it has it");

    public static final BondOption<Unprotected> UNPROTECTED =
            row("unprotected", Word.of(Unprotected.values(), Unprotected::text), Unprotected.REFUSE)
                    .live("peers without the bond: refused, or served over one member without recovery;"
                            + " connections that stand are not touched");

    public static final BondOption<Integer> BASE_PORT =
            row("base_port", new Number(1024, BondConfig.MAX_PORT - BondConfig.PORTS, ""), 27_648)
                    .fixed("peers find the bond by it",
                            "the first of the " + BondConfig.PORTS + " ports on which bonds listen for each other");

    public static final BondOption<Optional<String>> JOURNAL =
            row("journal", new Maybe<>(new Text("a directory"), "none"), Optional.<String>empty())
                    .fixed("it is opened with the bond", "where every step of every recovery is written");

    public static final BondOption<StatusMode> STATUS_MODE =
            row("status_mode", Word.of(StatusMode.values(), StatusMode::text), StatusMode.OWNER)
                    .fixed("files were made by it",
                            "who may read the bond's status and tell it what to do: the application's user alone, or"
                                    + " its group too");

    public static final BondOption<Optional<String>> AUTH_KEY_FILE =
            row("auth_key_file", new Maybe<>(new Text("a file"), "none"), Optional.<String>empty())
                    .live("the key by which bonds prove to each other who they are, from vhca bond key new; setting it"
                            + " reads the file again, a bond that was opened without one gets none");

    public static final BondOption<TraceLevels> TRACE =
            row("trace", new Settings<>(TraceLevels::parse, TraceLevels.ALLOWED), TraceLevels.BY_DEFAULT)
            .live("how much of what the bond does is traced, by component and object; vhca trace shows it");

    public static final BondOption<Long> STATE_INTERVAL = row("state_interval", TIME_OR_NONE, 0L)
            .live("how often what devices say of each queue pair and port is kept in memory, for snapshots of what is"
                    + " gone by then");

    public static final BondOption<MemoryTrace> MEMORY_TRACE =
            row("memory_trace", Word.of(MemoryTrace.values(), MemoryTrace::text), MemoryTrace.OFF)
                    .live("whether the line of the application is kept that makes an object or registers memory, for"
                            + " vhca memory; counts for what is made from then on");

    public static final BondOption<Leaks> LEAKS = row("leaks", Word.of(Leaks.values(), Leaks::text), Leaks.FAIL)
            .live("what closing the bond does while the application has objects of it open: it is refused and they are"
                    + " named, or they are named in the log and in a snapshot, and closed");

    public static final BondOption<Checks> CHECKS = row("checks", Word.of(Checks.values(), Checks::text), Checks.FAST)
            .fixed("queue pairs take it when they are made",
                    "when the markers round the native memory of queues are looked at: when asked, wherever that is no"
                            + " post or poll, or before each post too, and then why a post is refused is told");

    public static final BondOption<DumpOn> DUMP_ON =
            row("dump_on", Word.of(DumpOn.values(), DumpOn::text), DumpOn.NONE)
                    .live("at what the bond writes a dump by itself into its status directory, once a minute at most: a"
                            + " member's device that dies, a queue pair that fails for good");

    public static final BondOption<Integer> STUCK_MS =
            row("stuck_ms", new Number(0, 3_600_000, "ms, 0 for never"), 1_000).live(
                    "after how long a thread that stays inside the bond is told of, with its stack");

    public static final BondOption<HealthSettings> HEALTH =
            row("health", new Settings<>(HealthSettings::parse, HealthSettings.ALLOWED), HealthSettings.BY_DEFAULT)
                    .live("what each reporter of vhca health does by itself at an error, once in its grace period of"
                            + " ms: recover, write a dump");

    public static final BondOption<Map<InetAddress, List<InetAddress>>> PEERS =
            row(Peers.PREFIX + "ADDRESS", new Peers(), Map.<InetAddress, List<InetAddress>>of())
                    .fixed("connections under way count on it",
                            "where the members are of the bond that is known by that address; a line for each");

    /** Every row, in the order of messages and of the documentation. */
    static final List<BondOption<?>> ALL = List.copyOf(ROWS);

    /** When an option may be given. */
    private enum Change {
        /** In a configuration, and while the bond is open. */
        LIVE,
        /** In a configuration only. */
        FIXED,
        /** While the bond is open only: it is told to do something, and keeps nothing. */
        ORDER
    }

    private final int index = INDEXES.getAndIncrement();
    private final String name;
    private final OptionType<T> type;
    private final T byDefault;
    private final boolean isRequired;
    private final BiFunction<BondConfig, T, String> check;
    private final Change change;
    private final String reason;
    private final String help;

    private BondOption(final Row<T> row, final Change change, final String reason, final String help) {
        name = row.name;
        type = row.type;
        byDefault = row.byDefault;
        isRequired = row.isRequired;
        check = row.check;
        this.change = change;
        this.reason = reason;
        this.help = help;
    }

    /** Every option, in the order of messages and of the documentation. */
    public static List<BondOption<?>> all() {
        return ALL;
    }

    /** The key in a configuration. */
    public String name() {
        return name;
    }

    /** What values are allowed, with their unit. */
    public String allowed() {
        return type.allowed();
    }

    /** The value where none is given, as {@link #print} has it; where one must be given, {@code required}. */
    public String defaultText() {
        return isRequired ? "required" : type.print(byDefault);
    }

    /** Whether {@code vhca bond set} changes it while the bond is open. */
    public boolean isLive() {
        return change != Change.FIXED;
    }

    /** Whether a configuration has it; else it is an order to an open bond. */
    public boolean isConfigured() {
        return change != Change.ORDER;
    }

    /** Why it does not change while the bond is open; empty where it does. */
    public String fixedBecause() {
        return reason;
    }

    /** What it is for, one sentence. */
    public String help() {
        return help;
    }

    /** The value in a configuration, as a configuration has it. */
    public String print(final BondConfig config) {
        return type.print(config.get(this));
    }

    /** The lines of a configuration that give the value it has in one. */
    List<String> lines(final BondConfig config) {
        return type.lines(name, config.get(this));
    }

    T byDefault() {
        return byDefault;
    }

    boolean isRequired() {
        return isRequired;
    }

    /** Where values of it are in a {@link BondConfig}. */
    int index() {
        return index;
    }

    boolean hasKey(final String key) {
        return type instanceof Peers ? key.startsWith(Peers.PREFIX) : key.equals(name);
    }

    /** Takes an entry in; what is wrong with it, or an empty text. */
    String take(final BondConfig.Builder config, final String key, final String text) {
        try {
            config.set(this, type.take(key, text, config.get(this)));
            return "";
        } catch (final RefusedValueException e) {
            final String why = e.why();
            return key
                    + (why.isEmpty() ? " is \"" + text + "\", allowed is " : " " + text + " is refused: " + why
                            + "; allowed is ")
                    + allowed();
        }
    }

    /** What is wrong with the value beside those of other options, or an empty text. */
    String check(final BondConfig config) {
        return check.apply(config, config.get(this));
    }

    /** The help of {@code vhca bond set}: what each option that is live is for, and what it allows. */
    public static List<String> liveHelp() {
        final List<String> lines = new ArrayList<>();
        for (final BondOption<?> option : ALL) {
            if (option.isLive()) {
                final String values = option.isConfigured() ? "; default " + option.defaultText() : "";
                wrap(option.name, option.help + " (" + option.allowed() + values + ")", lines);
            }
        }
        return lines;
    }

    /** Adds a text in lines of at most {@link #HELP_WIDTH}, indented behind its name. */
    private static void wrap(final String name, final String text, final List<String> lines) {
        final String indent = " ".repeat(HELP_INDENT);
        StringBuilder line = new StringBuilder(("  " + name + indent).substring(0, HELP_INDENT));
        for (final String word : text.split(" ", -1)) {
            if (line.length() + word.length() > HELP_WIDTH) {
                lines.add(line.toString().stripTrailing());
                line = new StringBuilder(indent);
            }
            line.append(word).append(' ');
        }
        lines.add(line.toString().stripTrailing());
    }

    @Override
    public String toString() {
        return name;
    }

    private static String wrongPrimary(final BondConfig config, final Optional<String> primary) {
        final List<String> members = config.members();
        return primary.isEmpty() || members.isEmpty() || members.contains(primary.get())
                ? ""
                : "primary is \"" + primary.get() + "\", allowed is " + PRIMARY.allowed() + ": " + members;
    }

    private static String wrongMinLinks(final BondConfig config, final int minLinks) {
        final int members = config.members().size();
        return members == 0 || minLinks <= members
                ? ""
                : "min_links is \"" + minLinks + "\", allowed is 1 to the number of members: " + members;
    }

    /** Whoever gives up sooner than the hardware would never hear from it what happened. */
    private static String wrongWatchdog(final BondConfig config, final Optional<Long> watchdogNs) {
        final long budgetNs = config.retryBudgetNs();
        return watchdogNs.isEmpty() || watchdogNs.get() == 0 || watchdogNs.get() > budgetNs
                ? ""
                : "watchdog is " + watchdogNs.get() / 1_000 + "us, allowed is more than the retry budget of "
                        + budgetNs / 1_000 + "us, which is (retry_cnt + 1) * 4.096us * 2^ack_timeout";
    }

    private static <T> Row<T> row(final String name, final OptionType<T> type, final T byDefault) {
        return new Row<>(ROWS, name, type, byDefault);
    }

    /** A row in the making. */
    static final class Row<T> {
        private final List<BondOption<?>> table;
        private final String name;
        private final OptionType<T> type;
        private final T byDefault;
        private boolean isRequired;
        private BiFunction<BondConfig, T, String> check = (config, value) -> "";

        Row(final List<BondOption<?>> table, final String name, final OptionType<T> type, final T byDefault) {
            this.table = table;
            this.name = name;
            this.type = type;
            this.byDefault = byDefault;
        }

        /** It has no default. */
        Row<T> required() {
            isRequired = true;
            return this;
        }

        /** Says what is wrong with a value beside those of other options; an empty text where nothing is. */
        Row<T> check(final BiFunction<BondConfig, T, String> wrong) {
            check = wrong;
            return this;
        }

        BondOption<T> live(final String help) {
            return add(Change.LIVE, "", help);
        }

        BondOption<T> fixed(final String because, final String help) {
            return add(Change.FIXED, because, help);
        }

        BondOption<T> order(final String help) {
            return add(Change.ORDER, "", help);
        }

        private BondOption<T> add(final Change change, final String reason, final String help) {
            final BondOption<T> option = new BondOption<>(this, change, reason, help);
            table.add(option);
            return option;
        }
    }
}
