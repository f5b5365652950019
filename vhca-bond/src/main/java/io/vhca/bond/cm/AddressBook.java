package io.vhca.bond.cm;

import io.vhca.api.cm.CmPortSpace;
import io.vhca.bond.core.BondCore;
import java.net.InetAddress;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which ports the ids of a bond show, so that no two live ones show the same: of active ids their own port, of passive
 * ones their peer's address and port. A member's ports cannot do that, for a member gives a port away again when a
 * connection has left it. Control lock.
 *
 * <p>Ports of its own choice lie where neither the soft device nor, for the most part, Linux chooses any, and come one
 * after the other: one that was given back is used again as late as possible.
 */
public final class AddressBook {
    private static final int FIRST = 28_672;
    private static final int COUNT = 49_152 - FIRST;

    private final BondCore core;
    private final Set<Claim> claims = new HashSet<>();
    private int next;

    /**
     * An endpoint that one id shows.
     *
     * @param peer null where it is the bond's own
     */
    record Claim(CmPortSpace portSpace, @Nullable InetAddress peer, int port) {}

    public AddressBook(final BondCore core) {
        this.core = core;
        // Not the same one at each start: a peer may not have closed what an earlier start was connected to.
        next = (int) Long.remainderUnsigned(core.datagramInstance(), COUNT);
    }

    /** That very port; null where another id shows it. */
    @Nullable Claim exact(final CmPortSpace portSpace, final @Nullable InetAddress peer, final int port) {
        assert core.holdsLock();
        assert port != 0 : "a port of the book's choice is asked for by any";
        final Claim claim = new Claim(portSpace, peer, port);
        return claims.add(claim) ? claim : null;
    }

    /** A port that no other id shows; null where there is none. */
    @Nullable Claim any(final CmPortSpace portSpace, final @Nullable InetAddress peer) {
        assert core.holdsLock();
        for (int i = 0; i < COUNT; i++) {
            final Claim claim = new Claim(portSpace, peer, FIRST + next);
            next = (next + 1) % COUNT;
            if (claims.add(claim)) {
                return claim;
            }
        }
        return null;
    }

    void release(final Claim claim) {
        assert core.holdsLock();
        claims.remove(claim);
    }

    /** How many endpoints are shown. */
    int size() {
        assert core.holdsLock();
        return claims.size();
    }
}
