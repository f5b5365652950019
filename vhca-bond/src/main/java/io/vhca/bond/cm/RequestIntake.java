package io.vhca.bond.cm;

import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.link.PathLink;
import io.vhca.recovery.wire.ConnectHeader;
import io.vhca.recovery.wire.RejectCode;
import io.vhca.recovery.wire.RejectRecord;
import java.util.Arrays;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * What becomes of a REQ that arrives where an application listens: a bond's, which may be one that is repeated, or a
 * peer's without the bond. Static functions of it; control lock.
 */
final class RequestIntake {
    private RequestIntake() {}

    static void take(
            final BondCmId listener, final PathLink link, final byte[] sent, final ConnectParameters from,
            final long nowNs) {
        final CmScope scope = listener.scope();
        final BondCore core = scope.core();
        final ProofCheck check = new ProofCheck(core, scope.sessions(), scope.accepts(), qpNum -> false);
        if (check.isPlain(sent) && !scope.peers().isProven(link.remote(), core.hasKey())) {
            if (listener.channelOf().admits(link, nowNs)) {
                tell(
                        listener, BondCmId.requested(listener.channelOf(), listener, link, from), link, sent, from,
                        nowNs);
            }
            return;
        }
        final byte[] data = check.openFirst(link, sent);
        if (data == null) {
            return;
        }
        final ConnectHeader header = ConnectHeader.decode(new UnsafeBuffer(data), 0);
        final BondCmId known = scope.accepts().find(link.sessionOf(header.session()));
        if (known != null) {
            known.repeated(link, header, nowNs);
        } else if (scope.sessions().isKnown(link.sessionOf(header.session()))) {
            link.reject(new RejectRecord(RejectCode.STALE_EPOCH, header.session(), 0).encode());
        } else if (listener.channelOf().admits(link, nowNs)) {
            final byte[] own = Arrays.copyOfRange(data, ConnectHeader.SIZE, data.length);
            final ConnectParameters asked = from.withQpNum(header.vQpNum());
            tell(
                    listener, BondCmId.requested(listener.channelOf(), listener, link, header, asked), link, own, asked,
                    nowNs);
        }
    }

    private static void tell(
            final BondCmId listener, final BondCmId child, final PathLink link, final byte[] data,
            final ConnectParameters from, final long nowNs) {
        listener.channelOf().request(
                child, link, new BondCmEvent(CmEventType.CONNECT_REQUEST, child, listener, 0, data, from), nowNs);
    }
}
