package io.vhca.bond.link;

/**
 * Carries what both ends say of a {@link PathLink} that is made over a connection which stands already: the data that
 * else is the private data of the connection manager's messages. Control lock.
 */
public interface LinkCarrier {
    /** As a REQ would. */
    void ask(byte[] request);

    /** As a REP would. */
    void accept(byte[] reply);

    /** As an RTU would. */
    void confirm();

    /** As a REJ would. */
    void reject(byte[] record);
}
