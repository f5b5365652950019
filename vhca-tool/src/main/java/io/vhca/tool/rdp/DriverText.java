package io.vhca.tool.rdp;

import io.vhca.rdp.status.ClientStatus;
import io.vhca.rdp.status.DriverStatus;
import io.vhca.rdp.status.NodeStatus;
import io.vhca.rdp.status.SocketStatus;
import io.vhca.tool.console.TextTable;
import java.util.List;
import java.util.Locale;

/** What drivers say of themselves, for people. Pure. */
public final class DriverText {
    private static final String NOBODY = "no driver is open in a process of this user\n";

    private DriverText() {}

    private static String head(final DriverStatus driver) {
        return "driver of " + driver.device() + " at " + driver.address().getHostAddress() + ", process "
                + driver.pid() + "\n";
    }

    public static String counters(final List<DriverStatus> drivers) {
        final StringBuilder text = new StringBuilder(drivers.isEmpty() ? NOBODY : "");
        for (final DriverStatus driver : drivers) {
            final TextTable table = new TextTable("counter", "value");
            driver.counters().forEach((counter, value) -> table.row(DriverStatus.name(counter), value.toString()));
            text.append(head(driver)).append(table.render());
        }
        return text.toString();
    }

    public static String nodesAndSockets(final List<DriverStatus> drivers) {
        final StringBuilder text = new StringBuilder(drivers.isEmpty() ? NOBODY : "");
        for (final DriverStatus driver : drivers) {
            final TextTable nodes = new TextTable("node", "state", "sends", "failures", "why the last session ended");
            for (final NodeStatus node : driver.nodes()) {
                nodes.row(
                        node.address().getHostAddress(), node.state().name().toLowerCase(Locale.ROOT),
                        node.isBlocked() ? "fail" : "go", String.valueOf(node.failures()),
                        node.lastEnd().text());
            }
            final TextTable sockets = new TextTable(
                    "port", "pending", "bytes", "on the way", "senders", "SO_SNDBUF", "SO_RCVBUF");
            for (final SocketStatus socket : driver.sockets()) {
                sockets.row(
                        String.valueOf(socket.port()), String.valueOf(socket.pending()),
                        String.valueOf(socket.pendingBytes()), String.valueOf(socket.sendHeld()),
                        socket.isStalled() ? "stalled" : "go", String.valueOf(socket.sendLimit()),
                        String.valueOf(socket.receiveLimit()));
            }
            text.append(head(driver)).append(nodes.render()).append(sockets.render()).append(clients(driver));
        }
        return text.toString();
    }

    /** Empty where no process is attached: a driver for one process has none. */
    private static String clients(final DriverStatus driver) {
        if (driver.clients().isEmpty()) {
            return "";
        }
        final TextTable clients = new TextTable("client", "user", "sockets", "calls");
        for (final ClientStatus client : driver.clients()) {
            clients.row(
                    String.valueOf(client.pid()), String.valueOf(client.user()), String.valueOf(client.sockets()),
                    String.valueOf(client.calls()));
        }
        return clients.render();
    }
}
