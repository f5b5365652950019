package io.vhca.harness.drill.attack.child;

import io.vhca.api.WorkCompletion;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmEventType;
import io.vhca.harness.drill.child.DrillEnd;
import io.vhca.harness.drill.child.ReceivedFile;
import io.vhca.harness.drill.protocol.ChildControl;
import io.vhca.harness.drill.protocol.DrillLine;
import io.vhca.harness.drill.protocol.DrillMessage;
import java.security.NoSuchAlgorithmException;

/**
 * Checks every sequence number, digests every byte, and answers with what came since it was last asked. Refuses whoever
 * else connects. One thread.
 */
final class FileReceiver implements AttackedChild.End {
    private final ChildControl control;
    private final CmEventChannel channel;
    private final DrillEnd end;
    private final ReceivedFile file = new ReceivedFile();
    private long answers;
    private long refused;

    FileReceiver(final ChildControl control, final CmEventChannel channel, final DrillEnd end)
            throws NoSuchAlgorithmException {
        this.control = control;
        this.channel = channel;
        this.end = end;
    }

    @Override
    public boolean work() {
        final int count = end.poll();
        for (int i = 0; i < count; i++) {
            on(end.wc().at(i));
        }
        return refuse() || count > 0;
    }

    /** Who else connects is refused, as a server does with somebody whom it does not know; false for nobody. */
    private boolean refuse() {
        final CmEvent event = channel.getEvent(0);
        if (event == null) {
            return false;
        }
        event.ack();
        if (event.type() == CmEventType.CONNECT_REQUEST) {
            event.id().reject(new byte[0]);
            event.id().close();
            refused++;
        }
        return true;
    }

    @Override
    public long refused() {
        return refused;
    }

    @Override
    public void on(final DrillLine command) {
        throw new IllegalArgumentException("the receiver has no command " + command.kind());
    }

    private void on(final WorkCompletion wc) {
        if (wc.status() != 0) {
            throw new IllegalStateException(
                    "a request completed with " + wc.statusName() + ", " + control.why(wc.qpNum()));
        }
        final long sequence = file.on(end, wc);
        if (sequence != ReceivedFile.GOES_ON) {
            answer(sequence);
        }
    }

    private void answer(final long sequence) {
        file.arrivals().on(sequence);
        final DrillLine verdict = DrillLine.of(
                "verdict",
                "clean", file.arrivals().isClean() && file.foreign() == 0,
                "bytes", file.bytes(),
                "sha256", file.digestAndRestart());
        end.postSend(answers, DrillMessage.writeLine(end.sendSlot(answers), verdict));
        answers++;
    }
}
