package io.vhca.harness.drill.child;

import io.vhca.api.Context;
import io.vhca.rdp.RdpDriver;
import io.vhca.rdp.shared.SharedServer;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A driver of this process' device, and a second process that has sockets of it too. Both live as long as this one. */
final class RdpHost {
    /** Of this process' sockets at the receiver's, and of the second one's. */
    static final int OWN_PORTS = 7_100;

    static final int GUEST_PORTS = OWN_PORTS + RdpSender.SOCKETS;
    static final int SLOW_PORT = GUEST_PORTS + RdpSender.SOCKETS;

    private static final String DIRECTORY = "vhca.rdp.socket.dir";

    private final RdpDriver driver;

    RdpHost(final Context context) {
        driver = RdpDriver.open(context);
    }

    RdpDriver driver() {
        return driver;
    }

    /** Why the driver's last sessions ended, for who was told that there is no path. */
    String why() {
        return driver.status().nodes().stream()
                .map(node -> "; " + node.address().getHostAddress() + ": " + node.lastEnd().text())
                .collect(Collectors.joining());
    }

    /**
     * Starts the second process.
     *
     * @param peer whom it sends to; null where it sends back
     */
    RdpGuest guest(final @Nullable InetAddress peer) {
        try {
            // The drill's two ends may be on one host, and their devices have one name.
            final Path directory = Files.createTempDirectory("vhca-drill");
            System.setProperty(DIRECTORY, directory.toString());
            final SharedServer server = SharedServer.open(driver);
            final RdpGuest guest =
                    RdpGuest.start(driver.name(), directory.toString(), GUEST_PORTS, SLOW_PORT, peer);
            // Who is attached stays so; nobody else is to be, and nothing is to be left when this process is killed.
            Files.delete(server.path());
            Files.delete(directory);
            return guest;
        } catch (final IOException e) {
            throw new IllegalStateException("the driver of the drill cannot be shared: " + e.getMessage(), e);
        }
    }
}
