package io.vhca.examples;

import io.vhca.api.Context;
import io.vhca.api.Devices;

/** The shortest program: one process, both ends on one device, which {@code args[0]} names. */
public final class Hello {
    private Hello() {}

    public static void main(final String[] args) {
        try (Context device = Devices.open(args.length > 0 ? args[0] : "soft0");
                RdmaListener listener = RdmaListener.listen(device, 0);
                RdmaConnection client = RdmaConnection.connect(device, listener.address());
                RdmaConnection server = listener.accept()) {
            client.send("hello, RDMA");
            System.out.println(server.receiveText());
        }
    }
}
