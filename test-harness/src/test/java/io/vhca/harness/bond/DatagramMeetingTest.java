package io.vhca.harness.bond;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.AddressHandle;
import io.vhca.api.Gid;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where UD queue pairs of bonds meet that have separate networks, on virtual time. */
class DatagramMeetingTest {
    private static final long MS = BondPair.MS;

    /** Where pairs have met on different networks, it is not the pair that met that parts, or all would for ever. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void whoHasMetAnEarlierOneStaysAndALaterOneComes(final int side) {
        try (BondPair pair = BondPair.onTwoNetworks(
                config -> config.drainTimeoutNs(10 * MS).pathTimeoutNs(20 * MS), false)) {
            final BondPair.Host one = side == 0 ? pair.left : pair.right;
            final BondPair.Host other = side == 0 ? pair.right : pair.left;
            one.ports[0].up(false);
            pair.runFor(500 * MS);
            one.ports[0].up(true);
            pair.runFor(500 * MS);
            final List<DatagramEnd> ends =
                    List.of(new DatagramEnd(one.bond), new DatagramEnd(one.bond), new DatagramEnd(other.bond));
            final DatagramEnd last = ends.getLast();
            last.fillReceives();
            final Gid there = Gid.of(pair.address(1 - side, 9));
            try (AddressHandle first = ends.get(0).handleOf(there);
                    AddressHandle second = ends.get(1).handleOf(there)) {
                assertThat(members(one, other, ends)).isEqualTo(List.of(1, 1, 0));
                // The first has to go where the other is: it is not heard when it calls.
                pair.fabric.block(one.ports[1].index(), other.ports[1].index(), true);
                ends.get(0).send(first, last.qp.qpNum());
                run(pair, ends, 100 * MS);
                pair.fabric.block(one.ports[1].index(), other.ports[1].index(), false);
                assertThat(members(one, other, ends)).isEqualTo(List.of(0, 1, 0));
                ends.get(1).send(second, last.qp.qpNum());
                for (int i = 0; i < 200; i++) {
                    run(pair, ends, MS);
                    assertThat(members(one, other, ends).getLast()).isZero();
                }
                assertThat(members(one, other, ends)).isEqualTo(List.of(0, 0, 0));
                assertThat(last.sources)
                        .containsExactly(ends.get(0).qp.qpNum(), ends.get(1).qp.qpNum());
            }
            ends.forEach(DatagramEnd::close);
        }
    }

    /** Each finds the other from its second member, and goes there: quick ones would be apart for ever. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void twoWhoGoToEachOtherAtTheSameMomentDoSoTwiceAtMost(final int side) {
        try (BondPair pair = BondPair.onTwoNetworks(config -> config, false)) {
            final BondPair.Host one = side == 0 ? pair.left : pair.right;
            final BondPair.Host other = side == 0 ? pair.right : pair.left;
            one.ports[0].up(false);
            pair.runFor(500 * MS);
            final List<DatagramEnd> ends = List.of(new DatagramEnd(one.bond), new DatagramEnd(other.bond));
            one.ports[0].up(true);
            ends.forEach(DatagramEnd::fillReceives);
            try (AddressHandle there = ends.get(0).handleOf(Gid.of(pair.address(1 - side, 9)));
                    AddressHandle back = ends.get(1).handleOf(Gid.of(pair.address(side, 9)))) {
                assertThat(members(one, other, ends)).isEqualTo(List.of(1, 0));
                ends.get(0).send(there, ends.get(1).qp.qpNum());
                ends.get(1).send(back, ends.get(0).qp.qpNum());
                final List<List<Integer>> places = new ArrayList<>(List.of(members(one, other, ends)));
                pair.runUntil(
                        () -> {
                            ends.forEach(DatagramEnd::poll);
                            final List<Integer> now = members(one, other, ends);
                            if (!now.equals(places.getLast())) {
                                places.add(now);
                            }
                            return ends.stream().noneMatch(end -> end.numbers.isEmpty());
                        },
                        100 * MS);
                assertThat(places.getLast()).isIn(List.of(0, 0), List.of(1, 1));
                assertThat(places).hasSizeLessThan(8); // each went twice, and the later one once more
            }
            ends.forEach(DatagramEnd::close);
        }
    }

    private static void run(final BondPair pair, final List<DatagramEnd> ends, final long durationNs) {
        pair.runUntil(
                () -> {
                    ends.forEach(DatagramEnd::poll);
                    return false;
                },
                durationNs);
    }

    private static List<Integer> members(
            final BondPair.Host one, final BondPair.Host other, final List<DatagramEnd> ends) {
        return ends.stream()
                .map(end -> (end == ends.getLast() ? other : one).bond.admin().path(end.qp))
                .map(path -> path.charAt(path.length() - 1) - '0')
                .toList();
    }
}
