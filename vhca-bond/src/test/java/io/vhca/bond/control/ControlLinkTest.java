package io.vhca.bond.control;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.AccessFlags;
import io.vhca.api.MemoryRegion;
import io.vhca.api.NativeMemory;
import io.vhca.api.RecvWorkRequest;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.WcStatus;
import io.vhca.api.WrOpcode;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.config.BondOption;
import io.vhca.bond.config.ServiceMode;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.fake.AppEnd;
import io.vhca.bond.fake.FakeCmId;
import io.vhca.bond.fake.FakeQp;
import io.vhca.bond.fake.RawPeer;
import io.vhca.bond.fake.Records;
import io.vhca.bond.fake.TwoBonds;
import io.vhca.bond.link.Peer;
import io.vhca.bond.queue.LocalKeys;
import io.vhca.recovery.RecoveryState;
import io.vhca.recovery.wire.Agreement;
import io.vhca.recovery.wire.MemberAddress;
import io.vhca.recovery.wire.PrefixDescriptor;
import io.vhca.recovery.wire.RecordType;
import io.vhca.recovery.wire.SessionId;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What two bonds say to each other over their own connection, and what a stranger may say there. */
class ControlLinkTest {
    private static final int HELLO = 1;
    private static final int ASK = 2;
    private static final int KEYS = 3;
    private static final int REVOKE = 10;
    private static final int NOT_KNOWN = 12;
    private static final int SIZE = 320;
    private final TwoBonds bonds = new TwoBonds();
    private final Arena arena = Arena.ofConfined();

    @AfterEach
    void close() {
        bonds.close();
        arena.close();
    }

    @Test
    void bothBondsKnowAllOfEachOthersMembersFromTheFirstConnectionOn() {
        final TwoBonds.Connection pair = bonds.connect();
        assertThat(pair.active().recovery().identity().peer().members())
                .extracting(MemberAddress::inetAddress)
                .containsExactlyInAnyOrder(InetAddress.ofLiteral("10.1.0.2"), InetAddress.ofLiteral("10.2.0.2"));
        assertThat(pair.passive().recovery().identity().peer().members())
                .extracting(MemberAddress::inetAddress)
                .containsExactlyInAnyOrder(InetAddress.ofLiteral("10.1.0.1"), InetAddress.ofLiteral("10.2.0.1"));
        assertThat(bonds.a.device(0).opened().queuePairs()).as("one connection of the bonds' own").hasSize(2);
        bonds.connect();
        assertThat(bonds.a.device(0).opened().queuePairs()).hasSize(3);
    }

    @Test
    void whatIsSaidBeforeTheLinkStandsWaitsAndIsNoPostThatIsRefused() {
        try (TwoBonds strict = new TwoBonds(options -> options.set(BondOption.CHECKS, ServiceMode.Checks.FULL))) {
            final TwoBonds.Connection pair = strict.connect();
            pair.active().write(1, "one", pair.passive().into(0), pair.passive().region().rkey());
            strict.settle();
            assertThat(pair.active().polled()).containsExactly("1 SUCCESS");
            assertThat(strict.a.count(Counter.POSTS_REFUSED) + strict.b.count(Counter.POSTS_REFUSED)).isZero();
        }
    }

    @Test
    void aPathThatDiesBeforeTheBondsHaveMetIsNoticedByTheirFirstConnect() {
        final AppEnd active = bonds.closing(new AppEnd(bonds.a));
        final AppEnd passive = bonds.closing(new AppEnd(bonds.b));
        bonds.closing(bonds.listen());
        active.on(bonds.routed("10.1.0.2"));
        active.id().connect(ConnectParameters.of(new byte[0]));
        bonds.settle();
        passive.on(TwoBonds.next(bonds.b, CmEventType.CONNECT_REQUEST).id());
        passive.id().accept(ConnectParameters.of(new byte[0]));
        while (active.cmEvents().isEmpty()) {
            bonds.a.context().doWork(bonds.nowNs());
            bonds.b.context().doWork(bonds.nowNs());
            bonds.fabric.run();
        }
        bonds.fabric.cut(bonds.a.device(0), bonds.b.device(0));
        active.write(1, "one", passive.into(0), passive.region().rkey());
        bonds.advance(3_000 * MS);
        assertThat(active.polled()).as("%s", bonds.a.journal()).containsExactly("1 SUCCESS");
        assertThat(passive.text(0, 3)).isEqualTo("one");
    }

