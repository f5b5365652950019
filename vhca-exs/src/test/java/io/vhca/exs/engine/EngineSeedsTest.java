package io.vhca.exs.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.NativeMemory;
import io.vhca.exs.wire.MessageDescriptor;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * Two engines under drawn sizes, calls and orders of what happens: every byte once and in order, each call completed
 * once, no credit lost or made. A seed draws everything; it is named in what fails. What must be caught is planted too.
 */
class EngineSeedsTest {
    private static final int SEEDS = 3_000;
    private static final int MOST = 3_000;

    /** The traffic of one direction. */
    private static final class Flow {
        final FakePair pair;
        final FakeEnd from;
        final FakeEnd to;
        final boolean isPackets;
        final SplittableRandom random;
        final List<long[]> sent = new ArrayList<>(); // address, length
        final List<long[]> receives = new ArrayList<>(); // address, length, flags
        long sentBytes;
        long takenBytes;
        int sendsDone;
        int receivesDone;
        int packetsTaken;

        Flow(final FakePair pair, final FakeEnd from, final FakeEnd to, final boolean packets,
                final SplittableRandom random) {
            this.pair = pair;
            this.from = from;
            this.to = to;
            isPackets = packets;
            this.random = random;
        }

        static byte content(final long offset) {
            return (byte) (offset * 0x9E37_79B9_7F4A_7C15L >>> 40);
        }

        int length() {
            return random.nextInt(3) == 0 ? random.nextInt(1, MOST) : random.nextInt(1, 100);
        }

        void send() {
            final int parts = random.nextInt(4) == 0 ? random.nextInt(1, 4) : 1;
            final Call call = from.engine.nextSend();
            call.cookie = this;
            long total = 0;
            final int[] lengths = new int[parts];
            for (int part = 0; part < parts; part++) {
                lengths[part] = length();
                total += lengths[part];
            }
            final long at = pair.allocate(total);
            for (long i = 0; i < total; i++) {
                NativeMemory.putByte(at + i, content(sentBytes + i));
            }
            long address = at;
            for (final int length : lengths) {
                call.add(address, length, 1, 7, null);
                address += length;
            }
            sent.add(new long[] {at, total, sentBytes});
            sentBytes += total;
            from.engine.addSend();
        }

        void receive() {
            final int parts = random.nextInt(4) == 0 ? random.nextInt(1, 4) : 1;
            final int flags = isPackets ? 0 : random.nextInt(3) == 0 ? Call.WAIT_ALL : 0;
            final Call call = to.engine.nextRecv().flags(flags);
            call.cookie = this;
            long total = 0;
            final int[] lengths = new int[parts];
            for (int part = 0; part < parts; part++) {
                lengths[part] = length();
                total += lengths[part];
            }
            final long at = pair.allocate(total + 8);
            NativeMemory.fill(at, total + 8, (byte) 0x5A);
            long address = at;
            for (final int length : lengths) {
                call.add(address, length, 1, 8, null);
                address += length;
            }
            receives.add(new long[] {at, total, flags});
            to.engine.addRecv();
        }

        /** A send is complete: its memory is the application's again, who writes something else there. */
        void onSent(final FakeEnd.Done done) {
            if (done.sequence() != sendsDone || done.bytes() != sent.get(sendsDone)[1] || done.errno() != 0) {
                throw new AssertionError("send " + sendsDone + " completed as " + done);
            }
            NativeMemory.fill(sent.get(sendsDone)[0], sent.get(sendsDone)[1], (byte) 0xEE);
            sendsDone++;
        }

        void onReceived(final FakeEnd.Done done) {
            final long[] receive = receives.get(receivesDone);
            if (done.sequence() != receivesDone || done.errno() != 0 || done.bytes() > receive[1]) {
                throw new AssertionError("receive " + receivesDone + " completed as " + done);
            }
            long offset = takenBytes;
            if (isDone() && to.engine.isPeerFinished() && done.bytes() == 0) {
                receivesDone++;
                return; // the end
            }
            if (isPackets) {
                final long[] packet = sent.get(packetsTaken++);
                offset = packet[2];
                final boolean isCut = packet[1] > receive[1];
                if (done.bytes() != Math.min(packet[1], receive[1]) || done.isTruncated() != isCut) {
                    throw new AssertionError("message " + (packetsTaken - 1) + " came as " + done);
                }
            } else if (done.bytes() == 0
                    || receive[2] == Call.WAIT_ALL
                            && done.bytes() != receive[1]
                            && !(to.engine.isPeerFinished() && takenBytes + done.bytes() == sentBytes)) {
                throw new AssertionError("receive " + receivesDone + " of " + receive[1] + " got " + done);
            }
            for (long i = 0; i < done.bytes(); i++) {
                if (NativeMemory.getByte(receive[0] + i) != content(offset + i)) {
                    throw new AssertionError("byte " + (offset + i) + " is not what was sent");
                }
            }
            for (long i = done.bytes(); i < receive[1] + 8; i++) {
                if (NativeMemory.getByte(receive[0] + i) != 0x5A) {
                    throw new AssertionError("written past the end of receive " + receivesDone);
                }
            }
            takenBytes += done.bytes();
            receivesDone++;
        }

        boolean isDone() {
            return isPackets ? packetsTaken == sent.size() : takenBytes == sentBytes;
        }

        /** Every call completed: a receive that nothing is left for says that this is the end. */
        boolean isCompleted() {
            return sendsDone == sent.size() && receivesDone == receives.size();
        }
    }

