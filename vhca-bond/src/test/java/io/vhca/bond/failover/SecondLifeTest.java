package io.vhca.bond.failover;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.api.NativeMemory;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpState;
import io.vhca.api.RecvWorkRequest;
import io.vhca.api.SharedReceiveQueue;
import io.vhca.api.SrqAttributes;
import io.vhca.api.WcStatus;
import io.vhca.api.WrOpcode;
import io.vhca.bond.config.AtomicsMode;
import io.vhca.bond.config.LedgerMode;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.fake.AppEnd;
import io.vhca.bond.fake.Completion;
import io.vhca.bond.fake.FakeQp;
import io.vhca.bond.fake.TwoBonds;
import io.vhca.bond.verbs.BondCompletionQueue;
import java.lang.foreign.Arena;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A queue pair that was in RESET remembers nothing of its life before, whatever it meets in the next one. */
class SecondLifeTest {
    private final TwoBonds bonds = new TwoBonds(
            options -> options.atomics(AtomicsMode.EMULATED).ledger(LedgerMode.EACH));
    private int nextPsn = 11;

    @AfterEach
    void close() {
        bonds.close();
    }

    private AppEnd end(final AppEnd made) {
        bonds.closing(made).alone();
        return made;
    }

    private AppEnd active() {
        return end(new AppEnd(bonds.a));
    }

    private AppEnd passive(final @Nullable SharedReceiveQueue srq) {
        return end(new AppEnd(bonds.b, srq));
    }

    private void connect(final AppEnd active, final AppEnd passive) {
        final int psn = nextPsn;
        nextPsn += 11;
        active.toInit();
        passive.toInit();
        active.toRtr("10.1.0.2", passive.qp().qpNum(), psn);
        passive.toRtr("10.1.0.1", active.qp().qpNum(), psn + 1);
        passive.toRts(psn, 7);
        active.toRts(psn + 1, 7);
        bonds.advance(1_000 * MS);
        assertThat(active.recovery().healthyLink()).as("%s%s", bonds.a.journal(), bonds.b.journal()).isNotNull();
    }

    private void reset(final AppEnd end) {
        end.qp().modify(new QpAttributes().qpState(QpState.RESET));
        bonds.advance(100 * MS);
    }

    /** The oldest request of the active end is lost on network 1, and is due again on network 2. */
    private void failOver() {
        bonds.a.device(0).port(false);
        bonds.fabric.stop(false);
        bonds.advance(1_000 * MS);
    }

    @Test
    void anAtomicOfTheNextPeerIsExecutedThoughEarlierOnesHadHigherSequences() {
        final AppEnd first = active();
        final AppEnd passive = passive(null);
        final long word = passive.into(8);
        NativeMemory.putLong(word, 40);
        connect(first, passive);
        for (int i = 0; i < 3; i++) {
            first.atomic(i, WrOpcode.ATOMIC_FETCH_AND_ADD, word, passive.region().rkey(), 1, 0);
        }
        bonds.advance(100 * MS);
        assertThat(first.polled()).containsExactly("0 SUCCESS", "1 SUCCESS", "2 SUCCESS");
        reset(passive);
        final AppEnd second = active();
        connect(second, passive);
        for (int i = 3; i < 6; i++) {
            second.atomic(i, WrOpcode.ATOMIC_FETCH_AND_ADD, word, passive.region().rkey(), 10, 0);
        }
        bonds.advance(1_000 * MS);
        assertThat(second.polled()).containsExactly("3 SUCCESS", "4 SUCCESS", "5 SUCCESS");
        assertThat(NativeMemory.getLong(second.from(3))).isEqualTo(43);
        assertThat(NativeMemory.getLong(word)).isEqualTo(73);
    }

    @Test
    void anAtomicThatWasAskedInTheLifeBeforeIsNotTheOneOfTheNext() {
        final AppEnd active = active();
        final AppEnd first = passive(null);
        connect(active, first);
        bonds.fabric.stop(true);
        active.atomic(1, WrOpcode.ATOMIC_FETCH_AND_ADD, first.into(8), first.region().rkey(), 1, 0);
        bonds.advance(5 * MS);
        assertThat(active.qp().atomics().asked()).isZero();
        reset(active);
        bonds.fabric.stop(false);
        assertThat(active.qp().atomics().asked()).isNegative();
        final AppEnd second = passive(null);
        NativeMemory.putLong(second.into(8), 5);
        connect(active, second);
        active.atomic(2, WrOpcode.ATOMIC_FETCH_AND_ADD, second.into(8), second.region().rkey(), 1, 0);
        bonds.advance(100 * MS);
        assertThat(active.polled()).containsExactly("2 SUCCESS");
        assertThat(NativeMemory.getLong(active.from(2))).isEqualTo(5);
    }

