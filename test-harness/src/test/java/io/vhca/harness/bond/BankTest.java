package io.vhca.harness.bond;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.AccessFlags;
import io.vhca.api.AtomicCapability;
import io.vhca.api.MemoryRegion;
import io.vhca.api.QueuePair;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.WcStatus;
import io.vhca.api.WorkCompletion;
import io.vhca.bond.config.AtomicsMode;
import io.vhca.bond.config.BondMode;
import io.vhca.bond.config.LedgerMode;
import io.vhca.harness.drill.child.BankTeller;
import io.vhca.recovery.BondError;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Accounts in the peer's memory, tellers that move money between them by CMP_SWAP and count each transfer by FETCH_ADD,
 * while links fail under them. No money is lost or made, and every step that a teller was told of happened once.
 */
class BankTest {
    private static final long MS = BondPair.MS;
    private static final int ACCOUNTS = BankTeller.ACCOUNTS;
    private static final int COUNTER = BankTeller.COUNTER;
    private static final long BALANCE = BankTeller.BALANCE;
    private static final int TELLERS = 4;
    private static final int TRANSFERS = 100;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment bank = arena.allocate((ACCOUNTS + 1L) * Long.BYTES, 64);
    private final MemorySegment answers = arena.allocate((long) TELLERS * Long.BYTES, 64);
    private final WorkCompletion wc = WorkCompletion.allocate(arena, 1);
    private final long[] told = new long[ACCOUNTS + 1];
    private final List<Teller> tellers = new ArrayList<>();
    private int steps;

    /** One queue pair, and what it is about to do. */
    private final class Teller {
        private final QueuePair qp;
        private final int number;
        private final int rkey;
        private final int lkey;
        private final BankTeller next;
        private final SendWorkRequest wr = SendWorkRequest.allocate(arena, 1);
        private int done;
        private BondError error = BondError.NO_PATH;
        private boolean hasFailed;

        Teller(final BondPair pair, final int number, final int rkey, final int lkey) {
            qp = pair.left.qp();
            this.number = number;
            this.rkey = rkey;
            this.lkey = lkey;
            next = new BankTeller(number);
        }

        void post() {
            assertThat(qp.postSend(wr.wrId(number)
                            .opcode(next.opcode())
                            .sendFlags(SendFlags.SIGNALED)
                            .sge(answers.address() + (long) number * Long.BYTES, Long.BYTES, lkey)
                            .atomic(
                                    bank.address() + (long) next.word() * Long.BYTES, rkey, next.operand(),
                                    next.swap())))
                    .isEqualTo(1);
        }

        void onCompletion(final WcStatus status, final int vendorErr) {
            steps++;
            if (status != WcStatus.SUCCESS) {
                if (!hasFailed) {
                    hasFailed = true;
                    error = java.util.Objects.requireNonNull(BondError.fromVendorErr(vendorErr), status.name());
                }
                return;
            }
            if (!next.found(answers.getAtIndex(ValueLayout.JAVA_LONG, number), told) || ++done < TRANSFERS) {
                post();
            }
        }

        boolean isFinished() {
            return done == TRANSFERS || hasFailed;
        }
    }

    private boolean serve(final BondPair pair) {
        while (pair.left.cq.poll(wc) == 1) {
            if (wc.wrId() < TELLERS) {
                tellers.get((int) wc.wrId()).onCompletion(wc.statusName(), wc.vendorErr());
            }
        }
        return tellers.stream().allMatch(Teller::isFinished);
    }

    private void open(final BondPair pair, final MemoryRegion accounts, final MemoryRegion own) {
        for (int account = 0; account < ACCOUNTS; account++) {
            bank.setAtIndex(ValueLayout.JAVA_LONG, account, BALANCE);
        }
        pair.left.polls = false;
        for (int number = 0; number < TELLERS; number++) {
            if (number > 0) {
                pair.connect();
            }
            tellers.add(new Teller(pair, number, accounts.rkey(), own.lkey()));
        }
    }

