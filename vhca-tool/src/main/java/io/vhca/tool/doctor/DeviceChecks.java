package io.vhca.tool.doctor;

import io.vhca.api.LinkLayer;
import io.vhca.api.PortAttributes;
import io.vhca.api.PortState;
import io.vhca.physical.soft.wire.Wire;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/** What lies under real devices, from the library to the GID, and under soft ones. */
final class DeviceChecks {
    private static final Path VERBS_CLASS = Path.of("/sys/class/infiniband_verbs");
    private static final Path DEVICE_FILES = Path.of("/dev/infiniband");
    private static final String CM_FILE = "rdma_cm";
    private static final String LIBRARIES = "libraries";
    private static final String MODULES = "kernel modules";
    private static final String ACCESS = "device files";
    private static final String DEVICES = "RDMA devices";
    private static final String SOFT = "soft devices";

    private final Seen seen;
    private final Host host;
    private final boolean isNeeded;
    private final List<Finding> findings = new ArrayList<>();

    DeviceChecks(final Seen seen) {
        this.seen = seen;
        host = seen.host();
        isNeeded = seen.needsRdma();
    }

    List<Finding> run() {
        // Each wants the one before; what cannot be told without it is said to be unknown.
        if (!libraries()) {
            findings.add(Finding.notChecked(DEVICES, "nothing can be listed without the libraries"));
        } else if (modules()) {
            deviceFiles();
            rdmaDevices();
        } else {
            findings.add(Finding.notChecked(DEVICES, "nothing can be listed without the modules"));
        }
        softDevices();
        return findings;
    }

    private boolean libraries() {
        final List<String> missing = new ArrayList<>();
        if (!host.loads("libibverbs.so.1")) {
            missing.add("libibverbs.so.1 (package libibverbs1)");
        }
        if (!host.loads("librdmacm.so.1")) {
            missing.add("librdmacm.so.1 (package librdmacm1)");
        }
        findings.add(
                missing.isEmpty()
                        ? Finding.ok(LIBRARIES, "libibverbs.so.1 and librdmacm.so.1 can be loaded")
                        : Finding.bad(
                                isNeeded,
                                LIBRARIES,
                                String.join(" and ", missing) + " cannot be loaded",
                                "Debian, Ubuntu: `apt-get install libibverbs1 librdmacm1 ibverbs-providers`; others:"
                                        + " rdma-core"));
        return missing.isEmpty();
    }

    private boolean modules() {
        final List<String> missing = new ArrayList<>();
        if (!host.access(VERBS_CLASS).exists()) {
            missing.add("ib_uverbs");
        }
        if (!host.access(DEVICE_FILES.resolve(CM_FILE)).exists()
                && !host.access(Path.of("/sys/class/misc/rdma_cm")).exists()) {
            missing.add("rdma_ucm");
        }
        findings.add(
                missing.isEmpty()
                        ? Finding.ok(MODULES, "ib_uverbs and rdma_ucm are there")
                        : Finding.bad(
                                isNeeded,
                                MODULES,
                                String.join(" and ", missing) + " not loaded",
                                "as root: `modprobe -a " + String.join(" ", missing)
                                        + "` and the adapter's driver; for soft RoCE `modprobe rdma_rxe`, then `rdma"
                                        + " link add rxe0 type rxe netdev eth0`"));
        return missing.isEmpty();
    }

    private void deviceFiles() {
        final List<String> files = deviceFiles(DEVICE_FILES);
        final List<String> missing = new ArrayList<>(deviceFiles(VERBS_CLASS));
        missing.add(CM_FILE);
        missing.removeAll(files);
        if (!missing.isEmpty()) {
            findings.add(Finding.bad(
                    isNeeded,
                    ACCESS,
                    "the kernel has the modules, and there is no " + DEVICE_FILES
                            + (files.isEmpty() ? "" : "/" + String.join(", ", missing)),
                    "udev makes it; in a container: --device=/dev/infiniband"));
            return;
        }
        final String closed = files.stream()
                .map(DEVICE_FILES::resolve)
                .filter(file -> !host.access(file).readable() || !host.access(file).writable())
                .map(Path::toString)
                .collect(Collectors.joining(" "));
        findings.add(
                closed.isEmpty()
                        ? Finding.ok(ACCESS, "this user may open " + DEVICE_FILES + "/" + String.join(", ", files))
                        : Finding.bad(
                                isNeeded,
                                ACCESS,
                                "this user may not open " + closed,
                                "as root: `chmod a+rw " + closed + "`; rdma-core's udev rules do so at each boot"));
    }

    /** One a device, and the connection manager's. */
    private List<String> deviceFiles(final Path directory) {
        return host.list(directory).stream()
                .filter(name -> name.startsWith("uverbs") || name.equals(CM_FILE))
                .toList();
    }

