package io.vhca.bond.member;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.bond.config.BondOption;
import io.vhca.bond.config.ServiceMode.Detect;
import io.vhca.bond.config.ServiceMode.Standby;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.fake.HandDriver;
import io.vhca.bond.fake.TwoBonds;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A bond whose thread may sleep hears at once what arrives for it; nobody waits longer than for that. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SAME_THREAD) // which the bonds' memory is confined to
class CompletionWakersTest {
    private static final String THREAD = "vhca-bondb-b1";

    /** Those that bonds of earlier tests have left: nobody waits for their end. */
    private final Set<Thread> left = Thread.getAllStackTraces().keySet();

    private final TwoBonds bonds = new TwoBonds(
            options -> options.set(BondOption.STANDBY, Standby.WARM).set(BondOption.DETECT, Detect.HARDWARE));
    private final HandDriver thread = new HandDriver();

    @AfterEach
    void close() {
        bonds.close();
    }

    /** Of this test's bond. */
    private List<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(one -> one.getName().equals(THREAD) && one.isAlive() && !left.contains(one))
                .toList();
    }

    /**
     * Bond b has had its turn for all that has come. Who has taken an event and not told of it yet would do so after
     * that turn: it asks for no more events before, and the next message would give none.
     */
    private void awaitTurns() {
        while (thread.turns.availablePermits() < events()) {
            assertThat(Thread.currentThread().isInterrupted()).as("timed out").isFalse();
            Thread.onSpinWait();
        }
        bonds.b.context().doWork(bonds.nowNs());
        thread.turns.drainPermits();
    }

    private int events() {
        return bonds.b.device(0).opened().cqEvents() + bonds.b.device(1).opened().cqEvents();
    }

    @Test
    void whoAsksOverWhatStandsByGivesTheOtherBondATurn() throws InterruptedException {
        thread.drive(bonds.b);
        bonds.connect();
        bonds.advance(2_500 * MS);
        assertThat(threads()).as("one for the member that has a channel").hasSize(1);
        awaitTurns();
        bonds.a.device(0).port(false);
        bonds.a.context().doWork(bonds.nowNs());
        bonds.fabric.run();
        assertThat(thread.turns.tryAcquire(1, TimeUnit.MINUTES)).isTrue();
    }

    /** On rxe a dead device refuses to tell of completions some time before it says that it is dead. */
    @Test
    void aDeviceThatDiedWithItsEventOnTheWayEndsNoTurn() throws InterruptedException {
        whoAsksOverWhatStandsByGivesTheOtherBondATurn();
        bonds.b.device(1).dieSilently();
        bonds.b.context().doWork(bonds.nowNs());
        assertThat(bonds.b.count(Counter.DUTY_CYCLE_ERRORS)).isZero();
    }

    @Test
    void aBondThatIsDrivenByHandHasNoThread() {
        bonds.connect();
        bonds.advance(2_500 * MS);
        assertThat(threads()).isEmpty();
    }

    /** What the peer's bond says over a control link is heard at once, however long the bond's thread sleeps. */
    @Test
    void whatIsSaidOverAControlLinkGivesTheOtherBondATurn() throws InterruptedException {
        bonds.b.context().admin().set(List.of("standby=cold"));
        thread.drive(bonds.b);
        bonds.connect();
        bonds.a.device(1).port(false);
        bonds.advance(2_500 * MS);
        awaitTurns();
        bonds.a.device(1).port(true);
        bonds.a.context().doWork(bonds.nowNs());
        bonds.fabric.run();
        assertThat(thread.turns.tryAcquire(1, TimeUnit.MINUTES)).isTrue();
    }

    /** Linux says so where a process has as many threads as it may have. */
    @Test
    void whereNoThreadCanBeStartedNobodyIsWokenAndNothingIsLeft() {
        thread.drive(bonds.b);
        final CompletionWakers wakers = new CompletionWakers(bonds.b.verbs().core(), unstarted -> {
            throw new OutOfMemoryError("planted");
        });
        bonds.b.locked(() -> {
            final Member member = bonds.b.verbs().members().all().getFirst();
            assertThat(wakers.acquire(member)).isNull();
            assertThat(wakers.acquire(member)).as("none is registered that has no thread").isNull();
        });
        // Its device closes with the bond only where the channel was closed.
    }

    @Test
    void itsThreadEndsWithTheLastQueueOfTheMember() throws InterruptedException {
        thread.drive(bonds.b);
        bonds.connect();
        bonds.advance(2_500 * MS);
        final Thread waker = threads().getFirst();
        bonds.b.context().admin().set(List.of("standby=cold"));
        bonds.advance(5_000 * MS);
        assertThat(waker.isAlive()).as("there is a control link").isTrue();
        bonds.close();
        assertThat(waker.join(Duration.ofMinutes(1))).isTrue();
        assertThat(bonds.b.count(Counter.DUTY_CYCLE_ERRORS)).isZero();
    }
}
