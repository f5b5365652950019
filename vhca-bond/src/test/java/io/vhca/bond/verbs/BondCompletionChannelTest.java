package io.vhca.bond.verbs;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.CompletionQueue;
import io.vhca.api.VerbsException;
import io.vhca.bond.fake.Completion;
import io.vhca.bond.fake.FakeCompletionChannel;
import io.vhca.bond.fake.FakeCq;
import io.vhca.bond.fake.TwoBonds;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who waits on a bond's channel sleeps on one member's, and hears of all else as well. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BondCompletionChannelTest {
    private final TwoBonds bonds = new TwoBonds();
    private final BondCompletionChannel channel =
            (BondCompletionChannel) bonds.a.context().createCompChannel();
    private final BondCompletionQueue cq =
            (BondCompletionQueue) bonds.a.context().createCq(16, null, channel);

    @AfterEach
    void close() {
        cq.close();
        channel.close();
        bonds.close();
    }

    private FakeCompletionChannel on(final int member) {
        return (FakeCompletionChannel) Objects.requireNonNull(channel.memberChannel(member));
    }

    private void event(final int member) {
        on(member).offer(cq.on(bonds.a.member(member)));
    }

    private void completes(final int member, final boolean isSolicited) {
        ((FakeCq) cq.on(bonds.a.member(member))).push(new Completion(1, 0, 0, 0, 0, 0, 1, 0, 0), isSolicited);
    }

    /** Returns when the thread sleeps on the first member's channel for the n-th time. */
    private CompletableFuture<@Nullable CompletionQueue> waiter(final int waits) {
        final CompletableFuture<@Nullable CompletionQueue> heard = new CompletableFuture<>();
        Thread.ofPlatform().daemon().start(() -> heard.complete(channel.getCqEvent(Long.MAX_VALUE)));
        awaitSleep(waits);
        return heard;
    }

    private void awaitSleep(final int waits) {
        while (on(0).waits() < waits) {
            assertThat(Thread.currentThread().isInterrupted()).as("timed out").isFalse();
        }
    }

    @Test
    void anEventOfAnotherMemberWakesWhoWaits() throws Exception {
        final CompletableFuture<@Nullable CompletionQueue> heard = waiter(1);
        cq.reqNotify(false);
        event(1);
        assertThat(heard.get()).isSameAs(cq);
        assertThat(on(0).waits()).as("it slept all the time").isEqualTo(1);
    }

    @Test
    void whatTheBondOwesWakesWhoWaits() throws Exception {
        final CompletableFuture<@Nullable CompletionQueue> heard = waiter(1);
        channel.offer(cq);
        assertThat(heard.get()).isSameAs(cq);
    }

    /** The other member still has the request for all that the first one's event answered. */
    @Test
    void anUnsolicitedMessageDoesNotUseUpARequestForSolicitedOnes() {
        cq.reqNotify(false);
        completes(0, false);
        assertThat(channel.getCqEvent(0)).isSameAs(cq);
        cq.reqNotify(true);
        completes(1, false);
        assertThat(channel.getCqEvent(0)).as("as asked at first").isSameAs(cq);
        completes(1, false);
        assertThat(channel.getCqEvent(0)).isNull();
        completes(1, true);
        assertThat(channel.getCqEvent(0)).isSameAs(cq);
        completes(0, true);
        assertThat(channel.getCqEvent(0)).as("one for one request").isNull();
    }

    @Test
    void eventsOfAQueueThatWasClosedAreNotGivenOut() {
        final BondCompletionQueue other = (BondCompletionQueue) bonds.a.context().createCq(16, null, channel);
        channel.offer(other);
        channel.offer(cq);
        other.close();
        assertThat(channel.getCqEvent(0)).isSameAs(cq);
    }

    /** That nothing is left open on the first member is seen when the bonds are closed. */
    @Test
    void whereOneMemberHasNoRoomTheOthersKeepNothing() {
        bonds.a.device(1).refuseOnce("createCompChannel");
        assertThatThrownBy(() -> bonds.a.context().createCompChannel()).isInstanceOf(VerbsException.class);
    }

    @Test
    void aMemberThatCameBackWakesWhoWaits() throws Exception {
        final CompletableFuture<@Nullable CompletionQueue> heard = waiter(1);
        cq.reqNotify(false);
        bonds.a.device(1).die();
        bonds.advance(500 * MS);
        bonds.a.device(1).plug();
        bonds.advance(500 * MS);
        awaitSleep(2);
        event(1);
        assertThat(heard.get()).isSameAs(cq);
    }

    @Test
    void whoWaitsOnAMemberThatGoesIsNotLeftThere() throws Exception {
        final CompletableFuture<@Nullable CompletionQueue> heard = waiter(1);
        cq.reqNotify(false);
        bonds.a.device(0).die();
        bonds.advance(500 * MS);
        event(1);
        assertThat(heard.get()).isSameAs(cq);
    }

    /** A second wake-up of a thread that was woken already is lost: what it was for is passed on. */
    @Test
    void eachOfTwoThreadsGetsItsEvent() throws Exception {
        final BondCompletionQueue other = (BondCompletionQueue) bonds.a.context().createCq(16, null, channel);
        final CompletableFuture<@Nullable CompletionQueue> first = waiter(1);
        final CompletableFuture<@Nullable CompletionQueue> second = waiter(2);
        on(0).joinsNextWakeUp();
        channel.offer(cq);
        channel.offer(other);
        assertThat(new Object[] {first.get(), second.get()}).containsExactlyInAnyOrder(cq, other);
        other.close();
    }

    /** A member tells once of what comes: who is left sleeping on another one asks it anew. */
    @Test
    void whoIsLeftSleepingHearsOfTheNextEventToo() throws Exception {
        final BondCompletionQueue other = (BondCompletionQueue) bonds.a.context().createCq(16, null, channel);
        cq.reqNotify(false);
        other.reqNotify(false);
        final CompletableFuture<@Nullable CompletionQueue> first = waiter(1);
        final CompletableFuture<@Nullable CompletionQueue> second = waiter(2);
        event(1);
        assertThat(CompletableFuture.anyOf(first, second).get()).isSameAs(cq);
        on(1).offer(other.on(bonds.a.member(1)));
        assertThat(new Object[] {first.get(), second.get()}).containsExactlyInAnyOrder(cq, other);
        other.close();
    }

    /** The channel that a listener had asked is gone with the device, and the new one knows nobody. */
    @Test
    void aListenerIsToldOfAMembersEventThoughTheMemberWasAwayMeanwhile() {
        final Semaphore told = new Semaphore(0);
        bonds.a.device(1).die();
        bonds.advance(10 * MS);
        cq.reqNotify(false);
        channel.onEvent(told::release);
        told.drainPermits();
        bonds.a.device(1).plug();
        bonds.advance(1_000 * MS);
        while (told.tryAcquire()) {
            told.drainPermits();
            assertThat(channel.getCqEvent(0)).isNull();
            channel.onEvent(told::release);
        }
        event(1);
        assertThat(told.drainPermits()).isPositive();
        assertThat(channel.getCqEvent(0)).isSameAs(cq);
    }

    @Test
    void aListenerIsToldOfAMembersEventAndOfWhatIsOwed() {
        final Semaphore told = new Semaphore(0);
        assertThat(channel.onEvent(told::release)).isTrue();
        assertThat(told.availablePermits()).isZero();
        cq.reqNotify(false);
        event(1);
        assertThat(told.drainPermits()).isPositive();
        assertThat(channel.getCqEvent(0)).isSameAs(cq);
        channel.onEvent(told::release);
        told.drainPermits();
        channel.offer(cq);
        assertThat(told.drainPermits()).isPositive();
        channel.onEvent(null);
        assertThat(channel.onEvent(told::release)).isTrue();
        assertThat(told.drainPermits()).as("of what is there at once").isPositive();
        assertThat(channel.getCqEvent(0)).isSameAs(cq);
    }
}
