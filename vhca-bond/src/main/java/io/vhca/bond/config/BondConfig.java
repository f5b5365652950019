package io.vhca.bond.config;

import io.vhca.recovery.RecoveryConfig;
import io.vhca.recovery.WriteReplay;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What a bond is made of and how it behaves. Immutable; made by {@link Builder} or read by {@link BondConfigParser}.
 *
 * <p>All times are nanoseconds.
 */
public final class BondConfig {
    private static final long DERIVED = -1;
    private static final long ACK_TIMEOUT_UNIT_NS = 4_096;
    private static final long SILENCE_BUDGETS = 4; // hardware may take its timeouts up to four times as long
    private static final long LEAST_SILENCE_NS = 1_000_000_000;

    private final Builder from;

    private BondConfig(final Builder builder) {
        from = builder;
    }

    public static Builder builder(final String name) {
        return new Builder(name);
    }

    /** A builder that begins with these values. */
    public Builder toBuilder() {
        return from.copy();
    }

    /** The device's name: {@code bond0}. */
    public String name() {
        return from.name;
    }

    public BondMode mode() {
        return from.mode;
    }

    /** Device names of the members, in order of preference. */
    public List<String> members() {
        return from.members;
    }

    /** The member preferred while it is up, or null for the first. */
    public @Nullable String primary() {
        return from.primary;
    }

    /** When {@link #primary}, where one is named, becomes the active member again. */
    public PrimaryReselect primaryReselect() {
        return from.primaryReselect;
    }

    /** What {@link BondMode#BALANCE_XOR} hashes. */
    public XmitHashPolicy xmitHashPolicy() {
        return from.xmitHashPolicy;
    }

    /** How long a member must have been up before queue pairs are moved back to it. */
    public long updelayNs() {
        return from.updelayNs;
    }

    /** How long a port must have been down before its queue pairs are moved away; errors of theirs count at once. */
    public long downdelayNs() {
        return from.downdelayNs;
    }

    /** How many members must be up for the bond's own port to be active; at least 1. */
    public int minLinks() {
        return from.minLinks;
    }

    /** The address that peers know this bond by, or null for the members' own. */
    public @Nullable InetAddress alias() {
        return from.alias;
    }

    /** Peers by alias address: the addresses of their members. */
    public Map<InetAddress, List<InetAddress>> peers() {
        return from.peers;
    }

    /** From the first failure of a vQP until it must be healthy again, else it fails with NO_PATH. */
    public long recoveryTimeoutNs() {
        return from.recoveryTimeoutNs;
    }

    /** How long one attempt over one path may take before the next is tried; the peer is told, and drains no longer. */
    public long pathTimeoutNs() {
        return from.pathTimeoutNs;
    }

    /** After which the drain of a fenced queue pair counts as finished. */
    public long drainTimeoutNs() {
        return from.drainTimeoutNs;
    }

    /** How often port states are looked at besides listening to events. */
    public long miimonNs() {
        return from.miimonNs;
    }

    /** Local ack timeout of physical queue pairs: 4.096 us * 2^n, 5 bits. */
    public int ackTimeout() {
        return from.ackTimeout;
    }

    /** Transport retries of physical queue pairs, 0 .. 7. */
    public int retryCnt() {
        return from.retryCnt;
    }

    /**
     * How long a physical queue pair may be without any completion while it has requests that will complete, before the
     * path counts as failed; 0 for any time. Four times the retry budget and at least a second unless set.
     */
    public long watchdogNs() {
        return from.watchdogNs == DERIVED ? silenceNs() : from.watchdogNs;
    }

    /** How often a path in use is probed, so that idle queue pairs notice its death; 0 for never. */
    public long heartbeatNs() {
        return from.heartbeatNs;
    }

    /** After what time without an answer hardware reports RETRY_EXC; 0 where it waits for ever. */
    long retryBudgetNs() {
        return from.ackTimeout == 0 ? 0 : (from.retryCnt + 1) * (ACK_TIMEOUT_UNIT_NS << from.ackTimeout);
    }

    /** After what time nothing is to be expected of silent hardware any more. */
    public long silenceNs() {
        final long derivedNs = Math.max(LEAST_SILENCE_NS, SILENCE_BUDGETS * retryBudgetNs());
        return from.watchdogNs > 0 ? from.watchdogNs : derivedNs;
    }

    /** How often marks in a word at the peer follow one-sided requests; confirmed completions need them. */
    public LedgerMode ledger() {
        return from.confirm == ConfirmMode.PEER && from.ledger == LedgerMode.OFF ? LedgerMode.EACH : from.ledger;
    }

    /** Whose word makes a send complete with success. */
    public ConfirmMode confirm() {
        return from.confirm;
    }

    /** What becomes of a WRITE that is in doubt after a failure. */
    public WriteReplay writeReplay() {
        return from.writeReplay;
    }

    /** Who executes atomics. */
    public AtomicsMode atomics() {
        return from.atomics;
    }

