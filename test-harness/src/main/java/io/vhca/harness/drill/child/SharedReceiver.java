package io.vhca.harness.drill.child;

import io.vhca.api.WcOpcode;
import io.vhca.api.WorkCompletion;
import io.vhca.harness.drill.protocol.DrillLine;
import io.vhca.harness.drill.protocol.DrillMessage;
import io.vhca.harness.drill.protocol.QpGroup;
import java.util.stream.Stream;

/** The other end of {@link SharedSendJob}: one shared receive queue, each queue pair's numbers checked. One thread. */
final class SharedReceiver {
    private final QpGroup qps;
    private final ArrivalCheck[] arrivals;
    private int ended;

    /** Posts the receives; the group has its queue pairs. */
    SharedReceiver(final QpGroup qps) {
        this.qps = qps;
        arrivals = Stream.generate(ArrivalCheck::new).limit(qps.size()).toArray(ArrivalCheck[]::new);
    }

    /** Fills the shared queue; before the first connection is accepted. */
    static void fill(final QpGroup qps, final int slots) {
        for (int slot = 0; slot < slots; slot++) {
            receive(qps, slot);
        }
    }

    private static void receive(final QpGroup qps, final long slot) {
        qps.receive(0, slot, qps.address() + slot * SharedSendJob.SLOT_BYTES, SharedSendJob.SLOT_BYTES);
    }

    /** One round; true when anything came. */
    boolean doWork() {
        final int count = qps.poll();
        for (int i = 0; i < count; i++) {
            final WorkCompletion wc = qps.at(i);
            if (wc.opcode() == WcOpcode.RECV.code()) {
                on(wc);
            }
        }
        return count > 0;
    }

    private void on(final WorkCompletion wc) {
        final long address = qps.address() + wc.wrId() * SharedSendJob.SLOT_BYTES;
        final long number = DrillMessage.sequence(address);
        final ArrivalCheck check = arrivals[qps.indexOf(wc.qpNum())];
        final int kind = DrillMessage.kind(address, wc.byteLen());
        if (wc.byteLen() != SharedSendJob.lengthBytes(number)) {
            throw new IllegalStateException("message " + number + " came with " + wc.byteLen() + " bytes instead of "
                    + SharedSendJob.lengthBytes(number));
        }
        if (kind == DrillMessage.DATA) {
            check.on(number);
        } else if (kind == DrillMessage.END) {
            check.end(number);
            ended++;
        } else {
            throw new IllegalStateException("something came that is no message of the drill");
        }
        receive(qps, wc.wrId());
        if (kind == DrillMessage.END && ended == arrivals.length) {
            answer();
        }
    }

    private void answer() {
        long messages = 0;
        long lost = 0;
        long doubled = 0;
        for (final ArrivalCheck check : arrivals) {
            messages += check.arrived();
            lost += check.lost();
            doubled += check.doubled();
        }
        final long address = qps.address() + (long) arrivals.length * SharedSendJob.WINDOW * SharedSendJob.SLOT_BYTES;
        final int length = DrillMessage.writeLine(
                address, DrillLine.of("saw", "messages", messages, "lost", lost, "doubled", doubled));
        qps.send(0, 0, address, length);
    }
}
