package io.vhca.tool.doctor;

import io.vhca.api.AtomicCapability;
import io.vhca.api.DeviceAttributes;
import io.vhca.api.Gid;
import io.vhca.api.LinkLayer;
import io.vhca.api.Mtu;
import io.vhca.api.PortAttributes;
import io.vhca.api.PortState;
import io.vhca.api.VerbsException;
import io.vhca.bond.config.BondConfig;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A host with two healthy adapters and a bond over them, until a test takes something away. */
final class FakeHost implements Host {
    static final int LARGE = 4_200;

    final Map<String, String> files = new TreeMap<>();
    /** What programs print, by their words. */
    final Map<String, String> programs = new HashMap<>();
    /** What programs do not answer, by their words. */
    final Set<String> late = new HashSet<>();
    final Set<String> closed = new HashSet<>();
    final Set<String> libraries = new HashSet<>(Set.of("libibverbs.so.1", "librdmacm.so.1"));
    final List<Netdev> netdevs = new ArrayList<>();
    final List<Adapter> verbs = new ArrayList<>();
    final List<Adapter> soft = new ArrayList<>();
    final List<BondConfig> bonds = new ArrayList<>();
    final List<String> bondErrors = new ArrayList<>();
    final Map<String, Long> usable = new HashMap<>();
    String verbsTrouble = "";
    String softTrouble = "";
    String assumed = "";
    Path status = Path.of("/dev/shm/vhca-me");
    /** Where directories are that are named by symbolic links. */
    final Map<Path, Path> real = new HashMap<>();
    String distrust = "";
    String java = "25.0.1";
    boolean isNativeAccessEnabled = true;

    FakeHost() {
        files.put("/proc/self/limits", limits("unlimited", "65536"));
        files.put("/proc/self/status", "Name:\tjava\nCapEff:\t0000000000000000\n");
        files.put("/proc/sys/net/core/rmem_max", "8388608\n");
        files.put("/proc/sys/net/core/wmem_max", "8388608\n");
        files.put("/proc/net/udp", udp("0100007F:12B7"));
        files.put("/dev/shm", "");
        files.put("/sys/class/infiniband_verbs", "");
        files.put("/sys/class/infiniband_verbs/uverbs0", "");
        files.put("/sys/class/infiniband_verbs/uverbs1", "");
        files.put("/dev/infiniband/rdma_cm", "");
        files.put("/dev/infiniband/uverbs0", "");
        files.put("/dev/infiniband/uverbs1", "");
        files.put("/sys/class/infiniband/mlx0/ports/1/gid_attrs/ndevs/0", "eth0\n");
        netdevs.add(netdev("lo", 65_536, "127.0.0.1", 8));
        netdevs.add(netdev("eth0", LARGE, "10.1.0.1", 24));
        netdevs.add(netdev("eth1", LARGE, "10.2.0.1", 24));
        verbs.add(adapter("mlx0", "10.1.0.1", PortState.ACTIVE, Mtu.MTU_4096, 1_000));
        verbs.add(adapter("mlx1", "10.2.0.1", PortState.ACTIVE, Mtu.MTU_4096, 1_000));
        soft.add(adapter("soft0", "127.0.0.1", PortState.ACTIVE, Mtu.MTU_4096, 1_000));
        bond("mlx0", "mlx1");
    }

    void bond(final String... members) {
        bonds.clear();
        bonds.add(BondConfig.builder("bond0").members(List.of(members)).build());
    }

    static String limits(final String lockedBytes, final String openFiles) {
        return "Limit                     Soft Limit           Hard Limit           Units\n"
                + "Max open files            " + openFiles + "                 524288               files\n"
                + "Max locked memory         " + lockedBytes + "              8388608              bytes\n";
    }

    /** One socket, bound to an address as the kernel writes it. */
    static String udp(final String local) {
        return "   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
                + " 6129: " + local + " 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 0 2\n";
    }

    static Netdev netdev(final String name, final int mtu, final String address, final int prefix) {
        return new Netdev(name, mtu, List.of(new Netdev.Network(InetAddress.ofLiteral(address), prefix)));
    }

    static Adapter adapter(
            final String name, final String address, final PortState state, final Mtu mtu, final int maxQp) {
        final DeviceAttributes attributes = new DeviceAttributes(
                "1", 1, 1L << 40, maxQp, 1_024, 16, 1_000, 1_000, 1_000, 1_000, 16, 16, AtomicCapability.HCA, 100,
                100, 100, 16, 128, 1);
        final PortAttributes port =
                new PortAttributes(state, Mtu.MTU_4096, mtu, 2, 1, 1 << 30, 0, LinkLayer.ETHERNET, 25_000);
        final List<Adapter.Entry> gids = List.of(
                new Adapter.Entry(0, Gid.of(InetAddress.ofLiteral("fe80::1"))),
                new Adapter.Entry(1, Gid.of(InetAddress.ofLiteral(address))));
        return new Adapter(name, null, attributes, List.of(new Adapter.Port(1, port, gids)));
    }

    static Adapter broken(final String name, final int errno, final String detail) {
        return new Adapter(name, new VerbsException("openDevice", errno, name, detail), null, List.of());
    }

    @Override
    public @Nullable String read(final Path file) {
        return files.get(file.toString());
    }

    @Override
    public @Nullable String run(final List<String> command) throws TimeoutException {
        if (late.contains(String.join(" ", command))) {
            throw new TimeoutException("`" + String.join(" ", command) + "` did not answer within 9 s");
        }
        return programs.get(String.join(" ", command));
    }

    @Override
    public List<String> list(final Path directory) {
        return files.keySet().stream()
                .map(Path::of)
                .filter(file -> directory.equals(file.getParent()))
                .map(file -> file.getFileName().toString())
                .toList();
    }

    @Override
    public Access access(final Path file) {
        if (!files.containsKey(file.toString())) {
            return new Access(false, false, false);
        }
        final boolean isOpen = !closed.contains(file.toString());
        return new Access(true, isOpen, isOpen);
    }

    @Override
    public long usableBytes(final Path directory) {
        return usable.getOrDefault(directory.toString(), 1L << 30);
    }

    @Override
    public boolean loads(final String library) {
        return libraries.contains(library);
    }

    @Override
    public List<Netdev> netdevs() {
        return netdevs;
    }

    @Override
    public Listing verbs() {
        return new Listing(verbs, verbsTrouble);
    }

    @Override
    public Listing soft() {
        return new Listing(soft, softTrouble);
    }

    @Override
    public Bonds bonds() {
        return new Bonds(bonds, bondErrors, assumed);
    }

    @Override
    public Path statusDirectory() {
        return status;
    }

    @Override
    public Path real(final Path directory) {
        return real.getOrDefault(directory, directory);
    }

    @Override
    public String distrust(final Path directory) {
        return distrust;
    }

    @Override
    public Runtime.Version java() {
        return Runtime.Version.parse(java);
    }

    @Override
    public boolean isNativeAccessEnabled() {
        return isNativeAccessEnabled;
    }
}
