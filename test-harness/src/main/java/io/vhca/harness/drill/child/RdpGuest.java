package io.vhca.harness.drill.child;

import io.vhca.harness.drill.protocol.ChildFailure;
import io.vhca.harness.drill.protocol.DrillLine;
import io.vhca.harness.drill.protocol.Idling;
import io.vhca.harness.drill.protocol.JvmCommand;
import io.vhca.rdp.shared.SharedDriver;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * A second process that has sockets of the driver of a drill's process: {@code DEVICE FIRST_PORT SLOW_PORT [PEER]}.
 * With a peer it sends, else it sends back. It ends with the process that started it. This class is both sides: an
 * object of it is that process as the other sees it.
 */
public final class RdpGuest {
    private static final List<String> OPTIONS = List.of("-Xmx256m", "-XX:+UseSerialGC");

    private final Process process;
    private final Writer input;
    private final CountDownLatch attached = new CountDownLatch(1);
    /** What it said last; null before that. */
    private volatile @Nullable DrillLine verdict;

    private RdpGuest(final Process process) {
        this.process = process;
        input = new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8);
    }

    /** Starts one, and returns when it has its sockets. */
    static RdpGuest start(
            final String device, final String socketDirectory, final int firstPort, final int slowPort,
            final @Nullable InetAddress peer) {
        final List<String> args =
                new ArrayList<>(List.of(device, String.valueOf(firstPort), String.valueOf(slowPort)));
        if (peer != null) {
            args.add(peer.getHostAddress());
        }
        try {
            final RdpGuest guest = new RdpGuest(new ProcessBuilder(JvmCommand.of(
                            OPTIONS, List.of("vhca.rdp.socket.dir=" + socketDirectory), RdpGuest.class.getName(), args))
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start());
            ChildFailure.thread(
                    "drill-guest", () -> DrillLine.readAll(guest.process.getInputStream(), guest::on, noise -> {}));
            guest.attached.await();
            return guest;
        } catch (final IOException | InterruptedException e) {
            throw new IllegalStateException("the second process of the drill did not start: " + e.getMessage(), e);
        }
    }

    private void on(final DrillLine line) {
        switch (line.kind()) {
            case "attached" -> attached.countDown();
            case "verdict" -> verdict = line;
            case "died" -> throw new IllegalStateException("the second process: " + line.text("why"));
            default -> { } // of no interest here
        }
    }

    /** Begins nothing new; {@link #verdict} follows. */
    void stop() {
        try {
            input.write(DrillLine.of("stop").encode() + "\n");
            input.flush();
        } catch (final IOException e) {
            throw new IllegalStateException("the second process has ended: " + e.getMessage(), e);
        }
    }

    /** What came of it; null before that. */
    @Nullable DrillLine verdict() {
        return verdict;
    }

    // ---- in that process --------------------------------------------------------------------------------------------

    private static volatile boolean isStopping;

    public static void main(final String[] args) {
        ChildFailure.guard(() -> run(args));
    }

    private static void run(final String[] args) throws IOException {
        ChildFailure.obey(line -> isStopping |= line.kind().equals("stop"));
        final int firstPort = Integer.parseInt(args[1]);
        final int slowPort = Integer.parseInt(args[2]);
        final SharedDriver driver = SharedDriver.attach(args[0]);
        if (args.length > 3) {
            talk(new RdpSender(driver, InetAddress.getByName(args[3]), firstPort, slowPort));
        } else {
            echo(new RdpEchoes(driver, firstPort, slowPort));
        }
    }

    private static void talk(final RdpSender sender) {
        DrillLine.of("attached").say();
        boolean isSaid = false;
        for (int idle = 0; ; ) {
            idle = sender.doWork(isStopping) ? 0 : idle + 1;
            if (isStopping && !isSaid && sender.isComplete()) {
                isSaid = true;
                DrillLine.of(
                        "verdict",
                        "wrong", sender.wrong(),
                        "datagrams", sender.datagrams(),
                        "waits", sender.waits(),
                        "outageNs", sender.longestOutageNs()).say();
            }
            Idling.pause(idle);
        }
    }

    private static void echo(final RdpEchoes echoes) {
        DrillLine.of("attached").say();
        for (int idle = 0; ; ) {
            idle = echoes.doWork() ? 0 : idle + 1;
            Idling.pause(idle);
        }
    }
}
