package io.vhca.harness.drill.child;

import io.vhca.api.Context;
import io.vhca.api.Devices;
import io.vhca.api.NativeMemory;
import io.vhca.api.WcOpcode;
import io.vhca.api.WcStatus;
import io.vhca.api.WorkCompletion;
import io.vhca.harness.drill.protocol.ChildControl;
import io.vhca.harness.drill.protocol.DrillLine;
import io.vhca.harness.drill.protocol.DrillMessage;
import io.vhca.harness.drill.protocol.Idling;
import io.vhca.harness.drill.protocol.MessageSizes;
import io.vhca.harness.drill.protocol.SideTraffic;
import io.vhca.recovery.BondError;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The sending process: reads the file, sends it as SENDs of mixed sizes with a window, in bursts at the given rate, and
 * never beyond the limit that the controller set. One thread.
 */
final class DrillSender {
    private static final long REPORT_NS = 10_000_000;
    private static final long BURST_NS = 20_000_000;
    private static final long MOST_LATE_NS = 1_000_000_000;
    private static final int RECV_SLOTS = 4;

    private final ChildControl control;
    private final DrillEnd end;
    private final FileChannel file;
    private final SideJobs side;
    private long totalBytes;
    private final MessageSizes sizes;
    private final int window;
    private final long bytesPerSecond;
    private final MessageDigest digest;
    private final int[] lengths;

    private final OutageClock outage = new OutageClock();

    private long limitBytes;
    /** Report at once when so many bytes are acknowledged: the controller waits for it. */
    private long markBytes;
    /** The mark was met: send without pause until the controller answers, so that its cut meets a full window. */
    private boolean isHurried;
    private long readBytes;
    private long ackedBytes;
    private long posted;
    private long completed;
    private long flushed;
    private boolean ended;
    private boolean failed;
    private boolean done;
    /** What the receiver says of it all. */
    private @Nullable DrillLine verdict;

    private long burstAtNs;
    private long burstBytes;

    private DrillSender(
            final ChildControl control, final DrillEnd end, final FileChannel file, final DrillTraffic traffic,
            final SideJobs side)
            throws IOException, NoSuchAlgorithmException {
        this.control = control;
        this.end = end;
        this.file = file;
        this.side = side;
        totalBytes = file.size();
        window = traffic.window();
        bytesPerSecond = traffic.bytesPerSecond();
        sizes = new MessageSizes(traffic.seed(), traffic.maxPayloadBytes());
        digest = MessageDigest.getInstance("SHA-256");
        lengths = new int[window];
    }

    static void run(final String device, final DrillTraffic traffic, final Path input)
            throws IOException, NoSuchAlgorithmException {
        try (Context context = Devices.open(device);
                FileChannel file = FileChannel.open(input)) {
            final ChildControl control = new ChildControl(context);
            control.start();
            control.say(DrillLine.of("ready", "bytes", file.size()));
            final DrillLine go = awaitGo(control);
            final DrillEnd end = DrillEnd.connect(
                    context,
                    new InetSocketAddress(go.text("host"), (int) go.number("port")),
                    traffic.window(),
                    RECV_SLOTS,
                    traffic.slotBytes());
            final SideJobs side = new SideJobs();
            for (final SideTraffic kind : traffic.side()) {
                side.connect(context, kind, awaitGo(control), traffic.seed());
            }
            side.start();
            control.say(DrillLine.of("connected", "qp", end.qpNum(), "path", end.path()));
            final DrillSender sender = new DrillSender(control, end, file, traffic, side);
            sender.limitBytes = go.number("bytes");
            sender.markBytes = go.number("mark");
            sender.loop();
        }
    }

    private static DrillLine awaitGo(final ChildControl control) {
        DrillLine line = control.command();
        for (int idle = 1; line == null || !line.kind().equals("go"); idle++) {
            Idling.pause(idle);
            line = control.command();
        }
        return line;
    }

    private void loop() throws IOException {
        long reportNs = System.nanoTime();
        burstAtNs = reportNs;
        for (int idle = 0; ; ) {
            final int count = end.poll();
            for (int i = 0; i < count; i++) {
                on(end.wc().at(i));
            }
            final long nowNs = System.nanoTime();
            final boolean sent = !failed && !ended && post(nowNs);
            idle = count == 0 && !sent ? idle + 1 : 0;
            Idling.pause(idle);
            if (nowNs - reportNs >= REPORT_NS || ackedBytes >= markBytes) {
                reportNs = nowNs;
                if (ackedBytes >= markBytes) {
                    markBytes = Long.MAX_VALUE;
                    isHurried = true;
                }
                report(nowNs);
                commands();
            }
        }
    }

    private void commands() {
        for (DrillLine line = control.command(); line != null; line = control.command()) {
            if (line.kind().equals("limit")) {
                limitBytes = line.number("bytes");
                markBytes = line.number("mark");
                isHurried = false;
            } else if (line.kind().equals("end")) {
                // As if the file ended here.
                totalBytes = readBytes;
                limitBytes = Long.MAX_VALUE;
                markBytes = Long.MAX_VALUE;
                isHurried = false;
            } else if (line.kind().equals("quit")) {
                Runtime.getRuntime().halt(0);
            }
        }
    }