    private void rdmaDevices() {
        if (seen.verbs().adapters().isEmpty()) {
            findings.add(Finding.bad(isNeeded, DEVICES, seen.verbs().trouble()));
        }
        for (final Adapter adapter : seen.verbs().adapters()) {
            if (adapter.failure() != null) {
                findings.add(Finding.bad(seen.isMember(adapter), adapter.name(), adapter.failureDetail()));
            }
            adapter.ports().forEach(port -> port(adapter, port));
        }
    }

    private void port(final Adapter adapter, final Adapter.Port port) {
        final PortAttributes found = port.attributes();
        final String subject = adapter.name() + " port " + port.number();
        // A bond uses the first port.
        final boolean matters = seen.isMember(adapter) && port.number() == 1;
        final String what = found.state() + ", " + found.linkLayer()
                + (found.activeSpeedMbps() == 0 ? "" : ", " + found.activeSpeedMbps() + " Mbit/s");
        if (found.state() != PortState.ACTIVE) {
            findings.add(Finding.bad(matters, subject, what, howToActivate(adapter, found)));
            return;
        }
        final Adapter.Entry ip = port.ip(seen.netdevs());
        if (ip == null) {
            findings.add(Finding.bad(
                    matters,
                    subject,
                    what + ", none of its " + port.gids().size() + " GIDs is an IP address of this host",
                    "give its interface one: `ip addr add 10.1.0.1/24 dev " + netdevName(adapter) + "`"));
            return;
        }
        findings.add(Finding.ok(
                subject,
                what + ", GID[" + ip.index() + "] " + ip.gid() + " is an address of "
                        + Objects.requireNonNull(Adapter.netdev(ip.gid(), seen.netdevs())).name()));
    }

    private String howToActivate(final Adapter adapter, final PortAttributes port) {
        return port.linkLayer() == LinkLayer.INFINIBAND && port.state() != PortState.DOWN
                ? "no subnet manager answers: start opensm, or the switch's own"
                : "`ip link set " + netdevName(adapter) + " up`, and look at the cable and the other end";
    }

    /** The interface under a device as the kernel says, or a word in its place. */
    private String netdevName(final Adapter adapter) {
        final String name =
                host.read(Path.of("/sys/class/infiniband", adapter.name(), "ports/1/gid_attrs/ndevs/0"));
        return name == null || name.isBlank() ? "INTERFACE" : name.strip();
    }

    private void softDevices() {
        final List<Adapter> adapters = seen.soft().adapters();
        if (adapters.isEmpty()) {
            final boolean areAll = seen.verbs().adapters().isEmpty();
            findings.add(
                    areAll || !seen.soft().trouble().contains(" is empty")
                            ? Finding.bad(true, SOFT, seen.soft().trouble())
                            : Finding.ok(SOFT, "none are configured, and none are needed"));
            return;
        }
        final List<Adapter> opened =
                adapters.stream().filter(one -> one.failure() == null).toList();
        if (!opened.isEmpty()) {
            final boolean areLocal = opened.stream().allMatch(DeviceChecks::isLocal);
            findings.add(Finding.ok(
                    SOFT,
                    opened.stream().map(DeviceChecks::nameAndAddress).collect(Collectors.joining(", "))
                            + (areLocal ? "; loopback addresses, so peers on this host only" : "")));
        }
        final List<Adapter> shutOut = adapters.stream().filter(seen::isShutOut).toList();
        if (!shutOut.isEmpty()) {
            findings.add(shutOut(shutOut));
        }
        for (final Adapter adapter : adapters) {
            if (adapter.failure() != null && !seen.isShutOut(adapter)) {
                findings.add(Finding.bad(
                        !seen.isInUse(adapter) && seen.isMember(adapter), adapter.name(), adapter.failureDetail()));
            }
        }
    }

    private Finding shutOut(final List<Adapter> adapters) {
        final String what = adapters.stream().map(Adapter::name).collect(Collectors.joining(", ")) + " cannot open: "
                + seen.holderOfSoftPort() + " has UDP port " + Wire.UDP_PORT + " of every address";
        return adapters.stream().noneMatch(seen::isMember)
                ? Finding.ok(SOFT, what + "; no bond needs them")
                : Finding.bad(
                        seen.bonds().assumed().isEmpty(),
                        SOFT,
                        what,
                        "make bonds of RDMA devices; or run with CAP_NET_RAW, for a raw socket beside rdma_rxe; or free"
                                + " the port: `modprobe -r rdma_rxe`; `ss -lunp` names a process");
    }

    private static String nameAndAddress(final Adapter adapter) {
        final Adapter.Port port = adapter.port();
        return adapter.name()
                + (port == null || port.gids().isEmpty()
                        ? ""
                        : " " + port.gids().getFirst().gid().address().getHostAddress());
    }

    private static boolean isLocal(final Adapter adapter) {
        final Adapter.Port port = adapter.port();
        return port != null
                && port.gids().stream().allMatch(entry -> entry.gid().address().isLoopbackAddress());
    }
}
