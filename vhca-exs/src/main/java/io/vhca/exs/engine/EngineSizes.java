package io.vhca.exs.engine;

import io.vhca.exs.wire.Greeting;
import io.vhca.exs.wire.GreetingDescriptor;
import io.vhca.exs.wire.MessageDescriptor;

/**
 * How large the parts of a socket are. What the peer may do is what {@link #greeting} tells it.
 *
 * @param calls          sends outstanding, and as many receives; a power of two
 * @param dataCredits    DATA, ADVERT and WRITE with immediate that the peer may send before any is given back
 * @param controlCredits other messages that it may send before any is given back
 * @param messageSize    bytes of a message slot, header included
 * @param messageSlots   messages on their way to the queue pair's completions
 * @param workRequests   send work requests on the queue pair
 * @param maxPiece       most bytes of one READ or WRITE
 * @param keepAliveNs    how long the peer may be silent before it is probed, 0 without end
 */
public record EngineSizes(
        int calls,
        int dataCredits,
        int controlCredits,
        int messageSize,
        int messageSlots,
        int workRequests,
        int maxPiece,
        long keepAliveNs) {
    /** Most direct receives that a peer is told of at once; a peer that tells of more breaks the protocol. */
    public static final int MAX_DIRECT = 32;

    /** Fewer message slots or work requests could all be taken by messages that nobody asked a completion of. */
    public static final int LEAST_SLOTS = 8;

    public EngineSizes {
        assert Integer.bitCount(calls) == 1 : calls;
        assert messageSlots >= LEAST_SLOTS && workRequests >= LEAST_SLOTS : messageSlots + " " + workRequests;
        assert messageSize >= MessageDescriptor.SIZE : messageSize;
        assert maxPiece > 0 : maxPiece;
        assert keepAliveNs >= 0 : keepAliveNs;
    }

    /** Receives that are posted on the queue pair, a slot each. */
    public int receiveSlots() {
        return dataCredits + controlCredits;
    }

    /** What the peer is told before the connection stands. */
    public Greeting greeting(final int type) {
        return new Greeting(
                GreetingDescriptor.VERSION, GreetingDescriptor.VERSION, type, MAX_DIRECT, dataCredits, controlCredits,
                messageSize);
    }
}