    private void report(final long nowNs) {
        control.sayFailovers(end.qpNum());
        if (!done) {
            control.say(DrillLine.of(
                    "progress", "t", nowNs, "acked", ackedBytes, "messages", completed, "open", posted - completed));
        }
    }

    /** Posts while window, limit and rate allow; true when it posted anything. */
    private boolean post(final long nowNs) throws IOException {
        if (bytesPerSecond > 0 && nowNs - burstAtNs >= BURST_NS) {
            // What a message took more than its burst had is paid by the next ones; a late burst is a larger one.
            final long lateNs = Math.min(nowNs - burstAtNs, MOST_LATE_NS);
            burstAtNs = nowNs;
            final long budget = Math.max(1, bytesPerSecond * lateNs / 1_000_000_000L);
            burstBytes = Math.min(budget, burstBytes + budget);
        }
        boolean any = false;
        while (posted - completed < window && mayPost()) {
            final long address = end.sendSlot(posted);
            if (readBytes == totalBytes) {
                DrillMessage.write(address, DrillMessage.END, posted);
                send(0);
                ended = true;
                return true;
            }
            final int payload = sizes.next(totalBytes - readBytes);
            fill(address + DrillMessage.HEADER_BYTES, payload);
            DrillMessage.write(address, DrillMessage.DATA, posted);
            readBytes += payload;
            burstBytes -= payload;
            send(payload);
            any = true;
        }
        return any;
    }

    private boolean mayPost() {
        if (readBytes == totalBytes) {
            return limitBytes >= totalBytes;
        }
        return readBytes < limitBytes && (bytesPerSecond == 0 || burstBytes > 0 || isHurried);
    }

    private void send(final int payload) {
        lengths[(int) (posted % window)] = payload;
        end.postSend(posted, DrillMessage.HEADER_BYTES + payload);
        posted++;
        outage.begin(System.nanoTime());
    }

    private void fill(final long address, final int lengthBytes) throws IOException {
        final ByteBuffer buffer = NativeMemory.segment(address, lengthBytes).asByteBuffer();
        while (buffer.hasRemaining()) {
            if (file.read(buffer, readBytes + buffer.position()) < 0) {
                throw new IOException("the input shrank while it was sent");
            }
        }
        digest.update(buffer.flip());
    }

    private void on(final WorkCompletion wc) {
        if (wc.status() != WcStatus.SUCCESS.code()) {
            fail(wc);
        } else if (wc.opcode() == WcOpcode.RECV.code()) {
            verdict = DrillMessage.readLine(end.recvSlot(wc.wrId()), wc.byteLen());
        } else {
            if (wc.wrId() - DrillEnd.SEND_BASE != completed) {
                throw new IllegalStateException(
                        "send " + completed + " was due, " + (wc.wrId() - DrillEnd.SEND_BASE) + " completed");
            }
            ackedBytes += lengths[(int) (completed % window)];
            completed++;
            outage.progress(System.nanoTime(), completed < posted);
        }
        // The answer may come before the acknowledgement of what it answers; every send completes all the same.
        if (verdict != null && completed == posted && !done) {
            conclude(verdict);
        }
    }

    /** The connection is lost for good: the first failure names why, the rest are flushed. */
    private void fail(final WorkCompletion wc) {
        final boolean isSend = wc.wrId() >= DrillEnd.SEND_BASE;
        if (!failed) {
            failed = true;
            final BondError error = BondError.fromVendorErr(wc.vendorErr());
            control.say(DrillLine.of(
                    "failed",
                    "t", System.nanoTime(),
                    "status", wc.statusName(),
                    "error", error == null ? "" : error,
                    "meaning", error == null ? "" : error.meaning(),
                    "wr", wc.wrId() - DrillEnd.SEND_BASE,
                    "due", completed,
                    "why", control.why(end.qpNum())));
        }
        if (isSend) {
            completed++;
            flushed++;
        }
        if (completed == posted && !done) {
            done = true;
            control.say(DrillLine.of("flushed", "t", System.nanoTime(), "count", flushed, "posted", posted));
        }
    }

    private void conclude(final DrillLine line) {
        control.sayFailovers(end.qpNum());
        control.say(DrillLine.of(
                "progress", "t", System.nanoTime(), "acked", ackedBytes, "messages", completed, "open", 0));
        control.say(line);
        done = true;
        final String beside = side.finish();
        control.say(DrillLine.of(
                "sent",
                "messages", posted - 1,
                "bytes", readBytes,
                "side", beside,
                "connectionsMs",
                Math.max(TimeUnit.NANOSECONDS.toMillis(outage.longestNs()), side.longestOutageMs(false)),
                "datagramsMs", side.longestOutageMs(true),
                "sha256", HexFormat.of().formatHex(digest.digest())));
    }
}
