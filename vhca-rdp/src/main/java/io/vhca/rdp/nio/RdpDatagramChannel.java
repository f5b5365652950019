package io.vhca.rdp.nio;

import io.vhca.api.VerbsException;
import io.vhca.rdp.RdpSocket;
import io.vhca.rdp.engine.SendResult;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.PortUnreachableException;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.MembershipKey;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.nio.channels.spi.SelectorProvider;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A datagram channel that sends and receives by UDP, by a socket for reliable datagrams, or by both, as the addresses
 * want it. A reliable datagram that is not taken now is as one that the kernel has no room for: a send without blocking
 * answers 0, and the channel becomes writable when it is worth to try again. Any thread.
 */
final class RdpDatagramChannel extends DatagramChannel {
    /** How long one sleep lasts at most, should the channel have been closed meanwhile. */
    private static final long SLICE_NS = TimeUnit.MILLISECONDS.toNanos(50);

    private static final long OPEN_SLICE_NS = TimeUnit.MILLISECONDS.toNanos(1);

    private static final long KERNEL_PAUSE_NS = 50_000;

    static final long FOREVER = Long.MAX_VALUE;

    /** Most that an array of bytes may have. */
    private static final int MOST_ROOM = Integer.MAX_VALUE - 8;

    private final ChannelEnds ends;
    private final long openNs;
    private final Set<SocketOption<?>> supported;
    private final ReentrantLock readLock = new ReentrantLock();
    private final ReentrantLock writeLock = new ReentrantLock();
    /** By the keys of the UDP channel. */
    private final Map<MembershipKey, ChannelMembership> memberships = new ConcurrentHashMap<>();
    private volatile @Nullable InetSocketAddress remote;
    /** What its node was known to call it: kept, since the driver may forget that, or end. */
    private volatile @Nullable InetSocketAddress remoteName;
    private @Nullable DatagramSocket adaptor;
    private boolean isKernelFirst;

    RdpDatagramChannel(
            final SelectorProvider provider, final RdpNetworks networks, final SelectorProvider base,
            final DatagramChannel udp) throws IOException {
        super(provider);
        openNs = networks.openNs();
        supported = udp.supportedOptions();
        ends = new ChannelEnds(networks, base, udp);
    }

    ChannelEnds ends() {
        return ends;
    }

    private void checkOpen() throws ClosedChannelException {
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
    }

    private static InetSocketAddress checked(final SocketAddress address) {
        Objects.requireNonNull(address);
        if (!(address instanceof final InetSocketAddress inet)) {
            throw new UnsupportedAddressTypeException();
        }
        if (inet.isUnresolved()) {
            throw new UnresolvedAddressException();
        }
        return inet;
    }

    @Override
    public DatagramChannel bind(final @Nullable SocketAddress local) throws IOException {
        checkOpen();
        ends.bind(local == null ? null : checked(local));
        return this;
    }

    @Override
    public @Nullable SocketAddress getLocalAddress() throws IOException {
        checkOpen();
        return ends.localAddress();
    }

    @Override
    public @Nullable SocketAddress getRemoteAddress() throws IOException {
        checkOpen();
        return remote;
    }

    /** The only one it sends to and hears, once it is closed too. */
    @Nullable InetSocketAddress remote() {
        return remote;
    }

    @Override
    public boolean isConnected() {
        return remote != null;
    }

    @Override
    public DatagramChannel connect(final SocketAddress to) throws IOException {
        connect(checked(to), false);
        return this;
    }

    /** @param mayMove where it is connected already it is to that from now on, as a socket does it */
    void connect(final InetSocketAddress inet, final boolean mayMove) throws IOException {
        readLock.lock();
        writeLock.lock();
        try {
            checkOpen();
            if (remote != null) {
                if (!mayMove) {
                    throw new AlreadyConnectedException();
                }
                remote = null;
                remoteName = null;
                ends.disconnect();
            }
            ends.bindIfNot();
            ends.connect(inet);
            remote = inet;
        } finally {
            writeLock.unlock();
            readLock.unlock();
        }
    }

    @Override
    public DatagramChannel disconnect() throws IOException {
        readLock.lock();
        writeLock.lock();
        try {
            if (isOpen()) {
                remote = null;
                remoteName = null;
                ends.disconnect();
            }
        } finally {
            writeLock.unlock();
            readLock.unlock();
        }
        return this;
    }

    @Override
    public <T> DatagramChannel setOption(final SocketOption<T> option, final @Nullable T value) throws IOException {
        checkOption(option);
        checkOpen();
        if (value == null) {
            throw new IllegalArgumentException("option " + option + " has no value");
        }
        ends.option(option, value);
        return this;
    }

