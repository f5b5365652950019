package io.vhca.harness.drill.child;

import io.vhca.api.NativeMemory;
import io.vhca.api.WorkCompletion;
import io.vhca.harness.drill.protocol.QpGroup;
import java.util.ArrayList;
import java.util.List;

/**
 * Tellers, one a queue pair, who move money in the peer's memory until they are told to stop. Then the accounts are
 * read and compared with what the tellers know: no money is lost or made, each step happened once.
 */
final class BankJob extends SideJob {
    static final int BYTES = BankTeller.WORDS * Long.BYTES;

    private final QpGroup qps;
    private final long accounts;
    private final int rkey;
    private final List<BankTeller> tellers = new ArrayList<>();
    private final boolean[] busy;
    private final List<OutageClock> outages = new ArrayList<>();
    private final long[] told = new long[BankTeller.WORDS];
    private long transfers;
    private long atomics;
    private boolean reading;

    /**
     * A job over connected queue pairs; closes nothing.
     *
     * @param qps      with a region that begins with room for an answer a queue pair, and for all accounts behind
     * @param accounts address of the peer's accounts
     */
    BankJob(final QpGroup qps, final long accounts, final int rkey, final long seed) {
        this.qps = qps;
        this.accounts = accounts;
        this.rkey = rkey;
        busy = new boolean[qps.size()];
        for (int i = 0; i < qps.size(); i++) {
            tellers.add(new BankTeller(seed + i));
            outages.add(new OutageClock());
        }
    }

    /** What the region of the tellers' group must hold. */
    static long regionBytes(final int count) {
        return (long) count * Long.BYTES + BYTES;
    }

    @Override
    boolean doWork() {
        final int count = qps.poll();
        for (int i = 0; i < count; i++) {
            on(qps.at(i));
        }
        boolean any = count > 0;
        for (int i = 0; i < tellers.size(); i++) {
            if (!busy[i] && (!isStopping() || tellers.get(i).isWithinTransfer())) {
                next(i);
                any = true;
            }
        }
        if (isStopping() && !reading && isIdle()) {
            reading = true;
            qps.read(0, 1, balances(), BYTES, accounts, rkey);
        }
        return any;
    }

    private boolean isIdle() {
        for (final boolean one : busy) {
            if (one) {
                return false;
            }
        }
        return true;
    }

    private long answer(final int teller) {
        return qps.address() + (long) teller * Long.BYTES;
    }

    private long balances() {
        return answer(tellers.size());
    }

    private void next(final int i) {
        final BankTeller teller = tellers.get(i);
        busy[i] = true;
        outages.get(i).begin(System.nanoTime());
        qps.atomic(
                i, teller.opcode(), answer(i), accounts + (long) teller.word() * Long.BYTES, rkey, teller.operand(),
                teller.swap());
    }

    private void on(final WorkCompletion wc) {
        if (reading) {
            finish(compare());
            return;
        }
        final int i = QpGroup.qpOf(wc.wrId());
        atomics++;
        busy[i] = false;
        outages.get(i).progress(System.nanoTime(), false);
        if (tellers.get(i).found(NativeMemory.getLong(answer(i)), told)) {
            transfers++;
        }
    }

    @Override
    long longestOutageNs() {
        return outages.stream().mapToLong(OutageClock::longestNs).max().orElse(0);
    }

    private String compare() {
        long sum = 0;
        for (int word = 0; word < BankTeller.WORDS; word++) {
            final long opening = word == BankTeller.COUNTER ? 0 : BankTeller.BALANCE;
            final long there = NativeMemory.getLong(balances() + (long) word * Long.BYTES);
            if (there != opening + told[word]) {
                return WRONG + "bank: word " + word + " is " + there + ", the tellers know of "
                        + (opening + told[word]);
            }
            sum += word == BankTeller.COUNTER ? 0 : there;
        }
        return "bank: " + transfers + " transfers by " + tellers.size() + " tellers in " + atomics
                + " atomics, every account as the tellers know it, the sum as before (" + sum + ")";
    }
}
