package io.vhca.rdp.shared;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.rdp.RdpPoller;
import io.vhca.rdp.ReadyListener;
import java.lang.System.Logger;
import java.net.InetSocketAddress;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where a socket of a client is in the driver that the client is attached to. When that driver ends, the next call says
 * so, once; and when another one is there, the socket gets its port and its options there.
 *
 * <p>Any thread reads what it is ready for; all else by one thread at a time, which has the driver's lock.
 */
final class SocketSeat {
    private static final Logger LOGGER = System.getLogger(SocketSeat.class.getName());
    private static final int NOWHERE = -1;

    private final SharedDriver driver;
    private final Map<CallVerb, Integer> options = new EnumMap<>(CallVerb.class);
    private final InetSocketAddress address;
    private volatile Place place;
    private volatile boolean isLossTold;
    private volatile boolean isClosed;
    private volatile @Nullable ReadyListener listener;
    private @Nullable VerbsException refusal;
    private volatile @Nullable RdpPoller poller;

    /**
     * Where it is.
     *
     * @param number    by which the driver knows it
     * @param hasLost   the place before this one was lost, and no call has said so
     */
    private record Place(Attachment attachment, int number, boolean hasLost) {}

    SocketSeat(
            final SharedDriver driver, final Attachment attachment, final int number,
            final InetSocketAddress address) {
        this.driver = driver;
        this.address = address;
        place = new Place(attachment, number, false);
    }

    InetSocketAddress address() {
        return address;
    }

    boolean isClosed() {
        return isClosed;
    }

    int number() {
        return place.number;
    }

    void checkOpen(final String verb) {
        if (isClosed) {
            throw new VerbsException(verb, Errno.EINVAL, "socket of " + address, "it is closed");
        }
    }

    /**
     * By what it calls now.
     *
     * @throws VerbsException ENOTCONN where the driver has ended: once, if another one is there
     */
    ClientCalls calls(final String verb) {
        checkOpen(verb);
        final Place now = place;
        if (isLost(now)) {
            isLossTold = true;
            place = new Place(now.attachment, now.number, false);
            throw new VerbsException(
                    verb, Errno.ENOTCONN, "socket of " + address,
                    "the shared driver has ended: what this socket has sent and received last may be lost. Calls go on"
                            + " when a shared driver is there again");
        }
        if (refusal != null) {
            throw new VerbsException(
                    verb, refusal.errno(), "socket of " + address,
                    "the shared driver that is there now did not take it: " + refusal.getMessage(), refusal);
        }
        return driver.calls(verb);
    }

    /** Its driver has ended, and no call has said so yet. */
    private boolean isLost(final Place now) {
        return now.hasLost || now.attachment.end() != null && !isLossTold;
    }

    /** Any thread. */
    int readyNow() {
        final Place now = place;
        if (isClosed) {
            return RdpPoller.WRITABLE;
        }
        if (isLost(now) || now.number < 0) {
            // So that who waits makes a call, which says it.
            return RdpPoller.READABLE | RdpPoller.WRITABLE;
        }
        if (now.attachment.end() != null) {
            return 0;
        }
        final SharedRegion region = now.attachment.region();
        // In that order: a datagram is left before the word says that no other waits.
        return region.ready(now.number) | (region.slots().isEmpty(now.number) ? 0 : RdpPoller.READABLE);
    }

    /**
     * Waits until it is ready for that; false where it was not in time, or the thread is interrupted. Any thread,
     * without the lock.
     *
     * @throws VerbsException EINVAL where it is closed meanwhile
     */
    boolean await(final String verb, final int wanted, final long deadlineNs) {
        for (int looks = 0; (readyNow() & wanted) == 0; looks = Sleepers.next(looks)) {
            checkOpen(verb);
            final long leftNs = deadlineNs - System.nanoTime();
            if (leftNs <= 0 || Thread.currentThread().isInterrupted()) {
                return false;
            }
            if (Sleepers.yields(looks)) {
                continue;
            }
            final Attachment attachment = place.attachment;
            final int word = driver.sleepers().in(attachment);
            try {
                if ((readyNow() & wanted) == 0) {
                    driver.sleepers().park(attachment, word, leftNs);
                }
            } finally {
                driver.sleepers().out();
            }
        }
        return true;
    }

    /** What it was set to is set again in the next driver. */
    void keep(final CallVerb option, final int value) {
        options.put(option, value);
    }

    /**
     * Who polls it; null for nobody.
     *
     * @throws VerbsException EINVAL where another one does
     */
    void poller(final @Nullable RdpPoller by) {
        if (by != null && poller != null && poller != by) {
            throw new VerbsException("poll", Errno.EINVAL, "socket of " + address, "another poller has the socket");
        }
        poller = by;
    }

    void watch(final @Nullable ReadyListener who) {
        listener = who;
        if (who != null) {
            driver.listens();
        }
    }

    /** Tells its listener where it is ready. The client's thread. */
    void tell() {
        if (readyNow() != 0) {
            tellListener();
        }
    }

    /** Tells its listener, also of what this process knows without the driver. What it throws is logged. Any thread. */
    void tellListener() {
        final ReadyListener who = listener;
        if (who != null) {
            try {
                who.onReady();
            } catch (final RuntimeException | Error e) {
                LOGGER.log(Logger.Level.WARNING, "the listener of socket " + address + " failed: " + who, e);
            }
        }
    }

    /** Another driver is there: it takes the socket's port there. */
    void rebind(final ClientCalls calls) {
        final Place before = place;
        refusal = null;
        int number = NOWHERE;
        try {
            number = (int) calls.call(CallVerb.BIND, 0, address.getPort());
            for (final Map.Entry<CallVerb, Integer> option : options.entrySet()) {
                calls.call(option.getKey(), number, option.getValue());
            }
        } catch (final VerbsException e) {
            refusal = e;
            number = NOWHERE;
        }
        place = new Place(calls.attachment(), number, isLost(before));
        isLossTold = false;
    }

    /** No other driver is there, or the one that is takes no socket of this process (EPERM). */
    void refused(final VerbsException why) {
        refusal = null;
        if (why.errno() == Errno.EPERM) {
            final Place before = place;
            refusal = why;
            place = new Place(before.attachment, NOWHERE, isLost(before));
            isLossTold = true;
        }
    }

    /** The driver is closed here. */
    void drop() {
        isClosed = true;
    }

    void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        if (place.attachment.end() == null && refusal == null) {
            try {
                driver.calls("close").call(CallVerb.CLOSE, place.number, 0);
            } catch (final VerbsException e) {
                // The driver ends now, and its sockets with it.
                assert e.errno() == Errno.ENOTCONN : e;
            }
        }
        driver.forget(this);
    }
}
