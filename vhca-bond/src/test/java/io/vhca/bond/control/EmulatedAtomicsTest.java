package io.vhca.bond.control;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.AccessFlags;
import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.api.MemoryRegion;
import io.vhca.api.NativeMemory;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpState;
import io.vhca.api.WrOpcode;
import io.vhca.bond.config.AtomicsMode;
import io.vhca.bond.fake.AppEnd;
import io.vhca.bond.fake.TwoBonds;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class EmulatedAtomicsTest {
    private final TwoBonds bonds = new TwoBonds(options -> options.atomics(AtomicsMode.EMULATED));
    private AppEnd active = new AppEnd(bonds.a);
    private AppEnd passive = active;
    private final MemorySegment outside = Arena.ofAuto().allocate(AppEnd.DEPTH, Long.BYTES);
    private long word;
    private int rkey;

    @BeforeEach
    void connect() {
        active.close();
        final TwoBonds.Connection pair = bonds.connect();
        active = pair.active();
        passive = pair.passive();
        passive.receives(4);
        word = passive.into(8);
        rkey = passive.region().rkey();
        NativeMemory.putLong(word, 40);
    }

    @AfterEach
    void close() {
        bonds.close();
    }

    private void add(final long wrId, final long value) {
        assertThat(active.atomic(wrId, WrOpcode.ATOMIC_FETCH_AND_ADD, word, rkey, value, 0)).isEqualTo(1);
    }

    @Test
    void theResponderExecutesItAndTheValueBeforeComesBack() {
        add(1, 2);
        active.atomic(2, WrOpcode.ATOMIC_CMP_AND_SWP, word, rkey, 42, 7);
        active.atomic(3, WrOpcode.ATOMIC_CMP_AND_SWP, word, rkey, 42, 9);
        bonds.advance(10 * MS);
        assertThat(active.polled()).containsExactly("1 SUCCESS", "2 SUCCESS", "3 SUCCESS");
        assertThat(NativeMemory.getLong(active.from(1))).isEqualTo(40);
        assertThat(NativeMemory.getLong(active.from(2))).isEqualTo(42);
        assertThat(NativeMemory.getLong(active.from(3))).isEqualTo(7);
        assertThat(NativeMemory.getLong(word)).isEqualTo(7);
        assertThat(passive.physical().everSent()).as("no hardware atomic").isEmpty();
    }

    @Test
    void itKeepsItsPlaceAmongTheOthers() {
        bonds.fabric.stop(true);
        active.send(1, "before");
        add(2, 1);
        active.send(3, "after");
        bonds.advance(2 * MS);
        assertThat(NativeMemory.getLong(word)).as("not before the SEND is done").isEqualTo(40);
        assertThat(passive.physical().waitingReceives()).isEqualTo(4);
        bonds.fabric.stop(false);
        bonds.advance(10 * MS);
        assertThat(active.polled()).containsExactly("1 SUCCESS", "2 SUCCESS", "3 SUCCESS");
        assertThat(passive.polled()).containsExactly("0 SUCCESS", "1 SUCCESS");
    }

    @Test
    void itIsExecutedOnceThoughItsAnswerIsLost() {
        add(1, 2);
        for (int round = 0; round < 4; round++) {
            bonds.a.device(0).port(round % 2 == 1);
            bonds.a.device(1).port(round % 2 == 0);
            bonds.advance(100 * MS);
            add(2 + round, 2);
        }
        bonds.advance(1_000 * MS);
        assertThat(NativeMemory.getLong(word)).isEqualTo(40 + 5 * 2);
        assertThat(active.polled())
                .containsExactly("1 SUCCESS", "2 SUCCESS", "3 SUCCESS", "4 SUCCESS", "5 SUCCESS");
    }

    @Test
    void aQuestionThatIsAskedTwiceGetsTheAnswerThatItGotBefore() {
        add(1, 2);
        bonds.settle();
        bonds.fabric.stop(true);
        add(2, 5);
        bonds.advance(100 * MS);
        bonds.fabric.stop(false);
        bonds.advance(100 * MS);
        assertThat(active.polled()).containsExactly("1 SUCCESS", "2 SUCCESS");
        assertThat(NativeMemory.getLong(word)).isEqualTo(47);
    }

    @Test
    void aWordOutsideOfTheRegionIsAnAccessErrorForBoth() {
        word = passive.from(0) - 8;
        add(1, 2);
        bonds.advance(100 * MS);
        assertThat(active.polled()).containsExactly("1 REM_ACCESS_ERR");
        assertThat(bonds.b.events()).extracting(AsyncEvent::type).containsExactly(AsyncEventType.QP_ACCESS_ERR);
        assertThat(passive.qp().state()).isEqualTo(QpState.ERR);
    }

    @Test
    void aWordThatIsNotAlignedIsAnInvalidRequestForBoth() {
        word += 4;
        add(1, 2);
        bonds.advance(100 * MS);
        assertThat(active.polled()).containsExactly("1 REM_INV_REQ_ERR");
        assertThat(bonds.b.events()).extracting(AsyncEvent::type).containsExactly(AsyncEventType.QP_REQ_ERR);
    }

    @Test
    void aQueuePairThatAllowsNoAtomicsRefusesThemAsAnAccessError() {
        passive.qp().modify(new QpAttributes().accessFlags(AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ));
        assertRefused("1 REM_ACCESS_ERR", AsyncEventType.QP_ACCESS_ERR);
    }

    @Test
    void aQueuePairWithoutRoomForThemRefusesThemAsInvalidWhateverItAllows() {
        bonds.b.locked(() -> passive.qp().settings()
                .change(new QpAttributes().accessFlags(0).maxDestRdAtomic(0), null));
        assertRefused("1 REM_INV_REQ_ERR", AsyncEventType.QP_REQ_ERR);
    }

    private void assertRefused(final String completion, final AsyncEventType event) {
        add(1, 2);
        bonds.advance(100 * MS);
        assertThat(active.polled()).containsExactly(completion);
        assertThat(bonds.b.events()).extracting(AsyncEvent::type).containsExactly(event);
        assertThat(NativeMemory.getLong(word)).isEqualTo(40);
    }

    /** Each bond's processor is the only one that looks: no device is asked. */
    @Test
    void aWordOfAnotherProtectionDomainIsAnAccessErrorForBoth() {
        try (ProtectionDomain other = bonds.b.context().allocPd();
                MemoryRegion region = other.regMr(outside, AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_ATOMIC)) {
            word = outside.address();
            rkey = region.rkey();
            NativeMemory.putLong(word, 40);
            assertRefused("1 REM_ACCESS_ERR", AsyncEventType.QP_ACCESS_ERR);
        }
    }

    @Test
    void aResultIsPutNowhereWithoutTheRightToWriteThere() {
        try (MemoryRegion region = bonds.a.pd().regMr(outside, 0)) {
            assertNotPlaced(Long.BYTES, region.lkey(), "1 LOC_PROT_ERR");
        }
    }

    @Test
    void aResultIsPutIntoNoOtherProtectionDomain() {
        try (ProtectionDomain other = bonds.a.context().allocPd();
                MemoryRegion region = other.regMr(outside, AccessFlags.LOCAL_WRITE)) {
            assertNotPlaced(Long.BYTES, region.lkey(), "1 LOC_PROT_ERR");
        }
    }

    @Test
    void aResultIsPutIntoAnElementOfItsLengthOnly() {
        try (MemoryRegion region = bonds.a.pd().regMr(outside, AccessFlags.LOCAL_WRITE)) {
            assertNotPlaced(Integer.BYTES, region.lkey(), "1 LOC_LEN_ERR");
        }
    }

    private void assertNotPlaced(final int lengthBytes, final int lkey, final String completion) {
        active.fetchAddInto(outside.address(), lengthBytes, lkey, word, rkey);
        bonds.advance(100 * MS);
        assertThat(active.polled()).containsExactly(completion);
        assertThat(outside.get(ValueLayout.JAVA_LONG, 0)).isZero();
        assertThat(active.qp().state()).isEqualTo(QpState.ERR);
    }

    @Test
    void whatIsAllowedIsServed() {
        passive.qp().modify(new QpAttributes().accessFlags(AccessFlags.REMOTE_ATOMIC));
        add(1, 2);
        bonds.advance(100 * MS);
        assertThat(active.polled()).containsExactly("1 SUCCESS");
    }

    @Test
    void anAtomicOfADestroyedQueuePairIsForgotten() {
        bonds.fabric.stop(true);
        active.send(1, "never");
        add(2, 1);
        bonds.advance(1 * MS);
        active.close();
        bonds.fabric.stop(false);
        bonds.advance(100 * MS);
        assertThat(NativeMemory.getLong(word)).isEqualTo(40);
    }

    @Test
    void inSqdWhatWasAskedIsAnsweredAndTheRestWaits() {
        active.qp().modify(new QpAttributes().qpState(QpState.SQD));
        add(1, 1);
        bonds.advance(100 * MS);
        assertThat(active.polled()).isEmpty();
        active.qp().modify(new QpAttributes().qpState(QpState.RTS));
        bonds.advance(100 * MS);
        assertThat(active.polled()).containsExactly("1 SUCCESS");
        assertThat(NativeMemory.getLong(word)).isEqualTo(41);
    }
}
