package io.vhca.rdp.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.VerbsException;
import io.vhca.rdp.common.RdpConfig;
import io.vhca.rdp.common.RdpCounters.Counter;
import io.vhca.rdp.completion.SendCompletion;
import io.vhca.rdp.engine.EnginePair.Node;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Datagrams that are sent from where the application has them. */
class InPlaceSendTest {
    private static final int LEAST = 300;
    private static final RdpConfig CONFIG = new RdpConfig(
            List.of(256, 1_024, 4_096), 8, 4, 64, 64 << 10, 16 << 10, 75, 25, 64L << 20,
            TimeUnit.SECONDS.toNanos(1), TimeUnit.SECONDS.toNanos(5), TimeUnit.SECONDS.toNanos(2),
            TimeUnit.SECONDS.toNanos(4), 18_634, 8, LEAST, 64 << 10);

    private final EnginePair pair = new EnginePair(1, CONFIG);
    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory = arena.allocate(1 << 20, 64);
    private final SendCompletion completion = new SendCompletion();
    private final Node left = pair.left;
    private final Port from = left.bind(1);
    private final Port to = pair.right.bind(2);
    private final OutFlow flow = left.flow(from, 2);

    @BeforeEach
    void open() {
        left.send(flow, 0, 0);
        for (int i = 0; i < 1_000 && !flow.isOpen(); i++) {
            pair.step();
        }
    }

    @AfterEach
    void close() {
        pair.close();
        assertThat(left.registered).isZero();
        arena.close();
    }

    private MemorySegment datagram(final long at, final int number, final int lengthBytes) {
        final MemorySegment datagram = memory.asSlice(at, lengthBytes);
        datagram.fill((byte) number);
        datagram.set(ValueLayout.JAVA_INT_UNALIGNED, 0, number);
        return datagram;
    }

    private void send(final MemorySegment datagram, final long token) {
        SendResult result = left.sendInPlace(flow, datagram, token);
        for (int i = 0; i < 1_000 && result != SendResult.SENT; i++) {
            pair.step();
            result = left.sendInPlace(flow, datagram, token);
        }
        assertThat(result).isEqualTo(SendResult.SENT);
    }

    private void completed(final long token, final boolean isLost) {
        for (int i = 0; i < 1_000 && !from.hasCompletion(); i++) {
            pair.step();
        }
        assertThat(from.poll(completion)).isTrue();
        assertThat(completion.token()).isEqualTo(token);
        assertThat(completion.isLost()).isEqualTo(isLost);
    }

    private long misses() {
        return left.engine.counters().get(Counter.REGISTRATION_MISSES);
    }

    private long hits() {
        return left.engine.counters().get(Counter.REGISTRATION_HITS);
    }

    private long registeredMemory() {
        return left.engine.counters().get(Counter.REGISTERED_MEMORY);
    }

    @Test
    void isReadWhenItGoesAndFreeWhenItHasArrived() {
        // In segments, with a short one behind that is copied.
        final MemorySegment datagram = datagram(0, 5, 9_000);
        send(datagram, 41);
        assertThat(from.hasCompletion()).isFalse();
        assertThat(left.send(flow, 6, 100)).isEqualTo(SendResult.SENT);
        // It is not on its way yet: what is in the memory now is what goes.
        datagram.set(ValueLayout.JAVA_INT_UNALIGNED, 0, 7);
        completed(41, false);
        pair.run(20);
        final byte[] received = pair.right.receive(to);
        assertThat(received).hasSize(9_000).startsWith(7, 0, 0, 0, 5).endsWith(5, 5);
        assertThat(pair.right.number(to)).isEqualTo(6);
        assertThat(from.poll(completion)).isFalse();
        assertThat(left.engine.missingBuffers()).isZero();
        assertThat(left.engine.counters().get(Counter.TX_IN_PLACE)).isEqualTo(1);
        assertThat(from.sendHeld()).isZero();
    }

    @Test
    void aShortOneIsCopiedAndOverAtOnce() {
        final MemorySegment datagram = datagram(0, 5, LEAST - 1);
        send(datagram, 1);
        datagram.fill((byte) 0);
        completed(1, false);
        pair.run(20);
        assertThat(pair.right.number(to)).isEqualTo(5);
        assertThat(left.registrations).isZero();
    }

