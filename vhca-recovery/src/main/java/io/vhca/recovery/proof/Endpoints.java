package io.vhca.recovery.proof;

import java.net.InetAddress;

/**
 * Where a REQ goes from and to. Both are signed: a REQ that is repeated from elsewhere, or to another bond, proves
 * nothing.
 *
 * @param asker the member's address that the REQ is sent from
 * @param asked the address that it is sent to
 */
public record Endpoints(InetAddress asker, InetAddress asked) {
    /** Both addresses as they are signed. */
    byte[] bytes() {
        final byte[] from = asker.getAddress();
        final byte[] to = asked.getAddress();
        final byte[] both = new byte[1 + from.length + to.length];
        both[0] = (byte) from.length;
        System.arraycopy(from, 0, both, 1, from.length);
        System.arraycopy(to, 0, both, 1 + from.length, to.length);
        return both;
    }
}
