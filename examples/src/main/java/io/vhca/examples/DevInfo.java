package io.vhca.examples;

import io.vhca.api.Context;
import io.vhca.api.Device;
import io.vhca.api.DeviceAttributes;
import io.vhca.api.DeviceProvider;
import io.vhca.api.Devices;
import io.vhca.api.Gid;
import io.vhca.api.PortAttributes;
import io.vhca.api.VerbsException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The counterpart of ibv_devinfo(1): which devices there are, their limits, ports and GIDs. */
@Command(
        name = "devinfo",
        mixinStandardHelpOptions = true,
        description = {
            "Shows the RDMA devices that an application can open, as ibv_devinfo does.",
            "",
            "Every provider on the class path is asked: soft (embedded), verbs (libibverbs), bond. One that has no"
                    + " devices says what it misses."
        },
        footer = {
            "",
            "Exit code: 0 when at least one device was shown, 1 when there is none, 2 for wrong arguments, 3 when"
                    + " there is no device of that name."
        })
public final class DevInfo implements Callable<Integer> {
    @Option(
            names = {"-d", "--device"},
            paramLabel = "NAME",
            description = "only this device, for example soft0 or bond0")
    private @Nullable String device;

    @Option(
            names = {"-l", "--list"},
            description = "only the names")
    private boolean list;

    @Option(
            names = {"-v", "--verbose"},
            description = "all limits, and every entry of the GID tables")
    private boolean verbose;

    @Spec
    private @Nullable CommandSpec spec;

    public static void main(final String[] args) {
        System.exit(TwoEnds.execute(new DevInfo(), args));
    }

    @Override
    public Integer call() {
        final PrintWriter out = spec == null ? new PrintWriter(System.out, true) : spec.commandLine().getOut();
        final List<Device> devices = device == null ? Devices.list() : List.of(Devices.byName(device));
        for (final Device each : devices) {
            if (list) {
                out.println(each.name());
            } else {
                show(out, each);
            }
        }
        if (device == null && !list) {
            for (final DeviceProvider provider : Devices.providers()) {
                if (!provider.unavailableReason().isEmpty()) {
                    out.println("provider " + provider.name() + " has no devices: " + provider.unavailableReason());
                }
            }
        }
        out.flush();
        return devices.isEmpty() ? 1 : 0;
    }

    private void show(final PrintWriter out, final Device each) {
        out.println("hca_id: " + each.name());
        try (Context context = each.open()) {
            final DeviceAttributes attributes = context.queryDevice();
            line(out, 1, "node_type", each.nodeType());
            line(out, 1, "fw_ver", attributes.fwVer());
            line(out, 1, "node_guid", guid(attributes.nodeGuid()));
            line(out, 1, "phys_port_cnt", attributes.physPortCount());
            if (verbose) {
                limits(out, attributes);
            }
            for (int port = 1; port <= attributes.physPortCount(); port++) {
                port(out, context, port);
            }
        } catch (final VerbsException e) {
            line(out, 1, "not opened", e.getMessage());
        }
        out.println();
    }

    private static void limits(final PrintWriter out, final DeviceAttributes attributes) {
        line(out, 1, "max_mr_size", "0x" + Long.toHexString(attributes.maxMrSize()));
        line(out, 1, "max_qp", attributes.maxQp());
        line(out, 1, "max_qp_wr", attributes.maxQpWr());
        line(out, 1, "max_sge", attributes.maxSge());
        line(out, 1, "max_cq", attributes.maxCq());
        line(out, 1, "max_cqe", attributes.maxCqe());
        line(out, 1, "max_mr", attributes.maxMr());
        line(out, 1, "max_pd", attributes.maxPd());
        line(out, 1, "max_qp_rd_atom", attributes.maxQpRdAtom());
        line(out, 1, "max_qp_init_rd_atom", attributes.maxQpInitRdAtom());
        line(out, 1, "atomic_cap", attributes.atomicCap());
        line(out, 1, "max_ah", attributes.maxAh());
        line(out, 1, "max_srq", attributes.maxSrq());
        line(out, 1, "max_srq_wr", attributes.maxSrqWr());
        line(out, 1, "max_srq_sge", attributes.maxSrqSge());
        line(out, 1, "max_inline_data", attributes.maxInlineData());
    }

    private void port(final PrintWriter out, final Context context, final int portNum) {
        final PortAttributes port = context.queryPort(portNum);
        line(out, 2, "port", portNum);
        line(out, 3, "state", "PORT_" + port.state() + " (" + port.state().code() + ")");
        line(out, 3, "max_mtu", port.maxMtu().bytes() + " (" + port.maxMtu().code() + ")");
        line(out, 3, "active_mtu", port.activeMtu().bytes() + " (" + port.activeMtu().code() + ")");
        line(out, 3, "link_layer", port.linkLayer());
        for (int index = 0; index < port.gidTblLen(); index++) {
            final Gid gid = context.queryGid(portNum, index);
            if (!gid.isZero() && (verbose || index == 0)) {
                line(out, 3, "GID[" + index + "]", gid);
            }
        }
        if (verbose) {
            line(out, 3, "max_msg_sz", "0x" + Integer.toHexString(port.maxMsgSz()));
            line(out, 3, "port_lid", port.lid());
            line(out, 3, "active_speed", port.activeSpeedMbps() == 0 ? "unknown" : port.activeSpeedMbps() + " Mbit/s");
        }
    }

    private static void line(final PrintWriter out, final int indent, final String key, final @Nullable Object value) {
        out.println("        ".repeat(indent) + String.format(Locale.ROOT, "%-32s", key + ":") + value);
    }

    private static String guid(final long guid) {
        return String.format(
                Locale.ROOT,
                "%04x:%04x:%04x:%04x", guid >>> 48, guid >>> 32 & 0xffff, guid >>> 16 & 0xffff, guid & 0xffff);
    }
}
