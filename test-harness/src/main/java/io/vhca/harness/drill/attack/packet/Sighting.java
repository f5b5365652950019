package io.vhca.harness.drill.attack.packet;

import io.vhca.api.Gid;
import io.vhca.harness.drill.protocol.DrillLine;
import java.net.InetAddress;
import java.util.HexFormat;

/**
 * A packet that somebody on the path has seen.
 *
 * @param from   where it came from
 * @param to     where it went
 * @param packet BTH up to the payload; the ICRC is left out
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Sighting(Gid from, Gid to, byte[] packet) {
    private static final String KIND = "seen";

    /** For another process. */
    public DrillLine line() {
        return DrillLine.of(
                KIND,
                "from", from.address().getHostAddress(),
                "to", to.address().getHostAddress(),
                "hex", HexFormat.of().formatHex(packet));
    }

    /** True for a line that {@link #line} made. */
    public static boolean isIn(final DrillLine line) {
        return line.kind().equals(KIND);
    }

    public static Sighting of(final DrillLine line) {
        return new Sighting(
                gid(line.text("from")), gid(line.text("to")), HexFormat.of().parseHex(line.text("hex")));
    }

    /** The GID of an address in digits. */
    public static Gid gid(final String address) {
        return Gid.of(InetAddress.ofLiteral(address));
    }
}
