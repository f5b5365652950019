package io.vhca.harness.drill.attack.child;

import io.vhca.api.NativeMemory;
import io.vhca.api.WcOpcode;
import io.vhca.api.WorkCompletion;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmEventType;
import io.vhca.harness.drill.child.ArrivalCheck;
import io.vhca.harness.drill.child.DrillEnd;
import io.vhca.harness.drill.protocol.ChildControl;
import io.vhca.harness.drill.protocol.DrillLine;
import io.vhca.harness.drill.protocol.DrillMessage;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Checks every sequence number, digests every byte, and answers with what came since it was last asked. Refuses whoever
 * else connects. One thread.
 */
final class FileReceiver implements AttackedChild.End {
    private final ChildControl control;
    private final CmEventChannel channel;
    private final DrillEnd end;
    private final ArrivalCheck arrivals = new ArrivalCheck();
    private final MessageDigest digest;
    private long bytes;
    private long foreign;
    private long answers;
    private long refused;

    FileReceiver(final ChildControl control, final CmEventChannel channel, final DrillEnd end)
            throws NoSuchAlgorithmException {
        this.control = control;
        this.channel = channel;
        this.end = end;
        digest = MessageDigest.getInstance("SHA-256");
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
        if (wc.opcode() != WcOpcode.RECV.code()) {
            return;
        }
        final long address = end.recvSlot(wc.wrId());
        switch (DrillMessage.kind(address, wc.byteLen())) {
            case DrillMessage.DATA -> {
                final int payload = wc.byteLen() - DrillMessage.HEADER_BYTES;
                arrivals.on(DrillMessage.sequence(address));
                digest.update(NativeMemory.segment(address + DrillMessage.HEADER_BYTES, payload)
                        .asByteBuffer());
                bytes += payload;
            }
            case DrillMessage.END -> answer(DrillMessage.sequence(address));
            default -> foreign++;
        }
        end.postReceive(wc.wrId());
    }

    private void answer(final long sequence) {
        arrivals.on(sequence);
        final DrillLine verdict = DrillLine.of(
                "verdict",
                "clean", arrivals.isClean() && foreign == 0,
                "bytes", bytes,
                "sha256", HexFormat.of().formatHex(digest.digest()));
        bytes = 0;
        end.postSend(answers, DrillMessage.writeLine(end.sendSlot(answers), verdict));
        answers++;
    }
}