    @Test
    void theFirstMessageArrivesThoughAnEarlierLifeHadTakenSharedReceives() {
        try (Arena arena = Arena.ofConfined()) {
            final SharedReceiveQueue srq =
                    bonds.closing(bonds.b.pd().createSrq(new SrqAttributes(16, 1, 0)));
            final AppEnd first = active();
            final AppEnd passive = passive(srq);
            final RecvWorkRequest receive = RecvWorkRequest.allocate(arena, 1);
            for (int i = 0; i < 8; i++) {
                srq.postRecv(receive.wrId(i).sge(passive.into(i), 64, passive.region().lkey()));
            }
            connect(first, passive);
            first.send(1, "one");
            first.send(2, "two");
            bonds.settle();
            assertThat(passive.polled()).containsExactly("0 SUCCESS", "1 SUCCESS");
            reset(passive);
            final AppEnd second = active();
            connect(second, passive);
            bonds.fabric.stop(true);
            second.send(3, "new");
            failOver();
            assertThat(second.polled()).containsExactly("3 SUCCESS");
            assertThat(passive.polled()).containsExactly("2 SUCCESS");
            assertThat(passive.text(2, 3)).isEqualTo("new");
        }
    }

    @Test
    void theFirstMessageArrivesThoughAnEarlierLifeHadReceivedMore() {
        final AppEnd first = active();
        final AppEnd passive = passive(null);
        connect(first, passive);
        passive.receives(2);
        first.send(1, "one");
        first.send(2, "two");
        bonds.settle();
        assertThat(passive.polled()).containsExactly("0 SUCCESS", "1 SUCCESS");
        reset(passive);
        final AppEnd second = active();
        connect(second, passive);
        passive.receive(5);
        bonds.fabric.stop(true);
        second.send(3, "new");
        failOver();
        assertThat(second.polled()).containsExactly("3 SUCCESS");
        assertThat(passive.polled()).containsExactly("5 SUCCESS");
        assertThat(passive.text(5, 3)).isEqualTo("new");
    }

    @Test
    void aWriteIsWrittenThoughTheWordHadMarksOfAnEarlierPeer() {
        final AppEnd first = active();
        final AppEnd passive = passive(null);
        connect(first, passive);
        for (int i = 0; i < 3; i++) {
            first.write(i, "old", passive.into(i), passive.region().rkey());
        }
        bonds.advance(100 * MS);
        assertThat(first.polled()).hasSize(3);
        assertThat(passive.qp().ledger().marked()).isEqualTo(3);
        reset(passive);
        assertThat(passive.qp().ledger().marked()).isZero();
        final AppEnd second = active();
        connect(second, passive);
        bonds.fabric.stop(true);
        second.write(4, "new", passive.into(5), passive.region().rkey());
        failOver();
        assertThat(second.polled()).containsExactly("4 SUCCESS");
        assertThat(passive.text(5, 3)).isEqualTo("new");
    }

    @Test
    void marksGoToTheWordOfTheNextPeer() {
        final AppEnd active = active();
        final AppEnd first = passive(null);
        connect(active, first);
        active.write(1, "one", first.into(0), first.region().rkey());
        active.write(2, "two", first.into(1), first.region().rkey());
        bonds.advance(100 * MS);
        assertThat(first.qp().ledger().marked()).isEqualTo(2);
        reset(active);
        final AppEnd second = passive(null);
        connect(active, second);
        active.write(3, "new", second.into(0), second.region().rkey());
        bonds.advance(100 * MS);
        assertThat(second.qp().ledger().marked()).as("sequences go on").isEqualTo(3);
        assertThat(first.qp().ledger().marked()).isEqualTo(2);
    }

