package io.vhca.harness.drill.fabric;

import io.vhca.harness.drill.protocol.DrillPeer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Two network namespaces joined by two veth pairs; a cut is {@code ip link set down}.
 *
 * <pre>
 *   namespace vhca-PID-s                       namespace vhca-PID-r
 *     soft0 10.77.0.1  vs0 ---------------- vr0  10.77.0.2 soft0
 *     soft1 10.77.1.1  vs1 ---------------- vr1  10.77.1.2 soft1
 * </pre>
 *
 * The interfaces are born inside the namespaces, so their names collide with nothing; removing the namespaces removes
 * them.
 */
public final class NetnsFabric implements Fabric {
    private static final int LINKS = 2;
    /** Room for a RoCE payload of 4096 bytes. */
    static final int MTU = 4200;

    /*
     * The two ends of a pair must not have the same interface index: the kernel takes such an interface for one
     * without a lower device and may hold back the news of its carrier for up to a second (net/core/link_watch.c).
     */
    private static final int SENDER_INDEX = 10;
    private static final int RECEIVER_INDEX = 20;

    private static final long COMMAND_SECONDS = 20;
    static final String PREFIX = "vhca-";

    private final String sender = PREFIX + ProcessHandle.current().pid() + "-s";
    private final String receiver = PREFIX + ProcessHandle.current().pid() + "-r";
    private boolean made;

    @Override
    public synchronized void setUp() throws IOException, InterruptedException {
        removeStale();
        made = true;
        ip("netns", "add", sender);
        ip("netns", "add", receiver);
        for (int link = 0; link < LINKS; link++) {
            final String peer = "vr" + link;
            final String at = String.valueOf(SENDER_INDEX + link);
            final String peerAt = String.valueOf(RECEIVER_INDEX + link);
            ip("-n", sender, "link", "add", "vs" + link, "index", at, "type", "veth",
                    "peer", "name", peer, "index", peerAt, "netns", receiver);
            side(sender, "vs" + link, "10.77." + link + ".1/24");
            side(receiver, "vr" + link, "10.77." + link + ".2/24");
        }
        ip("-n", sender, "link", "set", "lo", "up");
        ip("-n", receiver, "link", "set", "lo", "up");
    }

    private static void side(final String namespace, final String link, final String address)
            throws IOException, InterruptedException {
        ip("-n", namespace, "addr", "add", address, "dev", link);
        ip("-n", namespace, "link", "set", link, "mtu", String.valueOf(MTU), "up");
    }

    /** Namespaces of drills whose controller was killed before it could remove them. */
    static void removeStale() throws IOException, InterruptedException {
        for (final String line : ip("netns", "list").split("\n")) {
            final String name = line.split(" ", -1)[0];
            final String[] parts = name.split("-", -1);
            if (name.startsWith(PREFIX)
                    && parts.length == 3
                    && parts[1].matches("[0-9]+")
                    && ProcessHandle.of(Long.parseLong(parts[1])).isEmpty()) {
                ip("netns", "del", name);
            }
        }
    }

    @Override
    public List<String> members(final boolean ofReceiver) {
        return List.of("soft0", "soft1");
    }

    @Override
    public String devices(final boolean ofReceiver) {
        final String host = ofReceiver ? ".2" : ".1";
        return "soft0=10.77.0" + host + ",soft1=10.77.1" + host;
    }

    @Override
    public DrillPeer start(
            final boolean ofReceiver,
            final List<String> properties,
            final List<String> args,
            final BlockingQueue<ChildProcess.Said> said)
            throws IOException {
        return ChildProcess.soft(
                List.of("ip", "netns", "exec", ofReceiver ? receiver : sender),
                0,
                Fabric.name(ofReceiver),
                devices(ofReceiver),
                properties,
                args,
                said);
    }

    @Override
    public long plug(final boolean ofReceiver, final String member, final boolean up)
            throws IOException, InterruptedException {
        final String link = (ofReceiver ? "vr" : "vs") + member.charAt(member.length() - 1);
        final long nowNs = System.nanoTime();
        ip("-n", ofReceiver ? receiver : sender, "link", "set", link, up ? "up" : "down");
        return nowNs;
    }

    @Override
    public String describe() {
        return "netns: two network namespaces joined by two veth pairs, a cut is 'ip link set down'";
    }

    @Override
    public synchronized void close() {
        if (!made) {
            return;
        }
        made = false;
        for (final String namespace : List.of(sender, receiver)) {
            try {
                ip("netns", "del", namespace);
            } catch (final IOException e) {
                System.err.println("drill: " + e.getMessage() + "; remove it by: ip netns del " + namespace);
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** @throws IOException when ip is missing or says no; the message is its own */
    static String ip(final String... args) throws IOException, InterruptedException {
        final List<String> command = new java.util.ArrayList<>(List.of("ip"));
        command.addAll(List.of(args));
        final Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (!process.waitFor(COMMAND_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
            process.destroyForcibly();
            throw new IOException("'" + String.join(" ", command) + "' failed: " + output.strip());
        }
        return output;
    }
}
