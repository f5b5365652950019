package io.vhca.harness.drill.child;

import io.vhca.api.WrOpcode;
import java.util.SplittableRandom;

/**
 * A teller moves money from one account to another by two CMP_SWAPs and counts the transfer by a FETCH_ADD; several
 * work at the same accounts at once. Says which atomic comes next, given what the last one found. Pure.
 */
public final class BankTeller {
    public static final int ACCOUNTS = 6;
    /** The word behind the accounts counts transfers. */
    public static final int COUNTER = ACCOUNTS;

    public static final int WORDS = ACCOUNTS + 1;
    /** Of every account at first. */
    public static final long BALANCE = 1_000_000;

    private static final int MOST_MONEY = 100;

    private final SplittableRandom random;
    private int from;
    private int to;
    private long amount;
    private long expected;
    private Step step = Step.COUNT;

    private enum Step {
        TAKE,
        GIVE,
        COUNT
    }

    public BankTeller(final long seed) {
        random = new SplittableRandom(seed);
        begin();
    }

    private void begin() {
        from = random.nextInt(ACCOUNTS);
        to = (from + random.nextInt(1, ACCOUNTS)) % ACCOUNTS;
        amount = random.nextLong(1, MOST_MONEY);
        expected = BALANCE;
        step = Step.TAKE;
    }

    public WrOpcode opcode() {
        return step == Step.COUNT ? WrOpcode.ATOMIC_FETCH_AND_ADD : WrOpcode.ATOMIC_CMP_AND_SWP;
    }

    /** Index of the word that the atomic is for. */
    public int word() {
        return switch (step) {
            case TAKE -> from;
            case GIVE -> to;
            case COUNT -> COUNTER;
        };
    }

    /** True while money is taken and not given, or given and not counted. */
    public boolean isWithinTransfer() {
        return step != Step.TAKE;
    }

    /** What is compared with, or added. */
    public long operand() {
        return step == Step.COUNT ? 1 : expected;
    }

    /** What is put there where the comparison holds. */
    public long swap() {
        return expected + change();
    }

    private long change() {
        return switch (step) {
            case TAKE -> -amount;
            case GIVE -> amount;
            case COUNT -> 1;
        };
    }

    /**
     * The atomic was executed and found this.
     *
     * @param told the changes that tellers know of, by word; is added to
     * @return true when a transfer is complete
     */
    public boolean found(final long before, final long[] told) {
        if (step != Step.COUNT && before != expected) {
            expected = before; // another teller was faster
            return false;
        }
        told[word()] += change();
        if (step == Step.COUNT) {
            begin();
            return true;
        }
        expected = BALANCE;
        step = step == Step.TAKE ? Step.GIVE : Step.COUNT;
        return false;
    }
}
