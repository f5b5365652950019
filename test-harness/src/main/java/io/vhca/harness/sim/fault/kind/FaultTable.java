package io.vhca.harness.sim.fault.kind;

import io.vhca.harness.sim.fault.FaultKind;
import io.vhca.harness.sim.fault.Odds;
import io.vhca.harness.sim.fault.PacketKind;
import io.vhca.harness.sim.fault.attack.MessagesReplayed;
import io.vhca.harness.sim.fault.attack.SpooferForges;
import io.vhca.harness.sim.fault.attack.StrangerAsks;
import io.vhca.harness.sim.fault.starve.ClockJump;
import io.vhca.harness.sim.fault.starve.HostSlow;
import io.vhca.harness.sim.fault.starve.TurnsInBursts;
import io.vhca.harness.sim.fault.starve.TurnsLate;
import java.util.List;

/**
 * The faults that scenarios are drawn from, a row a kind; summaries list them in this order. With a bond every second
 * one takes a path away or is an operator's doing, and one of ten is a death. In every second scenario a host is
 * starved besides, whatever else is drawn.
 */
public final class FaultTable {
    private static final Odds PACKETS = Odds.of(33, 73);
    private static final Odds PATH = Odds.of(36, 10);
    private static final Odds OFTEN_PATH = Odds.of(72, 20);
    private static final Odds DEATH = Odds.of(11, 7);
    private static final Odds STARVED_PERCENT = Odds.of(19, 8);

    /** All of them. */
    public static final List<FaultKind> ALL = List.of(
            FaultKind.of(PacketsDropped.LABEL, PACKETS, PacketsDropped::draw),
            FaultKind.of(PacketsDuplicated.LABEL, PACKETS, PacketsDuplicated::draw),
            FaultKind.of(PacketsReordered.LABEL, PACKETS, PacketsReordered::draw),
            FaultKind.of(PacketsDelayed.LABEL, PACKETS, PacketsDelayed::draw),
            FaultKind.of(PacketsCorrupted.LABEL, PACKETS, PacketsCorrupted::draw),
            FaultKind.of(AckLost.LABEL, Odds.of(66, 146), AckLost::draw),
            FaultKind.of(RequestLost.LABEL, PACKETS, RequestLost::draw),
            FaultKind.of(PacketCorrupted.LABEL, PACKETS, PacketCorrupted::draw),
            cmMessageLost(PacketKind.CM_REQ),
            cmMessageLost(PacketKind.CM_REP),
            cmMessageLost(PacketKind.CM_RTU),
            FaultKind.of(PortDown.LABEL, OFTEN_PATH, PortDown::draw),
            FaultKind.of(AllPortsDown.LABEL, PATH, AllPortsDown::draw),
            FaultKind.of(RoutesLost.LABEL, Odds.bondOnly(36), RoutesLost::draw),
            FaultKind.of(OneWayLoss.LABEL, OFTEN_PATH, OneWayLoss::draw),
            FaultKind.of(PortFlapping.LABEL, PATH, PortFlapping::draw),
            FaultKind.of(LinkPaused.SHORT, PATH, LinkPaused::drawShort),
            FaultKind.of(LinkPaused.LONG, PATH, LinkPaused::drawLong),
            FaultKind.of(MemberDrained.LABEL, Odds.bondOnly(72), MemberDrained::draw),
            FaultKind.of(MemberRemoved.LABEL, Odds.bondOnly(36), MemberRemoved::draw),
            FaultKind.of(MemberActivated.LABEL, Odds.bondOnly(36), MemberActivated::draw),
            FaultKind.of(SendersHang.LABEL, Odds.bondOnly(36), SendersHang::draw),
            FaultKind.of(SendersFail.LABEL, Odds.bondOnly(36), SendersFail::draw),
            FaultKind.of(GidMoved.LABEL, Odds.bondOnly(36), GidMoved::draw),
            // These three in a third of the scenarios, and in one of ten nothing else.
            FaultKind.attack(StrangerAsks.LABEL, Odds.bondOnly(90), StrangerAsks::draw),
            FaultKind.attack(SpooferForges.LABEL, Odds.bondOnly(80), SpooferForges::draw),
            FaultKind.attack(MessagesReplayed.LABEL, Odds.bondOnly(80), MessagesReplayed::draw),
            FaultKind.of(MtuShrunk.LABEL, Odds.bondOnly(36), MtuShrunk::draw),
            FaultKind.death(DataLost.LABEL, Odds.bondOnly(22), DataLost::draw),
            FaultKind.death(DeviceDeath.LABEL, Odds.of(22, 28), DeviceDeath::draw),
            FaultKind.death(DeviceReturn.LABEL, DEATH, DeviceReturn::draw),
            FaultKind.death(ProcessDeath.LABEL, DEATH, ProcessDeath::draw),
            FaultKind.death(ProcessRestart.LABEL, DEATH, ProcessRestart::draw),
            // It is what confirmation is for.
            FaultKind.death(AckBeforePlacement.LABEL, new Odds(22, 355, 14), AckBeforePlacement::draw),
            FaultKind.beside(TurnsLate.LABEL, STARVED_PERCENT, TurnsLate::draw),
            FaultKind.beside(TurnsInBursts.LABEL, STARVED_PERCENT, TurnsInBursts::draw),
            FaultKind.beside(HostSlow.LABEL, STARVED_PERCENT, HostSlow::draw),
            FaultKind.beside(ClockJump.LABEL, STARVED_PERCENT, ClockJump::draw));

    private FaultTable() {}

    private static FaultKind cmMessageLost(final PacketKind message) {
        return FaultKind.of(CmMessageLost.label(message), PACKETS, dice -> CmMessageLost.draw(dice, message));
    }
}
