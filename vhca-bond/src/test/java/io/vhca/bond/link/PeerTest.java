package io.vhca.bond.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.bond.queue.LocalKeys;
import io.vhca.bond.queue.RemoteKeys;
import io.vhca.bond.wire.VirtualKeyDescriptor;
import io.vhca.recovery.wire.MemberAddress;
import java.net.InetAddress;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PeerTest {
    private static final int KEY = VirtualKeyDescriptor.key(7, 0);
    private final Peer peer = new Peer(1);

    private static int rkey(final RemoteKeys.@Nullable Entry entry) {
        return Objects.requireNonNull(entry).rkey();
    }

    private static InetAddress ip(final String text) {
        return InetAddress.ofLiteral(text);
    }

    private static MemberAddress member(final int index, final String text) {
        return new MemberAddress(index, ip(text).getAddress());
    }

    @Test
    void keysOfAnotherOccupantOfAnIndexAreForgottenAndLateAnswersAboutItNotHeard() {
        peer.heardKey(2, 5, KEY, 100);
        final RemoteKeys before = peer.keys(2, 5);
        assertThat(rkey(before.find(KEY))).isEqualTo(100);
        final RemoteKeys after = peer.keys(2, 6);
        assertThat(after.find(KEY)).isNull();
        assertThat(peer.isCurrent(2, before)).isFalse();
        peer.heardKey(2, 5, KEY, 100);
        assertThat(after.find(KEY)).isNull();
        peer.heardKey(2, 6, KEY, 200);
        assertThat(rkey(peer.keys(2, 6).find(KEY))).isEqualTo(200);
        assertThat(peer.isCurrent(2, after)).isTrue();
    }

    @Test
    void aKeyThatIsRevokedIsForgottenOnEveryMember() {
        peer.heardKey(0, 0, KEY, 100);
        peer.heardKey(3, 0, KEY, 101);
        peer.heardKey(3, 0, KEY + (1 << VirtualKeyDescriptor.GENERATION_BITS), 102);
        peer.forgetKey(KEY);
        assertThat(peer.keys(0, 0).find(KEY)).isNull();
        assertThat(peer.keys(3, 0).find(KEY)).isNull();
        assertThat(peer.keys(3, 0).find(KEY + (1 << VirtualKeyDescriptor.GENERATION_BITS))).isNotNull();
        peer.forgetKeys();
        assertThat(peer.keys(3, 0).find(KEY + (1 << VirtualKeyDescriptor.GENERATION_BITS))).isNull();
    }

    @Test
    void anInvalidKeyIsKnownToBeThat() {
        peer.heardKey(0, 0, KEY, LocalKeys.INVALID);
        assertThat(rkey(peer.keys(0, 0).find(KEY))).isEqualTo(LocalKeys.INVALID);
    }

    @Test
    void aMemberThatIsHeardOfAgainReplacesWhatWasKnown() {
        peer.heard(List.of(member(0, "10.1.0.2"), member(1, "10.2.0.2")));
        peer.heardFrom(0, ip("10.1.0.22"));
        assertThat(peer.members()).containsExactlyInAnyOrder(member(1, "10.2.0.2"), member(0, "10.1.0.22"));
    }

    @Test
    void onlyAFullListSaysThatAnAddressIsNoneAnyMore() {
        peer.heard(List.of(member(0, "10.1.0.2")));
        assertThat(peer.mayBeAt(ip("10.9.0.9"))).isTrue();
        peer.told(List.of(member(1, "10.2.0.2")));
        assertThat(peer.mayBeAt(ip("10.2.0.2"))).isTrue();
        assertThat(peer.mayBeAt(ip("10.1.0.2"))).isFalse();
        assertThat(peer.instance()).isEqualTo(1);
    }

    @Test
    void theAddressesOfAKnownPeerAreThatOneAndThoseOfItsMembers() {
        final Peers peers = new Peers();
        assertThat(peers.addressesOf(ip("10.1.0.2"))).containsExactly(ip("10.1.0.2"));
        final Peer met = peers.at(7, ip("10.1.0.2"));
        met.metAt(ip("10.1.0.2"));
        met.heard(List.of(member(0, "10.2.0.2"), member(1, "10.1.0.2")));
        peers.at(8, ip("10.3.0.2")).heard(List.of(member(0, "10.3.0.2")));
        assertThat(peers.addressesOf(ip("10.1.0.2"))).containsExactly(ip("10.1.0.2"), ip("10.2.0.2"));
    }

    @Test
    void whatABondNamesIsNoWayToWhoeverElseIsThere() {
        final Peers peers = new Peers();
        final Peer liar = peers.at(7, ip("10.1.0.66"));
        liar.heardFrom(0, ip("10.1.0.66"));
        liar.told(List.of(member(0, "10.1.0.66"), member(1, "10.1.0.2")));
        assertThat(peers.addressesOf(ip("10.1.0.2"))).containsExactly(ip("10.1.0.2"));
        final DatagramPeers datagrams = peers.datagrams();
        datagrams.heard(9, List.of(member(0, "10.1.0.2"), member(1, "10.2.0.2")));
        assertThat(datagrams.addressesOf(ip("10.1.0.2"))).containsExactly(ip("10.1.0.2"), ip("10.2.0.2"));
        assertThat(peers.addressesOf(ip("10.1.0.2"))).containsExactly(ip("10.1.0.2"));
    }

    /** Four of IPv6 do not fit into an answer: who names three may be the one that is known with the fourth. */
    @Test
    void aListWithoutRoomForAllTakesNoAddressFromAProgramBesideIt() {
        final Peers peers = new Peers();
        final InetAddress last = ip("fd00::4");
        final List<MemberAddress> some =
                List.of(member(0, "fd00::1"), member(1, "fd00::2"), member(2, "fd00::3"));
        peers.met(7, last, some);
        peers.at(7, last).told(List.of(some.get(0), some.get(1), some.get(2), member(3, "fd00::4")));
        peers.met(8, last, some);
        assertThat(peers.isMetAt(7, last)).isTrue();
        final DatagramPeers datagrams = peers.datagrams();
        datagrams.heard(9, List.of(member(0, "10.1.0.2"), member(1, "10.2.0.2")));
        datagrams.heardSome(10, List.of(member(0, "10.1.0.2")));
        assertThat(datagrams.isNamed(9, ip("10.1.0.2"))).isTrue();
    }

    @Test
    void anAddressThatAnotherBondHasNowLeadsNoMoreToThoseOfTheOneThatHadIt() {
        final Peers peers = new Peers();
        final InetAddress moved = ip("10.1.0.2");
        peers.met(7, moved, List.of(member(0, "10.1.0.2"), member(1, "10.2.0.2")));
        final Peer held = peers.met(8, moved, List.of(member(0, "10.1.0.2"), member(1, "10.2.0.3")));
        held.hold();
        assertThat(peers.isMetAt(7, moved)).isFalse();
        peers.met(9, moved, List.of(member(0, "10.1.0.2"), member(1, "10.2.0.4")));
        assertThat(peers.addressesOf(moved)).containsExactly(moved, ip("10.2.0.3"), ip("10.2.0.4"));
        assertThat(peers.heldAddressesOf(moved)).containsExactly(moved, ip("10.2.0.3"));
        held.release();
        peers.at(10, moved).heardFrom(0, moved);
        assertThat(peers.isMetAt(8, moved)).as("10 has not said what all of its members are").isTrue();
        peers.at(10, moved).told(List.of(member(1, "10.2.0.4"), member(0, "10.1.0.2")));
        assertThat(peers.isMetAt(8, moved)).isFalse();
        assertThat(peers.isMetAt(9, moved)).as("of a program beside it").isTrue();
        assertThat(peers.addressesOf(moved)).containsExactly(moved, ip("10.2.0.4"));
    }

    @Test
    void theSameOfWhatIsSaidOfDatagrams() {
        final DatagramPeers peers = new Peers().datagrams();
        final InetAddress moved = ip("10.1.0.2");
        peers.heard(7, List.of(member(0, "10.1.0.2"), member(1, "10.2.0.2")));
        peers.heard(8, List.of(member(0, "10.1.0.2"), member(1, "10.2.0.3")));
        peers.heard(9, List.of(member(0, "10.2.0.3"), member(1, "10.1.0.2")));
        assertThat(peers.addressesOf(moved)).containsExactly(moved, ip("10.2.0.3"));
        assertThat(peers.isNamed(7, moved)).isFalse();
        assertThat(peers.isNamed(8, moved)).as("of a program beside 9").isTrue();
        peers.answered(9, ip("10.1.0.22"));
        assertThat(peers.isNamed(9, ip("10.1.0.22"))).isTrue();
        assertThat(peers.addressesOf(ip("10.1.0.22"))).contains(moved);
    }

    @Test
    void aListWithoutRoomForAllLeavesWhatWasSaidBefore() {
        final DatagramPeers peers = new Peers().datagrams();
        final InetAddress first = ip("fd00:1::2");
        final InetAddress second = ip("fd00:2::2");
        peers.heard(7, List.of(member(0, "fd00:1::2"), member(1, "fd00:2::2")));
        peers.heardSome(7, List.of(member(1, "fd00:2::2")));
        peers.heardSome(7, List.of(member(0, "fd00:1::2")));
        assertThat(peers.addressesOf(first)).containsExactly(first, second);
        peers.heard(7, List.of(member(0, "fd00:1::2")));
        assertThat(peers.addressesOf(first)).as("it has no other").containsExactly(first);
        assertThat(peers.isNamed(7, second)).isTrue();
    }

    @Test
    void anInstanceThatIsShownFromElsewhereIsAnotherPeers() {
        final Peers peers = new Peers();
        final Peer known = peers.at(7, ip("10.1.0.2"));
        known.heardFrom(0, ip("10.1.0.2"));
        assertThat(peers.at(7, ip("10.1.0.2"))).isSameAs(known);
        assertThat(peers.find(7, ip("10.1.0.66"))).isNull();
        assertThat(peers.at(7, ip("10.1.0.66"))).isNotSameAs(known);
        known.told(List.of(member(0, "10.1.0.2"), member(1, "10.2.0.2")));
        assertThat(peers.find(7, ip("10.2.0.2"))).isSameAs(known);
        known.heardFrom(2, ip("10.1.0.66"));
        assertThat(known.mayBeAt(ip("10.1.0.66"))).as("it has said what all of its members are").isFalse();
    }

    @Test
    void bondsThatNothingHoldsAreForgottenTheOldestFirst() {
        final Peers peers = new Peers();
        final Peer held = peers.at(1, ip("10.1.0.1"));
        held.metAt(ip("10.1.0.1"));
        held.hold();
        for (int i = 0; i < 10_000; i++) {
            final InetAddress from = ip("10.9." + i / 250 + "." + (1 + i % 250));
            final Peer stranger = peers.at(100 + i, from);
            stranger.heardFrom(0, from);
            stranger.hold();
            stranger.release();
            assertThat(peers.isMetAt(from)).isTrue();
        }
        assertThat(peers.size()).isEqualTo(Peers.MOST_PAST + 1);
        assertThat(peers.at(1, ip("10.1.0.1"))).as("something holds it").isSameAs(held);
        assertThat(peers.isMetAt(ip("10.9.0.1"))).isFalse();
        assertThat(peers.addressesMet()).isEqualTo(Peers.MOST_PAST + 1);
        held.release();
        peers.at(100_000, ip("10.8.0.1"));
        assertThat(peers.at(1, ip("10.1.0.1"))).as("held last").isSameAs(held);
    }

    @Test
    void oneThatWasForgottenIsKnownAgainWhenItIsHeld() {
        final Peers peers = new Peers();
        final Peer slow = peers.at(1, ip("10.1.0.1"));
        slow.metAt(ip("10.1.0.1"));
        for (int i = 0; i < Peers.MOST_PAST; i++) {
            peers.at(2 + i, ip("10.1.0.2"));
        }
        assertThat(peers.find(1, ip("10.1.0.1"))).isNull();
        slow.hold();
        assertThat(peers.find(1, ip("10.1.0.1"))).isSameAs(slow);
        assertThat(peers.isMetAt(ip("10.1.0.1"))).isTrue();
    }

    @Test
    void ofOneBondTheLastAddressesAreRemembered() {
        final Peers peers = new Peers();
        final Peer moving = peers.at(1, ip("10.1.0.1"));
        for (int i = 0; i < 1_000; i++) {
            moving.metAt(ip("10.9." + i / 250 + "." + (1 + i % 250)));
        }
        assertThat(peers.addressesMet()).isEqualTo(64);
        assertThat(moving.isMetAt(ip("10.9.3.250"))).isTrue();
    }

    @Test
    void whoAsksFromAnAddressThatIsNotKnownIsAStrangerOrWithAKeyAnotherPeer() {
        final Peers peers = new Peers();
        final Peer known = peers.at(1, ip("10.1.0.2"));
        known.metAt(ip("10.1.0.2"));
        assertThat(peers.asking(1, ip("10.1.0.2"), false)).isSameAs(known);
        assertThat(peers.asking(1, ip("10.1.0.9"), false)).isNull();
        assertThat(peers.asking(1, ip("10.1.0.9"), true)).as("nothing holds the other").isNull();
        known.hold();
        assertThat(peers.asking(1, ip("10.1.0.9"), false)).isNull();
        assertThat(peers.asking(2, ip("10.1.0.9"), true)).isNull();
        assertThat(peers.asking(1, ip("10.1.0.9"), true)).isNotNull().isNotSameAs(known);
        assertThat(peers.asking(1, ip("10.1.0.2"), true)).isSameAs(known);
        known.told(List.of(member(0, "10.1.0.2")));
        assertThat(peers.asking(1, ip("10.1.0.9"), true)).as("it has no member there").isNull();
    }
}
