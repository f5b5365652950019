package io.vhca.harness.sim.fault.kind;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.NativeMemory;
import io.vhca.harness.sim.core.Deadlines;
import io.vhca.harness.sim.core.History;
import io.vhca.harness.sim.core.Recording;
import io.vhca.harness.sim.core.Side;
import io.vhca.harness.sim.fault.Attack;
import io.vhca.harness.sim.fault.Damage;
import io.vhca.harness.sim.fault.Fault;
import io.vhca.harness.sim.fault.FaultScript;
import io.vhca.harness.sim.fault.FaultTarget;
import io.vhca.harness.sim.fault.FaultyHost;
import io.vhca.harness.sim.fault.HostThread;
import io.vhca.harness.sim.fault.Members;
import io.vhca.harness.sim.fault.PacketKind;
import io.vhca.harness.sim.fault.PortMap;
import io.vhca.harness.sim.fault.TimedFault;
import io.vhca.harness.sim.fault.Timing;
import io.vhca.harness.sim.fault.TurnRule;
import io.vhca.harness.sim.fault.starve.ClockJump;
import io.vhca.harness.sim.fault.starve.HostSlow;
import io.vhca.harness.sim.fault.starve.TurnsInBursts;
import io.vhca.harness.sim.fault.starve.TurnsLate;
import io.vhca.physical.soft.fabric.Verdict;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What single faults do to packets, and to what else they act upon. */
class FaultScriptTest {
    private static final int ACK_OPCODE = 0x11;
    private static final int SEND_ONLY_OPCODE = 0x04;
    private static final int UD_SEND_OPCODE = 0x64;

    private final Arena arena = Arena.ofConfined();
    private final long packet = arena.allocate(300).address();
    private final List<String> actions = new ArrayList<>();
    private final FaultTarget target = new Recorder();
    private long workNs;

    @AfterEach
    void close() {
        arena.close();
    }

    private FaultScript faults(final TimedFault... list) {
        final PortMap ports = new PortMap(4);
        for (int port = 0; port < 4; port++) {
            ports.add(port, port < 2 ? Side.LEFT : Side.RIGHT, port % 2);
        }
        return new FaultScript(
                List.of(list), ports, target, new SplittableRandom(1), new History(Recording.NONE), 0);
    }

    /** Begins and ends what is due, for the recorder to know when. */
    private int work(final FaultScript faults, final long nowNs) {
        workNs = nowNs;
        return faults.doWork(nowNs);
    }

    private long judge(
            final FaultScript faults, final int from, final int opcode, final int attribute, final long nowNs) {
        NativeMemory.fill(packet, 300, (byte) 0);
        NativeMemory.putByte(packet, (byte) opcode);
        if (attribute != 0) {
            NativeMemory.putByte(packet + 7, (byte) 1);
            NativeMemory.putShort(packet + 36, Short.reverseBytes((short) attribute));
        }
        return faults.judge(from, 3 - from, 0, packet, 280, nowNs);
    }

    private static TimedFault packets(final Fault fault, final int first, final int count) {
        return new TimedFault(fault, new Timing.Packets(first, count));
    }

    private static TimedFault period(final Fault fault, final int atPacket, final long lastsNs, final int times) {
        return new TimedFault(fault, new Timing.Period(atPacket, lastsNs, times));
    }

    private static TimedFault forGood(final Fault fault, final int atPacket) {
        return new TimedFault(fault, new Timing.ForGood(atPacket));
    }

    @Test
    void threadsAreStarvedForATimeAndClocksJumpEachTime() {
        final FaultScript faults = faults(
                period(new TurnsLate(Side.LEFT, EnumSet.of(HostThread.BOND), 10), 0, 100, 1),
                period(new HostSlow(Side.RIGHT, EnumSet.allOf(HostThread.class), 10), 0, 50, 1),
                period(new TurnsInBursts(Side.RIGHT, 30, 20), 0, 75, 1),
                period(new ClockJump(Side.LEFT, 700), 0, 60, 2));
        judge(faults, 0, 0, 0, 5);
        for (final long nowNs : new long[] {5, 55, 65, 80, 105, 125}) {
            work(faults, nowNs);
        }
        assertThat(actions).containsExactly(
                "5 left starves [BOND]", "5 right starves [APPLICATION, BOND, DEVICES]",
                "5 right starves [APPLICATION, BOND, DEVICES]", "5 left clock 700 ahead", "55 right is fed",
                "80 right is fed", "105 left is fed", "125 left clock 700 ahead");
        assertThat(faults.hits()).containsExactly(1, 1, 1, 2);
    }

