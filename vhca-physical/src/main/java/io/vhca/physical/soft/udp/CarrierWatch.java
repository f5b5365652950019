package io.vhca.physical.soft.udp;

import io.vhca.api.Errno;
import io.vhca.api.NativeMemory;
import io.vhca.api.VerbsException;
import io.vhca.physical.ffm.Posix;
import java.lang.foreign.Arena;
import java.net.InetAddress;

/**
 * What a carrier knows of its link, and where the thread sleeps that looks after it, in ppoll(2): until a packet is
 * there, the kernel says that a link may have changed, or somebody wakes it. Owns an eventfd(2) and a {@link
 * LinkProbe}. One thread sleeps and looks; any thread asks whether the link is up, and wakes it, also after the end.
 */
final class CarrierWatch implements AutoCloseable {
    private static final int PACKET = 0;
    private static final int LINK = 1;
    private static final int WAKE_UP = 2;
    private static final int COUNT = 3;
    /** A kernel that says nothing is asked this often. */
    private static final long LOOK_NS = 250_000_000;

    private final LinkProbe probe;
    private final long pollfds;
    private final long timespec;
    private final int wakeFd;
    private long lookNs = System.nanoTime();
    private volatile boolean isUp;
    /** Guarded by this: a number that was closed may be another descriptor's. */
    private boolean isClosed;

    /**
     * @param socket where packets come
     * @throws VerbsException EMFILE where no file descriptor is left
     */
    CarrierWatch(final String deviceName, final Arena arena, final int socket, final InetAddress address) {
        pollfds = arena.allocate((long) COUNT * SocketLayout.POLL_SIZE, Long.BYTES).address();
        timespec = arena.allocate(SocketLayout.TS_SIZE, Long.BYTES).address();
        probe = new LinkProbe(arena, address, LinkProbe.interfaceOf(address));
        wakeFd = Posix.eventFd();
        if (wakeFd < 0) {
            probe.close();
            throw new VerbsException(
                    "openDevice", -wakeFd, deviceName,
                    "no eventfd for its thread could be made" + Errno.descriptorHint(-wakeFd));
        }
        put(PACKET, socket);
        put(LINK, probe.eventsFd()); // which ppoll(2) passes over where it is negative
        put(WAKE_UP, wakeFd);
        isUp = probe.interfaceUp();
    }

    private void put(final int index, final int fd) {
        NativeMemory.putInt(pollfd(index) + SocketLayout.POLL_FD, fd);
        NativeMemory.putShort(pollfd(index) + SocketLayout.POLL_EVENTS, LibC.POLLIN);
    }

    private long pollfd(final int index) {
        return pollfds + (long) index * SocketLayout.POLL_SIZE;
    }

    private boolean isReady(final int index) {
        return NativeMemory.getShort(pollfd(index) + SocketLayout.POLL_REVENTS) != 0;
    }

    /** Sleeps, that long at most; whether a packet is there. */
    boolean await(final long timeoutNs) {
        NativeMemory.putLong(timespec + SocketLayout.TS_SEC, timeoutNs / 1_000_000_000L);
        NativeMemory.putLong(timespec + SocketLayout.TS_NSEC, timeoutNs % 1_000_000_000L);
        if (LibC.ppollBlind(pollfds, COUNT, timespec) <= 0) {
            return false;
        }
        if (isReady(WAKE_UP)) {
            Posix.drain(wakeFd);
        }
        return isReady(PACKET);
    }

    /** Whether the last sleep found that a link may have changed; false from then on. */
    boolean takeLinkTold() {
        if (!isReady(LINK)) {
            return false;
        }
        NativeMemory.putShort(pollfd(LINK) + SocketLayout.POLL_REVENTS, (short) 0);
        return true;
    }

    /** False where the sleep does not end when the link changes, which is to be looked for all the time. */
    boolean isTold() {
        return probe.eventsFd() >= 0;
    }

    /** Looks at the link where the kernel says that something has changed, and now and then though it says nothing. */
    void check(final long nowNs) {
        if (probe.mayHaveChanged() || nowNs - lookNs >= 0) {
            isUp = probe.interfaceUp() && probe.addressPresent();
            lookNs = nowNs + LOOK_NS;
        }
    }

    /** As the last {@link #check} found it; false once closed. */
    boolean isUp() {
        return isUp;
    }

    /** Of the interface, bytes. */
    int mtu() {
        return probe.mtu();
    }

    /** Ends the sleep, or the next one. */
    synchronized void wakeUp() {
        if (!isClosed) {
            Posix.signal(wakeFd);
        }
    }

    /** Nobody may sleep there any more. Idempotent. */
    @Override
    public synchronized void close() {
        if (!isClosed) {
            isClosed = true;
            isUp = false;
            Posix.close(wakeFd);
            probe.close();
        }
    }
}
