package io.vhca.physical.soft.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.NativeMemory;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpState;
import io.vhca.api.WcStatus;
import io.vhca.api.WrOpcode;
import io.vhca.physical.soft.engine.TestLink.Fate;
import io.vhca.physical.soft.engine.TestLink.Fates;
import io.vhca.physical.soft.engine.TestPair.Completion;
import io.vhca.physical.soft.engine.core.NicCounter;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A window of eight mixed operations, every packet of it lost, doubled, overtaken or spoilt: each alone and every pair.
 * Whatever happens, each operation is executed exactly once and in order, which the receives, the memory and the sum of
 * the atomics show.
 */
class RcLossTest {
    private static final int COUNTER = 0;
    private static final int SENT = 1024;
    private static final int WRITTEN = 8 * 1024;
    private static final int READ_FROM = 16 * 1024;
    private static final int READ_TO = 24 * 1024;
    private static final int RESULTS = 32 * 1024;
    private static final int OPERATIONS = 8;
    /** Packets in each direction that may be meddled with: more than the run without faults has. */
    private static final int PACKETS = 24;

    private static TestPair pair() {
        final TestPair.Options options = new TestPair.Options();
        options.retryCnt = 7;
        options.psnA = 0xff_fffa;
        options.config.readChunkPackets(2).windowPackets(16);
        return new TestPair(options);
    }

    private static void runWindow(final TestPair pair, final String what) {
        final TestPair.Side a = pair.a;
        final TestPair.Side b = pair.b;
        a.fill(SENT, 3000, 11);
        b.fill(READ_FROM, 1200, 77);
        NativeMemory.putLong(b.addr(COUNTER), 1000);
        for (int i = 0; i < 4; i++) {
            b.postRecv(i, 40 * 1024 + i * 1024, 1024);
        }
        a.post(a.request(WrOpcode.SEND, 0, SENT, 600));
        a.post(a.request(WrOpcode.ATOMIC_FETCH_AND_ADD, 1, RESULTS, 8).atomic(b.addr(COUNTER), b.mr.rkey(), 1, 0));
        a.post(a.request(WrOpcode.RDMA_WRITE, 2, SENT + 600, 700).rdma(b.addr(WRITTEN), b.mr.rkey()));
        a.post(a.request(WrOpcode.RDMA_READ, 3, READ_TO, 1200).rdma(b.addr(READ_FROM), b.mr.rkey()));
        a.post(a.request(WrOpcode.SEND_WITH_IMM, 4, SENT + 1300, 10).immData(44));
        a.post(a.request(WrOpcode.RDMA_WRITE_WITH_IMM, 5, SENT + 1310, 257)
                .rdma(b.addr(WRITTEN + 1024), b.mr.rkey())
                .immData(55));
        a.post(a.request(WrOpcode.ATOMIC_CMP_AND_SWP, 6, RESULTS + 8, 8)
                .atomic(b.addr(COUNTER), b.mr.rkey(), 1001, 2000));
        a.post(a.request(WrOpcode.SEND, 7, SENT + 1600, 256));
        pair.settle();
        check(pair, what);
    }

    private static void check(final TestPair pair, final String what) {
        final TestPair.Side a = pair.a;
        final TestPair.Side b = pair.b;
        final List<Completion> sends = a.pollSends();
        assertThat(sends).as(what).allMatch(c -> c.status() == WcStatus.SUCCESS);
        assertThat(sends)
                .as(what)
                .extracting(Completion::wrId)
                .containsExactlyElementsOf(LongStream.range(0, OPERATIONS).boxed().toList());
        final List<Completion> received = b.pollReceives();
        assertThat(received).as(what).extracting(Completion::wrId).containsExactly(0L, 1L, 2L, 3L);
        assertThat(received).as(what).extracting(Completion::byteLen).containsExactly(600, 10, 257, 256);
        assertThat(received).as(what).extracting(Completion::immData).containsExactly(0, 44, 55, 0);
        assertThat(b.bytes(40 * 1024, 600)).as(what).isEqualTo(a.bytes(SENT, 600));
        assertThat(b.bytes(41 * 1024, 10)).as(what).isEqualTo(a.bytes(SENT + 1300, 10));
        assertThat(b.bytes(43 * 1024, 256)).as(what).isEqualTo(a.bytes(SENT + 1600, 256));
        assertThat(b.bytes(WRITTEN, 700)).as(what).isEqualTo(a.bytes(SENT + 600, 700));
        assertThat(b.bytes(WRITTEN + 1024, 257)).as(what).isEqualTo(a.bytes(SENT + 1310, 257));
        assertThat(a.bytes(READ_TO, 1200)).as(what).isEqualTo(b.bytes(READ_FROM, 1200));
        assertThat(NativeMemory.getLong(a.addr(RESULTS))).as(what).isEqualTo(1000);
        assertThat(NativeMemory.getLong(a.addr(RESULTS + 8))).as(what).isEqualTo(1001);
        assertThat(NativeMemory.getLong(b.addr(COUNTER))).as(what).isEqualTo(2000);
        assertThat(a.events).as(what).isEmpty();
        assertThat(b.events).as(what).isEmpty();
    }