    private void run(final BondPair pair, final SplittableRandom chance) {
        tellers.forEach(Teller::post);
        boolean isOver = false;
        for (int outage = 0; !isOver && outage < 400; outage++) {
            final BondPair.Host side = chance.nextBoolean() ? pair.left : pair.right;
            final int member = chance.nextInt(2);
            final boolean isSilent = chance.nextBoolean();
            final boolean isAnswerLost = chance.nextBoolean();
            if (isSilent) {
                pair.block(member, !isAnswerLost, isAnswerLost, true);
            } else {
                side.ports[member].up(false);
            }
            isOver = progress(pair, chance.nextInt(1, 20), 60 * MS);
            pair.block(member, true, true, false);
            side.ports[member].up(true);
            isOver |= progress(pair, chance.nextInt(1, 20), 60 * MS);
        }
        assertThat(isOver || pair.runUntil(() -> serve(pair), 5_000 * MS)).as("every teller came to an end").isTrue();
    }

    /** Runs until so many steps are done, or nothing moves for too long; true when all is done. */
    private boolean progress(final BondPair pair, final int mostSteps, final long boundNs) {
        final int until = steps + mostSteps;
        pair.runUntil(() -> serve(pair) || steps >= until, boundNs);
        return serve(pair);
    }

    private long account(final int index) {
        return bank.getAtIndex(ValueLayout.JAVA_LONG, index);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void emulatedTransfersHappenOnceWhateverFails(final long seed) {
        final BondMode mode = BondMode.values()[(int) (seed % BondMode.values().length)];
        final LedgerMode ledger = LedgerMode.values()[(int) (seed % LedgerMode.values().length)];
        try (BondPair pair = new BondPair(config -> config.mode(mode).ledger(ledger));
                MemoryRegion accounts = pair.right.pd.regMr(bank, AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_ATOMIC);
                MemoryRegion own = pair.left.pd.regMr(answers, AccessFlags.LOCAL_WRITE)) {
            assertThat(pair.left.bond.queryDevice().atomicCap()).isEqualTo(AtomicCapability.GLOB);
            open(pair, accounts, own);
            run(pair, new SplittableRandom(seed));
            assertThat(tellers).noneMatch(teller -> teller.hasFailed);
            assertThat(account(COUNTER)).isEqualTo(TELLERS * TRANSFERS);
            long sum = 0;
            for (int account = 0; account < ACCOUNTS; account++) {
                sum += account(account);
                assertThat(account(account)).as("account %d", account).isEqualTo(BALANCE + told[account]);
            }
            assertThat(sum).isEqualTo(ACCOUNTS * BALANCE);
            assertThat(pair.left.failovers()).hasSizeGreaterThan(4);
        }
        arena.close();
    }

    @ParameterizedTest
    @CsvSource({"1, OFF", "2, EACH", "3, BATCH", "4, EACH"})
    void nativeTransfersAreNeverRepeatedBlindly(final long seed, final LedgerMode ledger) {
        try (BondPair pair = new BondPair(config -> config.atomics(AtomicsMode.NATIVE).ledger(ledger));
                MemoryRegion accounts = pair.right.pd.regMr(bank, AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_ATOMIC);
                MemoryRegion own = pair.left.pd.regMr(answers, AccessFlags.LOCAL_WRITE)) {
            open(pair, accounts, own);
            run(pair, new SplittableRandom(seed));
            final long failed = tellers.stream().filter(teller -> teller.hasFailed).count();
            assertThat(failed).as("tellers with a step in doubt").isPositive();
            for (final Teller teller : tellers) {
                assertThat(!teller.hasFailed || teller.error == BondError.ATOMIC_IN_DOUBT
                                || teller.error == BondError.ATOMIC_RESULT_LOST)
                        .as("%s", teller.error)
                        .isTrue();
                if (teller.hasFailed && teller.error == BondError.ATOMIC_RESULT_LOST) {
                    assertThat(ledger).isNotEqualTo(LedgerMode.OFF);
                }
            }
            int different = 0;
            for (int account = 0; account <= COUNTER; account++) {
                final long opening = account == COUNTER ? 0 : BALANCE;
                different += account(account) == opening + told[account] ? 0 : 1;
            }
            assertThat(different).as("accounts touched by a step that no teller was told of").isLessThanOrEqualTo(
                    (int) failed);
        }
        arena.close();
    }
}
