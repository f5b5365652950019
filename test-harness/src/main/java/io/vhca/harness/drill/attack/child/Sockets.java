package io.vhca.harness.drill.attack.child;

import io.vhca.api.Gid;
import io.vhca.harness.drill.attack.packet.PacketForge;
import io.vhca.harness.drill.attack.packet.Shot;
import io.vhca.physical.soft.wire.Wire;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.LinkedHashMap;
import java.util.Map;

/** UDP sockets of the addresses that the attacker sends from, the least recently used closed first. One thread. */
final class Sockets implements AutoCloseable {
    private static final int MOST_OPEN = 256;

    private final PacketForge forge = new PacketForge();
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(PacketForge.MOST_BYTES);
    private final Map<Gid, Socket> open = new LinkedHashMap<>(MOST_OPEN, 0.75f, true);

    /** A socket and its port, which the ICRC covers. */
    private record Socket(DatagramChannel channel, int port) {}

    /** Sends it; how many bytes the packet had. */
    int send(final Shot shot) throws IOException {
        final Socket socket = socket(shot.from());
        final byte[] packet = forge.onTheWire(shot, socket.port);
        buffer.clear().put(packet).flip();
        socket.channel.send(buffer, new InetSocketAddress(shot.to().address(), Wire.UDP_PORT));
        return packet.length;
    }

    private Socket socket(final Gid from) throws IOException {
        final Socket known = open.get(from);
        if (known != null) {
            return known;
        }
        if (open.size() == MOST_OPEN) {
            final Gid oldest = open.keySet().iterator().next();
            final Socket closing = open.remove(oldest);
            if (closing != null) {
                closing.channel.close();
            }
        }
        final DatagramChannel channel = DatagramChannel.open(
                from.isIpv4() ? StandardProtocolFamily.INET : StandardProtocolFamily.INET6);
        channel.bind(new InetSocketAddress(from.address(), 0));
        final Socket socket = new Socket(channel, ((InetSocketAddress) channel.getLocalAddress()).getPort());
        open.put(from, socket);
        return socket;
    }

    @Override
    public void close() throws IOException {
        for (final Socket socket : open.values()) {
            socket.channel.close();
        }
        open.clear();
    }
}