    @Override
    public <T> @Nullable T getOption(final SocketOption<T> option) throws IOException {
        checkOption(option);
        checkOpen();
        return ends.option(option);
    }

    private void checkOption(final SocketOption<?> option) {
        if (!supported.contains(Objects.requireNonNull(option))) {
            throw new UnsupportedOperationException("'" + option + "' is no option of a datagram channel");
        }
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return supported;
    }

    @Override
    public synchronized DatagramSocket socket() {
        if (adaptor == null) {
            adaptor = ChannelSocket.of(this);
        }
        return adaptor;
    }

    // Receiving.

    @Override
    public @Nullable SocketAddress receive(final ByteBuffer target) throws IOException {
        if (target.isReadOnly()) {
            throw new IllegalArgumentException("the buffer is read-only");
        }
        return receive(target, isBlocking() ? FOREVER : 0);
    }

    /** As receive, for as long at most; null where there was nothing. */
    @Nullable SocketAddress receive(final ByteBuffer target, final long timeoutNs) throws IOException {
        readLock.lock();
        try {
            checkOpen();
            ends.bindIfNot();
            final DatagramChannel udp = ends.udp();
            if (ends.kind() == ChannelEnds.Kind.UDP && udp != null) {
                assert timeoutNs == 0 || timeoutNs == FOREVER : "UDP alone waits by the channel's mode";
                try {
                    return udp.receive(target);
                } finally {
                    closeWith(udp);
                }
            }
            return timeoutNs == 0 ? receiveNow(target) : await(target, timeoutNs);
        } finally {
            readLock.unlock();
        }
    }

    /** Who is interrupted in a call of the UDP channel closes that alone: this channel is closed too. */
    void closeWith(final DatagramChannel udp) throws IOException {
        if (!udp.isOpen() && ends.udp() == udp) {
            close();
        }
    }

    private @Nullable SocketAddress await(final ByteBuffer target, final long timeoutNs) throws IOException {
        final long beganNs = System.nanoTime();
        SocketAddress from = null;
        try {
            begin();
            from = receiveNow(target);
            while (from == null && isOpen() && System.nanoTime() - beganNs < timeoutNs) {
                sleep(Math.min(SLICE_NS, timeoutNs - (System.nanoTime() - beganNs)));
                // A selector that slept took the interrupt to itself, and left nobody in its place.
                begin();
                from = receiveNow(target);
            }
        } catch (final VerbsException e) {
            throw closedOr(e);
        } finally {
            end(from != null);
        }
        return from;
    }

    /** Waits for the kernel or a socket, not longer than that. */
    private void sleep(final long timeoutNs) throws IOException {
        final RdpSocket[] sockets = ends.sockets();
        if (ends.udp() == null && sockets.length > 0) {
            sockets[0].awaitReadable(Math.max(1, timeoutNs));
            return;
        }
        try {
            final Selector sleeper = ends.sleeper();
            for (final RdpSocket socket : sockets) {
                socket.driver().waits();
            }
            // What becomes ready from now on wakes it.
            if ((ends.readyOps() & SelectionKey.OP_READ) == 0) {
                sleeper.select(Math.max(1, TimeUnit.NANOSECONDS.toMillis(timeoutNs)));
                sleeper.selectedKeys().clear();
            }
        } catch (final ClosedSelectorException e) {
            // The channel was closed, or is of one kind from now on: the caller looks.
            assert e.getCause() == null;
        }
    }

    private @Nullable SocketAddress receiveNow(final ByteBuffer target) throws IOException {
        isKernelFirst = !isKernelFirst;
        try {
            SocketAddress from = isKernelFirst ? fromKernel(target) : fromSockets(target);
            if (from == null) {
                from = isKernelFirst ? fromSockets(target) : fromKernel(target);
            }
            return from;
        } catch (final VerbsException e) {
            throw closedOr(e);
        }
    }

    private IOException closedOr(final VerbsException e) {
        return isOpen() ? RdpNetworks.named(e) : new AsynchronousCloseException();
    }

    private @Nullable SocketAddress fromKernel(final ByteBuffer target) throws IOException {
        final DatagramChannel udp = ends.udp();
        return udp == null || udp.isBlocking() ? null : udp.receive(target);
    }

