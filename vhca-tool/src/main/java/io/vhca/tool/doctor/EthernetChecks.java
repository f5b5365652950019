package io.vhca.tool.doctor;

import io.vhca.api.ServiceClass;
import io.vhca.bond.config.BondConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Whether the members' interfaces are set up alike for converged Ethernet, and as the traffic class needs it that
 * connections ask for.
 */
final class EthernetChecks {
    private final Seen seen;
    private final int trafficClass;
    private final List<Finding> findings = new ArrayList<>();

    /** @param trafficClass what the applications ask for, {@link ServiceClass#UNSET} where that is not said */
    EthernetChecks(final Seen seen, final int trafficClass) {
        this.seen = seen;
        this.trafficClass = trafficClass;
    }

    List<Finding> run() {
        seen.bonds().configs().forEach(this::bond);
        return findings;
    }

    private void bond(final BondConfig bond) {
        final String subject = bond.name() + " Ethernet";
        try {
            final List<EthernetSettings> members = members(bond);
            if (!members.isEmpty()) {
                compare(subject, members);
            }
        } catch (final TimeoutException e) {
            findings.add(Finding.notChecked(
                    subject, e.getMessage() + ": nothing is said of PFC, ETS, ECN, DSCP and DCBX; try again"));
        }
    }

    private List<EthernetSettings> members(final BondConfig bond) throws TimeoutException {
        final List<String> names = seen.open(bond).stream()
                .map(member -> member.netdev(seen.netdevs()))
                .filter(Objects::nonNull)
                .map(Netdev::name)
                .filter(name -> !name.equals("lo"))
                .distinct()
                .toList();
        final List<EthernetSettings> members = new ArrayList<>();
        for (final String name : names) {
            members.add(EthernetSettings.of(seen.host(), name));
        }
        return members;
    }

    private void compare(final String subject, final List<EthernetSettings> members) {
        final int before = findings.size();
        differ(subject, members, "priorities with PFC", EthernetSettings::lossless, "dcb pfc set dev INTERFACE");
        differ(
                subject, members, "ETS", one -> one.classOf() + " " + one.selection() + " " + one.share(),
                "dcb ets set dev INTERFACE");
        differ(
                subject, members, "priorities of DSCP", EthernetSettings::dscpPriority,
                "dcb app replace dev INTERFACE dscp-prio");
        differ(
                subject, members, "default priority", EthernetSettings::unmarkedPriority,
                "dcb app replace dev INTERFACE default-prio");
        if (members.stream().allMatch(member -> member.trusted() != null)) {
            differ(
                    subject, members, "what says the priority", member -> String.valueOf(member.trusted()),
                    "dcb apptrust set dev INTERFACE order");
        }
        differ(subject, members, "DCBX", EthernetSettings::dcbx, "dcb dcbx set dev INTERFACE");
        differ(
                subject, members, "priorities with ECN",
                one -> "np " + one.notifies() + " rp " + one.reacts(),
                "/sys/class/net/INTERFACE/ecn/roce_np/enable and roce_rp/enable");
        if (trafficClass != ServiceClass.UNSET) {
            members.forEach(member -> judge(subject, member));
        }
        if (findings.size() == before) {
            findings.add(Finding.ok(subject, good(members)));
        }
    }

    private void differ(
            final String subject, final List<EthernetSettings> members, final String what,
            final Function<EthernetSettings, Object> setting, final String where) {
        if (members.stream().map(setting).distinct().count() > 1) {
            findings.add(Finding.warning(
                    subject,
                    "members differ, " + what + ": "
                            + members.stream()
                                    .map(one -> one.netdev() + " " + setting.apply(one))
                                    .collect(Collectors.joining(", ")),
                    "the same on all, and on their switch ports: " + where));
        }
    }

    private void judge(final String subject, final EthernetSettings member) {
        final int priority = member.priority(trafficClass);
        final String packets = "priority " + priority + " of traffic class " + trafficClass;
        if (!member.lossless().contains(priority)) {
            findings.add(Finding.warning(
                    subject,
                    member.netdev() + ": " + packets + " is not paused but dropped (no PFC): losses cost retries",
                    "`dcb pfc set dev " + member.netdev() + " prio-pfc " + priority
                            + ":on`, and the same on the switch; nothing where losses are meant to be made up for"));
        } else if (!member.isDscpIgnored()) {
            mapping(subject, member, priority);
        }
        if (member.isDscpIgnored() && priority != member.unmarkedPriority()) {
            findings.add(Finding.warning(
                    subject,
                    member.netdev() + ": DSCP is not trusted, but " + member.trusted() + ": packets of traffic class "
                            + trafficClass + " have priority " + member.unmarkedPriority() + ", or what their VLAN's"
                            + " tag says",
                    "`dcb apptrust set dev " + member.netdev() + " order dscp`, and what else is to count"));
        }
        if (member.starves(priority)) {
            findings.add(Finding.warning(
                    subject,
                    member.netdev() + ": " + packets + " has no share of the link (ETS, 0 percent)",
                    "`dcb ets set dev " + member.netdev() + " tc-bw`, a share for traffic class "
                            + member.classOf().get(priority)));
        }
        if (ServiceClass.isMarkable(trafficClass)
                && !seen.host().list(ecn(member)).isEmpty()
                && !(member.notifies().contains(priority) && member.reacts().contains(priority))) {
            findings.add(Finding.warning(
                    subject,
                    member.netdev() + ": " + packets + " may be marked (ECN), and the adapter does not answer it",
                    "as root: `echo 1` into roce_np/enable/" + priority + " and roce_rp/enable/" + priority
                            + " of /sys/class/net/" + member.netdev() + "/ecn"));
        }
    }

    /** Where nothing gives a DSCP its priority, adapters differ, unless that would be the one of all other packets. */
    private void mapping(final String subject, final EthernetSettings member, final int priority) {
        if (!member.isUnmapped(trafficClass) || priority == member.unmarkedPriority()) {
            return;
        }
        final int dscp = EthernetSettings.dscp(trafficClass);
        final boolean isNoneMapped = member.dscpPriority().isEmpty() && member.trusted() == null;
        findings.add(Finding.warning(
                subject,
                member.netdev() + ": DSCP " + dscp + " of traffic class " + trafficClass + " has no priority (APP): "
                        + (isNoneMapped
                                ? "where none has one, adapters such as mlx5 do not trust DSCP, and it is 0"
                                : "adapters take its upper three bits, " + priority + ", or 0"),
                "`dcb app replace dev " + member.netdev() + " dscp-prio " + dscp + ":" + priority
                        + "`, and the same on the switch"));
    }

    private static Path ecn(final EthernetSettings member) {
        return Path.of("/sys/class/net", member.netdev(), "ecn", "roce_np", "enable");
    }

    private String good(final List<EthernetSettings> members) {
        final EthernetSettings first = members.getFirst();
        final String names = members.stream().map(EthernetSettings::netdev).collect(Collectors.joining(", "));
        if (first.isPlain()) {
            return names + ": no PFC, ETS or ECN that could be read; `vhca doctor --tos N` judges a traffic class";
        }
        return names + ": PFC " + first.lossless() + ", ECN " + first.notifies() + ", DCBX " + first.dcbx()
                + (trafficClass == ServiceClass.UNSET
                        ? "; `vhca doctor --tos N` judges a traffic class"
                        : ", as traffic class " + trafficClass + " needs it");
    }
}
