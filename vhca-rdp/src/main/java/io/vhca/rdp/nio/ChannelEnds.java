package io.vhca.rdp.nio;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.rdp.ReadyListener;
import io.vhca.rdp.RdpPoller;
import io.vhca.rdp.RdpSocket;
import java.io.IOException;
import java.lang.System.Logger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * What one channel sends and receives by.
 *
 * <pre>
 *   EITHER  a UDP channel, and sockets on the networks that were sent to or whose port it was bound to
 *     |---bound to another address, or connected to one---> UDP   a UDP channel alone
 *     `---bound to a driver's address, or connected to one of its network---> RDP   a socket alone
 * </pre>
 *
 * Any thread.
 */
final class ChannelEnds {
    /** See the class. */
    enum Kind {
        EITHER,
        UDP,
        RDP
    }

    private static final Logger LOGGER = System.getLogger(ChannelEnds.class.getName());
    private static final RdpSocket[] NONE = {};

    private final RdpNetworks networks;
    private final SelectorProvider base;
    private final ReadyListener listener = this::onReady;
    private final ChannelOptions options = new ChannelOptions();
    private final CopyOnWriteArrayList<MixedKey> keys = new CopyOnWriteArrayList<>();
    private volatile Kind kind = Kind.EITHER;
    private volatile @Nullable DatagramChannel udp;
    private volatile RdpSocket[] sockets = NONE;
    private volatile @Nullable Selector sleeper;
    /** The last send that was refused was one by UDP. */
    private volatile boolean isKernelFull;
    private volatile boolean isBound;
    private boolean isClosed;
    /** The channel's mode, which a UDP channel that is alone takes over. */
    private boolean isBlocking = true;

    /** @param base the provider of the UDP channel */
    ChannelEnds(final RdpNetworks networks, final SelectorProvider base, final DatagramChannel udp)
            throws IOException {
        this.networks = networks;
        this.base = base;
        this.udp = udp;
        udp.configureBlocking(false);
    }

    Kind kind() {
        return kind;
    }

    @Nullable DatagramChannel udp() {
        return udp;
    }

    /** The sockets; of kind RDP there is one. */
    RdpSocket[] sockets() {
        return sockets;
    }

    /** True from when it has an address, and once it is closed. */
    boolean isBound() {
        return isBound;
    }

    @Nullable InetSocketAddress localAddress() throws IOException {
        final DatagramChannel of = udp;
        final RdpSocket[] all = sockets;
        if (of != null) {
            return (InetSocketAddress) of.getLocalAddress();
        }
        try {
            return all.length == 0 ? null : all[0].localAddress();
        } catch (final VerbsException e) {
            throw closedOr(e);
        }
    }

    private IOException closedOr(final VerbsException e) {
        return isClosed() ? new ClosedChannelException() : RdpNetworks.named(e);
    }

    private synchronized boolean isClosed() {
        return isClosed;
    }

    synchronized void bind(final @Nullable InetSocketAddress local) throws IOException {
        final DatagramChannel of = checkOpen();
        if (of == null || of.getLocalAddress() != null) {
            throw new AlreadyBoundException();
        }
        if (local == null || local.getAddress().isAnyLocalAddress()) {
            bindAll(of, local);
        } else {
            bindTo(of, local);
        }
        isBound = true;
    }

    private void bindTo(final DatagramChannel of, final InetSocketAddress local) throws IOException {
        final RdpNetwork own = networks.ofOwn(local.getAddress());
        if (own == null) {
            of.bind(local);
            becomeUdp(of);
        } else {
            becomeRdp(open(own, local.getPort()), of);
        }
    }

    private @Nullable DatagramChannel checkOpen() throws ClosedChannelException {
        if (isClosed) {
            throw new ClosedChannelException();
        }
        return udp;
    }

    /** At all addresses: the port is one of every network too, for who is told it may send there by either. */
    private void bindAll(final DatagramChannel of, final @Nullable InetSocketAddress local) throws IOException {
        if (local == null || local.getPort() == 0) {
            final List<RdpNetwork> all = networks.all(); // where they cannot be had, the channel can be bound later
            of.bind(local);
            openWhereItCan(all, ((InetSocketAddress) of.getLocalAddress()).getPort());
            return;
        }
        final List<RdpSocket> opened = new ArrayList<>();
        boolean isDone = false;
        try {
            for (final RdpNetwork network : networks.all()) {
                final RdpSocket socket = openUnlessShared(network, local.getPort(), of);
                if (socket != null) {
                    opened.add(socket);
                }
            }
            of.bind(local);
            isDone = true;
        } finally {
            if (!isDone) {
                opened.forEach(RdpSocket::close);
            }
        }
        opened.forEach(this::add);
    }

    /** Nobody asked for that port: where a device has no socket for it, the first send there says why, or finds one. */
    private void openWhereItCan(final List<RdpNetwork> all, final int port) {
        for (final RdpNetwork network : all) {
            try {
                add(opened(network, port));
            } catch (final VerbsException e) {
                LOGGER.log(Logger.Level.DEBUG, "port " + port + " is UDP's alone: " + e.getMessage());
            }
        }
    }

    /** Null where another socket has that port, and this channel may share it: then it has it of UDP alone. */
    private @Nullable RdpSocket openUnlessShared(
            final RdpNetwork network, final int port, final DatagramChannel of) throws IOException {
        try {
            return opened(network, port);
        } catch (final VerbsException e) {
            if (e.errno() == Errno.EADDRINUSE && ChannelOptions.isShared(of)) {
                return null;
            }
            throw RdpNetworks.named(e);
        }
    }

    /** Binds the channel at all addresses where it is not bound: what a first send or receive does. */
    synchronized void bindIfNot() throws IOException {
        final DatagramChannel of = checkOpen();
        if (of != null && of.getLocalAddress() == null) {
            of.bind(null);
        }
        isBound = true;
    }

    private RdpSocket open(final RdpNetwork network, final int port) throws SocketException {
        try {
            return opened(network, port);
        } catch (final VerbsException e) {
            throw RdpNetworks.named(e);
        }
    }

    /** A socket with the options that were set; none is left open where one of them is refused. */
    private RdpSocket opened(final RdpNetwork network, final int port) {
        final RdpSocket socket = network.driver().bind(port);
        boolean isDone = false;
        try {
            options.applyTo(socket);
            isDone = true;
            return socket;
        } finally {
            if (!isDone) {
                socket.close();
            }
        }
    }

    private void add(final RdpSocket socket) {
        final RdpSocket[] more = Arrays.copyOf(sockets, sockets.length + 1);
        more[sockets.length] = socket;
        sockets = more;
        socket.watch(listener);
        keys.forEach(this::help);
        readyAnew();
    }

    /** What the sockets are ready for may be more than before: each key watches that, and is looked at. */
    private void readyAnew() {
        keys.forEach(MixedKey::refresh);
        onReady();
    }

    private void help(final MixedKey key) {
        for (final RdpSocket socket : sockets) {
            ((RdpSelector) key.selector()).helps(socket.driver());
        }
    }

    private void becomeUdp(final DatagramChannel of) throws IOException {
        for (final RdpSocket socket : sockets) {
            socket.close();
        }
        sockets = NONE;
        kind = Kind.UDP;
        closeSleeper();
        takeMode(of);
        keys.forEach(MixedKey::refresh);
    }

    private void becomeRdp(final RdpSocket socket, final DatagramChannel of) throws IOException {
        kind = Kind.RDP;
        udp = null;
        isKernelFull = false; // nobody would say any more that it is not
        final boolean isNew = sockets.length == 0;
        for (final RdpSocket other : sockets) {
            if (other != socket) {
                other.close();
            }
        }
        if (isNew) {
            add(socket);
        } else {
            sockets = new RdpSocket[] {socket};
            readyAnew(); // it may be where the others kept it from that
        }
        closeSleeper();
        options.keep(of);
        of.close();
    }

    /** The socket that datagrams for that address go by; null where they go by UDP. */
    @Nullable RdpSocket socketFor(final InetAddress target) throws IOException {
        if (kind == Kind.EITHER) {
            final RdpNetwork network = networks.reaching(target);
            return network == null ? null : socketOn(network);
        }
        final RdpSocket[] all = sockets;
        if (kind == Kind.RDP && all.length > 0) {
            checkOneNode(all[0], target);
            return all[0];
        }
        return null;
    }

    private void checkOneNode(final RdpSocket socket, final InetAddress target) throws SocketException {
        boolean isBroadcast = false;
        for (final RdpNetwork network : networks.all()) {
            isBroadcast |= network.driver() == socket.driver() && network.isBroadcast(target);
        }
        if (isBroadcast || target.isMulticastAddress()) {
            throw new SocketException("no reliable datagram can go to the " + (isBroadcast ? "broadcast" : "multicast")
                    + " address " + target.getHostAddress()
                    + "; a channel that is bound to no address sends it by UDP");
        }
    }

    private synchronized RdpSocket socketOn(final RdpNetwork network) throws IOException {
        final DatagramChannel of = checkOpen();
        for (final RdpSocket socket : sockets) {
            if (socket.driver() == network.driver()) {
                return socket;
            }
        }
        final InetSocketAddress local = of == null ? null : (InetSocketAddress) of.getLocalAddress();
        final RdpSocket socket = openLike(network, local == null ? 0 : local.getPort());
        add(socket);
        return socket;
    }

    /** With the port that UDP has, where that is free: any other does as well, since the system chose it. */
    private RdpSocket openLike(final RdpNetwork network, final int port) throws SocketException {
        try {
            return opened(network, port);
        } catch (final VerbsException e) {
            if (e.errno() != Errno.EADDRINUSE) {
                throw RdpNetworks.named(e);
            }
            return open(network, 0);
        }
    }

    /** From now on it sends to one address only, and by what reaches that. */
    synchronized void connect(final InetSocketAddress remote) throws IOException {
        final DatagramChannel of = checkOpen();
        if (of == null) {
            checkOneNode(sockets[0], remote.getAddress());
            return;
        }
        final RdpNetwork network = kind == Kind.UDP ? null : networks.reaching(remote.getAddress());
        if (network == null) {
            of.connect(remote);
            if (kind != Kind.UDP) {
                becomeUdp(of);
            }
        } else {
            becomeRdp(socketOn(network), of);
        }
    }

    synchronized void disconnect() throws IOException {
        final DatagramChannel of = udp;
        if (of != null) {
            of.disconnect();
        }
    }

    synchronized void configureBlocking(final boolean isOn) throws IOException {
        isBlocking = isOn;
        final DatagramChannel of = udp;
        if (of != null && kind == Kind.UDP) {
            takeMode(of);
        }
    }

    private void takeMode(final DatagramChannel of) throws IOException {
        if (isBlocking) {
            // What selectors have not dropped yet: the keys themselves are cancelled.
            keys.forEach(MixedKey::drop);
        }
        of.configureBlocking(isBlocking);
    }

    synchronized <T> void option(final SocketOption<T> option, final T value) throws IOException {
        checkOpen();
        try {
            options.set(option, value, udp, sockets);
        } catch (final VerbsException e) {
            throw closedOr(e);
        }
    }

    synchronized <T> @Nullable T option(final SocketOption<T> option) throws IOException {
        checkOpen();
        try {
            return options.get(option, udp, sockets);
        } catch (final VerbsException e) {
            throw closedOr(e);
        }
    }

    // Selectors.

    void attach(final MixedKey key) {
        keys.add(key);
        help(key);
        key.refresh();
        ((RdpSelector) key.selector()).note(key);
    }

    void detach(final MixedKey key) {
        keys.remove(key);
    }

    /** What of an interest the default selector watches; sockets say for themselves when they take datagrams. */
    int udpOps(final int interest) {
        return isKernelFull || sockets.length == 0 ? interest : interest & ~SelectionKey.OP_WRITE;
    }

    /** What the sockets are ready for. */
    int readyOps() {
        final RdpSocket[] all = sockets;
        boolean isReadable = false;
        boolean isWritable = all.length > 0 && !isKernelFull;
        for (final RdpSocket socket : all) {
            final int ready = socket.readyNow();
            isReadable |= (ready & RdpPoller.READABLE) != 0;
            isWritable &= (ready & RdpPoller.WRITABLE) != 0;
        }
        return (isReadable ? SelectionKey.OP_READ : 0) | (isWritable ? SelectionKey.OP_WRITE : 0);
    }

    /** A send by UDP was refused: that it takes one again is said by the kernel. */
    void kernelRefused() {
        isKernelFull = true;
        keys.forEach(MixedKey::refresh);
    }

    /** The kernel takes datagrams again, if it did not before. */
    void kernelTakes() {
        if (isKernelFull) {
            isKernelFull = false;
            readyAnew(); // from now on the sockets say it, and each key is looked at while it is ready
        }
    }

    private void onReady() {
        for (final MixedKey key : keys) {
            ((RdpSelector) key.selector()).wakeFor(key);
        }
        final Selector asleep = sleeper;
        if (asleep != null) {
            asleep.wakeup();
        }
    }

    /** Who waits in a call of the channel for UDP and sockets sleeps here; a socket that becomes ready wakes it. */
    Selector sleeper() throws IOException {
        Selector mine = sleeper;
        if (mine == null) {
            synchronized (this) {
                final DatagramChannel of = checkOpen();
                mine = sleeper;
                if (mine == null) {
                    mine = base.openSelector();
                    if (of != null) {
                        of.register(mine, SelectionKey.OP_READ);
                    }
                    sleeper = mine;
                }
            }
        }
        return mine;
    }

    private void closeSleeper() throws IOException {
        final Selector mine = sleeper;
        if (mine != null) {
            sleeper = null;
            mine.close();
        }
    }

    synchronized void close() throws IOException {
        isClosed = true;
        for (final RdpSocket socket : sockets) {
            socket.watch(null);
            socket.close();
        }
        final DatagramChannel of = udp;
        closeSleeper();
        if (of != null) {
            of.close();
        }
    }
}