    private @Nullable SocketAddress fromSockets(final ByteBuffer target) {
        for (final RdpSocket socket : ends.sockets()) {
            InetSocketAddress from = fromOne(socket, target);
            if (from == null && socket.driver().help(System.nanoTime()) > 0) {
                from = fromOne(socket, target);
            }
            if (from != null) {
                return from;
            }
        }
        return null;
    }

    /**
     * What others send to a connected channel is dropped, as by UDP. Who it is connected to may call itself by another
     * address.
     */
    private @Nullable InetSocketAddress fromOne(final RdpSocket socket, final ByteBuffer target) {
        final int at = target.position();
        final InetSocketAddress only = remote;
        InetSocketAddress from = socket.receive(target);
        while (from != null && only != null && !isOf(socket, only, from)) {
            target.position(at);
            from = socket.receive(target);
        }
        return from == null || only == null ? from : only;
    }

    private boolean isOf(final RdpSocket socket, final InetSocketAddress only, final InetSocketAddress from) {
        if (from.equals(only) || from.equals(remoteName)) {
            return true;
        }
        if (from.getPort() != only.getPort()) {
            return false;
        }
        final InetSocketAddress name = socket.nameOf(only);
        if (!name.equals(only)) {
            remoteName = name;
        }
        return from.equals(name);
    }

    private InetSocketAddress checkConnected() throws ClosedChannelException {
        checkOpen();
        final InetSocketAddress to = remote;
        if (to == null) {
            throw new NotYetConnectedException();
        }
        return to;
    }

    @Override
    public int read(final ByteBuffer target) throws IOException {
        checkConnected();
        final int before = target.position();
        receive(target);
        return target.position() - before;
    }

