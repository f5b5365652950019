package io.vhca.bond;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.RecvWorkRequest;
import io.vhca.api.SharedReceiveQueue;
import io.vhca.api.SrqAttributes;
import io.vhca.bond.core.Inspected;
import io.vhca.bond.core.Inspection;
import io.vhca.bond.fake.AppEnd;
import io.vhca.bond.fake.DatagramEnd;
import io.vhca.bond.fake.TwoBonds;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a bond says of queue pairs for datagrams, and of queues that several queue pairs share. */
class BondInspectorTest {
    private final TwoBonds bonds = new TwoBonds();
    private final Lines lines = new Lines();

    /** A line a fact, behind the title of its section. */
    private static final class Lines implements Inspection {
        private final List<String> found = new ArrayList<>();
        private String title = "";

        @Override
        public void section(final String next) {
            title = next;
        }

        @Override
        public void value(final String name, final Object value) {
            found.add(title + ": " + name + " = " + value);
        }
    }

    @AfterEach
    void close() {
        bonds.close();
    }

    private List<String> inspected(final int qpNum) {
        lines.found.clear();
        bonds.b.context().admin().inspect(qpNum, lines);
        return lines.found;
    }

    @Test
    void aQueuePairForDatagramsIsShownWithItsHardwareAndWhomItSendsTo() {
        final DatagramEnd one = bonds.closing(new DatagramEnd(bonds.a));
        final DatagramEnd two = bonds.closing(new DatagramEnd(bonds.b));
        one.receives(1);
        assertThat(two.send(7, "text", two.to("10.1.0.1"), one.qp().qpNum())).isEqualTo(1);
        bonds.settle();
        assertThat(inspected(two.qp().qpNum()))
                .contains("queue pair: type = UD", "queue pair: lives on = b0",
                        "send queue: producer = 1", "memory: markers = whole", "hardware: state = RTS")
                .anyMatch(line -> line.matches("queue pair: destination 0 = 0x1 by handle 0x\\w+, READY at"
                        + " 10\\.1\\.0\\.1, physical qpn 0x\\w+"));
        lines.found.clear();
        bonds.b.context().admin().inspectHardware(two.qp().qpNum(), lines);
        assertThat(lines.found).contains("hardware: state = RTS").hasSize(4);
    }

    /** What waits in a member's queue is counted, and what the bond keeps is when its member's is drained. */
    @Test
    void aCompletionQueueSaysHowFullItIs() {
        final TwoBonds.Connection connection = bonds.connect();
        final AppEnd sender = connection.passive();
        final Inspected cq =
                bonds.b.context().admin().queuesOf(sender.qp().qpNum()).getFirst();
        assertThat(bonds.b.context().admin().queues()).contains(cq);
        connection.active().receives(2);
        sender.send(1, "one");
        sender.send(2, "two");
        bonds.settle();
        assertThat(inspected(sender.qp().qpNum()))
                .contains(cq.inspectedName() + ": owed = 0")
                .anyMatch(line -> line.matches(cq.inspectedName() + ": at b0 = 2 of \\d+, \\d+ queues"));
        bonds.b.device(0).port(false);
        bonds.settle();
        assertThat(inspected(sender.qp().qpNum())).contains(cq.inspectedName() + ": owed = 2");
        assertThat(sender.cq().pending()).isEqualTo(2);
        sender.polled();
        assertThat(sender.cq().pending()).isZero();
    }

    @Test
    void aSharedReceiveQueueSaysWhereItsReceivesAre() {
        try (Arena arena = Arena.ofConfined()) {
            final SharedReceiveQueue srq = bonds.closing(bonds.b.pd().createSrq(new SrqAttributes(8, 1, 0)));
            final AppEnd buffers = bonds.closing(new AppEnd(bonds.b));
            final RecvWorkRequest wr = RecvWorkRequest.allocate(arena, 1);
            for (int i = 0; i < 3; i++) {
                assertThat(srq.postRecv(wr.wrId(i).sge(buffers.into(i), 64, buffers.region().lkey()))).isEqualTo(1);
            }
            final Inspected found = bonds.b.context().admin().queues().stream()
                    .filter(queue -> queue.inspectedName().equals("srq:0x1"))
                    .findFirst()
                    .orElseThrow();
            final TwoBonds.Connection connection = bonds.connect(srq);
            assertThat(bonds.b.context().admin().queuesOf(connection.passive().qp().qpNum())).contains(found);
            assertThat(inspected(connection.passive().qp().qpNum()))
                    .contains("srq:0x1: capacity = 8", "srq:0x1: posted = 3", "srq:0x1: waits = 0",
                            "srq:0x1: at b0 = 3 receives, 1 queue pairs");
        }
    }
}
