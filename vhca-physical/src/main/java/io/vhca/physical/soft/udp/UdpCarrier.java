package io.vhca.physical.soft.udp;

import io.vhca.api.Errno;
import io.vhca.api.Gid;
import io.vhca.api.NativeMemory;
import io.vhca.api.VerbsException;
import io.vhca.physical.ffm.Posix;
import io.vhca.physical.rdmacore.sockaddr;
import io.vhca.physical.soft.carrier.Carrier;
import io.vhca.physical.soft.carrier.Destination;
import io.vhca.physical.soft.carrier.RouteTable;
import io.vhca.physical.soft.wire.FillDescriptor;
import io.vhca.physical.soft.wire.Wire;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.util.Arrays;

/**
 * Carries RoCEv2 packets over a UDP socket bound to one address and port 4791, or beside the kernel's rdma_rxe, which
 * has that port for all addresses, over a raw socket ({@link RawUdp}).
 *
 * <p>Packets are gathered and sent by sendmmsg(2), received by recvmmsg(2), from native memory made once. Fragmentation
 * is forbidden, which also makes the kernel send IP identification 0, as the ICRC demands. One thread at a time, except
 * {@link #awaitPacket} and {@link #checkLink}, which one other thread may be in, {@link #isUp} and {@link #wakeUp}.
 *
 * <p>To another soft device packets of one length go in trains ({@link OutgoingTrains}). Where the kernel cuts a train
 * for a network it counts the IP identification on from 0, which a device that sees it finds in the ICRC to be wrong; a
 * soft device sees none. So whoever is heard from port 4791 gets trains: rdma_rxe and adapters send from 49152 and
 * above, and so does a soft device with a raw socket, which sees the headers.
 *
 * <p>Losses (link down, socket buffer full, no route) are a lost packet to the transport above and a number in
 * {@link #sendErrors}; nothing here throws after construction.
 */
public final class UdpCarrier implements Carrier {
    /** Largest headers around a payload: BTH, DETH, RETH or AtomicETH, ImmDt, pad, ICRC. */
    private static final int HEADER_BYTES = 80;

    private static final int SEND_BATCH = 64;
    private static final int RECEIVE_BATCH = 16;
    private static final int SOCKET_BUFFER_BYTES = 8 << 20;
    private static final int MAX_ROUTES = 4096;

    private final Arena arena = Arena.ofShared();
    private final Gid address;
    private final int family;
    private final int scopeId;
    private final int addressBytes;
    private final boolean isRaw;
    private final int fd;
    /** What keeps others from having the same address over a raw socket; -1 for a UDP socket. */
    private final int claim;
    private final int maxPacketBytes;
    private final OutgoingTrains outgoing;
    private final IncomingBatch incoming;
    private final CarrierWatch watch;
    private final long routeMemory;
    private final RouteTable routes = new RouteTable(MAX_ROUTES, this::writeRoute);
    /** By route: the device there takes trains. */
    private final boolean[] takesTrains = new boolean[MAX_ROUTES];
    /** By route: and packets in them that were filled up. */
    private final boolean[] takesFilled = new boolean[MAX_ROUTES];
    /** Of the packets that were ever to go there, the longest one's length. */
    private final int[] longest = new int[MAX_ROUTES];
    /** The kernel takes trains from this socket. */
    private boolean hasTrains;
    /** Somebody has a traffic class, so that those of others are of interest. */
    private boolean isClassWanted;

    private long sendErrors;
    private boolean closed;

    /**
     * Opens the socket.
     *
     * @param mtu the largest payload of a packet that is sent, at most 4096; less where the interface carries less
     * @throws VerbsException EADDRNOTAVAIL when the address is not this host's, EADDRINUSE when its port 4791 is taken,
     *     EPERM when the kernel has that port and this process may have no raw socket beside it
     */
    public UdpCarrier(final String deviceName, final InetAddress localAddress, final int mtu) {
        this(
                deviceName,
                localAddress,
                mtu,
                SocketAddresses.family(localAddress) == LibC.AF_INET && RawUdp.isPortOfKernel());
    }