    @Test
    void aSendThatIsRefusedHasNoCompletion() {
        int sent = 0;
        while (left.sendInPlace(flow, datagram(sent * 1_000L, sent, 1_000), sent) == SendResult.SENT) {
            sent++;
        }
        assertThat(sent).isPositive();
        for (int i = 0; i < sent; i++) {
            completed(i, false);
            // Who stalls is read.
            pair.right.receive(to);
        }
        pair.run(50);
        assertThat(from.poll(completion)).isFalse();
        assertThat(left.engine.forget(memory.address(), memory.byteSize())).isTrue();
    }

    @Test
    void memoryIsRegisteredOnce() {
        for (int i = 0; i < 5; i++) {
            send(datagram(0, i, 2_000), i);
            completed(i, false);
        }
        send(datagram(500, 5, 1_000), 5);
        completed(5, false);
        assertThat(left.registrations).isEqualTo(1);
        // What overlaps is registered together with what was.
        send(datagram(1_500, 6, 1_000), 6);
        completed(6, false);
        assertThat(left.registrations).isEqualTo(2);
        assertThat(left.registered).isEqualTo(1);
        send(datagram(0, 7, 2_500), 7);
        completed(7, false);
        assertThat(misses()).isEqualTo(2);
        assertThat(left.engine.counters().get(Counter.REGISTERED_MEMORY)).isEqualTo(2_500);
    }

    @Test
    void whatWasUsedLongestAgoGoesFirst() {
        // Sixty-four kilobytes: four of these.
        for (int i = 0; i < 4; i++) {
            send(datagram(i * 20_000L, i, 16_000), i);
            completed(i, false);
            pair.right.receive(to);
        }
        send(datagram(0, 4, 16_000), 4);
        completed(4, false);
        send(datagram(100_000, 5, 16_000), 5);
        completed(5, false);
        assertThat(left.registered).isEqualTo(4);
        assertThat(misses()).isEqualTo(5);
        pair.right.receive(to);
        pair.right.receive(to);
        send(datagram(0, 6, 16_000), 6);
        completed(6, false);
        assertThat(misses()).isEqualTo(5);
        send(datagram(20_000, 7, 16_000), 7);
        completed(7, false);
        assertThat(misses()).isEqualTo(6);
    }

    @Test
    void whatIsInUseStays() {
        send(datagram(0, 1, 8_000), 1);
        // The one that is used is not given up for the one that covers it too, nor forgotten.
        assertThat(left.sendInPlace(flow, datagram(4_000, 2, 8_000), 2)).isEqualTo(SendResult.SENT);
        assertThat(left.registered).isEqualTo(2);
        assertThat(left.engine.forget(memory.address(), 100)).isFalse();
        completed(1, false);
        completed(2, false);
        assertThat(left.registered).isEqualTo(1);
        assertThat(left.engine.forget(memory.address(), 100)).isTrue();
        assertThat(left.registered).isZero();
    }

    /** The later one is over first; the other reads from there still. */
    @Test
    void whatIsInUseIsNotForgottenForALaterOneThatOverlaps() {
        left.heldLane = 2;
        send(datagram(0, 1, 9_000), 1);
        send(datagram(8_500, 2, 1_000), 2);
        completed(2, false);
        assertThat(left.engine.forget(memory.address(), 100)).isFalse();
        left.heldLane = -1;
        completed(1, false);
        assertThat(left.engine.forget(memory.address(), 100)).isTrue();
    }

    @Test
    void aLostPathGivesTheMemoryBackAndSaysSo() {
        send(datagram(0, 1, 9_000), 1);
        pair.isCut = true;
        left.engine.nodes().onDown(left.peer());
        completed(1, true);
        assertThat(left.engine.forget(memory.address(), 9_000)).isTrue();
        assertThat(left.engine.missingBuffers()).isZero();
    }

    /** Who closes his socket hears nothing more; the memory is his when it can be forgotten. */
    @Test
    void aClosedSocketsSendsGoOn() {
        send(datagram(0, 1, 3_000), 1);
        left.engine.ports().close(from);
        assertThat(left.engine.forget(memory.address(), 3_000)).isFalse();
        pair.run(50);
        assertThat(left.engine.forget(memory.address(), 3_000)).isTrue();
        assertThat(pair.right.receive(to)).hasSize(3_000);
    }

