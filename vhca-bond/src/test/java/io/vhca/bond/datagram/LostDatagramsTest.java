package io.vhca.bond.datagram;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.AddressHandle;
import io.vhca.api.Errno;
import io.vhca.api.SendFlags;
import io.vhca.api.WrOpcode;
import io.vhca.bond.fake.DatagramEnd;
import io.vhca.bond.fake.FakeFabric;
import io.vhca.bond.fake.FakeQp;
import io.vhca.bond.fake.Posted;
import io.vhca.bond.fake.TwoBonds;
import io.vhca.bond.verbs.BondCompletionQueue;
import io.vhca.recovery.wire.MemberAddress;
import java.net.InetAddress;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** Datagrams that are lost by the bond itself, as nobody says where they go, and what hardware has beside them. */
class LostDatagramsTest {
    private final TwoBonds bonds = new TwoBonds();
    private final DatagramEnd one = bonds.closing(new DatagramEnd(bonds.a));
    private final DatagramEnd two = bonds.closing(new DatagramEnd(bonds.b));
    private final AddressHandle there = one.to("10.1.0.2");
    private final String ofOne = " of " + one.qp().qpNum();

    @BeforeEach
    void receives() {
        two.receives(4);
    }

    @AfterEach
    void close() {
        bonds.close();
    }

    private static FakeQp physical(final DatagramEnd end) {
        return (FakeQp) Objects.requireNonNull(end.qp().home().physical());
    }

    private void send(final long wrId, final String text) {
        assertThat(one.send(wrId, text, there, two.qp().qpNum())).isEqualTo(1);
        bonds.settle();
    }

    // ---- none but what nobody knows ---------------------------------------------------------------------------------

    /** The links are down, so that each path fails at once, and nobody has heard of it. */
    private void routes(final boolean value) {
        bonds.a.device(0).routed(value);
        bonds.a.device(1).routed(value);
    }

    @Test
    void whereAllPathsFailAtOnceOneIsLostAndNoneThatIsPostedLater() {
        routes(false);
        send(1, "lost");
        assertThat(one.polled()).containsExactly("1 SUCCESS");
        routes(true);
        bonds.advance(1_000 * MS);
        send(2, "lost as before, and asks");
        send(3, "three");
        assertThat(one.polled()).containsExactly("2 SUCCESS", "3 SUCCESS");
        assertThat(two.polled()).containsExactly("0 three" + ofOne);
    }

    @Test
    void theOneBehindItWaitsForAnAnswerThatIsOnTheWay() {
        final String nowhere = "10.1.0.77";
        bonds.a.device(0).unrouted(InetAddress.ofLiteral(nowhere));
        bonds.a.device(1).unrouted(InetAddress.ofLiteral(nowhere));
        bonds.fabric.lose(FakeFabric.CmMessage.REQ);
        one.send(1, "lost", one.to(nowhere), two.qp().qpNum());
        send(2, "two");
        assertThat(one.polled()).containsExactly("1 SUCCESS");
        bonds.advance(bonds.a.verbs().core().config().pathTimeoutNs() / DestinationQuery.HEDGES + MS);
        bonds.fabric.heal();
        two.send(3, "it asks, so it is asked at once", two.to("10.1.0.1"), one.qp().qpNum());
        bonds.settle();
        assertThat(one.polled()).containsExactly("2 SUCCESS");
        assertThat(two.polled()).contains("0 two" + ofOne);
    }

    /** Nobody is at the one of its addresses that is named any more, and b at the other. */
    @Test
    void whatIsForABondThatIsGoneReachesNoOther() {
        final String gone = "10.1.0.99";
        bonds.a.locked(() -> bonds.a.cm().peers().datagrams().heard(9, List.of(
                new MemberAddress(0, InetAddress.ofLiteral(gone).getAddress()),
                new MemberAddress(1, InetAddress.ofLiteral("10.1.0.2").getAddress()))));
        final AddressHandle handle = one.to(gone);
        one.send(1, "lost", handle, two.qp().qpNum());
        bonds.advance(5_000 * MS);
        send(2, "two");
        one.send(3, "lost though another handle leads there", handle, two.qp().qpNum());
        bonds.advance(5_000 * MS);
        assertThat(one.polled()).containsExactly("1 SUCCESS", "2 SUCCESS", "3 SUCCESS");
        assertThat(two.polled()).containsExactly("0 two" + ofOne);
    }

    // ---- what hardware has beside them ------------------------------------------------------------------------------

    /** Else what is behind it could be sent, polled and retired before it: then it would never complete. */
    @Test
    @Timeout(value = 600, threadMode = ThreadMode.SAME_THREAD) // which its memory is confined to
    void whatIsLostIsCompletedBeforeAnythingBehindItCanBe() throws InterruptedException {
        send(1, "one");
        assertThat(one.polled()).containsExactly("1 SUCCESS");
        one.send(2, "lost", there, two.qp().qpNum() + 1);
        final BondCompletionQueue cq = one.qp().bondSendCq();
        final long given = one.qp().sendQueue().postedAtGlance();
        cq.enter();
        final Thread bond = Thread.ofPlatform().start(bonds::settle);
        while (bond.isAlive() && !cq.isWaitedFor() && !Thread.currentThread().isInterrupted()) {
            Thread.onSpinWait();
        }
        final long meanwhile = one.qp().sendQueue().postedAtGlance();
        cq.leave();
        bond.join();
        assertThat(meanwhile).as("posts go on from here").isEqualTo(given);
        send(3, "three");
        assertThat(one.polled()).containsExactly("2 SUCCESS", "3 SUCCESS");
    }