    @Test
    void aRemoteKeyIsAskedForOnceAndTheRequestsGoOn() {
        final TwoBonds.Connection pair = bonds.connect();
        final int rkey = pair.passive().region().rkey();
        pair.active().write(1, "one", pair.passive().into(0), rkey);
        pair.active().write(2, "two", pair.passive().into(1), rkey);
        bonds.settle();
        assertThat(pair.active().polled()).containsExactly("1 SUCCESS", "2 SUCCESS");
        assertThat(pair.passive().text(0, 3) + pair.passive().text(1, 3)).isEqualTo("onetwo");
    }

    @Test
    void afterAFailoverTheKeyOfTheOtherMemberIsUsed() {
        final TwoBonds.Connection pair = bonds.connect();
        final int rkey = pair.passive().region().rkey();
        bonds.fabric.stop(true);
        pair.active().write(1, "one", pair.passive().into(0), rkey);
        bonds.a.device(0).port(false);
        bonds.fabric.stop(false);
        bonds.advance(100 * MS);
        assertThat(pair.active().polled()).containsExactly("1 SUCCESS");
        assertThat(pair.passive().text(0, 3)).isEqualTo("one");
        pair.active().post(2, WrOpcode.RDMA_READ, "xxx", SendFlags.SIGNALED, pair.passive().into(0), rkey);
        bonds.settle();
        assertThat(pair.active().polled()).containsExactly("2 SUCCESS");
        assertThat(NativeMemory.getByte(pair.active().from(2))).isEqualTo((byte) 'o');
    }

    @Test
    void aKeyThatThePeerDeregisteredIsRefusedThoughItWasKnown() {
        final TwoBonds.Connection pair = bonds.connect();
        final MemorySegment memory = arena.allocate(64, 64);
        final MemoryRegion region = bonds.b.pd().regMr(memory, AccessFlags.LOCAL_WRITE
                | AccessFlags.REMOTE_WRITE);
        pair.active().write(1, "one", memory.address(), region.rkey());
        bonds.settle();
        region.close();
        bonds.settle();
        pair.active().write(2, "two", memory.address(), region.rkey());
        bonds.settle();
        assertThat(bonds.polled(pair.active())).containsExactly("1 SUCCESS", "2 REM_ACCESS_ERR");
    }

    @Test
    void aKeyThatNeverWasIsRefused() {
        final TwoBonds.Connection pair = bonds.connect();
        pair.active().write(1, "one", pair.passive().into(0), 0x7777_7777);
        bonds.settle();
        assertThat(bonds.polled(pair.active())).containsExactly("1 REM_ACCESS_ERR");
    }

    @Test
    void aQuestionThatWasLostWithItsPathIsAskedAgain() {
        final TwoBonds.Connection pair = bonds.connect();
        bonds.fabric.cut(bonds.a.device(0), bonds.b.device(0));
        pair.active().write(1, "one", pair.passive().into(0), pair.passive().region().rkey());
        bonds.settle();
        assertThat(pair.active().polled()).isEmpty();
        bonds.fabric.expire();
        bonds.advance(10_000 * MS);
        assertThat(pair.active().polled()).containsExactly("1 SUCCESS");
    }

    @Test
    void theListOfMembersIsToldAgainWhenItChanges() {
        final TwoBonds.Connection pair = bonds.connect();
        bonds.spare("b2", "10.1.0.77");
        bonds.b.context().admin().add("b2");
        bonds.settle();
        assertThat(pair.active().recovery().identity().peer().members())
                .extracting(MemberAddress::inetAddress)
                .contains(InetAddress.ofLiteral("10.1.0.77"));
        bonds.b.context().admin().remove("b2");
        bonds.advance(500 * MS);
        assertThat(pair.active().recovery().identity().peer().members())
                .extracting(MemberAddress::inetAddress)
                .doesNotContain(InetAddress.ofLiteral("10.1.0.77"));
    }

