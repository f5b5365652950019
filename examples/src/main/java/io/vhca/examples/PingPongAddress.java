package io.vhca.examples;

import io.vhca.api.Errno;
import io.vhca.api.Gid;
import io.vhca.api.VerbsException;
import java.util.Locale;

/**
 * What one end of a ping-pong tells the other over TCP: {@code LID:QPN:PSN:GID} in hexadecimal, as ibv_rc_pingpong(1)
 * and ibv_ud_pingpong(1) write it.
 *
 * @param qpNum 24 bits
 * @param psn   first packet sequence number, 24 bits
 */
record PingPongAddress(int qpNum, int psn, Gid gid) {
    private static final int FIELDS = 4;
    private static final int GID_DIGITS = 32;

    String encode() {
        return String.format(
                Locale.ROOT, "%04x:%06x:%06x:%016x%016x", 0, qpNum, psn, gid.subnetPrefix(), gid.interfaceId());
    }

    /** @throws VerbsException EPROTO when the text is none of ours */
    static PingPongAddress decode(final String text) {
        final String[] fields = text.split(":", -1);
        try {
            if (fields.length == FIELDS && fields[FIELDS - 1].length() == GID_DIGITS) {
                final String gid = fields[FIELDS - 1];
                return new PingPongAddress(
                        Integer.parseInt(fields[1], 16),
                        Integer.parseInt(fields[2], 16),
                        new Gid(Long.parseUnsignedLong(gid, 0, 16, 16), Long.parseUnsignedLong(gid, 16, 32, 16)));
            }
        } catch (final NumberFormatException e) {
            throw foreign(text);
        }
        throw foreign(text);
    }

    private static VerbsException foreign(final String text) {
        return new VerbsException(
                "exchange", Errno.EPROTO, "peer", "it sent '" + text + "', which is no LID:QPN:PSN:GID");
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "QPN 0x%06x, PSN 0x%06x, GID %s", qpNum, psn, gid);
    }
}
