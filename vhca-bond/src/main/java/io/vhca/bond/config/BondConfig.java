package io.vhca.bond.config;

import io.vhca.bond.trace.TraceLevels;
import io.vhca.recovery.RecoveryConfig;
import io.vhca.recovery.WriteReplay;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a bond is made of and how it behaves: a value for each {@link BondOption}. Immutable, any thread; made by
 * {@link Builder} or read by {@link BondConfigParser}. All times are nanoseconds.
 *
 * <p>{@link #get} reads any option, at the cost of one load from an array. The accessors by name are the same for those
 * that many ask for, or say what follows from several; a new option needs none.
 */
public final class BondConfig {
    /** A bond has this many members at most: records between bonds name one by four bits. */
    public static final int MAX_MEMBERS = 16;

    /** Bonds listen for each other on this many ports. */
    static final int PORTS = 1_024;

    static final int MAX_PORT = 65_535;
    static final String NAME_ALLOWED =
            "a letter or digit, then letters, digits, '.', '-' and '_', at most 63 characters in all";

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,62}");
    private static final long ACK_TIMEOUT_UNIT_NS = 4_096;
    private static final long SILENCE_BUDGETS = 4; // hardware may take its timeouts up to four times as long
    private static final long LEAST_SILENCE_NS = 1_000_000_000;
    private static final int MAX_DOUBLINGS = 3;
    private static final int LEAST_ATTEMPTS = 8; // so many fit into the time of a recovery, however long each may take
    private static final long NEVER_NS = Long.MAX_VALUE / 4;

    private final String name;
    private final @Nullable Object[] values;

    private BondConfig(final Builder builder) {
        name = builder.name;
        values = builder.values.clone();
    }

    /**
     * A builder in which every option has its default.
     *
     * @param name of the bond's device: {@code bond0}; files and commands carry it
     * @throws IllegalArgumentException where a bond cannot be called so
     */
    public static Builder builder(final String name) {
        if (!isName(name)) {
            throw new IllegalArgumentException("a bond cannot be called \"" + name + "\"; allowed is " + NAME_ALLOWED);
        }
        return new Builder(name, new Object[0]);
    }

    /** A builder that begins with these values. */
    public Builder toBuilder() {
        return new Builder(name, values.clone());
    }

    /** Whether a bond may be called so: its name becomes that of a file, and a word in a command. */
    static boolean isName(final String name) {
        return NAME.matcher(name).matches();
    }

    /** The value of an option: what was given, else its default. */
    public <T> T get(final BondOption<T> option) {
        return value(values, option);
    }

    @SuppressWarnings("unchecked") // set() has put nothing else there
    private static <T> T value(final @Nullable Object[] values, final BondOption<T> option) {
        final Object value = option.index() < values.length ? values[option.index()] : null;
        return value == null ? option.byDefault() : (T) value;
    }

    /**
     * The configuration as a text that {@link BondConfigParser} reads as the same: a line an option, those that have
     * their default too.
     */
    public String toText() {
        return "[" + name + "]\n"
                + BondOption.all().stream()
                        .filter(BondOption::isConfigured)
                        .flatMap(option -> option.lines(this).stream())
                        .map(line -> line + '\n')
                        .collect(Collectors.joining());
    }

    /** The device's name: {@code bond0}. */
    public String name() {
        return name;
    }

    public BondMode mode() {
        return get(BondOption.MODE);
    }

    /** Device names of the members, in order of preference. */
    public List<String> members() {
        return get(BondOption.MEMBERS);
    }

    /** The member preferred while it is up, or null for the first. */
    public @Nullable String primary() {
        return get(BondOption.PRIMARY).orElse(null);
    }

    /** When {@link #primary}, where one is named, becomes the active member again. */
    public PrimaryReselect primaryReselect() {
        return get(BondOption.PRIMARY_RESELECT);
    }

    /** What {@link BondMode#BALANCE_XOR} hashes. */
    public XmitHashPolicy xmitHashPolicy() {
        return get(BondOption.XMIT_HASH_POLICY);
    }

    /** How long a member must have been up before queue pairs are moved back to it. */
    public long updelayNs() {
        return get(BondOption.UPDELAY);
    }

    /** How long a port must have been down before its queue pairs are moved away; errors of theirs count at once. */
    public long downdelayNs() {
        return get(BondOption.DOWNDELAY);
    }

    /** How many members must be up for the bond's own port to be active; at least 1. */
    public int minLinks() {
        return get(BondOption.MIN_LINKS);
    }

    /** The address that peers know this bond by, or null for the members' own. */
    public @Nullable InetAddress alias() {
        return get(BondOption.ALIAS).orElse(null);
    }

    /** Peers by alias address: the addresses of their members. */
    public Map<InetAddress, List<InetAddress>> peers() {
        return get(BondOption.PEERS);
    }

    /** From the first failure of a vQP until it must be healthy again, else it fails with NO_PATH. */
    public long recoveryTimeoutNs() {
        return get(BondOption.RECOVERY_TIMEOUT);
    }

    /** How long one attempt over one path may take before the next is tried; the peer is told, and drains no longer. */
    public long pathTimeoutNs() {
        return get(BondOption.PATH_TIMEOUT);
    }

    /**
     * How long an attempt may take where nobody answered in so many rounds before: the usual time of a path, twice as
     * long after each, within bounds.
     */
    public long patienceNs(final int vainRounds) {
        final long usualNs = pathTimeoutNs();
        final long mostNs = Math.max(usualNs, recoveryTimeoutNs() / LEAST_ATTEMPTS);
        return Math.min(usualNs << Math.min(vainRounds, MAX_DOUBLINGS), mostNs);
    }

    /** After which the drain of a fenced queue pair counts as finished. */
    public long drainTimeoutNs() {
        return get(BondOption.DRAIN_TIMEOUT);
    }

    /** How often port states are looked at besides listening to events. */
    public long miimonNs() {
        return get(BondOption.MIIMON);
    }

    /** Local ack timeout of physical queue pairs: 4.096 us * 2^n, 5 bits. */
    public int ackTimeout() {
        return get(BondOption.ACK_TIMEOUT);
    }

    /** Transport retries of physical queue pairs, 0 .. 7. */
    public int retryCnt() {
        return get(BondOption.RETRY_CNT);
    }

    /**
     * How long a physical queue pair may be without any completion while it has requests that will complete, before the
     * path counts as failed; 0 for any time. Four times the retry budget and at least a second unless set.
     */
    public long watchdogNs() {
        final Optional<Long> given = get(BondOption.WATCHDOG);
        return given.isPresent() ? given.get() : silenceNs();
    }

    /** Whether somebody said so, rather than nobody. */
    public boolean hasWatchdog() {
        return get(BondOption.WATCHDOG).isPresent();
    }

    /** How often a path in use is probed, so that idle queue pairs notice its death; 0 for never. */
    public long heartbeatNs() {
        return get(BondOption.HEARTBEAT);
    }

    /** After what time without an answer hardware reports RETRY_EXC; 0 where it waits for ever. */
    long retryBudgetNs() {
        return ackTimeout() == 0 ? 0 : (retryCnt() + 1) * (ACK_TIMEOUT_UNIT_NS << ackTimeout());
    }

    /** After what time nothing is to be expected of silent hardware any more. */
    public long silenceNs() {
        final Optional<Long> given = get(BondOption.WATCHDOG);
        return given.isPresent() && given.get() > 0
                ? given.get()
                : Math.max(LEAST_SILENCE_NS, SILENCE_BUDGETS * retryBudgetNs());
    }

    /** How often marks in a word at the peer follow one-sided requests; confirmed completions need them. */
    public LedgerMode ledger() {
        final LedgerMode ledger = get(BondOption.LEDGER);
        return confirmsByPeer() && ledger == LedgerMode.OFF ? LedgerMode.EACH : ledger;
    }

    /** Whose word makes a send complete with success. */
    public ConfirmMode confirm() {
        return get(BondOption.CONFIRM);
    }

    /** What is traced. */
    public TraceLevels traceLevels() {
        return get(BondOption.TRACE);
    }

    /** What is looked at while the bond works. */
    public ServiceMode.Checks checks() {
        return get(BondOption.CHECKS);
    }

    /** Whether the lines are kept that make objects. */
    public boolean keepsSites() {
        return get(BondOption.MEMORY_TRACE) == ServiceMode.MemoryTrace.SITE;
    }

    /** Whether atomics are executed by the peer's bond. */
    public boolean emulatesAtomics() {
        return atomics() == AtomicsMode.EMULATED;
    }

    /** Whether a send completes only when the peer's bond says that it has it. */
    public boolean confirmsByPeer() {
        return confirm() == ConfirmMode.PEER;
    }

    /** Whether queue pairs keep a second connection for their next failover. */
    public boolean standsBy() {
        return get(BondOption.STANDBY) == ServiceMode.Standby.WARM;
    }

    /** How many of those the bond makes at most. */
    public int standbyMax() {
        return get(BondOption.STANDBY_MAX);
    }

    /** Whether peers without the bond are served. */
    public boolean servesPlainPeers() {
        return get(BondOption.UNPROTECTED) == Unprotected.ALLOW;
    }

    /** What becomes of a WRITE that is in doubt after a failure. */
    public WriteReplay writeReplay() {
        return get(BondOption.WRITE_REPLAY);
    }

    /** Who executes atomics. */
    public AtomicsMode atomics() {
        return get(BondOption.ATOMICS);
    }

    /** First of the 1024 ports on which bonds listen for each other. */
    public int basePort() {
        return get(BondOption.BASE_PORT);
    }

    /** Directory of the journal, or null for none. */
    public @Nullable String journal() {
        return get(BondOption.JOURNAL).orElse(null);
    }

    public RecoveryConfig recovery() {
        // An attempt may wait for its turn: the time of a path begins with its REQ, and is its link's to watch. In its
        // turn the machine's own bound must not end it.
        return RecoveryConfig.builder()
                .recoveryTimeoutNs(recoveryTimeoutNs())
                .drainTimeoutNs(drainTimeoutNs())
                .connectTimeoutNs(NEVER_NS)
                .establishTimeoutNs(pathTimeoutNs())
                .build();
    }

    /** Collects the values; an option that is not set has its default. Not thread-safe. */
    public static final class Builder {
        private final String name;
        private @Nullable Object[] values;

        private Builder(final String name, final @Nullable Object[] values) {
            this.name = name;
            this.values = values;
        }

        /** Of a name that is refused already: what else is wrong is to be found, too. */
        static Builder unchecked(final String name) {
            return new Builder(name, new Object[0]);
        }

        /** Sets any option. What {@link BondConfigParser} would refuse of a text is not refused here. */
        public <T> Builder set(final BondOption<T> option, final T value) {
            if (option.index() >= values.length) {
                values = Arrays.copyOf(values, option.index() + 1);
            }
            values[option.index()] = value;
            return this;
        }

        <T> T get(final BondOption<T> option) {
            return value(values, option);
        }

        public Builder mode(final BondMode value) {
            return set(BondOption.MODE, value);
        }

        public Builder members(final List<String> value) {
            return set(BondOption.MEMBERS, List.copyOf(value));
        }

        public Builder primary(final @Nullable String value) {
            return set(BondOption.PRIMARY, Optional.ofNullable(value));
        }

        public Builder primaryReselect(final PrimaryReselect value) {
            return set(BondOption.PRIMARY_RESELECT, value);
        }

        public Builder xmitHashPolicy(final XmitHashPolicy value) {
            return set(BondOption.XMIT_HASH_POLICY, value);
        }

        public Builder updelayNs(final long value) {
            return set(BondOption.UPDELAY, value);
        }

        public Builder downdelayNs(final long value) {
            return set(BondOption.DOWNDELAY, value);
        }

        public Builder minLinks(final int value) {
            return set(BondOption.MIN_LINKS, value);
        }

        public Builder alias(final @Nullable InetAddress value) {
            return set(BondOption.ALIAS, Optional.ofNullable(value));
        }

        public Builder peers(final Map<InetAddress, List<InetAddress>> value) {
            return set(BondOption.PEERS, Map.copyOf(value));
        }

        public Builder recoveryTimeoutNs(final long value) {
            return set(BondOption.RECOVERY_TIMEOUT, value);
        }

        public Builder pathTimeoutNs(final long value) {
            return set(BondOption.PATH_TIMEOUT, value);
        }

        public Builder drainTimeoutNs(final long value) {
            return set(BondOption.DRAIN_TIMEOUT, value);
        }

        public Builder miimonNs(final long value) {
            return set(BondOption.MIIMON, value);
        }

        /** More than the retry budget, or 0 for none. */
        public Builder watchdogNs(final long value) {
            return set(BondOption.WATCHDOG, Optional.of(value));
        }

        public Builder heartbeatNs(final long value) {
            return set(BondOption.HEARTBEAT, value);
        }

        public Builder ackTimeout(final int value) {
            return set(BondOption.ACK_TIMEOUT, value);
        }

        public Builder retryCnt(final int value) {
            return set(BondOption.RETRY_CNT, value);
        }

        public Builder ledger(final LedgerMode value) {
            return set(BondOption.LEDGER, value);
        }

        public Builder writeReplay(final WriteReplay value) {
            return set(BondOption.WRITE_REPLAY, value);
        }

        public Builder atomics(final AtomicsMode value) {
            return set(BondOption.ATOMICS, value);
        }

        public Builder confirm(final ConfirmMode value) {
            return set(BondOption.CONFIRM, value);
        }

        public Builder unprotected(final Unprotected value) {
            return set(BondOption.UNPROTECTED, value);
        }

        public Builder journal(final @Nullable String value) {
            return set(BondOption.JOURNAL, Optional.ofNullable(value));
        }

        /** The configuration; the builder may be used on. */
        public BondConfig build() {
            return new BondConfig(this);
        }
    }
}
