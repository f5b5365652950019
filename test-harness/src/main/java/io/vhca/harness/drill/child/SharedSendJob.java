package io.vhca.harness.drill.child;

import io.vhca.api.WcOpcode;
import io.vhca.api.WorkCompletion;
import io.vhca.harness.drill.protocol.DrillLine;
import io.vhca.harness.drill.protocol.DrillMessage;
import io.vhca.harness.drill.protocol.QpGroup;
import java.util.ArrayList;
import java.util.List;

/**
 * Numbered messages over each of several queue pairs, all of which the peer receives from one shared queue; at the end
 * of each an END with their number. The peer answers with what it saw.
 */
final class SharedSendJob extends SideJob {
    /** Messages in flight, each queue pair. */
    static final int WINDOW = 8;

    static final int SLOT_BYTES = 1 << 10;

    private final QpGroup qps;
    private final long[] posted;
    private final boolean[] ended;
    private final long[] completed;
    private final List<OutageClock> outages = new ArrayList<>();

    /** A job over connected queue pairs; closes nothing. */
    SharedSendJob(final QpGroup qps) {
        this.qps = qps;
        posted = new long[qps.size()];
        completed = new long[qps.size()];
        ended = new boolean[qps.size()];
        for (int i = 0; i < qps.size(); i++) {
            outages.add(new OutageClock());
        }
        qps.receive(0, 0, answer(), SLOT_BYTES);
    }

    /** What the region of the group must hold, at either end. */
    static long regionBytes(final int count) {
        return (count * WINDOW + 1L) * SLOT_BYTES;
    }

    private long slot(final int qp, final long number) {
        return qps.address() + (qp * WINDOW + number % WINDOW) * SLOT_BYTES;
    }

    private long answer() {
        return qps.address() + (long) posted.length * WINDOW * SLOT_BYTES;
    }

    @Override
    boolean doWork() {
        final int count = qps.poll();
        for (int i = 0; i < count; i++) {
            on(qps.at(i));
        }
        boolean any = count > 0;
        for (int qp = 0; qp < posted.length; qp++) {
            while (posted[qp] - completed[qp] < WINDOW && !ended[qp]) {
                // Read once: it may be set meanwhile.
                ended[qp] = isStopping();
                send(qp, ended[qp] ? DrillMessage.END : DrillMessage.DATA);
                any = true;
            }
        }
        return any;
    }

    private void send(final int qp, final int kind) {
        final long number = posted[qp]++;
        outages.get(qp).begin(System.nanoTime());
        final long address = slot(qp, number);
        DrillMessage.write(address, kind, number);
        // All sizes in turn, so that a message in the wrong slot shows.
        qps.send(qp, number, address, lengthBytes(number));
    }

    /** How long the message of a number is. */
    static int lengthBytes(final long number) {
        return DrillMessage.HEADER_BYTES + (int) (number * 37 % (SLOT_BYTES - DrillMessage.HEADER_BYTES));
    }

    @Override
    long longestOutageNs() {
        return outages.stream().mapToLong(OutageClock::longestNs).max().orElse(0);
    }

    private void on(final WorkCompletion wc) {
        if (wc.opcode() == WcOpcode.RECV.code()) {
            final DrillLine saw = DrillMessage.readLine(answer(), wc.byteLen());
            final boolean isGood = saw.number("lost") == 0 && saw.number("doubled") == 0;
            finish((isGood ? "" : WRONG) + "srq: " + saw.text("messages") + " messages over " + posted.length
                    + " queue pairs from one shared queue, " + saw.text("lost") + " lost, " + saw.text("doubled")
                    + " doubled");
        } else {
            final int qp = QpGroup.qpOf(wc.wrId());
            completed[qp]++;
            outages.get(qp).progress(System.nanoTime(), completed[qp] < posted[qp]);
        }
    }
}