    /** What a device does not answer in time costs a path; who starves otherwise is late and that is all. */
    @Test
    void onlyADeviceThatStarvesCostsThePath() {
        assertThat(new TurnsLate(Side.LEFT, EnumSet.of(HostThread.BOND), 10).damage()).isEqualTo(Damage.NONE);
        assertThat(new HostSlow(Side.LEFT, EnumSet.of(HostThread.APPLICATION), 10).damage()).isEqualTo(Damage.NONE);
        assertThat(new HostSlow(Side.LEFT, EnumSet.allOf(HostThread.class), 10).damage()).isEqualTo(Damage.PATH);
        assertThat(new TurnsInBursts(Side.LEFT, 1, 1).damage()).isEqualTo(Damage.PATH);
    }

    @Test
    void losesTheChosenAcksOfOneSide() {
        final FaultScript faults = faults(packets(new AckLost(Members.all(Side.RIGHT, 2)), 1, 2));
        final List<Boolean> lost = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            lost.add(Verdict.isDrop(judge(faults, 2, ACK_OPCODE, 0, i)));
            assertThat(judge(faults, 0, ACK_OPCODE, 0, i)).as("the other side's").isEqualTo(Verdict.DELIVER);
            assertThat(judge(faults, 2, SEND_ONLY_OPCODE, 0, i)).as("no ACK").isEqualTo(Verdict.DELIVER);
        }
        assertThat(lost).containsExactly(false, true, true, false);
        assertThat(faults.hits()[0]).isEqualTo(2);
    }

    @Test
    void losesAcksOfOneMemberAlone() {
        final FaultScript faults = faults(packets(new AckLost(Members.one(Side.RIGHT, 0)), 0, 100));
        assertThat(Verdict.isDrop(judge(faults, 2, ACK_OPCODE, 0, 0))).isTrue();
        assertThat(Verdict.isDrop(judge(faults, 3, ACK_OPCODE, 0, 0))).isFalse();
    }

    @Test
    void losesTheChosenCmMessage() {
        final FaultScript faults = faults(packets(new CmMessageLost(PacketKind.CM_REP), 1, 1));
        assertThat(judge(faults, 2, UD_SEND_OPCODE, 0x10, 0)).isEqualTo(Verdict.DELIVER);
        assertThat(judge(faults, 2, UD_SEND_OPCODE, 0x13, 0)).isEqualTo(Verdict.DELIVER);
        assertThat(Verdict.isDrop(judge(faults, 2, UD_SEND_OPCODE, 0x13, 0))).isTrue();
        assertThat(judge(faults, 2, UD_SEND_OPCODE, 0x13, 0)).isEqualTo(Verdict.DELIVER);
    }

    @Test
    void aPortGoesDownWithItsPacketAndComesBack() {
        final FaultScript faults = faults(period(new PortDown(Members.one(Side.LEFT, 1)), 1, 500, 1));
        judge(faults, 0, SEND_ONLY_OPCODE, 0, 10);
        assertThat(faults.nextDeadlineNs()).isEqualTo(Deadlines.NONE);
        judge(faults, 0, SEND_ONLY_OPCODE, 0, 20);
        assertThat(faults.isHealed()).isFalse();
        assertThat(faults.nextDeadlineNs()).isEqualTo(20);
        assertThat(work(faults, 20)).isEqualTo(1);
        assertThat(faults.nextDeadlineNs()).isEqualTo(520);
        assertThat(work(faults, 519)).isZero();
        work(faults, 520);
        assertThat(actions).containsExactly("20 left port 1 down", "520 left port 1 up");
        assertThat(faults.isHealed()).isTrue();
        assertThat(faults.lastHealNs()).isEqualTo(520);
    }

    @Test
    void flappingGoesDownSeveralTimes() {
        final FaultScript faults = faults(period(new PortFlapping(Members.one(Side.LEFT, 0)), 0, 100, 2));
        judge(faults, 0, SEND_ONLY_OPCODE, 0, 0);
        for (long nowNs = 0; nowNs < 1_000; nowNs += 50) {
            work(faults, nowNs);
        }
        assertThat(actions)
                .containsExactly("0 left port 0 down", "100 left port 0 up", "200 left port 0 down",
                        "300 left port 0 up");
        assertThat(faults.isHealed()).isTrue();
    }

    @Test
    void aPortThatTwoFaultsTookDownComesBackWithTheLast() {
        final FaultScript faults = faults(
                period(new PortDown(Members.one(Side.LEFT, 0)), 0, 100, 1),
                period(new AllPortsDown(Members.all(Side.LEFT, 2)), 0, 200, 1));
        judge(faults, 0, SEND_ONLY_OPCODE, 0, 0);
        work(faults, 0);
        work(faults, 100);
        work(faults, 200);
        assertThat(actions)
                .containsExactly("0 left port 0 down", "0 left port 1 down", "200 left port 0 up",
                        "200 left port 1 up");
    }

    @Test
    void routesThatTwoFaultsTookAreThereAgainWithTheLast() {
        final FaultScript faults = faults(
                period(new RoutesLost(Members.all(Side.RIGHT, 2)), 0, 100, 1),
                period(new RoutesLost(Members.one(Side.RIGHT, 1)), 0, 200, 1));
        judge(faults, 0, SEND_ONLY_OPCODE, 0, 0);
        work(faults, 0);
        work(faults, 100);
        work(faults, 200);
        assertThat(actions)
                .containsExactly("0 right port 0 routes gone", "0 right port 1 routes gone",
                        "100 right port 0 routes there", "200 right port 1 routes there");
    }

    /** Priority 0 is held until the second of two pauses is over, the others go on with the first. */
    @Test
    void aPausedLinkGoesOnWithTheLastPauseOfEachPriority() {
        final FaultScript faults = faults(
                period(new LinkPaused(Members.one(Side.LEFT, 0), 0xff, true), 0, 100, 1),
                period(new LinkPaused(Members.one(Side.LEFT, 0), 1, false), 0, 200, 1));
        judge(faults, 0, SEND_ONLY_OPCODE, 0, 0);
        work(faults, 0);
        work(faults, 100);
        assertThat(faults.isHealed()).isFalse();
        work(faults, 200);
        assertThat(actions).containsExactly(
                "0 left port 0 priorities ff paused", "100 left port 0 priorities fe resumed",
                "200 left port 0 priorities 1 resumed");
        assertThat(faults.isHealed()).isTrue();
    }

    @Test
    void oneWayLossBlocksAndOpens() {
        final FaultScript faults = faults(period(new OneWayLoss(Members.all(Side.RIGHT, 2)), 0, 100, 1));
        judge(faults, 0, SEND_ONLY_OPCODE, 0, 0);
        work(faults, 0);
        work(faults, 100);
        assertThat(actions)
                .containsExactly("right port 0 blocked", "right port 1 blocked", "right port 0 open",
                        "right port 1 open");
    }

    @Test
    void deathIsForGood() {
        final FaultScript faults = faults(
                forGood(new DeviceDeath(Members.one(Side.RIGHT, 1)), 0),
                forGood(new ProcessDeath(Side.LEFT), 1));
        judge(faults, 0, SEND_ONLY_OPCODE, 0, 0);
        judge(faults, 0, SEND_ONLY_OPCODE, 0, 0);
        work(faults, 0);
        assertThat(actions).containsExactly("right device 1 dead", "left process dead");
        assertThat(faults.isHealed()).isTrue();
        assertThat(faults.nextDeadlineNs()).isEqualTo(Deadlines.NONE);
    }

    @Test
    void devicesComeBackAsOftenAsTheyDie() {
        final FaultScript faults = faults(period(new DeviceReturn(Members.all(Side.RIGHT, 2)), 0, 100, 2));
        judge(faults, 0, SEND_ONLY_OPCODE, 0, 0);
        work(faults, 0);
        assertThat(faults.isHealed()).isFalse();
        for (long nowNs = 100; nowNs <= 300; nowNs += 100) {
            work(faults, nowNs);
        }
        assertThat(actions)
                .containsExactly(
                        "right device 0 dead", "right device 1 dead", "100 right device 0 back",
                        "100 right device 1 back",
                        "right device 0 dead", "right device 1 dead", "300 right device 0 back",
                        "300 right device 1 back");
        assertThat(faults.isHealed()).isTrue();
    }

    @Test
    void anOperatorDrainsAndActivates() {
        final FaultScript faults = faults(
                period(new MemberDrained(Members.one(Side.RIGHT, 1)), 0, 300, 1),
                forGood(new MemberActivated(Members.one(Side.LEFT, 1)), 0));
        judge(faults, 0, SEND_ONLY_OPCODE, 0, 0);
        work(faults, 0);
        assertThat(faults.isHealed()).isFalse();
        work(faults, 300);
        assertThat(actions)
                .containsExactly("right member 1 drained", "left member 1 active", "right member 1 resumed");
        assertThat(faults.isHealed()).isTrue();
    }

    @Test
    void anOperatorRemovesAMemberAndAddsItAgain() {
        final FaultScript faults = faults(period(new MemberRemoved(Members.one(Side.LEFT, 1)), 0, 300, 1));
        judge(faults, 0, SEND_ONLY_OPCODE, 0, 0);
        work(faults, 0);
        assertThat(faults.isHealed()).isFalse();
        work(faults, 300);
        assertThat(actions).containsExactly("left member 1 removed", "left member 1 added");
        assertThat(faults.isHealed()).isTrue();
    }

    @Test
    void sendersHangOrFailOnce() {
        final FaultScript faults = faults(
                forGood(new SendersHang(Members.one(Side.RIGHT, 1)), 0),
                forGood(new SendersFail(Members.one(Side.LEFT, 1)), 0));
        judge(faults, 0, SEND_ONLY_OPCODE, 0, 0);
        work(faults, 0);
        work(faults, 1_000);
        assertThat(actions).containsExactly("right device 1 hangs", "left device 1 fails");
        assertThat(faults.isHealed()).isTrue();
    }

    @Test
    void aProcessComesBackWhenItIsRestarted() {
        final FaultScript faults = faults(period(new ProcessRestart(Side.LEFT), 0, 300, 1));
        judge(faults, 0, SEND_ONLY_OPCODE, 0, 0);
        work(faults, 0);
        assertThat(faults.isHealed()).isFalse();
        work(faults, 300);
        assertThat(actions).containsExactly("left process dead", "300 left process back");
        assertThat(faults.isHealed()).isTrue();
    }

    @Test
    void sharesStrikeOnlyWhileTheyLast() {
        final FaultScript faults = faults(period(new PacketsDropped(1_000), 0, 100, 1));
        assertThat(Verdict.isDrop(judge(faults, 0, SEND_ONLY_OPCODE, 0, 0))).isTrue();
        work(faults, 0);
        assertThat(Verdict.isDrop(judge(faults, 0, SEND_ONLY_OPCODE, 0, 50))).isTrue();
        work(faults, 100);
        assertThat(judge(faults, 0, SEND_ONLY_OPCODE, 0, 100)).isEqualTo(Verdict.DELIVER);
    }

    @Test
    void aMemberWhoseDataIsLostSendsCmMessagesAlone() {
        final FaultScript faults = faults(forGood(new DataLost(Members.one(Side.LEFT, 1)), 0));
        assertThat(Verdict.isDrop(judge(faults, 1, SEND_ONLY_OPCODE, 0, 0))).isTrue();
        work(faults, 0);
        assertThat(faults.isHealed()).isTrue();
        assertThat(Verdict.isDrop(judge(faults, 1, SEND_ONLY_OPCODE, 0, 1_000))).isTrue();
        assertThat(judge(faults, 1, UD_SEND_OPCODE, 0x10, 1_000)).isEqualTo(Verdict.DELIVER);
        assertThat(judge(faults, 0, SEND_ONLY_OPCODE, 0, 1_000)).isEqualTo(Verdict.DELIVER);
    }

    @Test
    void twoFaultsMayStrikeTheSamePacket() {
        final FaultScript faults = faults(
                period(new PacketsDelayed(Side.LEFT, 5_000), 0, 100, 1),
                period(new PacketsDropped(1_000), 0, 100, 1));
        assertThat(judge(faults, 0, SEND_ONLY_OPCODE, 0, 0))
                .isEqualTo(Verdict.DROP | Verdict.delay(Verdict.DELIVER, 5_000));
        assertThat(faults.hits()).containsExactly(1, 1);
    }

    /** Writes down what is asked of it. */
    private final class Recorder implements FaultTarget {
        @Override
        public void portUp(final Side side, final int member, final boolean isUp) {
            actions.add(workNs + " " + side.label() + " port " + member + (isUp ? " up" : " down"));
        }

        @Override
        public void routes(final Side side, final int member, final boolean areThere) {
            actions.add(workNs + " " + side.label() + " port " + member + " routes " + (areThere ? "there" : "gone"));
        }

        @Override
        public void blockTransmit(final Side side, final int member, final boolean isBlocked) {
            actions.add(side.label() + " port " + member + (isBlocked ? " blocked" : " open"));
        }

        @Override
        public void pauseTransmit(final Side side, final int member, final int priorities, final boolean isPaused) {
            actions.add(workNs + " " + side.label() + " port " + member + " priorities "
                    + Integer.toHexString(priorities) + (isPaused ? " paused" : " resumed"));
        }

        @Override
        public void onHost(final Side side, final Consumer<FaultyHost> action) {
            action.accept(new RecordingHost(side));
        }

        @Override
        public void attack(final Side asked, final Attack attack) {
            actions.add(asked.label() + " attacked: " + attack);
        }

        @Override
        public void killProcess(final Side side) {
            actions.add(side.label() + " process dead");
        }

        @Override
        public void restartProcess(final Side side) {
            actions.add(workNs + " " + side.label() + " process back");
        }
    }

    /** Writes down what is done to one host. */
    private final class RecordingHost implements FaultyHost {
        private final Side side;

        RecordingHost(final Side side) {
            this.side = side;
        }

        @Override
        public void drain(final int member, final boolean isDrained) {
            actions.add(side.label() + " member " + member + (isDrained ? " drained" : " resumed"));
        }

        @Override
        public void remove(final int member, final boolean isRemoved) {
            actions.add(side.label() + " member " + member + (isRemoved ? " removed" : " added"));
        }

        @Override
        public void moveGid(final int member) {
            actions.add(side.label() + " GID of " + member + " moved");
        }

        @Override
        public void shrinkMtu(final int member, final boolean isSmall) {
            actions.add(side.label() + " MTU of " + member + (isSmall ? " small" : " restored"));
        }

        @Override
        public void activate(final int member) {
            actions.add(side.label() + " member " + member + " active");
        }

        @Override
        public void hangSenders(final int member) {
            actions.add(side.label() + " device " + member + " hangs");
        }

        @Override
        public void failSenders(final int member) {
            actions.add(side.label() + " device " + member + " fails");
        }

        @Override
        public void killDevice(final int member) {
            actions.add(side.label() + " device " + member + " dead");
        }

        @Override
        public void reviveDevice(final int member) {
            actions.add(workNs + " " + side.label() + " device " + member + " back");
        }

        @Override
        public void starve(final Set<HostThread> threads, final TurnRule rule) {
            actions.add(workNs + " " + side.label() + " starves " + threads);
        }

        @Override
        public void feed(final TurnRule rule) {
            actions.add(workNs + " " + side.label() + " is fed");
        }

        @Override
        public void jumpClock(final long byNs) {
            actions.add(workNs + " " + side.label() + " clock " + byNs + " ahead");
        }
    }
}