    /** First of the 1024 ports on which bonds listen for each other. */
    public int basePort() {
        return from.basePort;
    }

    /** Directory of the journal, or null for none. */
    public @Nullable String journal() {
        return from.journal;
    }

    public RecoveryConfig recovery() {
        // An attempt may wait for its turn: the time of a path begins with its REQ, and is its link's to watch.
        return RecoveryConfig.builder()
                .recoveryTimeoutNs(from.recoveryTimeoutNs)
                .drainTimeoutNs(from.drainTimeoutNs)
                .connectTimeoutNs(from.recoveryTimeoutNs)
                .establishTimeoutNs(from.pathTimeoutNs)
                .build();
    }

    /** Collects the values; unset ones have the defaults documented at the getters. Not thread-safe. */
    public static final class Builder implements Cloneable {
        private final String name;
        private BondMode mode = BondMode.ACTIVE_BACKUP;
        private List<String> members = List.of();
        private @Nullable String primary;
        private PrimaryReselect primaryReselect = PrimaryReselect.ALWAYS;
        private XmitHashPolicy xmitHashPolicy = XmitHashPolicy.SRC_DST;
        private long updelayNs;
        private long downdelayNs;
        private int minLinks = 1;
        private @Nullable InetAddress alias;
        private Map<InetAddress, List<InetAddress>> peers = Map.of();
        private long recoveryTimeoutNs = TimeUnit.SECONDS.toNanos(30);
        private long pathTimeoutNs = TimeUnit.MILLISECONDS.toNanos(500);
        private long drainTimeoutNs = TimeUnit.MILLISECONDS.toNanos(100);
        private long miimonNs = TimeUnit.MILLISECONDS.toNanos(100);
        private long watchdogNs = DERIVED;
        private long heartbeatNs = TimeUnit.SECONDS.toNanos(1);
        private int ackTimeout = 14;
        private int retryCnt = 3;
        private LedgerMode ledger = LedgerMode.OFF;
        private WriteReplay writeReplay = WriteReplay.REPLAY;
        private ConfirmMode confirm = ConfirmMode.OFF;
        private AtomicsMode atomics = AtomicsMode.EMULATED;
        private int basePort = 27_648;
        private @Nullable String journal;

        private Builder(final String name) {
            this.name = name;
        }

        private Builder copy() {
            try {
                return (Builder) clone();
            } catch (final CloneNotSupportedException e) {
                throw new AssertionError("a builder is cloneable", e);
            }
        }

        public Builder mode(final BondMode value) {
            mode = value;
            return this;
        }

        public Builder members(final List<String> value) {
            members = List.copyOf(value);
            return this;
        }

        public Builder primary(final @Nullable String value) {
            primary = value;
            return this;
        }

        public Builder primaryReselect(final PrimaryReselect value) {
            primaryReselect = value;
            return this;
        }

        public Builder xmitHashPolicy(final XmitHashPolicy value) {
            xmitHashPolicy = value;
            return this;
        }

        public Builder updelayNs(final long value) {
            updelayNs = value;
            return this;
        }

        public Builder downdelayNs(final long value) {
            downdelayNs = value;
            return this;
        }

        public Builder minLinks(final int value) {
            minLinks = value;
            return this;
        }

        public Builder alias(final @Nullable InetAddress value) {
            alias = value;
            return this;
        }

        public Builder peers(final Map<InetAddress, List<InetAddress>> value) {
            peers = Map.copyOf(value);
            return this;
        }

        public Builder recoveryTimeoutNs(final long value) {
            recoveryTimeoutNs = value;
            return this;
        }

        public Builder pathTimeoutNs(final long value) {
            pathTimeoutNs = value;
            return this;
        }

        public Builder drainTimeoutNs(final long value) {
            drainTimeoutNs = value;
            return this;
        }

        public Builder miimonNs(final long value) {
            miimonNs = value;
            return this;
        }

        /** Must be more than the retry budget, or 0; {@link BondConfigParser} checks it. */
        public Builder watchdogNs(final long value) {
            watchdogNs = value;
            return this;
        }

        public Builder heartbeatNs(final long value) {
            heartbeatNs = value;
            return this;
        }

        public Builder ackTimeout(final int value) {
            ackTimeout = value;
            return this;
        }

        public Builder retryCnt(final int value) {
            retryCnt = value;
            return this;
        }

        public Builder ledger(final LedgerMode value) {
            ledger = value;
            return this;
        }

        public Builder writeReplay(final WriteReplay value) {
            writeReplay = value;
            return this;
        }

        public Builder atomics(final AtomicsMode value) {
            atomics = value;
            return this;
        }

        public Builder confirm(final ConfirmMode value) {
            confirm = value;
            return this;
        }

        public Builder basePort(final int value) {
            basePort = value;
            return this;
        }

        public Builder journal(final @Nullable String value) {
            journal = value;
            return this;
        }

        /** The configuration; the builder must not be used afterwards. */
        public BondConfig build() {
            return new BondConfig(this);
        }
    }
}
