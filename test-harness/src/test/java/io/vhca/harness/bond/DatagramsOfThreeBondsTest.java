package io.vhca.harness.bond;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.AddressHandle;
import io.vhca.api.Gid;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A bond whose two peers have one network each, and not the same, on virtual time. A queue pair for datagrams lives on
 * one member for all its peers: two reach both, one of them stays with the peer it met first.
 */
class DatagramsOfThreeBondsTest {
    @Test
    void peersOfWhomEachLostAnotherNetworkTakeAQueuePairEach() {
        try (DatagramExchange all =
                        new DatagramExchange(BondPair.onTwoNetworks(config -> config, false));
                DatagramEnd second = new DatagramEnd(all.pair.left.bond);
                DatagramEnd third = new DatagramEnd(all.pair.addThird().bond);
                AddressHandle toThird = second.handleOf(Gid.of(all.pair.address(2, 9)));
                AddressHandle fromThird = third.handleOf(Gid.of(all.pair.address(0, 9)))) {
            second.fillReceives();
            third.fillReceives();
            all.exchange(20);
            all.pair.right.ports[1].up(false);
            all.pair.third().ports[0].up(false);
            final List<Integer> got = new ArrayList<>();
            for (int i = 0; i < 6_000; i++) {
                all.left.send(all.toRight, all.right.qp.qpNum());
                second.send(toThird, third.qp.qpNum());
                third.send(fromThird, second.qp.qpNum());
                all.run(DatagramExchange.STEP_NS);
                second.poll();
                third.poll();
                got.add(third.numbers.size());
            }
            final int last = got.getLast();
            assertThat(last - got.get(5_000)).as("of the last thousand, but for those on their way").isGreaterThan(990);
            assertThat(second.numbers.getLast()).isGreaterThan(third.posted() - 10);
            assertThat(all.right.numbers.getLast()).isGreaterThan(all.left.posted() - 10);
            assertThat(all.places()).containsExactly("left0", "right0");
            assertThat(all.pair.left.bond.admin().path(second.qp)).isEqualTo("left1");
        }
    }

    @Test
    void aQueuePairWhosePeersHaveNoNetworkInCommonStaysWithOneOfThem() {
        try (DatagramExchange all =
                        new DatagramExchange(BondPair.onTwoNetworks(config -> config, false));
                DatagramEnd third = new DatagramEnd(all.pair.addThird().bond);
                AddressHandle toThird = all.left.handleOf(Gid.of(all.pair.address(2, 9)));
                AddressHandle fromThird = third.handleOf(Gid.of(all.pair.address(0, 9)))) {
            third.fillReceives();
            all.exchange(20);
            all.pair.right.ports[1].up(false);
            all.pair.third().ports[0].up(false);
            final List<String> places = new ArrayList<>();
            final List<Integer> got = new ArrayList<>();
            for (int i = 0; i < 20_000; i++) {
                all.left.send(all.toRight, all.right.qp.qpNum());
                all.left.send(toThird, third.qp.qpNum());
                all.right.send(all.toLeft, all.left.qp.qpNum());
                third.send(fromThird, all.left.qp.qpNum());
                all.run(DatagramExchange.STEP_NS);
                third.poll();
                places.add(all.places().getFirst());
                got.add(all.right.numbers.size() + third.numbers.size());
            }
            assertThat(places.subList(10_000, 20_000)).as("it does not go to and fro").containsOnly(places.getLast());
            assertThat(got.getLast() - got.get(10_000)).isGreaterThan(9_990);
        }
    }
}
