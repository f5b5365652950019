package io.vhca.exs;

import io.vhca.api.Errno;
import io.vhca.api.ServiceClass;
import io.vhca.api.VerbsException;
import io.vhca.exs.engine.EngineSizes;
import io.vhca.exs.wire.Greeting;
import io.vhca.exs.wire.MessageDescriptor;
import java.util.concurrent.TimeUnit;

/**
 * What sockets are made with; {@link ExsSocket#fcntl} changes it for one of them before it is connected.
 *
 * @param calls          sends outstanding a socket, and as many receives; a power of two
 * @param smallPacket    most bytes of a send that are copied and travel in a message of their own
 * @param dataCredits    sends of the peer that may wait here for a receive
 * @param controlCredits acknowledgements and the like that may be under way
 * @param lingerMs       how long a closed socket goes on sending what it was given
 * @param keepAliveMs    how long a peer may be silent before it is probed, 0 without end
 * @param service        what the packets ask of the fabric
 * @param hasThread      a thread of its own drives the sockets; else whoever dequeues events does
 */
public record ExsOptions(
        int calls, int smallPacket, int dataCredits, int controlCredits, int lingerMs, int keepAliveMs,
        ServiceClass service, boolean hasThread) {
    /** Small enough for thousands of sockets: some 32 KB each. */
    public static final ExsOptions DEFAULT = new ExsOptions(64, 472, 32, 16, 10_000, 10_000, true);

    private static final int MESSAGE_SLOTS = 16;
    private static final int WORK_REQUESTS = 96;
    private static final int MAX_PIECE = 1 << 20;
    private static final int MOST = 4_096;

    /** Nothing is asked of the fabric. */
    public ExsOptions(
            final int calls, final int smallPacket, final int dataCredits, final int controlCredits,
            final int lingerMs, final int keepAliveMs, final boolean hasThread) {
        this(
                calls, smallPacket, dataCredits, controlCredits, lingerMs, keepAliveMs, ServiceClass.NONE,
                hasThread);
    }

    /** The same without a thread: {@link ExsQueue#qdequeue} drives the sockets. */
    public ExsOptions drivenByCaller() {
        return new ExsOptions(
                calls, smallPacket, dataCredits, controlCredits, lingerMs, keepAliveMs, service, false);
    }

    ExsOptions with(final ExsSetting setting, final int value) {
        return switch (setting) {
            case CALLS -> new ExsOptions(
                    value, smallPacket, dataCredits, controlCredits, lingerMs, keepAliveMs, service, hasThread);
            case SMALL_PACKET -> new ExsOptions(
                    calls, value, dataCredits, controlCredits, lingerMs, keepAliveMs, service, hasThread);
            case DATA_CREDITS -> new ExsOptions(
                    calls, smallPacket, value, controlCredits, lingerMs, keepAliveMs, service, hasThread);
            case CONTROL_CREDITS -> new ExsOptions(
                    calls, smallPacket, dataCredits, value, lingerMs, keepAliveMs, service, hasThread);
            case LINGER_MS -> new ExsOptions(
                    calls, smallPacket, dataCredits, controlCredits, value, keepAliveMs, service, hasThread);
            case KEEPALIVE_MS -> new ExsOptions(
                    calls, smallPacket, dataCredits, controlCredits, lingerMs, value, service, hasThread);
            case TOS -> with(new ServiceClass(value, service.serviceLevel(), service.hopLimit()));
            case SERVICE_LEVEL -> with(new ServiceClass(service.trafficClass(), value, service.hopLimit()));
            case HOP_LIMIT -> with(new ServiceClass(service.trafficClass(), service.serviceLevel(), value));
        };
    }

    /** The same with another class. */
    private ExsOptions with(final ServiceClass wanted) {
        return new ExsOptions(
                calls, smallPacket, dataCredits, controlCredits, lingerMs, keepAliveMs, wanted, hasThread);
    }

    /** @param inForce what the packets ask for by now */
    int value(final ExsSetting setting, final ServiceClass inForce) {
        return switch (setting) {
            case CALLS -> calls;
            case SMALL_PACKET -> smallPacket;
            case DATA_CREDITS -> dataCredits;
            case CONTROL_CREDITS -> controlCredits;
            case LINGER_MS -> lingerMs;
            case KEEPALIVE_MS -> keepAliveMs;
            case TOS -> inForce.trafficClass();
            case SERVICE_LEVEL -> inForce.serviceLevel();
            case HOP_LIMIT -> inForce.hopLimit();
        };
    }

    /** Refuses what no socket can be made with. */
    ExsOptions checked(final String call, final String object) {
        check(call, object, "calls", calls, 1, MOST);
        if (Integer.bitCount(calls) != 1) {
            throw new VerbsException(call, Errno.EINVAL, object, "calls is " + calls + "; it must be a power of two");
        }
        check(call, object, "small_packet", smallPacket, 0, MessageDescriptor.MAX_DATA);
        check(call, object, "data_credits", dataCredits, 1, MOST);
        check(call, object, "control_credits", controlCredits, Greeting.LEAST_CONTROL_CREDITS, MOST);
        check(call, object, "linger_ms", lingerMs, 0, Integer.MAX_VALUE);
        check(call, object, "keepalive_ms", keepAliveMs, 0, Integer.MAX_VALUE);
        return this;
    }

    private static void check(
            final String call, final String object, final String what, final int value, final int least,
            final int most) {
        if (value < least || value > most) {
            throw new VerbsException(
                    call, Errno.EINVAL, object, what + " is " + value + "; it must be " + least + " .. " + most);
        }
    }

    EngineSizes sizes() {
        return new EngineSizes(
                calls, dataCredits, controlCredits, MessageDescriptor.SIZE + smallPacket, MESSAGE_SLOTS, WORK_REQUESTS,
                MAX_PIECE, TimeUnit.MILLISECONDS.toNanos(keepAliveMs));
    }
}
