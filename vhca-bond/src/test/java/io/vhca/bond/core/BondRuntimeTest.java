package io.vhca.bond.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.api.QueuePair;
import io.vhca.bond.config.BondConfig;
import io.vhca.bond.fake.HandCore;
import io.vhca.bond.fake.HandDriver;
import io.vhca.bond.fake.TwoBonds;
import io.vhca.recovery.JournalEvent;
import io.vhca.recovery.wire.FailureReason;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BondRuntimeTest {
    private final BondRuntime core = HandCore.of(BondConfig.builder("bond0"));

    @AfterEach
    void close() {
        core.close();
    }

    @Test
    void theLockIsKnownToItsHolderAndReentrant() throws InterruptedException {
        core.lock();
        core.unlock();
        assertThat(core.holdsLock()).isTrue();
        final List<Boolean> seen = new ArrayList<>();
        final Thread other = Thread.ofPlatform().start(() -> seen.add(core.holdsLock()));
        other.join();
        assertThat(seen).containsExactly(false);
        core.unlock();
        assertThat(core.holdsLock()).isFalse();
        core.lock();
    }

    /** A thread that finds nothing sleeps a millisecond, and a little: that is no pause of the process. */
    @Test
    void timePassesBetweenIdleTurnsHoweverShortThePathTimeoutIs() {
        for (final long pathTimeoutNs : new long[] {1, 1_000_000, 500_000_000}) {
            final BondRuntime own = HandCore.of(BondConfig.builder("bond1").pathTimeoutNs(pathTimeoutNs));
            for (int turn = 0; turn <= 1_000; turn++) {
                own.beginTurn(turn * 1_060_000L);
            }
            assertThat(own.nowNs()).isEqualTo(1_060_000_000L);
            own.beginTurn(60_000_000_000L);
            assertThat(own.nowNs()).isEqualTo(1_060_000_000L + Math.max(2_000_000, pathTimeoutNs / 8));
            own.close();
        }
    }

    @Test
    void anActionRunsInTheNextTurnWithItsTimeAndWakesTheThread() {
        final HandDriver thread = new HandDriver();
        core.drivenBy(thread, () -> 99);
        final List<Long> ran = new ArrayList<>();
        core.later(ran::add);
        assertThat(thread.wakeUps.availablePermits()).isEqualTo(1);
        assertThat(core.hasActions()).isTrue();
        assertThat(core.beginTurn(42)).isEqualTo(1);
        assertThat(ran).containsExactly(42L);
        assertThat(core.nowNs()).isEqualTo(42);
        assertThat(core.stageClock().nanoTime()).isEqualTo(99);
        assertThat(core.beginTurn(43)).isZero();
        core.wakeUpSoon();
        assertThat(thread.soon.availablePermits()).isEqualTo(1);
        core.unlock();
        core.takeTurn();
        core.lock();
        assertThat(thread.turns.availablePermits()).isEqualTo(1);
        assertThatThrownBy(core::takeTurn).isInstanceOf(AssertionError.class);
    }

    @Test
    void anActionThatPutsAnotherOffGetsItInTheSameTurn() {
        final List<String> ran = new ArrayList<>();
        core.later(atNs -> {
            ran.add("one");
            core.later(again -> ran.add("two"));
        });
        core.beginTurn(1);
        assertThat(ran).containsExactly("one", "two");
    }

    @Test
    void afterALateTurnEventsAreStillDatedByTheClockThatDrivesTheBond() {
        final List<Long> dates = new ArrayList<>();
        final BondRuntime late = HandCore.of(BondConfig.builder("bond0"), event -> dates.add(event.timeNs()));
        late.beginTurn(1_000);
        late.beginTurn(5_000_000_000L);
        assertThat(late.nowNs()).as("so much of it counts").isEqualTo(1_000 + 500_000_000L / 8);
        late.events().append(JournalEvent.member(late.nowNs(), "bond0", FailureReason.NONE, ""));
        late.events().member("soft0", 1, MemberChange.UP, FailureReason.NONE, late.nowNs());
        late.events().active("soft0", "soft1", late.nowNs());
        assertThat(dates).containsOnly(5_000_000_000L).hasSize(3);
        late.close();
    }

    @Test
    void drivenByHandTheStagesAreDatedByTheTurn() {
        core.beginTurn(17);
        assertThat(core.stageClock().nanoTime()).isEqualTo(17);
    }

    @Test
    void whatNeedsTheLockSaysSoToWhoHasItNot() {
        core.unlock();
        try {
            assertThatThrownBy(() -> core.beginTurn(1)).isInstanceOf(AssertionError.class);
            assertThatThrownBy(() -> core.later(nowNs -> { })).isInstanceOf(AssertionError.class);
            assertThatThrownBy(core::scratchWr).isInstanceOf(AssertionError.class);
            assertThatThrownBy(() -> core.scratchWcs(1)).isInstanceOf(AssertionError.class);
            assertThatThrownBy(() -> core.config(core.config())).isInstanceOf(AssertionError.class);
        } finally {
            core.lock();
        }
        assertThatThrownBy(() -> core.scratchWcs(17)).isInstanceOf(AssertionError.class);
        assertThat(core.scratchWr() % 64).isZero();
        assertThat(core.scratchWcs(16)).isNotEqualTo(core.scratchWr());
    }

    @Test
    void eventsOfAQueuePairThatIsGoneAreDropped() {
        try (TwoBonds bonds = new TwoBonds()) {
            final QueuePair one = bonds.connect().active().qp();
            final QueuePair two = bonds.connect().active().qp();
            core.raise(AsyncEvent.ofQp(AsyncEventType.QP_FATAL, one));
            core.raise(AsyncEvent.ofQp(AsyncEventType.QP_FATAL, two));
            core.dropEvents(one);
            assertThat(core.asyncEvents().take(0)).isEqualTo(AsyncEvent.ofQp(AsyncEventType.QP_FATAL, two));
            assertThat(core.asyncEvents().take(0)).isNull();
        }
    }

    /** It is there at once for who looks. The listener may call what the gate guards, and would wait for itself. */
    @Test
    void ofAnEventThatComesInsideAGateTheListenerIsToldInTheNextTurn() {
        final HandDriver thread = new HandDriver();
        core.drivenBy(thread, () -> 99);
        final List<String> told = new ArrayList<>();
        core.asyncEvents().onPut(() -> told.add("event"));
        final AsyncEvent event = AsyncEvent.ofDevice(AsyncEventType.DEVICE_FATAL);
        core.raiseInside(event);
        assertThat(told).isEmpty();
        assertThat(thread.wakeUps.availablePermits()).isEqualTo(1);
        assertThat(core.hasActions()).isTrue();
        assertThat(core.asyncEvents().take(0)).isEqualTo(event);
        core.beginTurn(1);
        assertThat(told).containsExactly("event");
        assertThat(core.hasActions()).isFalse();
        core.beginTurn(2);
        core.raise(event);
        assertThat(told).containsExactly("event", "event");
    }

    @Test
    void afterTheCloseEverybodyWhoWaitsForEventsIsTold() {
        core.asyncEvents().close();
        assertThat(core.asyncEvents().take(Long.MAX_VALUE)).isNull();
        assertThat(core.asyncEvents().take(Long.MAX_VALUE)).as("the next one too").isNull();
    }

    @Test
    void aThreadThatIsInterruptedWhileItWaitsHearsNothingAndStaysInterrupted() {
        Thread.currentThread().interrupt();
        assertThat(core.asyncEvents().take(1_000_000_000_000L)).isNull();
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void sessionsOfTwoStartsDiffer() {
        final BondRuntime other =
                new BondRuntime(BondConfig.builder("bond0").build(), event -> { }, new SplittableRandom(8));
        assertThat(other.instance()).isNotEqualTo(core.instance());
        assertThat(other.name()).isEqualTo("bond0");
        other.close();
    }
}
