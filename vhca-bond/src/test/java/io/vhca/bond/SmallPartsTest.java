package io.vhca.bond;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.bond.failover.RetryBudget;
import io.vhca.bond.link.Affinity;
import io.vhca.bond.link.Peer;
import io.vhca.bond.link.Tombstones;
import io.vhca.bond.queue.LocalKeys;
import io.vhca.bond.queue.RemoteKeys;
import io.vhca.bond.queue.SpinGate;
import io.vhca.bond.wire.PhysicalWrId;
import io.vhca.bond.wire.QpNumDescriptor;
import io.vhca.bond.wire.VirtualKeyDescriptor;
import io.vhca.recovery.wire.RejectCode;
import io.vhca.recovery.wire.SessionId;
import java.net.InetAddress;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SmallPartsTest {
    private static int affinity(final String a, final String b) {
        return Affinity.of(InetAddress.ofLiteral(a), InetAddress.ofLiteral(b));
    }

    @Test
    void affinityCountsCommonLeadingBits() {
        assertThat(affinity("10.1.0.1", "10.1.0.1")).isEqualTo(32);
        assertThat(affinity("10.1.0.1", "10.1.0.2")).isEqualTo(30);
        assertThat(affinity("10.1.0.1", "10.2.0.1")).isEqualTo(14);
        assertThat(affinity("10.1.0.1", "138.1.0.1")).isZero();
        assertThat(affinity("fd00::1", "fd00::1")).isEqualTo(128);
        assertThat(affinity("10.1.0.1", "fd00::1")).isZero();
        for (int bit = 0; bit < 32; bit++) {
            final int other = 1 << 31 - bit;
            assertThat(affinity("0.0.0.0", (other >>> 24) + "." + (other >> 16 & 255) + "." + (other >> 8 & 255) + "."
                    + (other & 255))).isEqualTo(bit);
        }
    }

    @Test
    void aRequestIsTriedAgainAFewTimesAndALaterOneAnew() {
        final RetryBudget doubts = new RetryBudget();
        for (int position = 0; position < 3; position++) {
            for (int i = 1; i < RetryBudget.MOST_TRIES; i++) {
                assertThat(doubts.isWorthAnother(position)).isTrue();
            }
            assertThat(doubts.isWorthAnother(position)).isFalse();
            assertThat(doubts.isWorthAnother(position)).isFalse();
        }
    }

    @Test
    void theFirstEndOfASessionStaysTillItIsForgottenOrTheOldest() {
        final Tombstones tombstones = new Tombstones();
        final SessionId first = new SessionId(1, 0);
        tombstones.bury(first, RejectCode.FAILED);
        tombstones.bury(first, RejectCode.CLOSED);
        assertThat(tombstones.find(first)).isEqualTo(RejectCode.FAILED);
        for (int i = 1; i < 4096; i++) {
            tombstones.bury(new SessionId(1, i), RejectCode.CLOSED);
        }
        assertThat(tombstones.find(first)).isEqualTo(RejectCode.FAILED);
        tombstones.bury(new SessionId(2, 0), RejectCode.CLOSED);
        assertThat(tombstones.find(first)).isNull();
        tombstones.forget(new SessionId(2, 0));
        assertThat(tombstones.find(new SessionId(2, 0))).isNull();
    }

    @Test
    void everyFieldOfAPhysicalWrIdComesBackAtItsEnds() {
        for (int kind = PhysicalWrId.KIND_SEND; kind <= PhysicalWrId.KIND_RECV_MARKER; kind++) {
            for (final int incarnation : new int[] {0, 1, 0x7FFF, 0x8000, 0xFFFF}) {
                for (final int index : new int[] {0, 1, PhysicalWrId.MAX_QP_INDEX}) {
                    for (final long sequence : new long[] {0, 1, (1 << 24) - 1, 1 << 24, (1L << 40) + 5}) {
                        final long id = PhysicalWrId.of(PhysicalWrId.prefix(kind, incarnation, index), sequence);
                        assertThat(PhysicalWrId.kind(id)).isEqualTo(kind);
                        assertThat(PhysicalWrId.incarnation(id)).isEqualTo(incarnation);
                        assertThat(PhysicalWrId.qpIndex(id)).isEqualTo(index);
                        assertThat(PhysicalWrId.sequence(id, sequence)).isEqualTo(sequence);
                        final long early = Math.max(0, sequence - PhysicalWrId.MAX_RING);
                        assertThat(PhysicalWrId.sequence(id, early)).isEqualTo(sequence);
                    }
                }
            }
        }
    }

    @Test
    void aRemoteKeyIsFoundUnderItsGenerationOnlyWhateverTheTableGrowsTo() {
        final RemoteKeys keys = new RemoteKeys(0);
        for (final int index : new int[] {1, 15, 16, 1000, VirtualKeyDescriptor.MAX_INDEX - 1}) {
            final int key = VirtualKeyDescriptor.key(index, 3);
            assertThat(keys.find(key)).isNull();
            keys.put(key, index);
            assertThat(rkey(keys.find(key))).isEqualTo(index);
            assertThat(keys.find(key + 1)).isNull();
        }
        assertThat(rkey(keys.find(VirtualKeyDescriptor.key(1, 3)))).isEqualTo(1);
        assertThat(rkey(keys.find(-1))).isEqualTo(LocalKeys.INVALID);
    }

    @Test
    void theFieldsOfAQueuePairNumberComeBackAtTheirEnds() {
        for (final int slot : new int[] {0, 1, QpNumDescriptor.SLOTS - 1}) {
            for (final int index : new int[] {0, 1, QpNumDescriptor.MAX_QP - 1}) {
                final int qpNum = QpNumDescriptor.qpNum(slot, index);
                assertThat(qpNum).isBetween(0, (1 << 24) - 1);
                assertThat(QpNumDescriptor.slot(qpNum)).isEqualTo(slot);
                assertThat(QpNumDescriptor.index(qpNum)).isEqualTo(index);
            }
        }
    }

    @Test
    void keysOfAnotherComingOfThePeersDeviceAreForgottenAndLateAnswersAboutItNotHeard() {
        final Peer peer = new Peer(1);
        peer.heardKey(2, 5, 7 << 12, 100);
        final RemoteKeys before = peer.keys(2, 5);
        assertThat(rkey(before.find(7 << 12))).isEqualTo(100);
        final RemoteKeys after = peer.keys(2, 6);
        assertThat(after.find(7 << 12)).isNull();
        assertThat(peer.isCurrent(2, before)).isFalse();
        peer.heardKey(2, 5, 7 << 12, 100);
        assertThat(after.find(7 << 12)).isNull();
        peer.heardKey(2, 6, 7 << 12, 200);
        assertThat(rkey(peer.keys(2, 6).find(7 << 12))).isEqualTo(200);
        assertThat(peer.isCurrent(2, after)).isTrue();
    }

    private static int rkey(final RemoteKeys.@Nullable Entry entry) {
        return Objects.requireNonNull(entry).rkey();
    }

    /** A poller that never pauses would otherwise keep recovery out of its queues for as long as it likes. */
    @Test
    void whoHasWaitedForLongIsLetInBeforeTheHolderComesAgain() throws InterruptedException {
        final SpinGate gate = new SpinGate();
        for (int round = 0; round < 100; round++) {
            final CountDownLatch mayLeave = new CountDownLatch(1);
            gate.enter();
            final Thread other = Thread.ofPlatform().start(() -> {
                gate.enter();
                try {
                    mayLeave.await();
                } catch (final InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                gate.leave();
            });
            while (!gate.isWaitedFor()) {
                Thread.onSpinWait();
            }
            gate.leave();
            for (int i = 0; i < 100; i++) {
                assertThat(gate.tryEnter()).as("round %d", round).isFalse();
            }
            mayLeave.countDown();
            other.join();
            assertThat(gate.tryEnter()).as("free again").isTrue();
            gate.leave();
        }
    }

    @Test
    void twoThreadsAreNeverInsideTheGateTogether() throws InterruptedException {
        final SpinGate gate = new SpinGate();
        final int[] count = new int[1];
        final Runnable work = () -> {
            for (int i = 0; i < 200_000; i++) {
                gate.enter();
                count[0]++;
                gate.leave();
            }
        };
        final Thread other = new Thread(work);
        other.start();
        work.run();
        other.join();
        assertThat(count[0]).isEqualTo(400_000);
        assertThat(gate.tryEnter()).isTrue();
        assertThat(gate.tryEnter()).isFalse();
    }
}