    /** @param isRaw over a raw socket whoever has the UDP port */
    UdpCarrier(final String deviceName, final InetAddress localAddress, final int mtu, final boolean isRaw) {
        this.isRaw = isRaw;
        address = Gid.of(localAddress);
        family = SocketAddresses.family(localAddress);
        scopeId = SocketAddresses.scopeId(localAddress);
        addressBytes = SocketAddresses.size(family);
        claim = isRaw ? RawUdp.claim(localAddress) : -1;
        int socket = -1;
        CarrierWatch opened = null;
        try {
            socket = openSocket(deviceName, localAddress);
            bind(socket, deviceName, localAddress);
            opened = new CarrierWatch(deviceName, arena, socket, localAddress);
            final int ipHeader = family == LibC.AF_INET ? 20 : 40;
            maxPacketBytes = Math.min(mtu + HEADER_BYTES, opened.mtu() - ipHeader - 8);
            outgoing = new OutgoingTrains(arena, SEND_BATCH, maxPacketBytes, isRaw ? RawUdp.HEADER_BYTES : 0);
            incoming = new IncomingBatch(arena, RECEIVE_BATCH);
            routeMemory = arena.allocate((long) MAX_ROUTES * RouteDescriptor.STRIDE, 64).address();
            hasTrains = !isRaw
                    && LibC.setsockopt(socket, LibC.SOL_UDP, LibC.UDP_SEGMENT, 0) == 0
                    && LibC.setsockopt(socket, LibC.SOL_UDP, LibC.UDP_GRO, 1) == 0;
        } catch (final RuntimeException | Error e) {
            if (opened != null) {
                opened.close();
            }
            if (socket >= 0) {
                Posix.close(socket);
            }
            if (claim >= 0) {
                Posix.close(claim);
            }
            arena.close();
            throw e;
        }
        fd = socket;
        watch = opened;
    }

    /** Bound to nothing yet. */
    private int openSocket(final String deviceName, final InetAddress localAddress) {
        if (isRaw && claim < 0) {
            throw new VerbsException("openDevice", -claim, deviceName, whyNotBound(localAddress, -claim));
        }
        final int socket = isRaw
                ? RawUdp.open(deviceName, address)
                : LibC.socket(family, LibC.SOCK_DGRAM | LibC.SOCK_NONBLOCK | LibC.SOCK_CLOEXEC);
        if (socket < 0) {
            throw new VerbsException(
                    "openDevice", -socket, deviceName, "no UDP socket could be made" + Errno.descriptorHint(-socket));
        }
        return socket;
    }

    private void bind(final int socket, final String deviceName, final InetAddress localAddress) {
        if (family == LibC.AF_INET) {
            LibC.setsockopt(socket, LibC.IPPROTO_IP, LibC.IP_MTU_DISCOVER, LibC.PMTUDISC_DO);
        } else {
            LibC.setsockopt(socket, LibC.IPPROTO_IPV6, LibC.IPV6_V6ONLY, 1);
            LibC.setsockopt(socket, LibC.IPPROTO_IPV6, LibC.IPV6_MTU_DISCOVER, LibC.PMTUDISC_DO);
            // Linux's rxe sends no UDP checksum, which IPv6 refuses otherwise; the ICRC covers more than it did.
            LibC.setsockopt(socket, LibC.IPPROTO_UDP, LibC.UDP_NO_CHECK6_RX, 1);
        }
        enlarge(socket, LibC.SO_RCVBUFFORCE, LibC.SO_RCVBUF);
        enlarge(socket, LibC.SO_SNDBUFFORCE, LibC.SO_SNDBUF);
        final int bound;
        try (Arena scratch = Arena.ofConfined()) {
            final long sockaddr = SocketAddresses.allocate(scratch);
            SocketAddresses.write(sockaddr, family, address, Wire.UDP_PORT, scopeId);
            bound = LibC.bind(socket, sockaddr, addressBytes);
        }
        if (bound < 0) {
            throw new VerbsException("openDevice", -bound, deviceName, whyNotBound(localAddress, -bound));
        }
        if (isRaw) {
            RawUdp.drop(socket);
        }
    }

