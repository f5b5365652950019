package io.vhca.harness.drill.fabric;

import java.io.IOException;
import java.util.List;

/**
 * Three network namespaces at two switches, which are bridges in a fourth.
 *
 * <pre>
 *   vhca-PID-s  soft0 10.77.0.1 --+               +-- soft1 10.77.1.1  vhca-PID-s
 *   vhca-PID-r  soft0 10.77.0.2 --+-- b0     b1 --+-- soft1 10.77.1.2  vhca-PID-r
 *   vhca-PID-a        10.77.0.3 --+               +--       10.77.1.3  vhca-PID-a
 * </pre>
 *
 * The attacker has 10.78.0.0/16 as well, and the ends' addresses on its loopback interface: it sends with them, and
 * hears nothing of what is answered there. It neither asks nor answers by ARP for them, which would be another attack.
 */
public final class AttackNetns implements AttackFabric {
    private static final int LINKS = 2;
    private static final List<String> HOSTS = List.of("s", "r", "a");
    private static final String STRANGERS = "10.78.0.0/16";
    private static final String ENDS_TABLE = "78";

    private final String prefix = NetnsFabric.PREFIX + ProcessHandle.current().pid() + "-";
    private boolean made;

    @Override
    public synchronized void setUp() throws IOException, InterruptedException {
        NetnsFabric.removeStale();
        made = true;
        final String bridges = prefix + "b";
        NetnsFabric.ip("netns", "add", bridges);
        for (final String host : HOSTS) {
            NetnsFabric.ip("netns", "add", prefix + host);
            NetnsFabric.ip("-n", prefix + host, "link", "set", "lo", "up");
        }
        sysctl(prefix + "a", "arp_ignore", 1);
        sysctl(prefix + "a", "arp_announce", 2);
        for (int link = 0; link < LINKS; link++) {
            final String bridge = "b" + link;
            NetnsFabric.ip("-n", bridges, "link", "add", bridge, "type", "bridge");
            NetnsFabric.ip(
                    "-n", bridges, "link", "set", bridge, "mtu", String.valueOf(NetnsFabric.MTU), "up");
            for (int host = 0; host < HOSTS.size(); host++) {
                plugIn(HOSTS.get(host), link, host + 1, bridges, bridge);
            }
        }
        attackerOnly();
    }

    private void plugIn(
            final String host, final int link, final int number, final String bridges, final String bridge)
            throws IOException, InterruptedException {
        final String namespace = prefix + host;
        final String name = "v" + host + link;
        final String port = "p" + host + link;
        final String mtu = String.valueOf(NetnsFabric.MTU);
        NetnsFabric.ip(
                "-n", namespace, "link", "add", name, "type", "veth", "peer", "name", port, "netns", bridges);
        NetnsFabric.ip("-n", bridges, "link", "set", port, "mtu", mtu, "master", bridge, "up");
        NetnsFabric.ip("-n", namespace, "addr", "add", "10.77." + link + "." + number + "/24", "dev", name);
        NetnsFabric.ip("-n", namespace, "link", "set", name, "mtu", mtu, "up");
    }

    /**
     * Its other addresses, and the ways back to its own. The ends' addresses are local to it, and yet it must reach the
     * ends: their routes stand in a table that is looked into before the local one.
     */
    private void attackerOnly() throws IOException, InterruptedException {
        final String attacker = prefix + "a";
        NetnsFabric.ip("-n", attacker, "addr", "add", STRANGERS, "dev", "lo");
        NetnsFabric.ip("-n", attacker, "rule", "add", "pref", "10", "lookup", ENDS_TABLE);
        NetnsFabric.ip("-n", attacker, "rule", "add", "pref", "100", "lookup", "local");
        NetnsFabric.ip("-n", attacker, "rule", "del", "pref", "0");
        for (final boolean ofReceiver : List.of(true, false)) {
            final String end = ofReceiver ? "r" : "s";
            final List<String> addresses = addresses(ofReceiver);
            for (int link = 0; link < LINKS; link++) {
                final String address = addresses.get(link);
                final String device = "va" + link;
                NetnsFabric.ip("-n", attacker, "addr", "add", address + "/32", "dev", "lo");
                NetnsFabric.ip("-n", attacker, "route", "add", address + "/32", "dev", device, "table", ENDS_TABLE);
                NetnsFabric.ip(
                        "-n", attacker, "neigh", "replace", address,
                        "lladdr", mac(prefix + end, "v" + end + link), "dev", device);
            }
            NetnsFabric.ip("-n", prefix + end, "route", "add", STRANGERS, "via", "10.77.0.3");
        }
    }

    private static String mac(final String namespace, final String device) throws IOException, InterruptedException {
        final String shown = NetnsFabric.ip("-n", namespace, "-br", "link", "show", "dev", device);
        return shown.strip().split(" +")[2];
    }

    private static void sysctl(final String namespace, final String key, final int value)
            throws IOException, InterruptedException {
        NetnsFabric.ip(
                "netns", "exec", namespace, "sh", "-c",
                "echo " + value + " > /proc/sys/net/ipv4/conf/all/" + key);
    }

    @Override
    public String devices(final boolean ofReceiver) {
        final String host = ofReceiver ? ".2" : ".1";
        return "soft0=10.77.0" + host + ",soft1=10.77.1" + host;
    }

    @Override
    public String strangers() {
        return "10.78.0.1";
    }

    @Override
    public List<String> prefix(final String name) {
        final String host = switch (name) {
            case ATTACKER -> "a";
            case "receiver" -> "r";
            default -> "s";
        };
        return List.of("ip", "netns", "exec", prefix + host);
    }

    @Override
    public String describe() {
        return "netns: two ends and an attacker in namespaces of their own, at two bridges; the attacker has the ends'"
                + " addresses on its loopback interface";
    }

    @Override
    public synchronized void close() {
        if (!made) {
            return;
        }
        made = false;
        for (final String host : List.of("s", "r", "a", "b")) {
            try {
                NetnsFabric.ip("netns", "del", prefix + host);
            } catch (final IOException e) {
                System.err.println("drill: " + e.getMessage() + "; remove it by: ip netns del " + prefix + host);
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