    /** Hardware frees the entries of its queue by completions: without one it takes nothing more some day. */
    @Test
    void requestsThatAreLostTakeNoSignalsWithThem() {
        for (int i = 0; i < 128; i += 2) {
            assertThat(one.post(i, WrOpcode.SEND, 0, "some", there, two.qp().qpNum())).isEqualTo(1);
            bonds.settle();
            // The one that would have the signal which hardware must be given every so often.
            final AddressHandle gone = one.to("10.1.0.77");
            assertThat(one.post(i + 1, WrOpcode.SEND, 0, "lost", gone, two.qp().qpNum())).isEqualTo(1);
            bonds.settle();
            gone.close();
            assertThat(one.polled()).isEmpty();
            bonds.settle();
        }
        final List<Posted> given = physical(one).everSent();
        assertThat(given).as("each that was lost too, to nobody").hasSize(128);
        for (int i = 0; i < given.size(); i += 4) {
            assertThat(given.subList(i, i + 4)).anyMatch(posted -> (posted.flags() & SendFlags.SIGNALED) != 0);
        }
    }

    /** Whoever sees its completion may use the buffers of what was posted before it. */
    @Test
    void noneIsLostBeforeWhatHardwareHasOfThoseBeforeItIsDone() {
        final int unknown = two.qp().qpNum() + 1;
        bonds.fabric.stop(true);
        one.post(0, WrOpcode.SEND, 0, "zero", there, two.qp().qpNum());
        one.send(1, "lost", there, unknown);
        bonds.settle();
        assertCompletesBehindHardware("1 SUCCESS");
    }

    private void assertCompletesBehindHardware(final String... completions) {
        assertThat(physical(one).outstanding()).isEqualTo(2);
        assertThat(one.polled()).isEmpty();
        bonds.fabric.stop(false);
        bonds.settle();
        assertThat(one.polled()).containsExactly(completions);
        assertThat(two.polled()).as("what is lost reaches nobody").hasSize(1);
    }

    /** The same where nobody has to be asked any more. */
    @Test
    void noneIsLostAtOnceBeforeWhatHardwareHasIsDone() {
        final int unknown = two.qp().qpNum() + 1;
        send(0, "zero");
        assertThat(one.polled()).containsExactly("0 SUCCESS");
        assertThat(two.polled()).hasSize(1);
        one.send(1, "lost", there, unknown);
        bonds.settle();
        assertThat(one.polled()).containsExactly("1 SUCCESS");
        bonds.fabric.stop(true);
        one.post(2, WrOpcode.SEND, 0, "two", there, two.qp().qpNum());
        one.send(3, "lost", there, unknown);
        bonds.settle();
        assertCompletesBehindHardware("3 SUCCESS");
    }

    /** The same where it waited for the answer, and its handle is destroyed. */
    @Test
    void noneOfADestroyedHandleIsLostBeforeWhatHardwareHasIsDone() {
        final AddressHandle gone = one.to("10.1.0.77");
        bonds.fabric.stop(true);
        one.post(0, WrOpcode.SEND, 0, "zero", there, two.qp().qpNum());
        bonds.settle();
        one.send(1, "lost", gone, two.qp().qpNum());
        bonds.settle();
        assertThat(physical(one).outstanding()).as("the other waits").isEqualTo(1);
        gone.close();
        bonds.settle();
        assertCompletesBehindHardware("1 SUCCESS");
    }

    /** One that is signaled does not tell of those behind it. */
    @Test
    void theCompletionOfAnEarlierOneIsNotEnough() {
        send(0, "known from now on");
        assertThat(one.polled()).containsExactly("0 SUCCESS");
        assertThat(two.polled()).hasSize(1);
        bonds.fabric.stop(true);
        one.send(1, "one", there, two.qp().qpNum());
        bonds.fabric.stop(false);
        bonds.fabric.run();
        bonds.fabric.stop(true);
        one.post(2, WrOpcode.SEND, 0, "two", there, two.qp().qpNum());
        one.send(3, "lost", there, two.qp().qpNum() + 1);
        bonds.settle();
        assertThat(one.polled()).as("it told that one is done, and no more").containsExactly("1 SUCCESS");
        assertThat(two.polled()).hasSize(1);
        bonds.settle();
        assertCompletesBehindHardware("3 SUCCESS");
    }

    /** Then what it has counts as sent, as ever when a path is left. */
    @Test
    void hardwareThatTakesNoneToLoseIsLeft() {
        bonds.fabric.stop(true);
        one.post(0, WrOpcode.SEND, 0, "zero", there, two.qp().qpNum());
        bonds.settle();
        final FakeQp full = physical(one);
        full.refuseSends(Errno.ENOMEM);
        one.send(1, "lost", there, two.qp().qpNum() + 1);
        bonds.settle();
        assertThat(full.isClosed()).isTrue();
        bonds.fabric.stop(false);
        bonds.advance(10_000 * MS);
        assertThat(one.polled()).containsExactly("1 SUCCESS");
    }
}
