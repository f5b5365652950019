package io.vhca.harness.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.NativeMemory;
import io.vhca.physical.soft.fabric.Verdict;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ScriptedFaultsTest {
    private static final int ACK_OPCODE = 0x11;
    private static final int SEND_ONLY_OPCODE = 0x04;
    private static final int UD_SEND_OPCODE = 0x64;

    private final Arena arena = Arena.ofConfined();
    private final long packet = arena.allocate(300).address();
    private final List<String> actions = new ArrayList<>();
    private final FaultTarget target = new Recorder();

    @AfterEach
    void close() {
        arena.close();
    }

    private ScriptedFaults faults(final Fault... list) {
        return new ScriptedFaults(
                List.of(list), new Side[] {Side.LEFT, Side.LEFT, Side.RIGHT, Side.RIGHT}, new int[] {0, 1, 0, 1},
                new int[] {2, 2}, target, new SplittableRandom(1), new History(Recording.NONE), 0);
    }

    private long judge(
            final ScriptedFaults faults, final int from, final int opcode, final int attribute, final long nowNs) {
        NativeMemory.fill(packet, 300, (byte) 0);
        NativeMemory.putByte(packet, (byte) opcode);
        if (attribute != 0) {
            NativeMemory.putByte(packet + 7, (byte) 1);
            NativeMemory.putShort(packet + 36, Short.reverseBytes((short) attribute));
        }
        return faults.judge(from, 3 - from, packet, 280, nowNs);
    }

    @Test
    void losesTheChosenAcksOfOneSide() {
        final ScriptedFaults faults = faults(new Fault(FaultKind.LOSE_ACK, 1, 1, -1, 0, 0, 2));
        final List<Boolean> lost = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            lost.add(Verdict.isDrop(judge(faults, 2, ACK_OPCODE, 0, i)));
            assertThat(judge(faults, 0, ACK_OPCODE, 0, i)).as("the other side's").isEqualTo(Verdict.DELIVER);
            assertThat(judge(faults, 2, SEND_ONLY_OPCODE, 0, i)).as("no ACK").isEqualTo(Verdict.DELIVER);
        }
        assertThat(lost).containsExactly(false, true, true, false);
        assertThat(faults.hits()[FaultKind.LOSE_ACK.ordinal()]).isEqualTo(2);
    }

    @Test
    void losesAcksOfOneMemberAlone() {
        final ScriptedFaults faults = faults(new Fault(FaultKind.LOSE_ACK, 0, 1, 0, 0, 0, 100));
        assertThat(Verdict.isDrop(judge(faults, 2, ACK_OPCODE, 0, 0))).isTrue();
        assertThat(Verdict.isDrop(judge(faults, 3, ACK_OPCODE, 0, 0))).isFalse();
    }

    @Test
    void losesTheChosenCmMessage() {
        final ScriptedFaults faults = faults(new Fault(FaultKind.LOSE_CM_REP, 1, 0, -1, 0, 0, 1));
        assertThat(judge(faults, 2, UD_SEND_OPCODE, 0x10, 0)).isEqualTo(Verdict.DELIVER);
        assertThat(judge(faults, 2, UD_SEND_OPCODE, 0x13, 0)).isEqualTo(Verdict.DELIVER);
        assertThat(Verdict.isDrop(judge(faults, 2, UD_SEND_OPCODE, 0x13, 0))).isTrue();
        assertThat(judge(faults, 2, UD_SEND_OPCODE, 0x13, 0)).isEqualTo(Verdict.DELIVER);
    }

    @Test
    void aPortGoesDownWithItsPacketAndComesBack() {
        final ScriptedFaults faults = faults(new Fault(FaultKind.PORT_DOWN, 1, 0, 1, 0, 500, 1));
        judge(faults, 0, SEND_ONLY_OPCODE, 0, 10);
        assertThat(faults.nextDeadlineNs()).isEqualTo(Long.MAX_VALUE);
        judge(faults, 0, SEND_ONLY_OPCODE, 0, 20);
        assertThat(faults.isHealed()).isFalse();
        assertThat(faults.nextDeadlineNs()).isEqualTo(20);
        assertThat(faults.doWork(20)).isEqualTo(1);
        assertThat(faults.nextDeadlineNs()).isEqualTo(520);
        assertThat(faults.doWork(519)).isZero();
        faults.doWork(520);
        assertThat(actions).containsExactly("20 left port 1 down", "520 left port 1 up");
        assertThat(faults.isHealed()).isTrue();
        assertThat(faults.lastHealNs()).isEqualTo(520);
    }

    @Test
    void flappingGoesDownSeveralTimes() {
        final ScriptedFaults faults = faults(new Fault(FaultKind.FLAPPING, 0, 0, 0, 0, 100, 2));
        judge(faults, 0, SEND_ONLY_OPCODE, 0, 0);
        for (long nowNs = 0; nowNs < 1_000; nowNs += 50) {
            faults.doWork(nowNs);
        }
        assertThat(actions)
                .containsExactly("0 left port 0 down", "100 left port 0 up", "200 left port 0 down",
                        "300 left port 0 up");
        assertThat(faults.isHealed()).isTrue();
    }

    @Test
    void aPortThatTwoFaultsTookDownComesBackWithTheLast() {
        final ScriptedFaults faults = faults(
                new Fault(FaultKind.PORT_DOWN, 0, 0, 0, 0, 100, 1),
                new Fault(FaultKind.ALL_PORTS_DOWN, 0, 0, -1, 0, 200, 1));
        judge(faults, 0, SEND_ONLY_OPCODE, 0, 0);
        faults.doWork(0);
        faults.doWork(100);
        faults.doWork(200);
        assertThat(actions)
                .containsExactly("0 left port 0 down", "0 left port 1 down", "200 left port 0 up",
                        "200 left port 1 up");
    }

    @Test
    void oneWayLossBlocksAndOpens() {
        final ScriptedFaults faults = faults(new Fault(FaultKind.ONE_WAY_LOSS, 0, 1, -1, 0, 100, 1));
        judge(faults, 0, SEND_ONLY_OPCODE, 0, 0);
        faults.doWork(0);
        faults.doWork(100);
        assertThat(actions)
                .containsExactly("right port 0 blocked", "right port 1 blocked", "right port 0 open",
                        "right port 1 open");
    }

    @Test
    void deathIsForGood() {
        final ScriptedFaults faults = faults(
                new Fault(FaultKind.DEVICE_DEATH, 0, 1, 1, 0, 0, 1),
                new Fault(FaultKind.PROCESS_DEATH, 1, 0, -1, 0, 0, 1));
        judge(faults, 0, SEND_ONLY_OPCODE, 0, 0);
        judge(faults, 0, SEND_ONLY_OPCODE, 0, 0);
        faults.doWork(0);
        assertThat(actions).containsExactly("right device 1 dead", "left process dead");
        assertThat(faults.isHealed()).isTrue();
        assertThat(faults.nextDeadlineNs()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void devicesComeBackAsOftenAsTheyDie() {
        final ScriptedFaults faults = faults(new Fault(FaultKind.DEVICE_RETURN, 0, 1, -1, 0, 100, 2));
        judge(faults, 0, SEND_ONLY_OPCODE, 0, 0);
        faults.doWork(0);
        assertThat(faults.isHealed()).isFalse();
        for (long nowNs = 100; nowNs <= 300; nowNs += 100) {
            faults.doWork(nowNs);
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
        final ScriptedFaults faults = faults(
                new Fault(FaultKind.DRAIN, 0, 1, 1, 0, 300, 1), new Fault(FaultKind.ACTIVATE, 0, 0, 1, 0, 0, 1));
        judge(faults, 0, SEND_ONLY_OPCODE, 0, 0);
        faults.doWork(0);
        assertThat(faults.isHealed()).isFalse();
        faults.doWork(300);
        assertThat(actions)
                .containsExactly("right member 1 drained", "left member 1 active", "right member 1 resumed");
        assertThat(faults.isHealed()).isTrue();
    }

    @Test
    void anOperatorRemovesAMemberAndAddsItAgain() {
        final ScriptedFaults faults = faults(new Fault(FaultKind.REMOVE, 0, 0, 1, 0, 300, 1));
        judge(faults, 0, SEND_ONLY_OPCODE, 0, 0);
        faults.doWork(0);
        assertThat(faults.isHealed()).isFalse();
        faults.doWork(300);
        assertThat(actions).containsExactly("left member 1 removed", "left member 1 added");
        assertThat(faults.isHealed()).isTrue();
    }

    @Test
    void sendersHangOrFailOnce() {
        final ScriptedFaults faults = faults(
                new Fault(FaultKind.SENDERS_HANG, 0, 1, 1, 0, 0, 1),
                new Fault(FaultKind.SENDERS_FAIL, 0, 0, 1, 0, 0, 1));
        judge(faults, 0, SEND_ONLY_OPCODE, 0, 0);
        faults.doWork(0);
        faults.doWork(1_000);
        assertThat(actions).containsExactly("right device 1 hangs", "left device 1 fails");
        assertThat(faults.isHealed()).isTrue();
    }

    @Test
    void aProcessComesBackWhenItIsRestarted() {
        final ScriptedFaults faults = faults(new Fault(FaultKind.PROCESS_RESTART, 0, 0, -1, 0, 300, 1));
        judge(faults, 0, SEND_ONLY_OPCODE, 0, 0);
        faults.doWork(0);
        assertThat(faults.isHealed()).isFalse();
        faults.doWork(300);
        assertThat(actions).containsExactly("left process dead", "300 left process back");
        assertThat(faults.isHealed()).isTrue();
    }

    @Test
    void sharesStrikeOnlyWhileTheyLast() {
        final ScriptedFaults faults = faults(new Fault(FaultKind.DROP, 0, 0, -1, 1_000, 100, 1));
        assertThat(Verdict.isDrop(judge(faults, 0, SEND_ONLY_OPCODE, 0, 0))).isTrue();
        faults.doWork(0);
        assertThat(Verdict.isDrop(judge(faults, 0, SEND_ONLY_OPCODE, 0, 50))).isTrue();
        faults.doWork(100);
        assertThat(judge(faults, 0, SEND_ONLY_OPCODE, 0, 100)).isEqualTo(Verdict.DELIVER);
    }

    /** Writes down what is asked of it. */
    private final class Recorder implements FaultTarget {
        @Override
        public void portUp(final long nowNs, final Side side, final int member, final boolean isUp) {
            actions.add(nowNs + " " + side.label() + " port " + member + (isUp ? " up" : " down"));
        }

        @Override
        public void blockTransmit(final Side side, final int member, final boolean isBlocked) {
            actions.add(side.label() + " port " + member + (isBlocked ? " blocked" : " open"));
        }

        @Override
        public void drain(final Side side, final int member, final boolean isDrained) {
            actions.add(side.label() + " member " + member + (isDrained ? " drained" : " resumed"));
        }

        @Override
        public void remove(final Side side, final int member, final boolean isRemoved) {
            actions.add(side.label() + " member " + member + (isRemoved ? " removed" : " added"));
        }

        @Override
        public void moveGid(final Side side, final int member) {
            actions.add(side.label() + " GID of " + member + " moved");
        }

        @Override
        public void shrinkMtu(final Side side, final int member, final boolean isSmall) {
            actions.add(side.label() + " MTU of " + member + (isSmall ? " small" : " restored"));
        }

        @Override
        public void activate(final Side side, final int member) {
            actions.add(side.label() + " member " + member + " active");
        }

        @Override
        public void hangSenders(final Side side, final int member) {
            actions.add(side.label() + " device " + member + " hangs");
        }

        @Override
        public void failSenders(final Side side, final int member) {
            actions.add(side.label() + " device " + member + " fails");
        }

        @Override
        public void killDevice(final long nowNs, final Side side, final int member) {
            actions.add(side.label() + " device " + member + " dead");
        }

        @Override
        public void reviveDevice(final long nowNs, final Side side, final int member) {
            actions.add(nowNs + " " + side.label() + " device " + member + " back");
        }

        @Override
        public void killProcess(final long nowNs, final Side side) {
            actions.add(side.label() + " process dead");
        }

        @Override
        public void restartProcess(final long nowNs, final Side side) {
            actions.add(nowNs + " " + side.label() + " process back");
        }
    }
}
