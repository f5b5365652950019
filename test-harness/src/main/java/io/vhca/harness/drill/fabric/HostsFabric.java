package io.vhca.harness.drill.fabric;

import io.vhca.harness.drill.child.DrillChild;
import io.vhca.harness.drill.protocol.DrillPeer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

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

    public HostsFabric(final Hosts hosts) {
        this.hosts = hosts;
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
        final long nowNs = System.nanoTime();
        final Process process =
                new ProcessBuilder(remote(ofReceiver, command)).redirectErrorStream(true).start();
        process.getOutputStream().close();
        final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (!process.waitFor(COMMAND_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
            process.destroyForcibly();
            throw new IOException("'" + command + "' failed on the " + Fabric.name(ofReceiver) + ": " + output.strip());
        }
        return nowNs;
    }

    @Override
    public String describe() {
        return "hosts: " + hosts.sender() + " and " + hosts.receiver() + ", bond0 over "
                + String.join(" and ", hosts.members()) + ", a cut is '" + hosts.cut() + "'";
    }

    @Override
    public void close() {
        // Nothing was made; what the last cut took down, its healing took up.
    }
}
