package io.vhca.physical.soft.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Gid;
import io.vhca.api.NativeMemory;
import io.vhca.physical.soft.carrier.Destination;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SimFabricTest {
    private static final long LATENCY_NS = 1_000;
    private static final int PACKET_BYTES = 64;

    private final Arena arena = Arena.ofConfined();
    private final long packet = arena.allocate(4096).address();
    private final SimFabric fabric = new SimFabric(new FabricConfig(1024, 8, LATENCY_NS, 0));
    private FabricPort left = fabric.addPort(gid(1), 1024);
    private FabricPort right = fabric.addPort(gid(2), 1024);
    private int toRight = left.route(gid(2));

    @AfterEach
    void close() {
        fabric.close();
        arena.close();
    }

    private static Gid gid(final int number) {
        return new Gid(0, 0xffff_0a00_0000L + number);
    }

    private boolean send(final int tag) {
        NativeMemory.fill(packet, PACKET_BYTES, (byte) 0);
        NativeMemory.putInt(packet, tag);
        return left.send(toRight, packet, PACKET_BYTES);
    }

    private static List<Integer> receive(final FabricPort port) {
        final List<Integer> tags = new ArrayList<>();
        port.receive(
                (high, low, sourcePort, trafficClass, address, length) -> {
                    assertThat(low).isEqualTo(gid(1).interfaceId());
                    assertThat(sourcePort).isEqualTo(0xc000);
                    assertThat(length).isEqualTo(PACKET_BYTES);
                    tags.add(NativeMemory.getInt(address));
                },
                Integer.MAX_VALUE);
        return tags;
    }

    @Test
    void packetsArriveAfterTheLatencyInOrder() {
        send(1);
        send(2);
        assertThat(fabric.nextDeadlineNs()).isEqualTo(LATENCY_NS);
        assertThat(fabric.doWork(LATENCY_NS - 1)).isZero();
        assertThat(fabric.doWork(LATENCY_NS)).isEqualTo(2);
        assertThat(fabric.nextDeadlineNs()).isEqualTo(Long.MAX_VALUE);
        assertThat(right.pending()).isEqualTo(2);
        assertThat(receive(right)).containsExactly(1, 2);
        assertThat(fabric.inFlight()).isZero();
    }

    @Test
    void aPortMaySendUnderAnothersAddressAndTheAnswersGoThere() {
        final FabricPort liar = fabric.addPort(gid(3), 1024);
        NativeMemory.fill(packet, PACKET_BYTES, (byte) 0);
        assertThat(liar.sendAs(gid(1), liar.route(gid(2)), packet, PACKET_BYTES)).isTrue();
        fabric.doWork(LATENCY_NS);
        final List<Gid> sources = new ArrayList<>();
        right.receive((high, low, sourcePort, trafficClass, address, length) -> sources.add(new Gid(high, low)), 9);
        assertThat(sources).containsExactly(gid(1));
        right.send(right.route(sources.getFirst()), packet, PACKET_BYTES);
        fabric.doWork(2 * LATENCY_NS);
        assertThat(left.pending()).isEqualTo(1);
        assertThat(liar.pending()).isZero();
        liar.up(false);
        assertThat(liar.sendAs(gid(1), toRight, packet, PACKET_BYTES)).as("its own link is down").isFalse();
    }

    /** The third packet meets two in front of it; who did not allow it is not marked. */
    @Test
    void aQueueMarksPacketsThatAllowItBeyondItsThreshold() {
        final int markable = left.route(new Destination(gid(2), 0x6a, 0));
        fabric.marksBeyond(2);
        for (int i = 0; i < 3; i++) {
            left.send(markable, packet, PACKET_BYTES);
        }
        send(4);
        fabric.doWork(LATENCY_NS);
        left.send(markable, packet, PACKET_BYTES);
        final List<Integer> classes = new ArrayList<>();
        right.receive((high, low, port, trafficClass, address, length) -> classes.add(trafficClass), 9);
        assertThat(classes).containsExactly(0x6a, 0x6a, 0x6b, 0);
        left.send(markable, packet, PACKET_BYTES);
        classes.clear();
        fabric.doWork(2 * LATENCY_NS);
        right.receive((high, low, port, trafficClass, address, length) -> classes.add(trafficClass), 9);
        assertThat(classes).as("four waited, then none but the first").containsExactly(0x6b, 0x6a);
    }

    /** Priority 3 is held: its packets wait, those of others pass, and afterwards nothing is missing. */
    @Test
    void aPausedPriorityWaitsAndNothingIsLost() {
        final int urgent = left.route(new Destination(gid(2), 3 << 5, 0));
        left.pause(1 << 3);
        NativeMemory.putInt(packet, 1);
        left.send(urgent, packet, PACKET_BYTES);
        send(2);
        NativeMemory.putInt(packet, 3);
        left.send(urgent, packet, PACKET_BYTES);
        fabric.doWork(LATENCY_NS);
        assertThat(receive(right)).containsExactly(2);
        assertThat(fabric.inFlight()).isEqualTo(2);
        left.resume(1 << 3);
        assertThat(fabric.nextDeadlineNs()).as("at once").isEqualTo(LATENCY_NS);
        fabric.doWork(5 * LATENCY_NS);
        assertThat(receive(right)).isEmpty();
        assertThat(fabric.nextDeadlineNs()).isEqualTo(6 * LATENCY_NS);
        fabric.doWork(6 * LATENCY_NS);
        assertThat(receive(right)).containsExactly(1, 3);
        assertThat(fabric.lost() + fabric.overflows()).isZero();
        assertThat(left.pauses()).isEqualTo(1);
    }

    /** Nor does it wait for packets of another priority. */
    @Test
    void whatIsSentRightAfterAResumeDoesNotOvertakeWhatWaited() {
        final int urgent = left.route(new Destination(gid(2), 3 << 5, 0));
        left.pause(1 << 3);
        NativeMemory.putInt(packet, 1);
        left.send(urgent, packet, PACKET_BYTES);
        left.resume(1 << 3);
        NativeMemory.putInt(packet, 2);
        left.send(urgent, packet, PACKET_BYTES);
        send(3);
        fabric.doWork(0);
        NativeMemory.putInt(packet, 4);
        left.send(urgent, packet, PACKET_BYTES);
        fabric.doWork(LATENCY_NS);
        assertThat(receive(right)).containsExactly(3, 1, 2, 4);
    }

    @Test
    void whatWaitsIsBoundedByTheSlotsAndLostWithThePort() {
        left.pause(FabricPort.ALL_PRIORITIES);
        for (int i = 0; i < 8; i++) {
            assertThat(send(i)).isTrue();
        }
        assertThat(send(8)).isFalse();
        assertThat(fabric.overflows()).isEqualTo(1);
        left.up(false);
        assertThat(fabric.inFlight()).isZero();
        assertThat(fabric.lost()).isEqualTo(8);
        left.up(true);
        left.resume(FabricPort.ALL_PRIORITIES);
        send(9);
        fabric.doWork(1);
        fabric.doWork(2 * LATENCY_NS);
        assertThat(receive(right)).containsExactly(9);
    }

    @Test
    void timeMayWrapAround() {
        fabric.reset(Long.MAX_VALUE - 500, LATENCY_NS, 0);
        left = fabric.addPort(gid(1), 1024);
        right = fabric.addPort(gid(2), 1024);
        toRight = left.route(gid(2));
        send(1);
        fabric.doWork(Long.MAX_VALUE - 100);
        assertThat(receive(right)).isEmpty();
        fabric.doWork(Long.MIN_VALUE + 499);
        assertThat(receive(right)).containsExactly(1);
    }

    @Test
    void theTransmitterTakesItsTime() {
        final SimFabric slow = new SimFabric(new FabricConfig(1024, 8, LATENCY_NS, 64));
        final FabricPort from = slow.addPort(gid(1), 1024);
        slow.addPort(gid(2), 1024);
        final int route = from.route(gid(2));
        from.send(route, packet, PACKET_BYTES);
        from.send(route, packet, PACKET_BYTES);
        assertThat(slow.doWork(LATENCY_NS + 999)).isZero();
        assertThat(slow.doWork(LATENCY_NS + 1_000)).isEqualTo(1);
        assertThat(slow.doWork(LATENCY_NS + 1_999)).isZero();
        assertThat(slow.doWork(LATENCY_NS + 2_000)).isEqualTo(1);
        slow.close();
    }

    @Test
    void verdictsDropDelayDoubleAndCorrupt() {
        final long[] verdicts = {
            Verdict.DROP,
            Verdict.delay(Verdict.DELIVER, 500),
            Verdict.duplicate(Verdict.DELIVER, 3),
            Verdict.corrupt(Verdict.delay(Verdict.DELIVER, 600), PACKET_BYTES + 1)
        };
        final int[] next = new int[1];
        fabric.faults((from, to, trafficClass, address, length, nowNs) -> verdicts[next[0]++]);
        for (int tag = 0; tag < verdicts.length; tag++) {
            assertThat(send(tag)).isTrue();
        }
        fabric.doWork(LATENCY_NS);
        assertThat(receive(right)).containsExactly(2);
        fabric.doWork(LATENCY_NS + 600);
        assertThat(receive(right)).containsExactly(1, 3 ^ 1 << 9);
        fabric.doWork(LATENCY_NS + 3_000);
        assertThat(receive(right)).containsExactly(2);
        assertThat(fabric.lost()).isEqualTo(1);
        assertThat(NativeMemory.getInt(packet)).as("the sender's packet is untouched").isEqualTo(3);
    }

    @Test
    void everyVerdictKeepsItsParts() {
        for (final long delayNs : new long[] {0, 1, Verdict.MAX_DELAY_NS}) {
            for (final int copyUs : new int[] {0, 1, Verdict.MAX_COPY_DELAY_US}) {
                for (final int offset : new int[] {0, 1, 4095, 8191}) {
                    final long verdict = Verdict.corrupt(
                            Verdict.duplicate(Verdict.delay(Verdict.DELIVER, delayNs), copyUs), offset);
                    assertThat(Verdict.isDrop(verdict)).isFalse();
                    assertThat(Verdict.isDuplicate(verdict)).isTrue();
                    assertThat(Verdict.isCorrupt(verdict)).isTrue();
                    assertThat(Verdict.extraDelayNs(verdict)).isEqualTo(delayNs);
                    assertThat(Verdict.copyDelayNs(verdict)).isEqualTo(copyUs * 1_000L);
                    assertThat(Verdict.corruptOffset(verdict)).isEqualTo(offset);
                }
            }
        }
    }

    @Test
    void aPortThatIsDownLosesWhatReachesItAndTakesNothing() {
        send(1);
        fabric.doWork(LATENCY_NS);
        send(2);
        right.up(false);
        assertThat(right.isUp()).isFalse();
        assertThat(receive(right)).isEmpty();
        fabric.doWork(2 * LATENCY_NS);
        assertThat(fabric.lost()).isEqualTo(1);
        right.up(true);
        send(3);
        fabric.doWork(3 * LATENCY_NS);
        assertThat(receive(right)).containsExactly(3);
        left.up(false);
        assertThat(send(4)).isFalse();
        assertThat(fabric.inFlight()).isZero();
    }

    @Test
    void aKilledPortStaysDown() {
        right.kill();
        right.up(true);
        assertThat(right.isUp()).isFalse();
    }

    @Test
    void aBlockWorksOneWayAndAPartitionBothWays() {
        final int toLeft = right.route(gid(1));
        fabric.block(left.index(), right.index(), true);
        assertThat(send(1)).as("the sender sees nothing").isTrue();
        right.send(toLeft, packet, PACKET_BYTES);
        assertThat(fabric.doWork(LATENCY_NS)).isEqualTo(1);
        fabric.block(left.index(), right.index(), false);
        fabric.partition(0b01, 0b10, true);
        send(2);
        right.send(toLeft, packet, PACKET_BYTES);
        assertThat(fabric.doWork(2 * LATENCY_NS)).isZero();
        fabric.partition(0b01, 0b10, false);
        send(3);
        assertThat(fabric.doWork(3 * LATENCY_NS)).isEqualTo(1);
    }

    @Test
    void moreThanTheSlotsIsNotTaken() {
        for (int i = 0; i < 8; i++) {
            assertThat(send(i)).isTrue();
        }
        assertThat(send(8)).isFalse();
        assertThat(fabric.overflows()).isEqualTo(1);
        fabric.doWork(LATENCY_NS);
        assertThat(receive(right)).hasSize(8);
        assertThat(send(9)).isTrue();
    }

    @Test
    void anUnknownAddressSwallowsUntilItsPortIsAdded() {
        final int route = left.route(gid(3));
        assertThat(left.send(route, packet, PACKET_BYTES)).isTrue();
        assertThat(fabric.lost()).isEqualTo(1);
        final FabricPort third = fabric.addPort(gid(3), 1024);
        assertThat(left.route(gid(3))).isEqualTo(route);
        left.send(route, packet, PACKET_BYTES);
        fabric.doWork(LATENCY_NS);
        assertThat(third.pending()).isEqualTo(1);
        assertThatThrownBy(() -> fabric.addPort(gid(3), 1024)).hasMessageContaining("cannot have the address");
    }

    @Test
    void aNewPortTakesTheAddressOfADeadOne() {
        right.kill();
        final FabricPort heir = fabric.addPort(gid(2), 1024);
        send(1);
        fabric.doWork(LATENCY_NS);
        assertThat(receive(heir)).containsExactly(1);
        assertThat(right.pending()).isZero();
    }

    @Test
    void resetForgetsEverything() {
        send(1);
        fabric.doWork(LATENCY_NS);
        send(2);
        fabric.reset(0, LATENCY_NS, 0);
        assertThat(fabric.inFlight()).isZero();
        assertThat(fabric.portCount()).isZero();
        assertThat(left.send(toRight, packet, PACKET_BYTES)).as("an old port is dead").isFalse();
        assertThat(right.pending()).isZero();
        assertThat(fabric.nextDeadlineNs()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void theHeapSortsAndKeepsTheOrderOfEquals() {
        final SplittableRandom random = new SplittableRandom(7);
        final PacketHeap heap = new PacketHeap(256);
        for (int round = 0; round < 200; round++) {
            final int count = random.nextInt(1, 257);
            final long[] at = new long[count];
            for (int i = 0; i < count; i++) {
                at[i] = Long.MAX_VALUE - 8 + random.nextInt(16);
                heap.push(at[i], i);
            }
            int previous = heap.pop();
            for (int i = 1; i < count; i++) {
                final int slot = heap.pop();
                final long step = at[slot] - at[previous];
                assertThat(step > 0 || step == 0 && slot > previous).isTrue();
                previous = slot;
            }
            assertThat(heap.size()).isZero();
        }
    }
}
