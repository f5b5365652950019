package io.vhca.physical.soft.engine.port;

import io.vhca.api.Gid;
import io.vhca.physical.soft.engine.core.EngineCore;
import io.vhca.physical.soft.engine.core.NicCounter;
import io.vhca.physical.soft.engine.core.NicCounters;
import io.vhca.physical.soft.wire.Icrc;
import io.vhca.physical.soft.wire.IpIdentification;
import io.vhca.physical.soft.wire.Wire;

/**
 * Judges the ICRC of each received packet, and counts why one is wrong. An IP identification other than 0 is found from
 * the ICRC, and must be one that the sender would use now. The engine's owner.
 */
public final class IcrcCheck {
    private final EngineCore core;
    private final NicCounters counters;
    private final boolean isWanted;
    private final Icrc icrc = new Icrc();
    private final SenderIdentifications senders = new SenderIdentifications();
    private final long ownHigh;
    private final long ownLow;
    private final boolean isIpv4;

    /** For packets to that port. */
    public IcrcCheck(final EngineCore core, final Port port) {
        this.core = core;
        counters = core.counters();
        isWanted = core.config().verifyIcrc();
        final Gid own = port.address();
        ownHigh = own.subnetPrefix();
        ownLow = own.interfaceId();
        isIpv4 = Icrc.isIpv4(ownHigh, ownLow);
    }

    /** True when the ICRC is right, or nobody asks; otherwise it is counted why not. */
    public boolean isIntact(
            final long fromHigh, final long fromLow, final int sourcePort, final long address, final int lengthBytes) {
        if (!isWanted) {
            return true;
        }
        final int covered = lengthBytes - Wire.ICRC_BYTES;
        final int difference = Icrc.get(address + covered)
                ^ icrc.compute(fromHigh, fromLow, ownHigh, ownLow, sourcePort, address, covered);
        if (difference == 0) {
            if (isIpv4) {
                senders.zero(fromHigh, fromLow, core.nowNs());
            }
            return true;
        }
        final int identification = isIpv4 ? IpIdentification.solve(difference, covered) : IpIdentification.NONE;
        if (identification == IpIdentification.NONE) {
            counters.increment(NicCounter.DROP_ICRC);
            return false;
        }
        if (!senders.isPlausible(fromHigh, fromLow, identification, core.nowNs())) {
            counters.increment(NicCounter.DROP_IDENTIFICATION);
            return false;
        }
        counters.increment(NicCounter.RX_IDENTIFIED);
        return true;
    }
}
