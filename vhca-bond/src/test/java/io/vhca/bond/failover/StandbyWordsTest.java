package io.vhca.bond.failover;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.cm.CmEventType;
import io.vhca.bond.config.BondOption;
import io.vhca.bond.config.ServiceMode.Standby;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.fake.AppEnd;
import io.vhca.bond.fake.FakeFabric.CmMessage;
import io.vhca.bond.fake.FakeQp;
import io.vhca.bond.fake.TwoBonds;
import io.vhca.bond.wire.ChannelMessageDescriptor;
import io.vhca.recovery.RecoveryState;
import io.vhca.recovery.wire.RecordType;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Words over a path that belong to nothing, or come twice, change nothing. */
class StandbyWordsTest {
    private static final int CHANNEL_DEPTH = 32;

    private final TwoBonds bonds = new TwoBonds(options -> options.set(BondOption.STANDBY, Standby.WARM));
    private final TwoBonds.Connection pair = bonds.connect();

    @BeforeEach
    void standBy() {
        pair.passive().receives(4);
        bonds.advance(2_000 * MS);
    }

    @AfterEach
    void close() {
        bonds.close();
    }

    private QpRecovery a() {
        return pair.active().recovery();
    }

    /** Says something to b, in a's name, over the path on which a's queue pair stands by. */
    private void say(final int kind, final int qpNum, final int number, final byte[] record) {
        say(word(kind, qpNum, number, record).array());
    }

    private static ByteBuffer word(final int kind, final int qpNum, final int number, final byte[] record) {
        return ByteBuffer.allocate(ChannelMessageDescriptor.RECORD_OFFSET + record.length)
                .put(ChannelMessageDescriptor.KIND_OFFSET, (byte) kind)
                .putShort(ChannelMessageDescriptor.LENGTH_OFFSET, (short) record.length)
                .putInt(ChannelMessageDescriptor.TARGET_OFFSET, qpNum)
                .putInt(ChannelMessageDescriptor.NUMBER_OFFSET, number)
                .put(ChannelMessageDescriptor.RECORD_OFFSET, record);
    }

    private void say(final byte[] message) {
        channelOfB().inject(message);
        bonds.settle();
    }

    private FakeQp channelOfB() {
        return bonds.b.device(1).opened().queuePairs().stream()
                .filter(qp -> qp.capabilities().maxSendWr() == CHANNEL_DEPTH)
                .findFirst()
                .orElseThrow();
    }

    private void assertNothingChanged() {
        assertThat(a().machine().state()).isEqualTo(RecoveryState.CONNECTED);
        assertThat(pair.passive().recovery().machine().state()).isEqualTo(RecoveryState.CONNECTED);
        assertThat(bonds.a.context().failovers()).isEmpty();
        bonds.a.device(0).port(false);
        pair.active().send(1, "one");
        bonds.settle();
        assertThat(bonds.polled(pair.active())).containsExactly("1 SUCCESS");
        assertThat(bonds.a.count(Counter.STANDBY_TAKEN)).as("what stood by still does").isPositive();
    }

    @ParameterizedTest
    @ValueSource(ints = {
        ChannelMessageDescriptor.ACCEPT, ChannelMessageDescriptor.CONFIRM, ChannelMessageDescriptor.REJECT
    })
    void anAnswerThatNobodyWaitsFor(final int kind) {
        say(kind, a().peerQpNum(), 1, new byte[0]);
        assertNothingChanged();
    }

    @Test
    void aQuestionForAnotherNumber() {
        say(ChannelMessageDescriptor.ASK, a().peerQpNum(), 7, new byte[56]);
        assertNothingChanged();
    }

    @Test
    void aQuestionForNoQueuePair() {
        say(ChannelMessageDescriptor.ASK, 12_345, 1, new byte[56]);
        assertNothingChanged();
    }

    /** Each would be a REQ that the bond takes at its own port. */
    @ParameterizedTest
    @EnumSource(RecordType.class)
    void aQuestionForAnythingButARecoveryOfThatQueuePair(final RecordType type) {
        final ByteBuffer record = ByteBuffer.allocate(56).putShort((short) 0x5648).put((byte) 2);
        record.put((byte) type.code()).putInt(28, a().peerQpNum() + 1);
        say(ChannelMessageDescriptor.ASK, a().peerQpNum(), 1, record.array());
        assertNothingChanged();
    }

    @Test
    void aQuestionOfAnotherSessionIsRefusedAsARequestIs() {
        final ByteBuffer record = ByteBuffer.allocate(56).putShort((short) 0x5648).put((byte) 2);
        record.put((byte) RecordType.RECOVER.code()).putInt(28, a().peerQpNum());
        say(ChannelMessageDescriptor.ASK, a().peerQpNum(), 1, record.array());
        assertThat(bonds.b.count(Counter.REQ_FORGED)).isEqualTo(1);
        assertThat(pair.passive().recovery().machine().state()).isEqualTo(RecoveryState.CONNECTED);
    }

    /** The first word of the message is whole, the second one is none, and a third one would be. */
    @Test
    void nothingIsToldBehindWhatIsNoWord() {
        final ByteBuffer record = ByteBuffer.allocate(56).putShort((short) 0x5648).put((byte) 2);
        record.put((byte) RecordType.RECOVER.code()).putInt(28, a().peerQpNum());
        final byte[] forged = word(ChannelMessageDescriptor.ASK, a().peerQpNum(), 1, record.array()).array();
        say(ByteBuffer.allocate(forged.length + ChannelMessageDescriptor.RECORD_OFFSET + forged.length)
                .put(forged)
                .put(word(9, a().peerQpNum(), 1, new byte[0]).array())
                .put(forged)
                .array());
        assertThat(bonds.b.count(Counter.REQ_FORGED)).isEqualTo(1);
        assertThat(bonds.b.count(Counter.CONTROL_GARBAGE)).isEqualTo(1);
    }