    @Override
    public long read(final ByteBuffer[] targets, final int offset, final int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, targets.length);
        checkConnected();
        long room = 0;
        for (int i = offset; i < offset + length; i++) {
            if (targets[i].isReadOnly()) {
                throw new IllegalArgumentException("buffer " + i + " is read-only, no datagram was taken");
            }
            room += targets[i].remaining();
        }
        final ByteBuffer whole = ByteBuffer.allocate((int) Math.min(room, MOST_ROOM));
        receive(whole);
        whole.flip();
        final int bytes = whole.remaining();
        for (int i = offset; i < offset + length && whole.hasRemaining(); i++) {
            final int part = Math.min(targets[i].remaining(), whole.remaining());
            targets[i].put(whole.slice(whole.position(), part));
            whole.position(whole.position() + part);
        }
        return bytes;
    }

    // Sending.

    @Override
    public int send(final ByteBuffer source, final SocketAddress target) throws IOException {
        final InetSocketAddress to = checked(target);
        checkOpen();
        final InetSocketAddress only = remote;
        if (only != null && !to.equals(only)) {
            throw new AlreadyConnectedException();
        }
        return sendTo(source, to);
    }

    private int sendTo(final ByteBuffer source, final InetSocketAddress to) throws IOException {
        writeLock.lock();
        // UDP alone does that itself.
        final boolean isInterruptible = isBlocking() && ends.kind() != ChannelEnds.Kind.UDP;
        final boolean isEmpty = !source.hasRemaining();
        boolean isDone = false;
        try {
            if (isInterruptible) {
                begin();
            }
            checkOpen();
            ends.bindIfNot();
            final RdpSocket socket = ends.socketFor(to.getAddress());
            final int bytes = socket == null ? toKernel(source, to) : toSocket(socket, source, to);
            isDone = bytes > 0 || isEmpty;
            return bytes;
        } catch (final VerbsException e) {
            throw closedOr(e);
        } finally {
            try {
                if (isInterruptible) {
                    end(isDone);
                }
            } finally {
                writeLock.unlock();
            }
        }
    }

    private int toKernel(final ByteBuffer source, final InetSocketAddress to) throws IOException {
        final DatagramChannel udp = ends.udp();
        if (udp == null) {
            throw new ClosedChannelException();
        }
        final boolean isEmpty = !source.hasRemaining();
        int bytes;
        try {
            bytes = udp.send(source, to);
            while (bytes == 0 && !isEmpty && isBlocking()) {
                LockSupport.parkNanos(KERNEL_PAUSE_NS);
                bytes = udp.send(source, to);
            }
        } finally {
            closeWith(udp);
        }
        if (bytes == 0 && !isEmpty) {
            ends.kernelRefused();
        }
        return bytes;
    }

    private int toSocket(final RdpSocket socket, final ByteBuffer source, final InetSocketAddress to)
            throws IOException {
        final int bytes = source.remaining();
        SendResult result = socket.send(source, to);
        if (isLater(result)) {
            result = isBlocking() ? await(socket, source, to) : awaitOpen(socket, source, to);
        }
        return switch (result) {
            case SENT -> {
                if (remoteName == null && to.equals(remote)) {
                    remoteName = socket.nameOf(to); // once: the nodes are connected, it is known
                }
                yield bytes;
            }
            case WOULD_BLOCK, NO_BUFFERS -> 0;
            case UNREACHABLE ->
                throw new PortUnreachableException(
                        to + ": no path to that node, a datagram to it was lost not long ago, or no socket has that"
                                + " port");
            case TOO_LONG ->
                throw new SocketException("a datagram of " + bytes + " bytes is too long: the limit is "
                        + socket.longestDatagram() + ", the smaller of MaxMessageSize and SO_SNDBUF, or what the other"
                        + " node has receives for");
        };
    }

    private SendResult await(final RdpSocket socket, final ByteBuffer source, final InetSocketAddress to) {
        SendResult result = SendResult.WOULD_BLOCK;
        while (isLater(result) && isOpen()) {
            result = socket.send(source, to, SLICE_NS);
        }
        return result;
    }

    /** A first datagram waits for its connection: programs of UDP do not expect one to be refused. */
    private SendResult awaitOpen(final RdpSocket socket, final ByteBuffer source, final InetSocketAddress to) {
        final long beganNs = System.nanoTime();
        SendResult result = SendResult.WOULD_BLOCK;
        while (isLater(result) && socket.isOpening(to) && isOpen() && !Thread.currentThread().isInterrupted()
                && System.nanoTime() - beganNs < openNs) {
            result = socket.send(source, to, OPEN_SLICE_NS);
        }
        return isLater(result) && isOpen() ? socket.send(source, to) : result;
    }

    private static boolean isLater(final SendResult result) {
        return result == SendResult.WOULD_BLOCK || result == SendResult.NO_BUFFERS;
    }

    @Override
    public int write(final ByteBuffer source) throws IOException {
        return sendTo(source, checkConnected());
    }

    @Override
    public long write(final ByteBuffer[] sources, final int offset, final int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, sources.length);
        final InetSocketAddress to = checkConnected();
        long bytes = 0;
        for (int i = offset; i < offset + length; i++) {
            bytes += sources[i].remaining();
        }
        if (bytes > Integer.MAX_VALUE) {
            throw new SocketException("a datagram of " + bytes + " bytes is too long");
        }
        final ByteBuffer whole = ByteBuffer.allocate((int) bytes);
        for (int i = offset; i < offset + length; i++) {
            whole.put(sources[i].duplicate());
        }
        final int sent = sendTo(whole.flip(), to);
        for (int i = offset; i < offset + length && sent == bytes; i++) {
            sources[i].position(sources[i].limit());
        }
        return sent;
    }

    // Groups.

    @Override
    public MembershipKey join(final InetAddress group, final NetworkInterface by) throws IOException {
        return joined(udpFor(group).join(group, by));
    }

    @Override
    public MembershipKey join(final InetAddress group, final NetworkInterface by, final InetAddress source)
            throws IOException {
        return joined(udpFor(group).join(group, by, source));
    }

    /** The UDP channel has one key for what is joined again: so has this one. */
    private MembershipKey joined(final MembershipKey base) {
        return memberships.computeIfAbsent(base, key -> new ChannelMembership(this, key));
    }

    void left(final MembershipKey base) {
        memberships.remove(base);
    }

    /** The socket of the UDP channel has left groups. */
    void dropLeft() {
        memberships.keySet().removeIf(base -> !base.isValid());
    }

    private DatagramChannel udpFor(final InetAddress group) throws IOException {
        return udpFor(group.getHostAddress());
    }

    DatagramChannel udpFor(final String group) throws IOException {
        checkOpen();
        final DatagramChannel udp = ends.udp();
        if (udp == null) {
            throw new SocketException("the channel is bound to " + ends.localAddress() + ", a reliable datagram socket,"
                    + " which cannot join the group " + group + "; a channel bound elsewhere can");
        }
        return udp;
    }

    @Override
    protected void implCloseSelectableChannel() throws IOException {
        ends.close();
    }

    @Override
    protected void implConfigureBlocking(final boolean isBlocking) throws IOException {
        // Behind a call that waits, as of any channel; the monitor of the ends, which a send and a close need, is not
        // held meanwhile.
        readLock.lock();
        writeLock.lock();
        try {
            ends.configureBlocking(isBlocking);
        } finally {
            writeLock.unlock();
            readLock.unlock();
        }
    }
}