    /** What was refused was no send, and what it registered is there for the one that goes. */
    @Test
    void aTryThatWasRefusedCountsForNoRegistration() {
        final OutFlow later = left.flow(left.bind(3), 2);
        for (int i = 0; i < 10; i++) {
            assertThat(left.sendInPlace(later, datagram(0, i, 1_000), i)).isEqualTo(SendResult.WOULD_BLOCK);
        }
        from.offers().offer(memory.address() + 10_000, 1_000, new InetSocketAddress(pair.right.address, 2), 1);
        assertThat(misses() + hits()).isZero();
        send(datagram(0, 1, 1_000), 1);
        completed(1, false);
        assertThat(misses()).isEqualTo(1);
        assertThat(hits()).isZero();
        send(datagram(0, 2, 1_000), 2);
        completed(2, false);
        assertThat(misses()).isEqualTo(1);
        assertThat(hits()).isEqualTo(1);
    }

    /** Sixty-four kilobytes are for what is sent from and what is written to together. */
    @Test
    void whatIsNamedForOthersHasNoLimitOfItsOwn() {
        final InetSocketAddress other = new InetSocketAddress(pair.right.address, 2);
        for (int i = 0; i < 3; i++) {
            send(datagram(i * 20_000L, i, 16_000), i);
            completed(i, false);
            pair.right.receive(to);
        }
        from.offers().offer(memory.address() + 200_000, 40_000, other, 1);
        assertThat(registeredMemory()).isEqualTo(40_000 + 16_000);
        // The one that is left is the newest.
        send(datagram(40_000, 3, 16_000), 3);
        completed(3, false);
        assertThat(misses()).isEqualTo(3);
        assertThatThrownBy(() -> from.offers().offer(memory.address() + 300_000, 30_000, other, 2))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("MaxRegisteredMemory");

        assertThat(from.offers().withdraw(other, 1)).isTrue();
        assertThat(from.offers().poll()).isNotNull();
        for (int i = 4; i < 8; i++) {
            pair.right.receive(to);
            send(datagram(i * 20_000L, i, 16_000), i);
            completed(i, false);
        }
        assertThat(registeredMemory()).isEqualTo(4 * 16_000);
    }

    @Test
    void whereWhatIsNamedLeavesNoRoomADatagramIsCopied() {
        final InetSocketAddress other = new InetSocketAddress(pair.right.address, 2);
        from.offers().offer(memory.address() + 200_000, 60_000, other, 1);
        send(datagram(0, 1, 16_000), 1);
        completed(1, false);
        assertThat(left.engine.counters().get(Counter.TX_IN_PLACE)).isZero();
        assertThat(registeredMemory()).isEqualTo(60_000);
        pair.right.receive(to);
        assertThat(from.offers().withdraw(other, 1)).isTrue();
        assertThat(from.offers().poll()).isNotNull();
        send(datagram(0, 2, 16_000), 2);
        completed(2, false);
        assertThat(left.engine.counters().get(Counter.TX_IN_PLACE)).isEqualTo(1);
        assertThat(registeredMemory()).isEqualTo(16_000);
    }

    /** The limit is one of both when it is changed, too. */
    @Test
    void aLowerLimitHoldsForBothFromTheNextRegistrationOn() {
        from.offers().offer(memory.address() + 200_000, 20_000, new InetSocketAddress(pair.right.address, 2), 1);
        send(datagram(0, 1, 16_000), 1);
        completed(1, false);
        left.engine.change(CONFIG.with("MaxRegisteredMemory=30000"));
        send(datagram(20_000, 2, 8_000), 2);
        completed(2, false);
        assertThat(registeredMemory()).isEqualTo(20_000 + 8_000);
    }

    @Test
    void aDatagramToTheSameNodeIsCopied() {
        final Port near = left.bind(9);
        final OutFlow local = left.engine.ports().flow(from, new InetSocketAddress(left.address, 9));
        assertThat(left.engine.sender().sendInPlace(local, datagram(0, 3, 5_000).address(), 5_000, 8))
                .isEqualTo(SendResult.SENT);
        completed(8, false);
        assertThat(left.number(near)).isEqualTo(3);
    }
}
