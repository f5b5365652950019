package io.vhca.harness.bond;

import io.vhca.api.Context;
import io.vhca.api.Devices;
import io.vhca.bond.BondDevice;
import io.vhca.bond.config.BondConfig;
import io.vhca.examples.RdmaConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;

/** A process that connects, and ends without closing: what {@link GoodbyeTest} starts. */
final class GoodbyeChild {
    private GoodbyeChild() {}

    /** How it ends. */
    enum End {
        /** By {@link System#exit}. */
        EXIT,
        /** Main returns; all threads that are left are daemons. */
        RETURN,
        /** It waits to be told by SIGTERM. */
        SIGNAL,
        /** By {@link System#exit}, with a hook of its own that closes. */
        OWN_HOOK
    }

    /** Arguments: the device, soft or bond; the end; address and port of the peer. */
    public static void main(final String[] args) throws Exception {
        final Context device = args[0].equals("bond")
                ? new BondDevice(SoftBonds.calm(BondConfig.builder("bond-child").members(List.of("gc0", "gc1")))
                                .build())
                        .open()
                : Devices.open("gc0");
        final RdmaConnection connection = RdmaConnection.connect(
                device, new InetSocketAddress(InetAddress.ofLiteral(args[2]), Integer.parseInt(args[3])));
        connection.awaitEstablished();
        System.out.println("connected");
        if (System.in.read() < 0) {
            throw new IllegalStateException("the peer is gone"); // else it says that it has seen it established
        }
        switch (End.valueOf(args[1])) {
            case EXIT -> System.exit(0);
            case RETURN -> {
                // That is all.
            }
            case SIGNAL -> Thread.sleep(Long.MAX_VALUE);
            case OWN_HOOK -> {
                Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                    connection.close();
                    device.close();
                }));
                System.exit(0);
            }
        }
    }
}
