package io.vhca.recovery.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** What records of other versions are to this one, and what two bonds agree on. */
class AgreementTest {
    private static final MemberId SENDER = new MemberId(1, 2);
    private static final SessionId SESSION = new SessionId(3, 4);
    private static final int NEWER = PrefixDescriptor.VERSION + 1;
    private static final int OF_TWO = Agreement.NOT_KNOWN | Agreement.STANDBY;

    private static byte[] request(final int version) {
        return Agreement.write(new ConnectHeader(RecordType.FIRST, SESSION, SENDER, 5).encode(new byte[] {6}), version);
    }

    private static byte[] reply(final int version) {
        return Agreement.write(
                new ReplyRecord(SENDER, 7, new RecoveryReply(SESSION, 8, 9, new ReceiverCounts(10, 11)), List.of(),
                        new byte[] {12}).encode(),
                version);
    }

    private static UnsafeBuffer buffer(final byte[] data) {
        return new UnsafeBuffer(data);
    }

    private static byte[] change(final byte[] data, final int at, final int value) {
        final byte[] changed = data.clone();
        changed[at] = (byte) value;
        return changed;
    }

    @Test
    void aReplyHasNoFeaturesInTheFirstVersionAndThoseOfTheSecond() {
        assertThat(buffer(reply(1)).getShort(ReplyDescriptor.FEATURES_OFFSET)).isZero();
        assertThat(buffer(reply(2)).getByte(ReplyDescriptor.FEATURES_OFFSET + 1)).isEqualTo((byte) OF_TWO);
        assertThat(reply(1)[2]).isEqualTo((byte) 1);
        assertThat(ReplyRecord.decode(buffer(reply(1)), 0)).isEqualTo(ReplyRecord.decode(buffer(reply(2)), 0));
    }

    @Test
    void bothSidesAgreeOnWhatBothHave() {
        for (int asks = 1; asks <= 2; asks++) {
            for (int answers = 1; answers <= 2; answers++) {
                final Agreement asked = Agreement.asked(answers, request(asks));
                final Agreement answered =
                        Agreement.answered(asks, reply(Math.min(answers, asked.version())));
                assertThat(asked.version()).isEqualTo(asks);
                assertThat(answered.version()).isEqualTo(Math.min(asks, answers));
                assertThat(asked.features()).as("asks " + asks + " answers " + answers)
                        .isEqualTo(answered.features())
                        .isEqualTo(asks == 2 && answers == 2 ? OF_TWO : 0);
            }
        }
    }

    @Test
    void ofANewerVersionThatCountsWhichIsKnownHere() {
        final byte[] newer = change(reply(2), 2, NEWER);
        newer[ReplyDescriptor.FEATURES_OFFSET] = (byte) 0xFF;
        newer[ReplyDescriptor.FEATURES_OFFSET + 1] = (byte) 0xFF;
        assertThat(Agreement.answered(2, newer)).isEqualTo(new Agreement(NEWER, OF_TWO));
        assertThat(Agreement.asked(2, change(request(2), 2, 255)))
                .isEqualTo(new Agreement(255, OF_TWO));
        assertThat(Agreement.LEAST.has(Agreement.NOT_KNOWN)).isFalse();
    }

    @Test
    void whatIsNoRecordIsOfTheFirstVersionAndStaysAsItIs() {
        for (final byte[] none : List.of(new byte[0], new byte[] {0x56, 0x48, 2}, new byte[] {1, 2, 3, 6, 5, 6})) {
            assertThat(Agreement.asked(2, none)).isEqualTo(Agreement.LEAST);
            assertThat(Agreement.write(none.clone(), 1)).isEqualTo(none);
        }
        assertThat(Agreement.asked(2, change(request(2), 2, 0))).isEqualTo(Agreement.LEAST);
    }

    @Test
    void aNewerRecordIsUnderstoodByItsKnownPart() {
        final byte[] newerReply = Arrays.copyOf(change(reply(2), 2, NEWER), 196);
        newerReply[195] = 77;
        assertThat(ReplyRecord.validate(buffer(newerReply), 0, newerReply.length)).isEqualTo(DecodeResult.OK);
        assertThat(ReplyRecord.decode(buffer(newerReply), 0)).isEqualTo(ReplyRecord.decode(buffer(reply(2)), 0));
        final byte[] newerRequest = change(request(2), 2, 255);
        assertThat(ConnectHeader.validate(buffer(newerRequest), 0, newerRequest.length)).isEqualTo(DecodeResult.OK);
        assertThat(ConnectHeader.decode(buffer(newerRequest), 0))
                .isEqualTo(ConnectHeader.decode(buffer(request(2)), 0));
    }

    @Test
    void aTypeThatIsNotKnownIsANewerBondsOrGarbage() {
        final byte[] data = change(request(2), PrefixDescriptor.TYPE_OFFSET, 99);
        assertThat(ConnectHeader.validate(buffer(data), 0, data.length)).isEqualTo(DecodeResult.BAD_TYPE);
        final byte[] newer = change(data, PrefixDescriptor.VERSION_OFFSET, NEWER);
        assertThat(ConnectHeader.validate(buffer(newer), 0, newer.length)).isEqualTo(DecodeResult.BAD_VERSION);
    }

    @Test
    void aRefusalForAReasonThatOnlyANewerBondKnowsIsARefusal() {
        final byte[] data = new RejectRecord(RejectCode.FAILED, SESSION, 3).encode();
        data[RejectDescriptor.CODE_OFFSET + 1] = 99;
        assertThat(RejectRecord.read(data)).as("of this version it is garbage").isNull();
        final RejectRecord newer = RejectRecord.read(change(data, PrefixDescriptor.VERSION_OFFSET, NEWER));
        assertThat(newer).isEqualTo(new RejectRecord(RejectCode.UNKNOWN, SESSION, 3));
    }
}