    private static EngineSizes sizes(final SplittableRandom random) {
        return new EngineSizes(
                1 << random.nextInt(1, 5),
                random.nextInt(1, 9),
                random.nextInt(4, 10),
                MessageDescriptor.SIZE + random.nextInt(0, 200),
                random.nextInt(8, 17),
                random.nextInt(8, 20),
                random.nextInt(200, 2_000),
                random.nextInt(0, 200));
    }

    private static void deliver(final FakeEnd end, final Flow sends, final Flow receives) {
        for (final FakeEnd.Done done : end.done) {
            if (done.cookie() == sends) {
                sends.onSent(done);
            } else {
                receives.onReceived(done);
            }
        }
        end.done.clear();
    }

    private static void check(final FakeEnd end) {
        if (end.engine.errno() != 0) {
            throw new AssertionError(end.engine.failure());
        }
    }

    private static void run(final long seed, final Consumer<FakePair> plant) {
        final SplittableRandom random = new SplittableRandom(seed);
        final boolean isPackets = random.nextInt(3) == 0;
        try (FakePair pair = new FakePair(isPackets, sizes(random), sizes(random))) {
            plant.accept(pair);
            final Flow there = new Flow(pair, pair.left, pair.right, isPackets, random);
            final Flow back = new Flow(pair, pair.right, pair.left, isPackets, random);
            final int eager = random.nextInt(1, 10);
            int left = 40;
            for (int step = 0; step < 20_000; step++) {
                final Flow flow = random.nextBoolean() ? there : back;
                if (left > 0 && !flow.from.engine.isSendFull() && random.nextInt(10) == 0) {
                    flow.send();
                    left--;
                }
                if (!flow.to.engine.isRecvFull() && random.nextInt(10) < eager && !(left == 0 && flow.isDone())) {
                    flow.receive();
                }
                if (left == 0) {
                    pair.left.engine.shutdown();
                    pair.right.engine.shutdown();
                }
                final FakeEnd end = random.nextBoolean() ? pair.left : pair.right;
                end.engine.look(step);
                if (random.nextInt(3) > 0) {
                    end.happen(end == pair.left ? pair.right : pair.left);
                } else {
                    end.engine.progress();
                }
                deliver(pair.left, there, back);
                deliver(pair.right, back, there);
                check(pair.left);
                check(pair.right);
                if (left == 0 && there.isDone() && back.isDone()
                        && there.sendsDone == there.sent.size() && back.sendsDone == back.sent.size()) {
                    break;
                }
            }
            pair.settle();
            deliver(pair.left, there, back);
            deliver(pair.right, back, there);
            if (!there.isDone() || !back.isDone() || !there.isCompleted() || !back.isCompleted()) {
                throw new AssertionError("not all arrived, or completed");
            }
            conserved(pair.left, pair.right);
            conserved(pair.right, pair.left);
        } catch (final AssertionError e) {
            throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
        }
    }

    private static void conserved(final FakeEnd one, final FakeEnd other) {
        final EngineState here = one.engine.state();
        final EngineState there = other.engine.state();
        if (here.data() + there.dataHeard() != there.dataGranted()
                || here.control() + there.controlHeard() != there.controlGranted()
                || here.unread() != 0 || there.untaken() != 0) {
            throw new AssertionError("credits were lost or made: " + here + " and " + there);
        }
        if (one.most > one.sizes.workRequests()) {
            throw new AssertionError("more work requests than fit: " + one.most);
        }
    }

    @Test
    void everyByteOnceAndInOrderEachCallOnce() {
        long reads = 0;
        long writes = 0;
        final List<FakePair> pairs = new ArrayList<>();
        for (long seed = 0; seed < SEEDS; seed++) {
            run(seed, pairs::add);
            final FakePair pair = pairs.removeLast();
            reads += pair.left.reads + pair.right.reads;
            writes += pair.left.writes + pair.right.writes;
        }
        assertThat(reads).isGreaterThan(SEEDS);
        assertThat(writes).isGreaterThan(SEEDS);
    }

    private static void mustBeCaught(final Consumer<FakePair> plant) {
        assertThatThrownBy(() -> {
                    for (long seed = 0; seed < 1_000; seed++) {
                        run(seed, plant);
                    }
                })
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("seed");
    }

    @Test
    void aReadPastTheAdvertIsCaught() {
        mustBeCaught(pair -> pair.right.readExtra = 1);
    }

    @Test
    void anAcknowledgementTooEarlyIsCaught() {
        final int[] announced = new int[1];
        mustBeCaught(pair -> {
            announced[0] = 0;
            pair.left.tamper = (at, length) -> {
                if (MessageDescriptor.type(at) == MessageDescriptor.ADVERT) {
                    announced[0]++;
                }
            };
            pair.right.tamper = (at, length) -> MessageDescriptor.writeReturns(
                    at, MessageDescriptor.dataCredits(at), MessageDescriptor.controlCredits(at), announced[0]);
        });
    }

    @Test
    void aCreditThatIsLostIsCaught() {
        mustBeCaught(pair -> pair.right.tamper = (at, length) -> MessageDescriptor.writeReturns(
                at,
                Math.max(0, MessageDescriptor.dataCredits(at) - 1),
                MessageDescriptor.controlCredits(at),
                MessageDescriptor.acked(at)));
    }

    @Test
    void anAdvertThatIsMatchedTwiceIsCaught() {
        final long[] last = new long[1];
        mustBeCaught(pair -> {
            last[0] = 0;
            pair.left.tamper = (at, length) -> {
                if (MessageDescriptor.type(at) == MessageDescriptor.ADVERT) {
                    final long address = MessageDescriptor.address(at);
                    if (last[0] != 0) {
                        MessageDescriptor.writeMemory(
                                at, last[0], MessageDescriptor.length(at), MessageDescriptor.key(at));
                    }
                    last[0] = address;
                }
            };
        });
    }
}