    @Test
    void undisturbedRunSendsNothingTwice() {
        try (TestPair pair = pair()) {
            runWindow(pair, "undisturbed");
            assertThat(pair.a.count(NicCounter.RETRANSMITS)).isZero();
            assertThat(pair.b.count(NicCounter.DUPLICATES)).isZero();
            assertThat(pair.link.sent[TestLink.A_TO_B]).isLessThan(PACKETS);
            assertThat(pair.link.sent[TestLink.B_TO_A]).isLessThan(PACKETS);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Fate.class,
            names = {"DROP", "DOUBLE", "OVERTAKEN", "CORRUPT"})
    void everyPacketAlone(final Fate fate) {
        for (int direction = 0; direction < 2; direction++) {
            for (int victim = 0; victim < PACKETS; victim++) {
                try (TestPair pair = pair()) {
                    final int d = direction;
                    final int v = victim;
                    pair.link.fates = (way, number, opcode) -> way == d && number == v ? fate : Fate.PASS;
                    runWindow(pair, fate + " of packet " + v + " in direction " + d);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Fate.class,
            names = {"DROP", "DOUBLE", "OVERTAKEN"})
    void everyPairOfPackets(final Fate fate) {
        for (int first = 0; first < 2 * PACKETS; first++) {
            for (int second = first + 1; second < 2 * PACKETS; second++) {
                try (TestPair pair = pair()) {
                    final int one = first;
                    final int two = second;
                    pair.link.fates = (way, number, opcode) -> {
                        final int id = way * PACKETS + number;
                        return number < PACKETS && (id == one || id == two) ? fate : Fate.PASS;
                    };
                    runWindow(pair, fate + " of packets " + one + " and " + two);
                }
            }
        }
    }

    @Test
    void randomFaultsOfEveryKind() {
        final long firstSeed = 20_261_121;
        for (long seed = firstSeed; seed < firstSeed + 300; seed++) {
            try (TestPair pair = pair()) {
                final SplittableRandom random = new SplittableRandom(seed);
                final int percent = random.nextInt(5, 30);
                final Fates fates = (way, number, opcode) -> {
                    final Fate[] all = Fate.values();
                    return random.nextInt(100) < percent ? all[random.nextInt(all.length)] : Fate.PASS;
                };
                final List<Long> done = new ArrayList<>();
                pair.link.fates = fates;
                for (int i = 0; i < 40; i++) {
                    pair.a.fill(SENT, 900, i);
                    pair.b.postRecv(i, READ_FROM, 1024);
                    pair.a.post(pair.a.request(WrOpcode.SEND, 2L * i, SENT, i * 20));
                    pair.a.post(pair.a.request(WrOpcode.RDMA_READ, 2L * i + 1, READ_TO, i * 20)
                            .rdma(pair.b.addr(READ_FROM), pair.b.mr.rkey()));
                    pair.settle();
                    pair.a.pollSends().forEach(c -> {
                        if (c.status() == WcStatus.SUCCESS) {
                            done.add(c.wrId());
                        }
                    });
                    if (pair.a.qp.state() == io.vhca.api.QpState.ERR) {
                        break;
                    }
                    assertThat(pair.b.bytes(READ_FROM, i * 20)).as("seed %d", seed)
                            .isEqualTo(pair.a.bytes(SENT, i * 20));
                    assertThat(pair.a.bytes(READ_TO, i * 20)).as("seed %d", seed).isEqualTo(pair.a.bytes(SENT, i * 20));
                }
                assertThat(done)
                        .as("seed %d", seed)
                        .hasSizeGreaterThan(percent < 20 ? 70 : 1)
                        .containsExactlyElementsOf(LongStream.range(0, done.size()).boxed().toList());
                final List<Completion> received = pair.b.pollReceives();
                assertThat(received.size()).as("seed %d", seed).isGreaterThanOrEqualTo(done.size() / 2);
                for (int i = 0; i < received.size() && received.get(i).status() == WcStatus.SUCCESS; i++) {
                    assertThat(received.get(i).wrId()).as("seed %d", seed).isEqualTo(i);
                    assertThat(received.get(i).byteLen()).as("seed %d", seed).isEqualTo(i * 20);
                }
            }
        }
    }

    @Test
    void readRestartsInItsMiddle() {
        try (TestPair pair = pair()) {
            pair.b.fill(READ_FROM, 2560, 5);
            pair.link.fates = (way, number, opcode) -> way == TestLink.B_TO_A && number == 3 ? Fate.DROP : Fate.PASS;
            pair.a.post(pair.a.request(WrOpcode.RDMA_READ, 1, READ_TO, 2560)
                    .rdma(pair.b.addr(READ_FROM), pair.b.mr.rkey()));
            pair.settle();
            assertThat(pair.a.bytes(READ_TO, 2560)).isEqualTo(pair.b.bytes(READ_FROM, 2560));
            assertThat(pair.a.pollSends()).hasSize(1);
            // Ten packets, of which the fourth is asked for again alone with those behind it: never the first three.
            assertThat(pair.link.sent[TestLink.B_TO_A]).isLessThanOrEqualTo(10 + 7);
            assertThat(pair.a.count(NicCounter.RETRANSMITS)).isPositive();
        }
    }

    @Test
    void lostAnswerIsMissedAtTheNextAcknowledgement() {
        try (TestPair pair = pair()) {
            pair.link.fates = (way, number, opcode) -> way == TestLink.B_TO_A && number == 0 ? Fate.DROP : Fate.PASS;
            pair.b.postRecv(1, 0, 256);
            pair.a.post(pair.a.request(WrOpcode.RDMA_READ, 1, 0, 100).rdma(pair.b.addr(0), pair.b.mr.rkey()));
            pair.a.post(pair.a.request(WrOpcode.SEND, 2, 0, 100));
            pair.run();
            assertThat(pair.a.pollSends()).extracting(Completion::wrId).containsExactly(1L, 2L);
            assertThat(pair.a.count(NicCounter.TIMEOUTS)).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 16})
    void everyAtomicOfAFullWindowIsAnsweredAgainWithTheResultThatItHad(final int depth) {
        final TestPair.Options options = new TestPair.Options();
        options.maxRdAtomic = depth;
        try (TestPair pair = new TestPair(options)) {
            loseTheAnswersOf(depth, pair);
        }
    }

    private static void loseTheAnswersOf(final int depth, final TestPair pair) {
        pair.link.fates = (way, number, opcode) ->
                way == TestLink.B_TO_A && number < depth ? Fate.DROP : Fate.PASS;
        for (int i = 0; i < depth; i++) {
            pair.a.post(pair.a.request(WrOpcode.ATOMIC_FETCH_AND_ADD, i, RESULTS + 8 * i, 8)
                    .atomic(pair.b.addr(COUNTER), pair.b.mr.rkey(), 1, 0));
        }
        pair.settle();
        assertThat(pair.a.pollSends()).hasSize(depth).allMatch(c -> c.status() == WcStatus.SUCCESS);
        assertThat(NativeMemory.getLong(pair.b.addr(COUNTER))).as("each once").isEqualTo(depth);
        for (int i = 0; i < depth; i++) {
            assertThat(NativeMemory.getLong(pair.a.addr(RESULTS + 8 * i))).isEqualTo(i);
        }
        assertThat(pair.b.count(NicCounter.DUPLICATES)).isPositive();
    }

    /** The results that are kept, and the answers that are owed, are as many as may be set later. */
    @Test
    void atomicsThatWereAllowedWhileDrainedAreAnsweredAgainToo() {
        final int depth = 16;
        final TestPair.Options options = new TestPair.Options();
        options.maxRdAtomic = 1;
        try (TestPair pair = new TestPair(options)) {
            for (final SoftQp qp : List.of(pair.a.qp, pair.b.qp)) {
                qp.modify(new QpAttributes().qpState(QpState.SQD));
                qp.modify(new QpAttributes().maxRdAtomic(depth).maxDestRdAtomic(depth));
                qp.modify(new QpAttributes().qpState(QpState.RTS));
            }
            loseTheAnswersOf(depth, pair);
            assertThat(pair.b.count(NicCounter.DROP_RESPONDER_FULL)).isZero();
        }
    }

    @Test
    void oneGapBringsOneNak() {
        final TestPair.Options options = new TestPair.Options();
        options.config.receiveBatch(1);
        try (TestPair pair = new TestPair(options)) {
            pair.link.fates = (way, number, opcode) -> way == TestLink.A_TO_B && number == 1 ? Fate.DROP : Fate.PASS;
            for (int i = 0; i < 10; i++) {
                pair.b.postRecv(i, 0, 256);
                pair.a.post(pair.a.request(WrOpcode.SEND, i, 0, 256));
            }
            pair.settle();
            assertThat(pair.b.count(NicCounter.NAKS_SENT)).isEqualTo(1);
            assertThat(pair.b.count(NicCounter.OUT_OF_ORDER)).isEqualTo(8);
            assertThat(pair.a.count(NicCounter.RETRANSMITS)).isEqualTo(9);
            assertThat(pair.a.count(NicCounter.TIMEOUTS)).isZero();
            assertThat(pair.a.pollSends()).hasSize(10);
        }
    }
}