    private static String whyNotBound(final InetAddress localAddress, final int errno) {
        final String host = localAddress.getHostAddress();
        return switch (errno) {
            case Errno.EADDRINUSE ->
                    "UDP port " + Wire.UDP_PORT + " of " + host + " is taken: another process has this soft device"
                    + " open; give the device another address in VHCA_SOFT";
            case Errno.EADDRNOTAVAIL -> "this host has no address " + host
                    + ": add it to an interface, or name one of the host's addresses in VHCA_SOFT";
            default -> "UDP port " + Wire.UDP_PORT + " of " + host + " could not be bound";
        };
    }

    /** Beyond the host's limit where privileges allow, else up to it. */
    private static void enlarge(final int socket, final int forced, final int limited) {
        if (LibC.setsockopt(socket, LibC.SOL_SOCKET, forced, SOCKET_BUFFER_BYTES) < 0) {
            LibC.setsockopt(socket, LibC.SOL_SOCKET, limited, SOCKET_BUFFER_BYTES);
        }
    }

    @Override
    public Gid address() {
        return address;
    }

    @Override
    public int sourcePort() {
        return isRaw ? RawUdp.SOURCE_PORT : Wire.UDP_PORT;
    }

    @Override
    public int maxPacketBytes() {
        return maxPacketBytes;
    }

    /** As the last {@link #checkLink} found it. */
    @Override
    public boolean isUp() {
        return watch.isUp();
    }

    /**
     * Looks at the interface and the address again where the kernel says that something has changed, and now and then
     * though it says nothing: to be called every few milliseconds, and when {@link #takeLinkTold} says so. The thread
     * that may be in {@link #awaitPacket}.
     */
    public void checkLink(final long nowNs) {
        watch.check(nowNs);
    }

    /** False where {@link #awaitPacket} does not end when the link changes, which is to be looked for all the time. */
    public boolean isToldOfLinks() {
        return watch.isTold();
    }

    /** Whether the last {@link #awaitPacket} found that the link may have changed; false from then on. */
    public boolean takeLinkTold() {
        return watch.takeLinkTold();
    }

    /** True for a destination of the socket's IP version. */
    @Override
    public boolean reaches(final Gid destination) {
        return SocketAddresses.fits(family, destination);
    }

    @Override
    public int route(final Destination destination) {
        return reaches(destination.gid()) ? routes.take(destination) : -Errno.ENETUNREACH;
    }

    @Override
    public void release(final int route) {
        routes.release(route);
    }

    private void writeRoute(final int token, final Destination destination) {
        // Packets that were gathered refer to the socket address that is written here.
        flush();
        takesTrains[token] = false;
        takesFilled[token] = false;
        longest[token] = 0;
        RouteDescriptor.write(route(token), family, scopeId, destination);
        if (destination.trafficClass() != 0 && !isClassWanted) {
            isClassWanted = true;
            if (!isRaw) { // a raw socket shows the IP header anyway
                IpControl.askForClass(fd, family);
            }
        }
    }

    private long route(final int token) {
        return routeMemory + (long) token * RouteDescriptor.STRIDE;
    }

    @Override
    public void heard(final int route, final int sourcePort, final boolean isFillOffered) {
        takesTrains[route] = hasTrains && sourcePort == Wire.UDP_PORT;
        takesFilled[route] = takesTrains[route] && isFillOffered;
    }

    @Override
    public long place() {
        return outgoing.place();
    }

    @Override
    public boolean send(final int route, final long packetAddress, final int lengthBytes) {
        if (!isUp() || lengthBytes > maxPacketBytes) {
            sendErrors++;
            return false;
        }
        final long place = outgoing.place();
        if (packetAddress != place) {
            NativeMemory.copy(packetAddress, place, lengthBytes);
        }
        if (isRaw) {
            RawUdp.putHeader(place - RawUdp.HEADER_BYTES, lengthBytes);
        }
        if (takesTrains[route]) {
            FillDescriptor.offer(place);
        }
        longest[route] = Math.max(longest[route], lengthBytes);
        outgoing.add(
                lengthBytes, route(route), addressBytes, takesTrains[route], takesFilled[route] ? longest[route] : 0);
        if (outgoing.isFull()) {
            flush();
        }
        return true;
    }

