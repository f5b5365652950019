package io.vhca.harness.bond;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.AddressHandle;
import io.vhca.api.Errno;
import io.vhca.api.Gid;
import io.vhca.api.WcStatus;
import java.util.HashSet;
import java.util.List;
import java.util.stream.LongStream;

/** Two bonds with a UD queue pair each, who send to each other. */
final class DatagramExchange implements AutoCloseable {
    static final long STEP_NS = BondPair.MS;

    final BondPair pair;
    final DatagramEnd left;
    final DatagramEnd right;
    final AddressHandle toRight;
    final AddressHandle toLeft;

    DatagramExchange(final BondPair pair) {
        this.pair = pair;
        left = new DatagramEnd(pair.left.bond);
        right = new DatagramEnd(pair.right.bond);
        toRight = left.handleOf(Gid.of(pair.address(1, 9)));
        toLeft = right.handleOf(Gid.of(pair.address(0, 9)));
        left.fillReceives();
        right.fillReceives();
    }

    /** The members that the queue pairs live on. */
    List<String> places() {
        return List.of(
                pair.left.bond.admin().path(left.qp), pair.right.bond.admin().path(right.qp));
    }

    void run(final long durationNs) {
        pair.runUntil(
                () -> {
                    left.poll();
                    right.poll();
                    return false;
                },
                durationNs);
    }

    /** A datagram each way every millisecond. */
    void exchange(final int steps) {
        for (int i = 0; i < steps; i++) {
            assertThat(left.send(toRight, right.qp.qpNum())).isIn(1, -Errno.ENOMEM);
            assertThat(right.send(toLeft, left.qp.qpNum())).isIn(1, -Errno.ENOMEM);
            run(STEP_NS);
        }
    }

    /** Twenty each way, of which none is lost; they are there within that time. */
    void exchangeWithoutLoss(final long waitNs) {
        final long fromLeft = left.posted();
        final long fromRight = right.posted();
        exchange(20);
        run(waitNs);
        check();
        assertThat(right.numbers).containsAll(LongStream.range(fromLeft, fromLeft + 20).boxed().toList());
        assertThat(left.numbers).containsAll(LongStream.range(fromRight, fromRight + 20).boxed().toList());
    }

    /** Every send completed once, in order and with success; every receive at most once, in order. */
    void check() {
        check(left, right);
        check(right, left);
    }

    private static void check(final DatagramEnd from, final DatagramEnd to) {
        assertThat(from.sent).isEqualTo(LongStream.range(0, from.posted()).boxed().toList());
        assertThat(from.sendStatus).containsOnly(WcStatus.SUCCESS);
        assertThat(to.receiveStatus).containsOnly(WcStatus.SUCCESS);
        assertThat(to.receives).isEqualTo(LongStream.range(0, to.receives.size()).boxed().toList());
        assertThat(to.numbers).isSorted().hasSameSizeAs(new HashSet<>(to.numbers));
        assertThat(to.sources).containsOnly(from.qp.qpNum());
    }

    @Override
    public void close() {
        toRight.close();
        toLeft.close();
        left.close();
        right.close();
        pair.close();
    }
}