    @Test
    void aConnectionOfTheBondsOwnThatBreaksForGoodIsMadeAnew() {
        final TwoBonds.Connection pair = bonds.connect();
        final FakeQp control = bonds.a.device(0).opened().queuePairs().stream()
                .filter(qp -> qp != pair.active().physical())
                .findFirst()
                .orElseThrow();
        bonds.fabric.stop(true);
        pair.active().write(1, "one", pair.passive().into(0), pair.passive().region().rkey());
        bonds.settle();
        control.failOldest(WcStatus.LOC_PROT_ERR);
        bonds.fabric.stop(false);
        bonds.advance(10_000 * MS);
        assertThat(pair.active().polled()).containsExactly("1 SUCCESS");
    }

    @Test
    void aSessionThatIsShownOverALinkIsOfTheBondThatTheLinkGoesTo() {
        bonds.fabric.stop(true);
        final TwoBonds.Connection first = bonds.connect();
        final AppEnd active = bonds.closing(new AppEnd(bonds.a));
        bonds.closing(bonds.listen());
        active.on(bonds.routed("10.2.0.2"));
        active.id().connect(ConnectParameters.of(new byte[0]));
        bonds.settle();
        final AppEnd passive = bonds.closing(new AppEnd(bonds.b));
        passive.on(TwoBonds.next(bonds.b, CmEventType.CONNECT_REQUEST).id());
        passive.id().accept(ConnectParameters.of(new byte[0]));
        bonds.settle();
        final Peer known = first.passive().recovery().identity().peer();
        assertThat(passive.recovery().identity().peer()).as("as yet it only claims to be").isNotSameAs(known);
        bonds.fabric.stop(false);
        bonds.settle();
        assertThat(passive.recovery().identity().peer()).isSameAs(known);
        assertThat(known.members()).hasSize(2);
    }

    // ---- a stranger at the control port -----------------------------------------------------------------------------

    private static byte[] inVersion(final byte[] record, final int version) {
        record[PrefixDescriptor.VERSION_OFFSET] = (byte) version;
        return record;
    }

    /** A connection of a stranger's that the bond takes for another bond's. */
    private final class Stranger implements AutoCloseable {
        private final RawPeer raw = new RawPeer(bonds, "10.1.0.99");
        private final FakeQp qp;
        private final MemorySegment memory = arena.allocate(32L * SIZE, 64);
        private final int lkey;
        private final MemoryRegion region;
        private final byte[] reply;
        private int received;

        Stranger() {
            this(PrefixDescriptor.VERSION);
        }

        Stranger(final int version) {
            final InetAddress from = InetAddress.ofLiteral("10.1.0.99");
            bonds.b.locked(() -> bonds.b.cm().peers().at(0x77, from).heardFrom(0, from));
            final FakeCmId id = raw.ask(
                    "10.1.0.2", bonds.b.verbs().core().config().basePort(),
                    inVersion(Records.header(RecordType.CONTROL, new SessionId(0x77, version), 0x30), version));
            qp = (FakeQp) Objects.requireNonNull(id.qp());
            final MemoryRegion mr = qp.pd().regMr(memory, 1);
            lkey = mr.lkey();
            region = mr;
            final RecvWorkRequest recv = RecvWorkRequest.allocate(arena, 1);
            for (int i = 0; i < 16; i++) {
                qp.postRecv(recv.wrId(i).sge(memory.address() + (long) i * SIZE, SIZE, lkey));
            }
            bonds.settle();
            reply = raw.next(CmEventType.ESTABLISHED).privateData();
        }

        /** Version and features of the REP. */
        byte[] answered() {
            return new byte[] {reply[2], reply[52], reply[53]};
        }

        void say(final byte[] message) {
            final long at = memory.address() + 20L * SIZE;
            NativeMemory.segment(at, message.length).asByteBuffer().put(message);
            qp.postSend(SendWorkRequest.allocate(arena, 1)
                    .opcode(WrOpcode.SEND)
                    .sendFlags(SendFlags.SIGNALED)
                    .sge(at, message.length, lkey));
            bonds.settle();
        }

        /** The next message of the bond's. */
        ByteBuffer heard() {
            return NativeMemory.segment(memory.address() + (long) received++ * SIZE, SIZE).asByteBuffer();
        }

        boolean hasHeard(final int count) {
            return qp.waitingReceives() == 16 - count;
        }

        @Override
        public void close() {
            region.close();
            raw.close();
        }
    }

