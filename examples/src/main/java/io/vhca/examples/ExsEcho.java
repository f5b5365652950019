package io.vhca.examples;

import io.vhca.api.Context;
import io.vhca.api.Devices;
import io.vhca.exs.Exs;
import io.vhca.exs.ExsByteChannel;
import io.vhca.exs.ExsChannels;
import io.vhca.exs.ExsOptions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** An echo over extended sockets: one process, both ends on one device, which {@code args[0]} names. */
public final class ExsEcho {
    private ExsEcho() {}

    public static void main(final String[] args) throws IOException {
        try (Context device = Devices.open(args.length > 0 ? args[0] : "soft0");
                Exs exs = Exs.init(Exs.VERSION, device, ExsOptions.DEFAULT);
                ExsChannels channels = new ExsChannels(exs);
                ExsChannels.Listener listener =
                        channels.listen(new InetSocketAddress(device.ipGid(1).address(), 0), 1)) {
            final var accepted = listener.accept().thenApply(channel -> channel.blocking());
            try (ExsByteChannel client = channels.connect(listener.address()).join().blocking();
                    ExsByteChannel server = accepted.join()) {
                client.write(ByteBuffer.wrap("hello, sockets".getBytes(StandardCharsets.UTF_8)));
                final ByteBuffer heard = ByteBuffer.allocate(100);
                server.read(heard);
                server.write(heard.flip());
                client.read(heard.clear());
                System.out.println(StandardCharsets.UTF_8.decode(heard.flip()));
            }
        }
    }
}
