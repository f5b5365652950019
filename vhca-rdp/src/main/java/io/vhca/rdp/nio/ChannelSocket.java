package io.vhca.rdp.nio;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A datagram channel as a socket: what {@link RdpDatagramChannel#socket} gives. Any thread. */
final class ChannelSocket extends DatagramSocket {
    private final RdpDatagramChannel channel;
    private volatile int timeoutMs;

    /**
     * How much a packet takes that was received into. A packet knows that beside its length, and says it to nobody: as
     * long as nobody gives it another array or length, it is what it was before it was received into first.
     */
    private record Room(int bytes, byte[] data, int offset, int length) {
        private static final Map<DatagramPacket, Room> KEPT = Collections.synchronizedMap(new WeakHashMap<>());

        static int of(final DatagramPacket packet) {
            final Room kept = KEPT.get(packet);
            if (kept != null && kept.data == packet.getData()
                    && kept.offset == packet.getOffset() && kept.length == packet.getLength()) {
                return kept.bytes;
            }
            return packet.getLength();
        }

        static void keep(final DatagramPacket packet, final int bytes) {
            if (packet.getLength() == bytes) {
                KEPT.remove(packet);
            } else {
                KEPT.put(packet, new Room(bytes, packet.getData(), packet.getOffset(), packet.getLength()));
            }
        }
    }

    private ChannelSocket(final RdpDatagramChannel channel) throws SocketException {
        // Unbound; the socket of its own that it has by that is given back at once, and never used.
        super((SocketAddress) null);
        super.close();
        this.channel = channel;
    }

    static DatagramSocket of(final RdpDatagramChannel channel) {
        try {
            return new ChannelSocket(channel);
        } catch (final SocketException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** As a socket says it, what a channel says by exceptions of other kinds. */
    private static SocketException named(final Exception e) {
        if (e instanceof final SocketException socket) {
            return socket;
        }
        final SocketException named = new SocketException(
                switch (e) {
                    case ClosedChannelException _ -> "Socket is closed";
                    case AlreadyBoundException _ -> "Already bound";
                    case UnresolvedAddressException _ -> "Unresolved address";
                    case UnsupportedAddressTypeException _ -> "Unsupported address type";
                    default -> e.getMessage();
                });
        named.initCause(e);
        return named;
    }

    @Override
    public DatagramChannel getChannel() {
        return channel;
    }

    @Override
    public void bind(final @Nullable SocketAddress address) throws SocketException {
        try {
            channel.bind(address == null ? new InetSocketAddress(0) : address);
        } catch (final IOException
                | AlreadyBoundException
                | UnresolvedAddressException
                | UnsupportedAddressTypeException e) {
            throw named(e);
        }
    }

    @Override
    public void connect(final SocketAddress address) throws SocketException {
        if (!(address instanceof final InetSocketAddress to)) {
            throw new IllegalArgumentException(address + " is no address of a host");
        }
        if (to.isUnresolved()) {
            throw new SocketException("Unresolved address");
        }
        try {
            channel.connect(to, true);
        } catch (final ClosedChannelException e) {
            assert isClosed() : e; // whose next call says so
        } catch (final IOException e) {
            throw named(e);
        }
    }

    @Override
    public void connect(final InetAddress address, final int port) {
        if (address == null) {
            throw new IllegalArgumentException("there is no address");
        }
        try {
            connect(new InetSocketAddress(address, port));
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void disconnect() {
        try {
            channel.disconnect();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private @Nullable InetSocketAddress local() {
        try {
            return channel.ends().localAddress();
        } catch (final IOException e) {
            // It is closed: as a socket says that, it has no address.
            return null;
        }
    }

    @Override
    public boolean isBound() {
        return channel.ends().isBound();
    }

    @Override
    public boolean isConnected() {
        return channel.isConnected();
    }

    @Override
    public boolean isClosed() {
        return !channel.isOpen();
    }

    @Override
    public @Nullable InetAddress getInetAddress() {
        final InetSocketAddress to = channel.remote();
        return to == null ? null : to.getAddress();
    }

    @Override
    public int getPort() {
        final InetSocketAddress to = channel.remote();
        return to == null ? -1 : to.getPort();
    }

    @Override
    public @Nullable SocketAddress getRemoteSocketAddress() {
        return channel.remote();
    }

    @Override
    public @Nullable SocketAddress getLocalSocketAddress() {
        return local();
    }

    @Override
    public @Nullable InetAddress getLocalAddress() {
        final InetSocketAddress own = local();
        return isClosed() ? null : own == null ? new InetSocketAddress(0).getAddress() : own.getAddress();
    }

    @Override
    public int getLocalPort() {
        final InetSocketAddress own = local();
        return isClosed() ? -1 : own == null ? 0 : own.getPort();
    }

    private void checkBlocking() {
        if (!channel.isBlocking()) {
            throw new IllegalBlockingModeException();
        }
    }

    @Override
    public void send(final DatagramPacket packet) throws IOException {
        checkBlocking();
        final ByteBuffer source = ByteBuffer.wrap(packet.getData(), packet.getOffset(), packet.getLength());
        final SocketAddress only = isClosed() ? null : channel.remote();
        try {
            if (only != null && packet.getAddress() == null) {
                channel.write(source);
            } else if (only != null && !only.equals(packet.getSocketAddress())) {
                throw new IllegalArgumentException(
                        "the socket is connected to " + only + ", the packet is for " + packet.getSocketAddress());
            } else {
                channel.send(source, packet.getSocketAddress());
            }
        } catch (final ClosedChannelException e) {
            throw closed(e);
        }
    }

    /** As a socket says it; that it was closed by an interrupt is said as it is. */
    private static IOException closed(final ClosedChannelException e) {
        return e instanceof ClosedByInterruptException ? e : named(e);
    }

    @Override
    public void receive(final DatagramPacket packet) throws IOException {
        checkBlocking();
        final DatagramChannel udp = channel.ends().udp();
        try {
            if (udp != null && channel.ends().kind() == ChannelEnds.Kind.UDP) {
                receive(udp, packet);
            } else {
                take(packet);
            }
        } catch (final ClosedChannelException e) {
            throw closed(e);
        }
    }

    private void receive(final DatagramChannel udp, final DatagramPacket packet) throws IOException {
        try {
            udp.socket().setSoTimeout(timeoutMs);
            final int room = Room.of(packet);
            if (room != packet.getLength()) {
                packet.setLength(room);
            }
            udp.socket().receive(packet);
            Room.keep(packet, room);
        } finally {
            channel.closeWith(udp);
        }
    }

    private void take(final DatagramPacket packet) throws IOException {
        final int room = Room.of(packet);
        final ByteBuffer target = ByteBuffer.wrap(packet.getData(), packet.getOffset(), room);
        final SocketAddress from = timeoutMs == 0
                ? channel.receive(target)
                : channel.receive(target, TimeUnit.MILLISECONDS.toNanos(timeoutMs));
        if (from == null) {
            throw new SocketTimeoutException("Receive timed out");
        }
        packet.setLength(target.position() - packet.getOffset());
        packet.setSocketAddress(from);
        Room.keep(packet, room);
    }

    @Override
    public void setSoTimeout(final int ms) throws SocketException {
        if (ms < 0) {
            throw new IllegalArgumentException("a timeout of " + ms + " ms");
        }
        timeoutMs = ms;
    }

    @Override
    public int getSoTimeout() {
        return timeoutMs;
    }

    @Override
    public <T> DatagramSocket setOption(final SocketOption<T> option, final @Nullable T value) throws IOException {
        channel.setOption(option, value);
        return this;
    }

    @Override
    public <T> @Nullable T getOption(final SocketOption<T> option) throws IOException {
        return channel.getOption(option);
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return channel.supportedOptions();
    }

    private <T> void set(final SocketOption<T> option, final T value) throws SocketException {
        try {
            channel.setOption(option, value);
        } catch (final IOException e) {
            throw named(e);
        }
    }

    private <T> T get(final SocketOption<T> option, final T ifNone) throws SocketException {
        try {
            final T value = channel.getOption(option);
            return value == null ? ifNone : value;
        } catch (final IOException e) {
            throw named(e);
        }
    }

    @Override
    public void setSendBufferSize(final int bytes) throws SocketException {
        set(StandardSocketOptions.SO_SNDBUF, bytes);
    }

    @Override
    public int getSendBufferSize() throws SocketException {
        return get(StandardSocketOptions.SO_SNDBUF, 0);
    }

    @Override
    public void setReceiveBufferSize(final int bytes) throws SocketException {
        set(StandardSocketOptions.SO_RCVBUF, bytes);
    }

    @Override
    public int getReceiveBufferSize() throws SocketException {
        return get(StandardSocketOptions.SO_RCVBUF, 0);
    }

    @Override
    public void setReuseAddress(final boolean isOn) throws SocketException {
        set(StandardSocketOptions.SO_REUSEADDR, isOn);
    }

    @Override
    public boolean getReuseAddress() throws SocketException {
        return get(StandardSocketOptions.SO_REUSEADDR, false);
    }

    @Override
    public void setBroadcast(final boolean isOn) throws SocketException {
        set(StandardSocketOptions.SO_BROADCAST, isOn);
    }

    @Override
    public boolean getBroadcast() throws SocketException {
        return get(StandardSocketOptions.SO_BROADCAST, false);
    }

    @Override
    public void setTrafficClass(final int value) throws SocketException {
        set(StandardSocketOptions.IP_TOS, value);
    }

    @Override
    public int getTrafficClass() throws SocketException {
        return get(StandardSocketOptions.IP_TOS, 0);
    }

    @Override
    public void joinGroup(final SocketAddress group, final @Nullable NetworkInterface by) throws IOException {
        udpFor(group).joinGroup(group, by);
    }

    @Override
    public void leaveGroup(final SocketAddress group, final @Nullable NetworkInterface by) throws IOException {
        udpFor(group).leaveGroup(group, by);
        channel.dropLeft();
    }

    /** The socket of the UDP channel, whose groups are this one's. */
    private DatagramSocket udpFor(final SocketAddress group) throws IOException {
        final String name =
                group instanceof final InetSocketAddress inet ? inet.getHostString() : String.valueOf(group);
        try {
            return channel.udpFor(name).socket();
        } catch (final ClosedChannelException e) {
            throw closed(e);
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