    private static byte[] message(final int type, final int second, final int... rest) {
        final ByteBuffer buffer = ByteBuffer.allocate(8 + 4 * rest.length).putInt(type).putInt(second);
        for (final int one : rest) {
            buffer.putInt(one);
        }
        return buffer.array();
    }

    @Test
    void theFirstMessageSaysWhatTheMembersAre() {
        try (Stranger stranger = new Stranger()) {
            final ByteBuffer hello = stranger.heard();
            assertThat(hello.getInt()).isEqualTo(HELLO);
            assertThat(hello.getInt()).isEqualTo(2);
            final byte[] first = new byte[6];
            hello.get(first);
            assertThat(first).containsExactly(0, 4, 10, 1, 0, 2);
        }
    }

    @Test
    void aQuestionForAKeyIsAnsweredWithOneForEachMember() {
        final TwoBonds.Connection pair = bonds.connect();
        try (Stranger stranger = new Stranger()) {
            stranger.heard();
            final int key = pair.passive().region().rkey();
            stranger.say(message(ASK, key));
            ByteBuffer keys = stranger.heard();
            assertThat(List.of(keys.getInt(), keys.getInt(), keys.getInt())).containsExactly(KEYS, key, 2);
            assertThat(keys.getInt()).as("generation").isZero();
            assertThat(keys.getInt()).isNotEqualTo(-1);
            stranger.say(message(ASK, 0x6666_6666));
            keys = stranger.heard();
            keys.position(16);
            assertThat(keys.getInt()).as("there is none").isEqualTo(LocalKeys.INVALID);
        }
    }

    /** Of two keys of one index the peer may have been told: one that was, and one that may come to be. */
    @Test
    void eachKeyOfAnIndexThatWasAskedForIsTakenBack() {
        try (Stranger stranger = new Stranger()) {
            stranger.heard();
            final MemorySegment memory = arena.allocate(64, 64);
            final MemoryRegion region = bonds.b.pd().regMr(memory, AccessFlags.LOCAL_WRITE);
            final int key = region.rkey();
            stranger.say(message(ASK, key));
            stranger.say(message(ASK, key + 1));
            stranger.heard();
            stranger.heard();
            region.close();
            bonds.settle();
            ByteBuffer revoked = stranger.heard();
            assertThat(List.of(revoked.getInt(), revoked.getInt())).containsExactly(REVOKE, key);
            final MemoryRegion next = bonds.closing(bonds.b.pd().regMr(memory, AccessFlags.LOCAL_WRITE));
            assertThat(next.rkey()).isEqualTo(key + 1);
            bonds.settle();
            revoked = stranger.heard();
            assertThat(List.of(revoked.getInt(), revoked.getInt())).containsExactly(REVOKE, key + 1);
        }
    }

    /** Memory that is registered and deregistered again and again is told of to who was told of it, once. */
    @Test
    void whatWasTakenBackIsNotTakenBackAgain() {
        try (Stranger stranger = new Stranger()) {
            stranger.heard();
            final MemorySegment memory = arena.allocate(64, 64);
            final MemoryRegion region = bonds.b.pd().regMr(memory, AccessFlags.LOCAL_WRITE);
            stranger.say(message(ASK, region.rkey()));
            stranger.heard();
            region.close();
            bonds.settle();
            assertThat(stranger.heard().getInt()).isEqualTo(REVOKE);
            for (int i = 0; i < 3; i++) {
                bonds.b.pd().regMr(memory, AccessFlags.LOCAL_WRITE).close();
                bonds.settle();
            }
            stranger.say(message(ASK, 0x5000));
            assertThat(stranger.heard().getInt()).as("the answer, and nothing before it").isEqualTo(KEYS);
        }
    }

    @Test
    void keysThatNobodyHasAskedForAreGarbage() {
        try (Stranger stranger = new Stranger()) {
            stranger.say(message(KEYS, 0x5000, 1, 0, 0x77));
            stranger.say(message(KEYS, 0x5000, 1, 0, 0x77));
            assertThat(bonds.b.count(Counter.CONTROL_GARBAGE)).isEqualTo(2);
            bonds.b.locked(() -> assertThat(Objects.requireNonNull(bonds.b.cm().peers()
                            .find(0x77, InetAddress.ofLiteral("10.1.0.99"))).keys(0, 0).find(0x5000))
                    .isNull());
        }
    }

