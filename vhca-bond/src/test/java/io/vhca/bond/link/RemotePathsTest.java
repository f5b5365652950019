package io.vhca.bond.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.bond.config.BondConfig;
import io.vhca.bond.fake.MemberBench;
import io.vhca.bond.member.Member;
import io.vhca.recovery.PathId;
import io.vhca.recovery.wire.MemberAddress;
import java.net.InetAddress;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RemotePathsTest {
    private final MemberBench bench = new MemberBench(2, options -> options);
    private final Peer peer = new Peer(9);
    private final RemotePaths paths = new RemotePaths(bench.members, new First(), peer, 0);

    /** Whatever is connected lives on the first member. */
    private final class First implements PathPreference {
        @Override
        public int place(final InetAddress address, final int port, final int qpNum) {
            return qpNum;
        }

        @Override
        public Member preferred(final int place) {
            return bench.member(0);
        }
    }

    @BeforeEach
    void up() {
        bench.members.all().forEach(member -> member.portActive(true));
        paths.refresh();
    }

    @AfterEach
    void close() {
        bench.close();
    }

    private static InetAddress ip(final String text) {
        return InetAddress.ofLiteral(text);
    }

    private String next() {
        final PathId path = paths.table().next(new BitSet(), 0);
        return path == null ? "none" : path.localMember() + " " + paths.address(path.remoteAddress()).getHostAddress();
    }

    @Test
    void theAddressOnTheMembersOwnNetworkComesFirst() {
        peer.heard(List.of(
                new MemberAddress(0, ip("10.1.0.2").getAddress()), new MemberAddress(1, ip("10.0.0.2").getAddress())));
        paths.refresh();
        assertThat(next()).isEqualTo("0 10.0.0.2");
        bench.member(0).portActive(false);
        paths.refresh(bench.member(0));
        assertThat(next()).isEqualTo("1 10.1.0.2");
        bench.member(1).drained(true);
        paths.refresh(bench.member(1));
        assertThat(next()).isEqualTo("none");
    }

    @Test
    void anAddressKeepsItsIndexAndTheLastOneStandsInForAllThatDoNotFit() {
        for (int i = 0; i < 17; i++) {
            assertThat(paths.indexOf(ip("10.0.0." + (i + 2)))).isEqualTo(i);
        }
        assertThat(paths.indexOf(ip("10.0.0.2"))).isZero();
        assertThat(paths.indexOf(ip("10.0.0.99"))).isEqualTo(16);
        assertThat(paths.addresses()).hasSize(17);
    }

    /** The eleventh and those behind it were taken for the tenth. */
    @Test
    void asManyMembersAsABondCanHaveAndWhereItWasAdmittedHaveAPlaceEach() {
        final List<InetAddress> all = IntStream.range(0, BondConfig.MAX_MEMBERS)
                .mapToObj(i -> ip("10.0." + i + ".2"))
                .toList();
        peer.told(IntStream.range(0, all.size())
                .mapToObj(i -> new MemberAddress(i, all.get(i).getAddress()))
                .toList());
        paths.refresh();
        final InetAddress admitted = ip("10.0.99.2");
        paths.admit(admitted);
        for (final InetAddress address : Stream.concat(all.stream(), Stream.of(admitted)).toList()) {
            assertThat(paths.address(paths.indexOf(address))).isEqualTo(address);
        }
    }

    /** Over the months its members get other addresses, more often than there is room for. */
    @Test
    void anAddressThatThePeerHasLeftGivesItsPlaceToANewOne() {
        for (int i = 2; i < 25; i++) {
            peer.told(List.of(
                    new MemberAddress(0, ip("10.0.0." + i).getAddress()),
                    new MemberAddress(1, ip("10.1.0.2").getAddress())));
            paths.refresh();
            assertThat(next()).isEqualTo("0 10.0.0." + i);
            final PathId path = new PathId(0, paths.indexOf(ip("10.0.0." + i)));
            assertThat(paths.table().consecutiveFailures(path)).as("of another address").isZero();
            paths.table().failed(path, -100_000_000_000L);
            assertThat(paths.address(1)).as("is named all the time").isEqualTo(ip("10.1.0.2"));
        }
        assertThat(paths.addresses()).hasSize(17);
    }

    @Test
    void anAddressThatThePeerDoesNotNameAnyMoreIsNotTried() {
        paths.indexOf(ip("10.0.0.2"));
        assertThat(next()).isEqualTo("0 10.0.0.2");
        peer.told(List.of(new MemberAddress(0, ip("10.1.0.2").getAddress())));
        paths.refresh();
        assertThat(next()).endsWith(" 10.1.0.2");
    }

    /** It was removed when the peer answered, and is a member again when that path dies: nobody could say so. */
    @Test
    void whereThePeerWasLookedForIsTriedUntilItSaysWhereItIs() {
        peer.heard(List.of(new MemberAddress(0, ip("10.0.0.2").getAddress())));
        peer.listedAt(List.of(ip("10.0.0.2"), ip("10.1.0.2")));
        paths.refresh();
        assertThat(next()).isEqualTo("0 10.0.0.2");
        bench.member(0).portActive(false);
        paths.refresh();
        assertThat(next()).isEqualTo("1 10.1.0.2");
        peer.told(List.of(new MemberAddress(0, ip("10.0.0.2").getAddress())));
        paths.refresh();
        assertThat(next()).isEqualTo("1 10.0.0.2");
        assertThat(peer.listed()).isEmpty();
    }

    @Test
    void aMemberThatLeftIsNoPartnerAndWhatWasSeenOverItIsForgotten() {
        final int index = paths.indexOf(ip("10.0.0.2"));
        final PathId path = new PathId(0, index);
        paths.table().failed(path, 0);
        assertThat(paths.table().consecutiveFailures(path)).isEqualTo(1);
        bench.member(0).died();
        bench.member(0).left();
        paths.left(bench.member(0));
        assertThat(paths.table().consecutiveFailures(path)).isZero();
        assertThat(paths.table().usable(path)).isFalse();
    }

    @Test
    void anotherPeerAndAnotherPlaceCountFromThenOn() {
        final Peer other = new Peer(10);
        other.heard(List.of(new MemberAddress(0, ip("10.0.0.7").getAddress())));
        paths.peer(other);
        assertThat(next()).isEqualTo("0 10.0.0.7");
        paths.place(3);
        assertThat(paths.place()).isEqualTo(3);
        paths.placeHere(ip("10.0.0.7"), 9, 7);
        assertThat(paths.place()).as("this side has placed it").isEqualTo(3);
        final RemotePaths followed = new RemotePaths(bench.members, new First(), peer, PathPreference.PEERS);
        followed.placeHere(ip("10.0.0.7"), 9, 7);
        assertThat(followed.place()).isEqualTo(7);
    }
}
