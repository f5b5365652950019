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
    private final InetAddress address;
    private final int family;
    private final MemorySegment ifreq;
    private final long sockaddr;
    private final int fd;
    private final LinkEvents events;
    /** Of the interface; empty where it is not known. */
    private String name = "";
    private boolean closed;

    /**
     * Opens it.
     *
     * @param interfaceName the interface's name, or null when it is not known: then only the address is checked
     * @throws VerbsException EMFILE where no file descriptor is left
     */
    LinkProbe(final Arena arena, final InetAddress address, final @Nullable String interfaceName) {
        family = SocketAddresses.family(address);
        this.address = address;
        ifreq = arena.allocate(SocketLayout.IFR_SIZE, Long.BYTES);
        if (interfaceName != null) {
            name(interfaceName);
        }
        sockaddr = SocketAddresses.allocate(arena);
        SocketAddresses.write(sockaddr, family, Gid.of(address), 0, SocketAddresses.scopeId(address));
        fd = LibC.socket(family, LibC.SOCK_DGRAM | LibC.SOCK_CLOEXEC);
        if (fd < 0) {
            throw new VerbsException(
                    "openDevice", -fd, address.getHostAddress(),
                    "no socket to watch its interface with could be made" + Errno.descriptorHint(-fd));
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

    private void name(final String interfaceName) {
        name = interfaceName;
        final byte[] ascii = interfaceName.getBytes(StandardCharsets.US_ASCII);
        ifreq.asSlice(SocketLayout.IFR_NAME, SocketLayout.IFR_NAME_BYTES).fill((byte) 0);
        MemorySegment.copy(
                MemorySegment.ofArray(ascii), 0, ifreq, SocketLayout.IFR_NAME,
                Math.min(ascii.length, SocketLayout.IFR_NAME_BYTES - 1));
    }

    /** Up, running, and there; also under another name, and where the address has moved to another interface. */
    boolean interfaceUp() {
        if (name.isEmpty() || isRunning()) {
            return true;
        }
        final String now = interfaceOf(address);
        if (now == null || now.equals(name)) {
            return false;
        }
        name(now);
        return isRunning();
    }

    private boolean isRunning() {
        final int wanted = LibC.IFF_UP | LibC.IFF_RUNNING;
        final int flags = LibC.interfaceValue(fd, LibC.SIOCGIFFLAGS, ifreq.address());
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
        final int mtu = name.isEmpty() ? -1 : LibC.interfaceValue(fd, LibC.SIOCGIFMTU, ifreq.address());
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
