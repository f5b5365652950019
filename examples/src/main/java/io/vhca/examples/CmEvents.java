package io.vhca.examples;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Waits for one event of one id on a channel that several ids share. Events of the others are kept for whoever asks
 * for them. Every event is acknowledged when it is taken from the channel. Any thread.
 */
final class CmEvents {
    private final CmEventChannel channel;
    private final List<CmEvent> held = new ArrayList<>();

    CmEvents(final CmEventChannel channel) {
        this.channel = channel;
    }

    CmEventChannel channel() {
        return channel;
    }

    /**
     * The next event of {@code id} (of a listener: the next request).
     *
     * @throws VerbsException when it is another than {@code wanted}, with the errno that fits; ETIMEDOUT when there
     *     was none in time
     */
    synchronized CmEvent await(final CmId id, final CmEventType wanted, final String step, final long timeoutNs) {
        final long deadlineNs = System.nanoTime() + timeoutNs;
        while (true) {
            final CmEvent event = next(id, deadlineNs - System.nanoTime());
            if (event == null) {
                throw new VerbsException(
                        step,
                        Errno.ETIMEDOUT,
                        describe(id),
                        "no " + wanted + " within " + timeoutNs / 1_000_000 + " ms");
            }
            if (event.type() == wanted) {
                return event;
            }
            if (event.type() != CmEventType.ADDR_CHANGE && event.type() != CmEventType.TIMEWAIT_EXIT) {
                throw new VerbsException(
                        step,
                        errno(event),
                        describe(id),
                        "the connection manager says " + event.type() + " (status " + event.status() + ")"
                                + (event.type() == CmEventType.REJECTED ? "; does a server listen there?" : ""));
            }
        }
    }

    /** True when an event of {@code id} says that the connection is over. Events stay for whoever awaits them. */
    synchronized boolean isOver(final CmId id) {
        for (CmEvent event = channel.getEvent(1); event != null; event = channel.getEvent(1)) {
            event.ack();
            held.add(event);
        }
        return held.stream().anyMatch(event -> concerns(event, id) && isEnd(event.type()));
    }

    private static boolean isEnd(final CmEventType type) {
        return type == CmEventType.DISCONNECTED || type == CmEventType.DEVICE_REMOVAL;
    }

    private @Nullable CmEvent next(final CmId id, final long timeoutNs) {
        final long deadlineNs = System.nanoTime() + timeoutNs;
        for (final Iterator<CmEvent> it = held.iterator(); it.hasNext(); ) {
            final CmEvent event = it.next();
            if (concerns(event, id)) {
                it.remove();
                return event;
            }
        }
        long leftNs = timeoutNs;
        while (leftNs > 0) {
            final CmEvent event = channel.getEvent(leftNs);
            if (event == null) {
                return null;
            }
            event.ack();
            if (concerns(event, id)) {
                return event;
            }
            held.add(event);
            leftNs = deadlineNs - System.nanoTime();
        }
        return null;
    }

    private static boolean concerns(final CmEvent event, final CmId id) {
        return event.type() == CmEventType.CONNECT_REQUEST ? id.equals(event.listenId()) : id.equals(event.id());
    }

    private static int errno(final CmEvent event) {
        return switch (event.type()) {
            case REJECTED -> Errno.ECONNREFUSED;
            case DISCONNECTED -> Errno.ECONNRESET;
            case ADDR_ERROR, ROUTE_ERROR, UNREACHABLE -> Errno.EHOSTUNREACH;
            case DEVICE_REMOVAL -> Errno.ENODEV;
            default -> Errno.EIO;
        };
    }

    private static String describe(final CmId id) {
        return id.context().device().name() + " id " + id.localAddress() + " to " + id.peerAddress();
    }
}