    @Override
    public void flush() {
        final int count = outgoing.messages();
        int sent = 0;
        while (sent < count) {
            int result = LibC.sendmmsgBlind(fd, outgoing.header(sent), count - sent);
            if (result <= 0) {
                result = LibC.sendmmsg(fd, outgoing.header(sent), count - sent); // once more, to hear why not
            }
            if (result > 0) {
                sent += result;
            } else if (result == -Errno.EAGAIN) {
                // With a full buffer the others would be refused as well.
                sendErrors += lost(sent, count);
                sent = count;
            } else {
                refused(sent, result);
                sent++;
            }
        }
        outgoing.clear();
    }

    private int lost(final int from, final int to) {
        int packets = 0;
        for (int i = from; i < to; i++) {
            packets += outgoing.packetsOf(i);
        }
        return packets;
    }

    /** To the transport lost packets, whatever the reason; but for a train, which the kernel may not take as such. */
    private void refused(final int message, final int errno) {
        final int packets = outgoing.packetsOf(message);
        final boolean isTrain = packets > 1;
        if (isTrain && (errno == -Errno.EIO || errno == -Errno.EINVAL || errno == -Errno.EMSGSIZE)) {
            // The interface does no checksums, or carries less by now: no trains from here on.
            hasTrains = false;
            Arrays.fill(takesTrains, false);
            Arrays.fill(takesFilled, false);
        }
        for (int i = 0; i < packets; i++) {
            if (isTrain) {
                outgoing.uncouple(message, i);
            }
            if (!isTrain || LibC.sendmmsgBlind(fd, outgoing.header(message), 1) <= 0) {
                sendErrors++;
            }
        }
    }

    @Override
    public int receive(final PacketHandler handler, final int limit) {
        final int wanted = Math.min(limit, incoming.capacity());
        final int count = LibC.recvmmsgBlind(fd, incoming.header(0), wanted);
        final boolean isUp = isUp();
        for (int i = 0; i < count; i++) {
            final long from = incoming.address(i);
            final int bytes = incoming.receivedBytes(i);
            final int segmentBytes = incoming.segmentBytes(i);
            final int trafficClass = isClassWanted ? incoming.trafficClass(i) : 0;
            incoming.arm(i);
            if (isUp && isRaw) {
                receiveRaw(handler, from, incoming.buffer(i), bytes);
            } else if (isUp) {
                receiveTrain(handler, from, trafficClass, incoming.buffer(i), bytes, segmentBytes);
            }
        }
        return Math.max(count, 0);
    }

    private void receiveTrain(
            final PacketHandler handler,
            final long from,
            final int trafficClass,
            final long train,
            final int bytes,
            final int segmentBytes) {
        final long high = SocketAddresses.gidHigh(from, family);
        final long low = SocketAddresses.gidLow(from, family);
        final int port = SocketAddresses.port(from);
        for (int offset = 0; offset < bytes; offset += segmentBytes) {
            final long packet = train + offset;
            final int packetBytes = FillDescriptor.packetBytes(packet, Math.min(segmentBytes, bytes - offset));
            handler.onPacket(high, low, port, trafficClass, packet, packetBytes);
        }
    }

    private void receiveRaw(final PacketHandler handler, final long from, final long packet, final int bytes) {
        final int header = RawUdp.header(packet, bytes);
        if (header >= 0) {
            handler.onPacket(
                    SocketAddresses.gidHigh(from, family),
                    SocketAddresses.gidLow(from, family),
                    RawUdp.sourcePort(packet + header),
                    RawUdp.trafficClass(packet),
                    packet + header + RawUdp.HEADER_BYTES,
                    bytes - header - RawUdp.HEADER_BYTES);
        }
    }

    /**
     * Blocks until a packet is there, the link may have changed, or {@link #wakeUp}, at most {@code timeoutNs}; true
     * when a packet is there.
     */
    public boolean awaitPacket(final long timeoutNs) {
        return watch.await(timeoutNs);
    }

    /** Ends {@link #awaitPacket}, or else the next one; nothing once closed. Any thread. */
    public void wakeUp() {
        watch.wakeUp();
    }

    /** True while the kernel takes trains from this socket. */
    boolean hasTrains() {
        return hasTrains;
    }

    /** Packets that were not sent: link down, too long, socket buffer full, no route. */
    public long sendErrors() {
        return sendErrors;
    }

    /** No thread may be in {@link #awaitPacket} any more. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            watch.close();
            Posix.close(fd);
            if (isRaw) {
                Posix.close(claim);
            }
            arena.close();
        }
    }
}
