package io.vhca.harness.bond;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.AccessFlags;
import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.api.MemoryRegion;
import io.vhca.api.NativeMemory;
import io.vhca.api.QpState;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.VerbsException;
import io.vhca.api.WcStatus;
import io.vhca.api.WorkCompletion;
import io.vhca.api.WrOpcode;
import io.vhca.bond.config.AtomicsMode;
import io.vhca.bond.config.BondMode;
import io.vhca.bond.config.ConfirmMode;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Emulated atomics among other requests, and those that are refused. */
class AtomicsOnBondTest {
    private static final long MS = BondPair.MS;
    private static final int ALL =
            AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_ATOMIC;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment there = arena.allocate(BondPair.MESSAGE_BYTES, 64);
    private final MemorySegment here = arena.allocate(BondPair.MESSAGE_BYTES, 64);
    private final SendWorkRequest wr = SendWorkRequest.allocate(arena, 1);

    private void add(final BondPair pair, final long to, final int rkey, final int lkey, final int flags) {
        assertThat(pair.left.qp().postSend(wr.wrId(3)
                        .opcode(WrOpcode.ATOMIC_FETCH_AND_ADD)
                        .sendFlags(flags)
                        .sge(here.address(), Long.BYTES, lkey)
                        .atomic(to, rkey, 5, 0)))
                .isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(ConfirmMode.class)
    void anAtomicKeepsItsPlaceBehindUnsignaledWritesAndBeforeWhatFollows(final ConfirmMode confirm) {
        try (BondPair pair = new BondPair(config -> config.confirm(confirm));
                MemoryRegion region = pair.right.pd.regMr(there, ALL);
                MemoryRegion own = pair.left.pd.regMr(here, AccessFlags.LOCAL_WRITE)) {
            there.set(ValueLayout.JAVA_LONG, 0, 77);
            for (int round = 0; round < 5; round++) {
                final int before = pair.left.sends.size();
                assertThat(pair.left.qp().postSend(wr.wrId(2) // zeros over the word, and nobody is told
                                .opcode(WrOpcode.RDMA_WRITE)
                                .sendFlags(0)
                                .sge(pair.left.region.addr(), BondPair.MESSAGE_BYTES, pair.left.region.lkey())
                                .rdma(there.address(), region.rkey())))
                        .isEqualTo(1);
                add(pair, there.address(), region.rkey(), own.lkey(), 0);
                add(pair, there.address(), region.rkey(), own.lkey(), SendFlags.SIGNALED);
                pair.left.send();
                assertThat(pair.runUntil(() -> pair.left.sends.size() == before + 2, 100 * MS)).isTrue();
                assertThat(here.get(ValueLayout.JAVA_LONG, 0)).as("result of the second").isEqualTo(5);
                assertThat(there.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(10);
                assertThat(pair.left.sends).containsOnly(WcStatus.SUCCESS);
            }
        }
        arena.close();
    }

    private void refused(final WcStatus expected, final int access, final int offset, final boolean isOwnKeyGood) {
        try (BondPair pair = new BondPair(config -> config);
                MemoryRegion region = pair.right.pd.regMr(there, access);
                MemoryRegion own = pair.left.pd.regMr(here, AccessFlags.LOCAL_WRITE)) {
            add(
                    pair, there.address() + offset, region.rkey(), isOwnKeyGood ? own.lkey() : 12_345,
                    SendFlags.SIGNALED);
            pair.left.send();
            assertThat(pair.runUntil(() -> pair.left.sends.size() == 2, 100 * MS)).isTrue();
            assertThat(pair.left.sends).isEqualTo(List.of(expected, WcStatus.WR_FLUSH_ERR));
            assertThat(pair.left.qp().state()).isEqualTo(QpState.ERR);
            if (expected == WcStatus.REM_ACCESS_ERR) {
                assertThat(there.get(ValueLayout.JAVA_LONG, 0)).as("untouched").isZero();
                final AsyncEvent event = Objects.requireNonNull(pair.right.bond.getAsyncEvent(0));
                assertThat(event.type()).isEqualTo(AsyncEventType.QP_ACCESS_ERR);
            }
        }
        arena.close();
    }

    @Test
    void memoryThatIsNotForAtomicsIsRefused() {
        refused(WcStatus.REM_ACCESS_ERR, ALL & ~AccessFlags.REMOTE_ATOMIC, 0, true);
    }

    @Test
    void memoryBehindTheRegionIsRefused() {
        refused(WcStatus.REM_ACCESS_ERR, ALL, BondPair.MESSAGE_BYTES, true);
    }

    @Test
    void aWordThatIsNotAlignedIsRefused() {
        refused(WcStatus.REM_INV_REQ_ERR, ALL, 4, true);
    }

    @Test
    void aResultNeedsAKeyOfItsOwn() {
        refused(WcStatus.LOC_PROT_ERR, ALL, 0, false);
    }

    /** No device knows of the error: what it was given must neither complete nor be written to once more. */
    @Test
    void whatWasFlushedBecauseOfAResultThatCannotBePlacedIsNotReceivedInto() {
        try (BondPair pair = new BondPair(config -> config);
                MemoryRegion region = pair.right.pd.regMr(there, ALL)) {
            final long buffer = pair.left.region.addr();
            NativeMemory.fill(pair.right.region.addr(), BondPair.MESSAGE_BYTES, (byte) 0x5A);
            pair.left.polls = false;
            add(pair, there.address(), region.rkey(), 12_345, SendFlags.SIGNALED);
            assertThat(pair.runUntil(() -> pair.left.qp().state() == QpState.ERR, 100 * MS)).isTrue();
            final List<WcStatus> flushed = new ArrayList<>(List.of(WcStatus.LOC_PROT_ERR));
            flushed.addAll(Collections.nCopies(BondPair.DEPTH, WcStatus.WR_FLUSH_ERR));
            assertThat(polled(pair.left)).as("its own, and each receive").isEqualTo(flushed);
            pair.right.send();
            pair.runFor(10 * MS);
            assertThat(polled(pair.left)).isEmpty();
            assertThat(NativeMemory.getByte(buffer)).as("untouched").isZero();
            assertThat(pair.runUntil(() -> !pair.right.sends.isEmpty(), 10_000 * MS)).isTrue();
            assertThat(pair.right.sends).as("nobody has it").doesNotContain(WcStatus.SUCCESS);
        }
        arena.close();
    }

    /** The same of whom they were asked from, whose sends are under way. */
    @Test
    void whatWasFlushedBecauseAnAtomicWasRefusedIsNotSent() {
        try (BondPair pair = new BondPair(config -> config);
                MemoryRegion region = pair.right.pd.regMr(there, ALL & ~AccessFlags.REMOTE_ATOMIC);
                MemoryRegion own = pair.left.pd.regMr(here, AccessFlags.LOCAL_WRITE)) {
            pair.right.polls = false;
            pair.block(0, false, true, true);
            pair.right.send();
            pair.right.send();
            add(pair, there.address(), region.rkey(), own.lkey(), SendFlags.SIGNALED);
            assertThat(pair.runUntil(() -> pair.right.qp().state() == QpState.ERR, 5 * MS)).isTrue();
            assertThat(polled(pair.right))
                    .isEqualTo(Collections.nCopies(2 + BondPair.DEPTH, WcStatus.WR_FLUSH_ERR));
            pair.block(0, false, true, false);
            pair.runFor(10 * MS);
            assertThat(polled(pair.right)).isEmpty();
            assertThat(pair.left.received).isZero();
        }
        arena.close();
    }

    /** All that completes now. */
    private List<WcStatus> polled(final BondPair.Host host) {
        final WorkCompletion wc = WorkCompletion.allocate(arena, 1);
        final List<WcStatus> all = new ArrayList<>();
        while (host.cq.poll(wc) == 1) {
            all.add(wc.statusName());
        }
        return all;
    }

    @ParameterizedTest
    @EnumSource(value = BondMode.class, names = {"BALANCE_RR", "BALANCE_XOR"})
    void membersThatAreAtomicEachForItselfDoNotShareAWord(final BondMode mode) {
        Assertions.assertThatExceptionOfType(VerbsException.class)
                .isThrownBy(() -> new BondPair(config -> config.mode(mode).atomics(AtomicsMode.NATIVE)))
                .withMessageContaining("atomics = emulated");
        arena.close();
    }
}
