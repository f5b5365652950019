package io.vhca.harness.drill.fabric;

import io.vhca.harness.drill.child.DrillChild;
import io.vhca.harness.drill.protocol.DrillPeer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Two hosts with RDMA devices, reached by a remote shell; this build and its JDK are at the same paths there. One
 * thread.
 */
public final class HostsFabric implements Fabric {
    /**
     * Which hosts, and how a link of one is cut.
     *
     * @param sender            for the remote shell
     * @param receiver          for the remote shell
     * @param members           names of the devices, the same on both
     * @param receiverAddresses of the receiver's members, in the order of {@code members}
     * @param shell             words of the remote shell, before host and command
     * @param cut               a command that takes the link of {@code {device}} down; run on its host
     * @param heal              the command that undoes it
     */
    public record Hosts(
            String sender,
            String receiver,
            List<String> members,
            List<String> receiverAddresses,
            List<String> shell,
            String cut,
            String heal) {
        /** Takes the interface of a RoCE device down. */
        public static final String CUT =
                "ip link set $(cat /sys/class/infiniband/{device}/ports/1/gid_attrs/ndevs/0) down";
        /** Takes every interface up that has a RoCE device: a device whose interface is down may not name it. */
        public static final String HEAL = "for f in /sys/class/infiniband/*/ports/1/gid_attrs/ndevs/0; do"
                + " ip link set $(cat $f) up; done";
    }

    private static final long COMMAND_SECONDS = 30;

    private final Hosts hosts;
    private final long commandSeconds;
    /** The link that is cut and not healed; null for none. */
    private @Nullable Cut open;

    private record Cut(boolean ofReceiver, String member) {}

    public HostsFabric(final Hosts hosts) {
        this(hosts, COMMAND_SECONDS);
    }

    /** @param commandSeconds a command that takes longer has failed */
    HostsFabric(final Hosts hosts, final long commandSeconds) {
        this.hosts = hosts;
        this.commandSeconds = commandSeconds;
    }

    @Override
    public void setUp() {
        // The hosts are as they are.
    }

    @Override
    public List<String> members(final boolean ofReceiver) {
        return hosts.members();
    }

    @Override
    public String devices(final boolean ofReceiver) {
        return IntStream.range(0, hosts.members().size())
                .mapToObj(i -> hosts.members().get(i) + "=" + hosts.receiverAddresses().get(i))
                .collect(Collectors.joining(","));
    }

    @Override
    public DrillPeer start(
            final boolean ofReceiver,
            final List<String> properties,
            final List<String> args,
            final BlockingQueue<ChildProcess.Said> said)
            throws IOException {
        final String java = ChildProcess.command(properties, DrillChild.class, args).stream()
                .map(word -> "'" + word.replace("'", "'\\''") + "'")
                .collect(Collectors.joining(" "));
        final BlockingQueue<ChildProcess.Said> there = new LinkedBlockingQueue<>();
        final ChildProcess child =
                ChildProcess.start(Fabric.name(ofReceiver), remote(ofReceiver, "exec " + java), there);
        return RemotePeer.of(child, there, said);
    }

    private List<String> remote(final boolean onReceiver, final String command) {
        final List<String> words = new ArrayList<>(hosts.shell());
        words.add(onReceiver ? hosts.receiver() : hosts.sender());
        words.add(command);
        return words;
    }

    @Override
    public long plug(final boolean ofReceiver, final String member, final boolean up)
            throws IOException, InterruptedException {
        final String command = (up ? hosts.heal() : hosts.cut()).replace("{device}", member);
        if (!up) {
            open = new Cut(ofReceiver, member);
        }
        final long nowNs = System.nanoTime();
        run(ofReceiver, command);
        if (up) {
            open = null;
        }
        return nowNs;
    }

    /** What it prints goes to a file: a remote shell that hangs would keep whoever reads it. */
    private void run(final boolean onReceiver, final String command) throws IOException, InterruptedException {
        final Path output = Files.createTempFile("vhca-drill", ".out");
        try {
            final Process process = new ProcessBuilder(remote(onReceiver, command))
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            process.getOutputStream().close();
            final boolean isOver = process.waitFor(commandSeconds, TimeUnit.SECONDS);
            if (!isOver || process.exitValue() != 0) {
                process.destroyForcibly();
                throw new IOException("'" + command + "' " + (isOver ? "failed" : "hangs") + " on the "
                        + Fabric.name(onReceiver) + ": "
                        + new String(Files.readAllBytes(output), StandardCharsets.UTF_8).strip());
            }
        } finally {
            Files.delete(output);
        }
    }

    @Override
    public String describe() {
        return "hosts: " + hosts.sender() + " and " + hosts.receiver() + ", bond0 over "
                + String.join(" and ", hosts.members()) + ", a cut is '" + hosts.cut() + "'";
    }

    @Override
    public void close() {
        final Cut cut = open;
        if (cut == null) {
            return;
        }
        // The drill ended between a cut and its healing.
        try {
            plug(cut.ofReceiver, cut.member, true);
        } catch (final IOException e) {
            System.err.println("vhca drill: the link stays cut: " + e.getMessage());
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