    /** It posts no receives: what it is answered waits, and nothing else bounds how much that is. */
    @Test
    void whoAsksOnAndOnAndTakesNoAnswerLosesTheChannel() {
        final FakeQp channel = channelOfB();
        bonds.fabric.stop(true);
        for (int i = 0; i < 1_000; i++) {
            say(ChannelMessageDescriptor.ASK, a().peerQpNum(), 1, new byte[56]);
        }
        assertThat(bonds.b.count(Counter.CONTROL_GARBAGE)).as("it may be slow").isZero();
        assertThat(channel.outstanding()).isEqualTo(CHANNEL_DEPTH);
        for (int i = 0; i < 100 && !channel.isClosed(); i++) {
            say(ChannelMessageDescriptor.ASK, a().peerQpNum(), 1, new byte[56]);
        }
        assertThat(bonds.b.count(Counter.CONTROL_GARBAGE)).isEqualTo(1);
        assertThat(channel.isClosed()).isTrue();
    }

    @Test
    void whoTakesItsAnswersMayAskAsMuchAsItLikes() {
        final FakeQp channel = channelOfB();
        for (int i = 0; i < 2_000; i++) {
            say(ChannelMessageDescriptor.ASK, a().peerQpNum(), 1, new byte[56]);
        }
        assertThat(bonds.b.count(Counter.CONTROL_GARBAGE)).isZero();
        assertThat(channel.isClosed()).isFalse();
    }

    @Test
    void aWordThatIsCutOffIsNone() {
        final byte[] whole = word(ChannelMessageDescriptor.ASK, a().peerQpNum(), 1, new byte[56]).array();
        say(Arrays.copyOf(whole, whole.length - 1));
        assertThat(bonds.b.count(Counter.CONTROL_GARBAGE)).isEqualTo(1);
        assertNothingChanged();
    }

    @Test
    void aMessageOfNoKindIsCounted() {
        say(9, a().peerQpNum(), 1, new byte[0]);
        assertThat(bonds.b.count(Counter.CONTROL_GARBAGE)).isEqualTo(1);
        assertNothingChanged();
    }

    /** What stood by at the other end has given way, and the word of that is lost: the path is as good as it was. */
    @Test
    void whereNothingStandsByAtTheOtherEndTheSamePathIsConnectedOver() {
        bonds.fabric.lose(CmMessage.DREQ);
        bonds.b.locked(() -> pair.passive().recovery().exchange().standby().giveWay());
        bonds.a.device(0).port(false);
        bonds.settle();
        assertThat(a().attachment().describe()).as(bonds.a.journal()).isEqualTo("a1 -> 10.2.0.2");
    }

    /** It is known to carry, and what stands by may be dead. */
    @Test
    void aDisconnectIsSaidOverThePathInUse() {
        bonds.fabric.cut(bonds.a.device(1), bonds.b.device(1));
        pair.active().id().disconnect();
        bonds.settle();
        assertThat(pair.active().cmEvents()).as(bonds.a.journal()).contains(CmEventType.DISCONNECTED);
    }

    /** What stands by is made anew, and the word that its REP has arrived is lost. */
    private void standByUnconfirmed() {
        bonds.fabric.lose(CmMessage.RTU);
        bonds.a.locked(() -> a().exchange().standby().giveUp());
        bonds.advance(100 * MS);
        assertStandsByAt(true, pair.active());
        assertStandsByAt(false, pair.passive());
    }

    private static void assertStandsByAt(final boolean value, final AppEnd end) {
        end.bond().locked(() -> assertThat(end.recovery().exchange().standby().path() != null).isEqualTo(value));
    }

    /** Who asks by its number has had the REP: the connection stands, whatever the connection manager says. */
    @Test
    void aQuestionOverWhatIsNotConfirmedYetIsAnswered() {
        standByUnconfirmed();
        bonds.a.device(0).port(false);
        pair.active().send(1, "one");
        bonds.settle();
        assertThat(bonds.polled(pair.active())).as(bonds.a.journal()).containsExactly("1 SUCCESS");
        assertThat(a().attachment().describe()).isEqualTo("a1 -> 10.2.0.2");
        assertThat(bonds.a.count(Counter.STANDBY_TAKEN)).isPositive();
        bonds.fabric.confirm();
        bonds.settle();
        assertThat(bonds.b.count(Counter.STANDBY_TAKEN)).isEqualTo(bonds.a.count(Counter.STANDBY_TAKEN));
    }

    /** It speaks of what stood by; that the other end has taken it only that one can say. */
    @Test
    void theConnectionManagersLateWordIsNoConfirmation() {
        standByUnconfirmed();
        bonds.a.device(0).port(false);
        bonds.a.context().doWork(bonds.nowNs());
        bonds.fabric.run();
        bonds.b.context().doWork(bonds.nowNs());
        assertThat(pair.passive().recovery().machine().state()).isEqualTo(RecoveryState.ANSWERED);
        bonds.fabric.confirm();
        bonds.b.context().doWork(bonds.nowNs());
        assertThat(pair.passive().recovery().machine().state()).isEqualTo(RecoveryState.ANSWERED);
        assertThat(bonds.b.count(Counter.STANDBY_TAKEN)).isZero();
        bonds.settle();
        assertThat(pair.passive().recovery().machine().state()).isEqualTo(RecoveryState.CONNECTED);
        assertThat(bonds.b.count(Counter.STANDBY_TAKEN)).isPositive();
    }
}
