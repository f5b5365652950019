package io.vhca.tool.doctor;

import io.vhca.api.DeviceAttributes;
import io.vhca.api.PortAttributes;
import io.vhca.bond.config.BondConfig;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The bonds that are configured, over the devices that there are. */
final class BondChecks {
    private static final String SUBJECT = "bond configuration";
    private static final Path CONF = Path.of("/proc/sys/net/ipv4/conf");

    private final Seen seen;
    private final List<Finding> findings = new ArrayList<>();

    BondChecks(final Seen seen) {
        this.seen = seen;
    }

    List<Finding> run() {
        if (!seen.bonds().assumed().isEmpty()) {
            findings.add(Finding.ok(SUBJECT, "nothing is configured; this tool takes " + seen.bonds().assumed()));
        }
        for (final String error : seen.bonds().errors()) {
            final int detail = error.indexOf("): ");
            findings.add(Finding.bad(true, SUBJECT, detail < 0 ? error : error.substring(detail + 3)));
        }
        if (seen.bonds().errors().isEmpty() && seen.bonds().configs().isEmpty()) {
            findings.add(Finding.warning(
                    SUBJECT,
                    "no bond is configured",
                    "write vhca.conf, or set VHCA_BOND=\"bond0: members=soft0,soft1\""));
        }
        seen.bonds().configs().forEach(this::bond);
        return findings;
    }

    private void bond(final BondConfig bond) {
        members(bond);
        final List<Adapter> open = seen.open(bond);
        if (open.size() > 1) {
            limits(bond, open);
            mtus(bond, open);
            ways(bond, open);
        }
    }

    private void members(final BondConfig bond) {
        final List<String> missing = bond.members().stream()
                .filter(member -> seen.adapter(member) == null)
                .toList();
        final List<Adapter> closed = bond.members().stream()
                .flatMap(member -> seen.adapters().filter(one -> one.name().equals(member)))
                .filter(member -> member.failure() != null)
                .toList();
        if (!missing.isEmpty()) {
            final String there = seen.adapters()
                    .filter(one -> one.failure() == null || seen.isInUse(one))
                    .map(Adapter::name)
                    .collect(Collectors.joining(", "));
            findings.add(Finding.problem(
                    bond.name(),
                    "member " + String.join(", ", missing) + ": no such device",
                    there.isEmpty()
                            ? "get a device first, see above"
                            : "name devices that there are: " + there));
        } else if (closed.isEmpty()) {
            findings.add(Finding.ok(
                    bond.name(),
                    "mode " + bond.mode().text() + ", members " + String.join(", ", bond.members())
                            + " are there and open"));
        } else {
            findings.add(Finding.bad(
                    seen.open(bond).isEmpty()
                            && !closed.stream().allMatch(seen::isInUse)
                            && seen.bonds().assumed().isEmpty(),
                    bond.name(),
                    "member " + closed.stream().map(Adapter::name).collect(Collectors.joining(", "))
                            + " does not open now",
                    closed.stream().anyMatch(seen::isInUse)
                            ? "see above; nothing where it is the application that has it open"
                            : "see above"));
        }
    }

    private void limits(final BondConfig bond, final List<Adapter> members) {
        final Map<String, Set<Long>> byName = new LinkedHashMap<>();
        for (final Adapter member : members) {
            limitsOf(Objects.requireNonNull(member.attributes()))
                    .forEach((name, value) -> byName.computeIfAbsent(name, key -> new TreeSet<>()).add(value));
        }
        final String differing = byName.entrySet().stream()
                .filter(limit -> limit.getValue().size() > 1)
                .map(limit -> limit.getKey() + " "
                        + limit.getValue().stream().map(String::valueOf).collect(Collectors.joining(" or ")))
                .collect(Collectors.joining(", "));
        findings.add(
                differing.isEmpty()
                        ? Finding.ok(bond.name() + " limits", "the same on all members")
                        : Finding.warning(
                                bond.name() + " limits",
                                "members differ: " + differing,
                                "nothing where the least is enough, which is what the bond offers; else pair equals"));
    }

    private static Map<String, Long> limitsOf(final DeviceAttributes of) {
        final Map<String, Long> limits = new LinkedHashMap<>();
        limits.put("max_qp", (long) of.maxQp());
        limits.put("max_qp_wr", (long) of.maxQpWr());
        limits.put("max_sge", (long) of.maxSge());
        limits.put("max_cq", (long) of.maxCq());
        limits.put("max_cqe", (long) of.maxCqe());
        limits.put("max_mr", (long) of.maxMr());
        limits.put("max_mr_size", of.maxMrSize());
        limits.put("max_inline_data", (long) of.maxInlineData());
        limits.put("max_qp_rd_atom", (long) of.maxQpRdAtom());
        return limits;
    }