    /** Each question is answered, also where the first answer was one for both, or who asked is gone. */
    @Test
    void anAnswerThatNobodyWaitsForAnyMoreIsNoGarbage() {
        final TwoBonds.Connection pair = bonds.connect();
        final AppEnd other = bonds.connect().active();
        final int rkey = pair.passive().region().rkey();
        bonds.fabric.stop(true);
        pair.active().write(1, "one", pair.passive().into(0), rkey);
        other.write(1, "one", pair.passive().into(0), rkey);
        bonds.settle();
        pair.active().close();
        bonds.fabric.stop(false);
        bonds.settle();
        assertThat(other.polled()).containsExactly("1 SUCCESS");
        assertThat(bonds.a.count(Counter.CONTROL_GARBAGE)).isZero();
    }

    @Test
    void garbageIsCountedAndDoesNoHarm() {
        final TwoBonds.Connection pair = bonds.connect();
        try (Stranger stranger = new Stranger()) {
            stranger.say(message(0, 1));
            stranger.say(message(-1, 1));
            stranger.say(message(KEYS, 5, -1));
            stranger.say(message(KEYS, 5, 1_000));
            stranger.say(message(HELLO, 3, 0x00_07_00_00));
            stranger.say(message(HELLO, Integer.MAX_VALUE, 0x00_FF_00_00));
            assertThat(bonds.b.count(Counter.CONTROL_GARBAGE)).isEqualTo(6);
            for (int type = 4; type <= 9; type++) {
                stranger.say(message(type, pair.passive().qp().qpNum(), 1, 2, 3, 4, 5, 6, 7, 8));
                stranger.say(message(type, 0xFF_FFFF, 1, 2, 3, 4, 5, 6, 7, 8));
            }
            assertThat(stranger.hasHeard(1)).as("no session, no answer").isTrue();
            final SplittableRandom random = new SplittableRandom(11);
            for (int i = 0; i < 200; i++) {
                final byte[] bytes = new byte[random.nextInt(SIZE)];
                random.nextBytes(bytes);
                if (bytes.length > 3 && i % 2 == 0) {
                    bytes[0] = 0;
                    bytes[1] = 0;
                    bytes[2] = 0;
                    bytes[3] = (byte) (random.nextInt(12) == ASK ? HELLO : random.nextInt(3, 12));
                }
                stranger.say(bytes);
            }
        }
        bonds.advance(1_000 * MS);
        assertThat(bonds.b.count(Counter.DUTY_CYCLE_ERRORS)).isZero();
        assertThat(pair.passive().recovery().machine().state()).isEqualTo(RecoveryState.CONNECTED);
        pair.passive().receives(1);
        pair.active().send(1, "one");
        bonds.settle();
        assertThat(pair.active().polled()).containsExactly("1 SUCCESS");
    }

    /** Its receives are used up: what it is told waits, and nothing else bounds how much that is. */
    @Test
    void aPeerThatAsksOnAndOnAndTakesNoAnswerLosesTheLink() {
        try (Stranger stranger = new Stranger()) {
            for (int i = 0; i < 1_000; i++) {
                stranger.say(message(ASK, 0x6666_6666));
            }
            assertThat(bonds.b.count(Counter.CONTROL_GARBAGE)).as("it may be slow").isZero();
            for (int i = 0; i < 100; i++) {
                stranger.say(message(ASK, 0x6666_6666));
            }
            assertThat(bonds.b.count(Counter.CONTROL_GARBAGE)).isPositive();
            assertThat(stranger.raw.next(CmEventType.DISCONNECTED)).isNotNull();
        }
    }

    @Test
    void aMessageOfAKindThatIsNotKnownIsAnsweredSo() {
        try (Stranger stranger = new Stranger()) {
            stranger.heard();
            stranger.say(message(99, 1, 2, 3));
            final ByteBuffer answer = stranger.heard();
            assertThat(answer.getInt()).isEqualTo(NOT_KNOWN);
            assertThat(answer.getInt()).isEqualTo(99);
            assertThat(bonds.b.count(Counter.CONTROL_UNKNOWN)).isEqualTo(1);
            assertThat(bonds.b.count(Counter.CONTROL_GARBAGE)).isZero();
            stranger.say(message(-1, 1));
            assertThat(stranger.hasHeard(2)).as("no version counts its kinds from below").isTrue();
            assertThat(bonds.b.count(Counter.CONTROL_GARBAGE)).isEqualTo(1);
        }
    }

