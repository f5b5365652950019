package io.vhca.bond.datagram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.vhca.api.Errno;
import io.vhca.api.QueuePair;
import io.vhca.api.VerbsException;
import io.vhca.bond.queue.FakeQueuePair;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Against a device that counts its numbers up from 1, and has room for so many. */
class DatagramNumbersTest {
    private static final InetAddress HERE = InetAddress.ofLiteral("10.0.0.1");
    private static final InetAddress THERE = InetAddress.ofLiteral("10.0.1.1");

    private final DatagramNumbers numbers = new DatagramNumbers();
    private final List<FakeQueuePair> made = new ArrayList<>();
    private int nextNumber = 1;
    private int room = Integer.MAX_VALUE;

    private QueuePair device() {
        if (room-- <= 0) {
            throw new VerbsException("createQp", Errno.ENOMEM, "soft0", "no more queue pairs");
        }
        final FakeQueuePair one = new FakeQueuePair();
        one.qpNum = nextNumber++;
        made.add(one);
        return one;
    }

    private int create(final InetAddress member, final int vQpNum) {
        return numbers.create(member, vQpNum, this::device, QueuePair::close).qpNum();
    }

    private List<Integer> open() {
        return made.stream().filter(one -> !one.isClosed).map(FakeQueuePair::qpNum).toList();
    }

    @Test
    void afterARestartEachTakesItsOwnNumberOrOneThatNobodyHad() {
        assertThat(create(HERE, 100)).isEqualTo(1);
        assertThat(create(HERE, 101)).isEqualTo(2);
        nextNumber = 1;
        made.clear();
        assertThat(create(HERE, 101)).isEqualTo(2);
        assertThat(create(HERE, 102)).isEqualTo(3);
        assertThat(open()).containsExactly(2, 3);
        assertThat(create(THERE, 103)).as("another device, another number").isEqualTo(4);
        nextNumber = 1;
        assertThat(create(THERE, 103)).isEqualTo(1);
    }

    @Test
    void deviceWithoutRoomGivesTheNumberOfAnother() {
        create(HERE, 100);
        create(HERE, 101);
        nextNumber = 1;
        made.clear();
        room = 2;
        assertThat(create(HERE, 102)).isEqualTo(2);
        assertThat(open()).containsExactly(2);
        room = 0;
        assertThatExceptionOfType(VerbsException.class)
                .isThrownBy(() -> create(HERE, 103))
                .matches(e -> e.errno() == Errno.ENOMEM);
    }

    @Test
    void searchEndsAndWhatIsLongAgoIsForgotten() {
        for (int i = 0; i < DatagramNumbers.MOST; i++) {
            create(HERE, i);
        }
        nextNumber = 1;
        made.clear();
        assertThat(create(HERE, -1)).isEqualTo(DatagramNumbers.MOST_TRIES + 1);
        assertThat(open()).containsExactly(DatagramNumbers.MOST_TRIES + 1);
        nextNumber = DatagramNumbers.MOST + 1;
        create(HERE, -1);
        nextNumber = 1;
        assertThat(create(HERE, -2)).as("the eldest").isEqualTo(1);
    }
}
