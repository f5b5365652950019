package io.vhca.harness.drill.attack.child;

import io.vhca.api.NativeMemory;
import io.vhca.api.WcOpcode;
import io.vhca.api.WcStatus;
import io.vhca.api.WorkCompletion;
import io.vhca.harness.drill.child.DrillEnd;
import io.vhca.harness.drill.protocol.ChildControl;
import io.vhca.harness.drill.protocol.DrillLine;
import io.vhca.harness.drill.protocol.DrillMessage;
import io.vhca.harness.drill.protocol.MessageSizes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Sends a file from its start to its end and again, as SENDs of mixed sizes with a window. Asked whether all arrived
 * it sends no more until the receiver's answer is there, and compares. One thread.
 */
final class FileSender implements AttackedChild.End {
    private static final long REPORT_NS = 20_000_000;

    private final ChildControl control;
    private final DrillEnd end;
    private final FileChannel file;
    private final long fileBytes;
    private final MessageSizes sizes;
    private final int most;
    private final MessageDigest digest;
    private final int[] lengths;
    private long posted;
    private long completed;
    private long offset;
    private long sentBytes;
    private long ackedBytes;
    private boolean isAsking;
    private long reportedNs;

    FileSender(final ChildControl control, final DrillEnd end, final Path path, final long seed, final int most)
            throws IOException, NoSuchAlgorithmException {
        this.control = control;
        this.end = end;
        this.most = most;
        file = FileChannel.open(path);
        fileBytes = file.size();
        sizes = new MessageSizes(seed, most);
        digest = MessageDigest.getInstance("SHA-256");
        lengths = new int[end.sendSlots()];
    }

    @Override
    public boolean work() throws IOException {
        final int count = end.poll();
        for (int i = 0; i < count; i++) {
            on(end.wc().at(i));
        }
        boolean any = count > 0;
        while (!isAsking && posted - completed < end.sendSlots()) {
            post();
            any = true;
        }
        final long nowNs = System.nanoTime();
        if (nowNs - reportedNs >= REPORT_NS) {
            reportedNs = nowNs;
            control.say(DrillLine.of("progress", "t", nowNs, "acked", ackedBytes));
        }
        return any;
    }

    private void post() throws IOException {
        final long address = end.sendSlot(posted);
        final int payload = sizes.next(Math.min(most, fileBytes - offset));
        final ByteBuffer buffer = NativeMemory.segment(address + DrillMessage.HEADER_BYTES, payload)
                .asByteBuffer();
        while (buffer.hasRemaining()) {
            if (file.read(buffer, offset + buffer.position()) < 0) {
                throw new IOException("the input shrank while it was sent");
            }
        }
        digest.update(buffer.flip());
        offset = (offset + payload) % fileBytes;
        sentBytes += payload;
        DrillMessage.write(address, DrillMessage.DATA, posted);
        send(payload);
    }

    private void send(final int payload) {
        lengths[(int) (posted % lengths.length)] = payload;
        end.postSend(posted, DrillMessage.HEADER_BYTES + payload);
        posted++;
    }

    /** It listens nowhere. */
    @Override
    public long refused() {
        return 0;
    }

    @Override
    public void on(final DrillLine command) {
        if (command.kind().equals("check")) {
            // Its slot is free once all that was sent before is completed.
            isAsking = true;
            askWhenEmpty();
        }
    }

    private void askWhenEmpty() {
        if (isAsking && posted == completed) {
            DrillMessage.write(end.sendSlot(posted), DrillMessage.END, posted);
            send(0);
        }
    }

    private void on(final WorkCompletion wc) {
        if (wc.status() != WcStatus.SUCCESS.code()) {
            throw new IllegalStateException(
                    "a request completed with " + wc.statusName() + ", " + control.why(wc.qpNum()));
        }
        if (wc.opcode() == WcOpcode.RECV.code()) {
            answered(DrillMessage.readLine(end.recvSlot(wc.wrId()), wc.byteLen()));
            end.postReceive(wc.wrId());
            return;
        }
        if (wc.wrId() - DrillEnd.SEND_BASE != completed) {
            throw new IllegalStateException("send " + completed + " was due, another completed");
        }
        final int payload = lengths[(int) (completed % lengths.length)];
        ackedBytes += payload;
        completed++;
        if (payload > 0) {
            askWhenEmpty();
        }
    }

    private void answered(final DrillLine verdict) {
        final String sha256 = HexFormat.of().formatHex(digest.digest());
        final boolean isExact = verdict.text("clean").equals("true")
                && verdict.number("bytes") == sentBytes
                && verdict.text("sha256").equals(sha256);
        control.say(DrillLine.of("checked", "exact", isExact, "sent", sentBytes, "arrived", verdict.number("bytes")));
        sentBytes = 0;
        isAsking = false;
    }
}