    @Test
    void aBondOfTheFirstVersionIsAnsweredNothingThatItDoesNotKnow() {
        try (Stranger stranger = new Stranger(1)) {
            stranger.say(message(99, 1, 2, 3));
            assertThat(stranger.hasHeard(1)).as("its HELLO, and no more").isTrue();
            assertThat(bonds.b.count(Counter.CONTROL_UNKNOWN)).isZero();
            assertThat(bonds.b.count(Counter.CONTROL_GARBAGE)).isEqualTo(1);
        }
    }

    @Test
    void anAnswerIsOfTheVersionThatWasAskedInAndSaysWhatIsAgreedOn() {
        try (Stranger first = new Stranger(1)) {
            assertThat(first.answered()).as("version, features").containsExactly(1, 0, 0);
        }
        try (Stranger newest = new Stranger()) {
            assertThat(newest.answered()).containsExactly(
                    PrefixDescriptor.VERSION, 0, Agreement.NOT_KNOWN | Agreement.STANDBY);
        }
        try (Stranger newer = new Stranger(PrefixDescriptor.VERSION + 1)) {
            assertThat(newer.answered()).containsExactly(
                    PrefixDescriptor.VERSION, 0, Agreement.NOT_KNOWN | Agreement.STANDBY);
        }
    }

    @Test
    void whatThePeerDoesNotKnowItIsSentNoMore() {
        try (Stranger stranger = new Stranger()) {
            stranger.heard();
            stranger.say(message(NOT_KNOWN, NOT_KNOWN));
            stranger.say(message(99, 1));
            assertThat(stranger.hasHeard(1)).as("not even that a kind is not known").isTrue();
            assertThat(bonds.b.count(Counter.CONTROL_NOT_KNOWN)).isEqualTo(1);
            stranger.say(message(NOT_KNOWN, KEYS));
            assertThat(bonds.b.count(Counter.CONTROL_GARBAGE)).as("every version has it").isEqualTo(1);
            stranger.say(message(ASK, 0x6666_6666));
            assertThat(stranger.heard().getInt()).isEqualTo(KEYS);
        }
    }

    @Test
    void whatANewerBondSaysBehindTheKnownPartOfAMessageIsPassedOver() {
        try (Stranger stranger = new Stranger()) {
            stranger.heard();
            stranger.say(message(HELLO, 1, 0x03_04_0A_01, 0x00_63_77_77, 0x7777_7777));
            stranger.say(message(ASK, 0x6666_6666, 0x7777_7777));
            assertThat(stranger.heard().getInt()).isEqualTo(KEYS);
            assertThat(bonds.b.count(Counter.CONTROL_GARBAGE)).isZero();
            bonds.b.locked(() -> assertThat(Objects.requireNonNull(bonds.b.cm().peers()
                            .find(0x77, InetAddress.ofLiteral("10.1.0.99"))).members())
                    .extracting(MemberAddress::inetAddress)
                    .containsExactly(InetAddress.ofLiteral("10.1.0.99")));
        }
    }

    @Test
    void aMessageThatEndsBeforeItsKnownPartIsNotFilledUpWithWhatWasThereBefore() {
        try (Stranger stranger = new Stranger()) {
            for (int i = 0; i < 16; i++) {
                stranger.say(message(HELLO, 1, 0x03_04_0A_01, 0x00_63_00_00)); // each receive has had one
            }
            stranger.say(message(HELLO, 1));
            bonds.b.locked(() -> assertThat(bonds.b.cm().peers()
                            .find(0x77, InetAddress.ofLiteral("10.1.0.99")))
                    .as("it names no member, so it is nowhere").isNull());
            stranger.say(message(9, 1, 2, 3));
            assertThat(bonds.b.count(Counter.CONTROL_GARBAGE)).isEqualTo(1);
        }
    }

    @Test
    void aStrangerThatGoesAwayIsForgottenAfterATime() {
        try (Stranger stranger = new Stranger()) {
            assertThat(stranger.qp.qpNum()).isPositive();
        }
        bonds.advance(40_000 * MS);
        assertThat(bonds.b.device(0).opened().queuePairs()).isEmpty();
    }
}