    private void mtus(final BondConfig bond, final List<Adapter> members) {
        final Map<Integer, List<String>> byMtu = new TreeMap<>();
        final List<String> narrow = new ArrayList<>();
        final List<String> told = new ArrayList<>();
        for (final Adapter member : members) {
            final Adapter.Port port = Objects.requireNonNull(member.port());
            final PortAttributes found = port.attributes();
            byMtu.computeIfAbsent(found.activeMtu().bytes(), key -> new ArrayList<>()).add(member.name());
            final Netdev netdev = member.netdev(seen.netdevs());
            told.add(member.name() + " " + found.activeMtu().bytes()
                    + (netdev == null ? "" : " (" + netdev.name() + " " + netdev.mtu() + ")"));
            if (netdev != null && found.activeMtu().bytes() < found.maxMtu().bytes()) {
                narrow.add(netdev.name());
            }
        }
        final String what = "path MTU of " + String.join(", ", told);
        final String subject = bond.name() + " MTU";
        if (byMtu.size() > 1) {
            findings.add(Finding.warning(
                    subject,
                    "members differ: " + what,
                    "set the same MTU on their interfaces, `ip link set INTERFACE mtu 4200`, and on the way between"));
        } else if (!narrow.isEmpty()) {
            findings.add(Finding.warning(
                    subject,
                    what + ": the interface's MTU holds it down, which costs packets",
                    "where the way to the peer carries it: `ip link set " + narrow.getFirst() + " mtu 4200`"));
        } else {
            findings.add(Finding.ok(subject, what));
        }
    }

    /** Whether the members are ways of their own. */
    private void ways(final BondConfig bond, final List<Adapter> members) {
        final String subject = bond.name() + " paths";
        for (final Adapter one : members) {
            for (final Adapter other : members.subList(members.indexOf(one) + 1, members.size())) {
                final Netdev first = one.netdev(seen.netdevs());
                final Netdev second = other.netdev(seen.netdevs());
                if (first == null || second == null) {
                    findings.add(Finding.notChecked(
                            subject,
                            "the interface of " + (first == null ? one : other).name() + " cannot be told"));
                    return;
                }
                if (first.name().equals("lo") && second.name().equals("lo")) {
                    continue;
                }
                if (first.name().equals(second.name())) {
                    findings.add(Finding.warning(
                            subject,
                            one.name() + " and " + other.name() + " are both on " + first.name()
                                    + ": one cable takes both",
                            "give each member an interface of its own"));
                    return;
                }
                final String wrong = sharedNetwork(one, other, first, second);
                if (!wrong.isEmpty()) {
                    findings.add(Finding.warning(
                            subject,
                            one.name() + " and " + other.name() + " are in one network, and " + wrong
                                    + ": either interface may answer for the other",
                            "a network for each member, or as root `sysctl -w net.ipv4.conf.all.arp_ignore=1"
                                    + " net.ipv4.conf.all.arp_announce=2 net.ipv4.conf.all.rp_filter=2`"));
                    return;
                }
            }
        }
        findings.add(Finding.ok(subject, "each member has an interface of its own, or they are on loopback to try"));
    }

    /** What the kernel would mix up where both are in one IPv4 network; empty where they are not, or it does not. */
    private String sharedNetwork(
            final Adapter one, final Adapter other, final Netdev first, final Netdev second) {
        final InetAddress here = address(one);
        final InetAddress there = address(other);
        final boolean areTogether = here != null
                && there != null
                && here.getAddress().length == Integer.BYTES
                && first.networks().stream().anyMatch(net -> net.address().equals(here) && net.contains(there));
        if (!areTogether) {
            return "";
        }
        final List<String> wrong = new ArrayList<>();
        for (final Netdev netdev : List.of(first, second)) {
            for (final String key : List.of("arp_ignore", "arp_announce", "rp_filter")) {
                final int value = Math.max(conf("all", key), conf(netdev.name(), key));
                final boolean isRight =
                        switch (key) {
                            case "arp_ignore" -> value >= 1;
                            case "arp_announce" -> value >= 2;
                            default -> value != 1;
                        };
                if (!isRight) {
                    wrong.add(key + " of " + netdev.name() + " is " + value);
                }
            }
        }
        return String.join(", ", wrong);
    }

    private @Nullable InetAddress address(final Adapter adapter) {
        final Adapter.Port port = adapter.port();
        final Adapter.Entry entry = port == null ? null : port.ip(seen.netdevs());
        return entry == null ? null : entry.gid().address();
    }

    private int conf(final String netdev, final String key) {
        final String text = seen.host().read(CONF.resolve(netdev).resolve(key));
        return text == null ? 0 : Integer.parseInt(text.strip());
    }
}
