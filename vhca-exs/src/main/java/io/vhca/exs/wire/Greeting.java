package io.vhca.exs.wire;

/**
 * What a socket says of itself before it is connected; {@link GreetingDescriptor} has the layout.
 *
 * @param oldest         oldest version it speaks
 * @param newest         newest version it speaks
 * @param type           code of the socket's type
 * @param receives       most receives that it may be told of at once
 * @param dataCredits    DATA, ADVERT and WRITE with immediate that the peer may send before any is given back
 * @param controlCredits other messages that the peer may send before any is given back
 * @param messageSize    most bytes of a message, its header included
 */
public record Greeting(
        int oldest, int newest, int type, int receives, int dataCredits, int controlCredits, int messageSize) {
    /** Fewer control credits could leave both ends waiting for each other. */
    public static final int LEAST_CONTROL_CREDITS = 4;

    /** Why nobody can talk to the socket that said this, or empty: versions and types aside. */
    public String wrong() {
        if (oldest < 1 || newest < oldest) {
            return "it speaks versions " + oldest + " to " + newest;
        }
        if (dataCredits < 1 || controlCredits < LEAST_CONTROL_CREDITS) {
            return "it grants " + dataCredits + " data and " + controlCredits + " control credits; at least 1 and "
                    + LEAST_CONTROL_CREDITS + " are needed";
        }
        if (messageSize < MessageDescriptor.SIZE || messageSize > MessageDescriptor.SIZE + MessageDescriptor.MAX_DATA) {
            return "it takes messages of " + messageSize + " bytes; a header has " + MessageDescriptor.SIZE;
        }
        return "";
    }

    /** True when a socket that speaks only {@link GreetingDescriptor#VERSION} can talk to this one. */
    public boolean isSpoken() {
        return oldest <= GreetingDescriptor.VERSION && newest >= GreetingDescriptor.VERSION;
    }
}
