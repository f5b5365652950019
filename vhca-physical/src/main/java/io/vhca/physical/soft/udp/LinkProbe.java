package io.vhca.physical.soft.udp;

import io.vhca.api.Errno;
import io.vhca.api.Gid;
import io.vhca.api.VerbsException;
import io.vhca.physical.ffm.Posix;
import io.vhca.physical.rdmacore.sockaddr;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Watches the interface that an address lives on: is it up and running, is the address still there. To look takes
 * system calls of some tens of microseconds; whether there is anything to look for the kernel tells ({@link
 * LinkEvents}). One thread at a time.
 */
final class LinkProbe implements AutoCloseable {
    private final int family;
    private final long ifreq;
    private final long sockaddr;
    private final int fd;
    private final boolean named;
    private final LinkEvents events;
    private boolean closed;

    /**
     * Opens it.
     *
     * @param interfaceName the interface's name, or null when it is not known: then only the address is checked
     * @throws VerbsException EMFILE where no file descriptor is left
     */
    LinkProbe(final Arena arena, final InetAddress address, final @Nullable String interfaceName) {
        family = SocketAddresses.family(address);
        final MemorySegment request = arena.allocate(SocketLayout.IFR_SIZE, Long.BYTES);
        ifreq = request.address();
        named = interfaceName != null;
        if (interfaceName != null) {
            final byte[] name = interfaceName.getBytes(StandardCharsets.US_ASCII);
            MemorySegment.copy(
                    MemorySegment.ofArray(name),
                    0,
                    request,
                    SocketLayout.IFR_NAME,
                    Math.min(name.length, SocketLayout.IFR_NAME_BYTES - 1));
        }
        sockaddr = SocketAddresses.allocate(arena);
        SocketAddresses.write(sockaddr, family, Gid.of(address), 0, SocketAddresses.scopeId(address));
        fd = LibC.socket(family, LibC.SOCK_DGRAM | LibC.SOCK_CLOEXEC);
        if (fd < 0) {
            throw new VerbsException(
                    "openDevice", -fd, address.getHostAddress(), "no socket to watch its interface with could be made");
        }
        // Before anybody looks: what changes behind a look is told.
        events = new LinkEvents(arena);
    }

    /** What can be read when something may have changed; negative where the kernel tells nobody. */
    int eventsFd() {
        return events.fd();
    }

    /** Whether something may have changed since this was asked last, of this interface or another one. */
    boolean mayHaveChanged() {
        return events.take();
    }

    /**
     * The interface with that address, or null where there is none. Any address of 127/8 is the loopback interface's.
     */
    static @Nullable String interfaceOf(final InetAddress address) {
        try {
            final NetworkInterface found = NetworkInterface.getByInetAddress(address);
            if (found != null) {
                return found.getName();
            }
            return address.isLoopbackAddress() ? "lo" : null;
        } catch (final SocketException e) {
            return null;
        }
    }

    /** Up, running, and there. */
    boolean interfaceUp() {
        final int wanted = LibC.IFF_UP | LibC.IFF_RUNNING;
        if (!named) {
            return true;
        }
        final int flags = LibC.interfaceValue(fd, LibC.SIOCGIFFLAGS, ifreq);
        return flags >= 0 && (flags & wanted) == wanted;
    }

    /** True while the host still has the address: it is not for lack of that that a fresh socket cannot be bound. */
    boolean addressPresent() {
        final int probe = LibC.socket(family, LibC.SOCK_DGRAM | LibC.SOCK_CLOEXEC);
        if (probe < 0) {
            return true;
        }
        final int result = LibC.bind(probe, sockaddr, SocketAddresses.size(family));
        Posix.close(probe);
        return !saysGone(result);
    }

    /**
     * Whether the answer to a bind means that the address, or the interface of a link-local one, is gone. Where all
     * ports are taken that is nothing against the address.
     */
    static boolean saysGone(final int result) {
        return result == -Errno.EADDRNOTAVAIL || result == -Errno.ENODEV;
    }

    /** The interface's MTU in bytes, or 1500 where it cannot be told. */
    int mtu() {
        final int mtu = named ? LibC.interfaceValue(fd, LibC.SIOCGIFMTU, ifreq) : -1;
        return mtu > 0 ? mtu : 1500;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            Posix.close(fd);
            events.close();
        }
    }
}