    @Test
    void theAnswerToAQuestionOfALifeThatIsOverIsNobodys() {
        final AppEnd active = active();
        final AppEnd first = passive(null);
        final AppEnd second = passive(null);
        connect(active, first);
        active.write(1, "one", first.into(0), first.region().rkey());
        bonds.advance(100 * MS);
        assertThat(active.polled()).containsExactly("1 SUCCESS");
        active.write(2, "two", second.into(0), second.region().rkey());
        bonds.a.context().doWork(bonds.nowNs()); // asks for the key
        active.qp().modify(new QpAttributes().qpState(QpState.RESET));
        bonds.advance(100 * MS);
        assertThat(bonds.a.count(Counter.DUTY_CYCLE_ERRORS)).isZero();
        final AppEnd third = passive(null);
        connect(active, third);
        active.write(3, "new", third.into(0), third.region().rkey());
        bonds.advance(100 * MS);
        assertThat(active.polled()).containsExactly("3 SUCCESS");
        assertThat(third.text(0, 3)).isEqualTo("new");
    }

    /** Some devices leave the completions of a queue pair that is destroyed in the CQ, which other ones use as well. */
    @Test
    void aCompletionBetweenTheLastPollAndTheDestroyIsOfNoLife() {
        final AppEnd active = sending();
        final FakeQp physical = active.physical();
        physical.onClose(() -> physical.injectSend(successOf(physical.everSent().getLast().wrId())));
        active.qp().modify(new QpAttributes().qpState(QpState.RESET));
        assertThat(active.polled()).isEmpty();
        assertThat(active.qp().sendQueue().retired()).isEqualTo(active.qp().sendQueue().producerInside());
        bonds.fabric.stop(false);
        final AppEnd second = passive(null);
        connect(active, second);
        second.receives(1);
        active.send(2, "new");
        bonds.settle();
        assertThat(active.polled()).containsExactly("2 SUCCESS");
    }

    @Test
    void aCompletionBehindItsFlushIsNotSeen() {
        final AppEnd active = sending();
        final FakeQp physical = active.physical();
        active.qp().modify(new QpAttributes().qpState(QpState.ERR));
        assertThat(active.polled()).containsExactly("1 WR_FLUSH_ERR");
        physical.injectSend(successOf(physical.everSent().getLast().wrId()));
        assertThat(active.polled()).isEmpty();
        active.send(2, "late");
        assertThat(active.polled()).containsExactly("2 WR_FLUSH_ERR");
    }

    /** One whose send the network has, and whose CQ is polled whatever it does: another queue pair uses it as well. */
    private AppEnd sending() {
        final AppEnd end = active();
        connect(end, passive(null));
        bonds.a.locked(() -> ((BondCompletionQueue) end.cq()).attach(bonds.a.member(0), 1));
        bonds.fabric.stop(true);
        end.send(1, "old");
        return end;
    }

    private static Completion successOf(final long wrId) {
        return new Completion(wrId, 0, 0, 0, 0, 0, 1, 0, 0);
    }

    @Test
    void whatWasNotPolledInOneLifeIsNotSeenInTheNext() {
        final AppEnd active = active();
        final AppEnd passive = passive(null);
        connect(active, passive);
        passive.receives(2);
        active.send(1, "one");
        bonds.settle();
        reset(active);
        reset(passive);
        connect(active, passive);
        passive.receive(5);
        active.send(6, "new");
        bonds.settle();
        assertThat(active.polled()).containsExactly("6 SUCCESS");
        assertThat(passive.polled()).containsExactly("5 SUCCESS");
    }

    @Test
    void anErrorOfTheApplicationsIsReportedInEachLife() {
        final AppEnd active = active();
        for (int life = 0; life < 2; life++) {
            final AppEnd passive = passive(null);
            connect(active, passive);
            bonds.fabric.stop(true);
            active.send(life, "never");
            active.physical().failOldest(WcStatus.LOC_PROT_ERR);
            bonds.fabric.stop(false);
            assertThat(bonds.polled(active)).containsExactly(life + " LOC_PROT_ERR");
            assertThat(active.qp().state()).isEqualTo(QpState.ERR);
            reset(active);
        }
    }

    @Test
    void theLastSharedReceiveIsToldOfInEachLife() {
        final SharedReceiveQueue srq = bonds.closing(bonds.b.pd().createSrq(new SrqAttributes(16, 1, 0)));
        final AppEnd passive = passive(srq);
        for (int life = 0; life < 2; life++) {
            connect(active(), passive);
            bonds.b.events();
            passive.qp().modify(new QpAttributes().qpState(QpState.ERR));
            assertThat(bonds.b.events()).extracting(AsyncEvent::type)
                    .containsExactly(AsyncEventType.QP_LAST_WQE_REACHED);
            reset(passive);
        }
    }
}
