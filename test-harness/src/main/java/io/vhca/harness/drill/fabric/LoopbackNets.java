package io.vhca.harness.drill.fabric;

import java.io.IOException;
import java.net.BindException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * Two networks of 127/8 that no other run on this host has: a socket is bound in the first one for as long as this is
 * open, at an address that no device has.
 */
final class LoopbackNets implements AutoCloseable {
    private static final int PAIRS = 120;
    private static final int CLAIM_HOST = 254;
    private static final int CLAIM_PORT = 4791;

    private final int first;
    private final DatagramSocket claim;

    private LoopbackNets(final int first, final DatagramSocket claim) {
        this.first = first;
        this.claim = claim;
    }

    /** The first pair that is free, from one on that is another one in most processes. */
    static LoopbackNets claim() {
        final int wish = (int) (ProcessHandle.current().pid() % PAIRS);
        for (int i = 0; i < PAIRS; i++) {
            final int first = 2 * ((wish + i) % PAIRS);
            try {
                return new LoopbackNets(first, new DatagramSocket(
                        new InetSocketAddress(InetAddress.ofLiteral(prefix(first) + CLAIM_HOST), CLAIM_PORT)));
            } catch (final BindException e) {
                // Another run has it.
                assert e.getMessage() != null;
            } catch (final IOException e) {
                throw new IllegalStateException("no UDP socket on " + prefix(first) + CLAIM_HOST + ": " + e, e);
            }
        }
        throw new IllegalStateException(
                "all " + PAIRS + " pairs of networks in 127.77/16 are taken by other drills and benchmarks");
    }

    private static String prefix(final int net) {
        return "127.77." + net + ".";
    }

    /** What the sender's addresses begin with. */
    String sender() {
        return prefix(first);
    }

    /** The same of the receiver's. */
    String receiver() {
        return prefix(first + 1);
    }

    @Override
    public void close() {
        claim.close();
    }
}
