package io.vhca.recovery.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** What each validator says of each kind of wrong bytes, and that every field of a record travels. */
class WireVerdictsTest {
    private static final MemberId SENDER = new MemberId(1, 2);
    private static final SessionId SESSION = new SessionId(0x0102030405060708L, 0x1112131415161718L);

    private static final byte[] REPLY = new ReplyRecord(
                    SENDER, 4, new RecoveryReply(SESSION, 3, 5, new ReceiverCounts(6, 7)), List.of(), new byte[] {8, 9})
            .encode();
    private static final byte[] REJECT =
            new RejectRecord(RejectCode.STALE_EPOCH, SESSION, 5, new byte[] {8, 9}).encode();
    private static final byte[] CONNECT =
            new ConnectHeader(RecordType.FIRST, SESSION, SENDER, 3).encode(new byte[] {8});

    private interface Validator {
        DecodeResult validate(UnsafeBuffer buffer, int offset, int length);
    }

    private static void judged(final Validator validator, final byte[] good, final int shortest, final byte[] other) {
        final UnsafeBuffer buffer = new UnsafeBuffer(good);
        assertThat(validator.validate(buffer, 0, good.length)).isEqualTo(DecodeResult.OK);
        assertThat(validator.validate(buffer, 0, shortest)).isEqualTo(DecodeResult.OK);
        assertThat(validator.validate(buffer, 0, shortest - 1)).isEqualTo(DecodeResult.BAD_LENGTH);
        assertThat(validator.validate(buffer, 0, good.length + 1)).as("beyond the buffer")
                .isEqualTo(DecodeResult.BAD_LENGTH);
        assertThat(validator.validate(buffer, 0, PrefixDescriptor.SIZE - 1)).isEqualTo(DecodeResult.BAD_LENGTH);
        assertThat(validator.validate(new UnsafeBuffer(other), 0, other.length)).isEqualTo(DecodeResult.BAD_TYPE);
        final byte[] foreign = good.clone();
        foreign[0] ^= 1;
        assertThat(validator.validate(new UnsafeBuffer(foreign), 0, foreign.length))
                .isEqualTo(DecodeResult.NOT_VHCA);
        final byte[] moved = new byte[good.length + 3];
        System.arraycopy(good, 0, moved, 3, good.length);
        assertThat(validator.validate(new UnsafeBuffer(moved), 3, good.length)).isEqualTo(DecodeResult.OK);
        assertThat(validator.validate(new UnsafeBuffer(moved), 4, good.length)).isEqualTo(DecodeResult.BAD_LENGTH);
    }

    @Test
    void everyValidatorTellsForeignBytesOtherRecordsAndShortOnesApart() {
        judged(ReplyRecord::validate, REPLY, REPLY.length, REJECT);
        judged(RejectRecord::validate, REJECT, REJECT.length, REPLY);
        judged(ConnectHeader::validate, CONNECT, ConnectHeader.SIZE, REPLY);
    }

    @Test
    void countsOfAReplyAreNotNegative() {
        final byte[] bytes = REPLY.clone();
        Arrays.fill(bytes, ReplyDescriptor.RECEIVED_OFFSET, ReplyDescriptor.RECEIVED_OFFSET + Long.BYTES, (byte) 0);
        assertThat(ReplyRecord.validate(new UnsafeBuffer(bytes), 0, bytes.length)).isEqualTo(DecodeResult.OK);
        bytes[ReplyDescriptor.RECEIVED_OFFSET] = (byte) 0x80;
        assertThat(ReplyRecord.validate(new UnsafeBuffer(bytes), 0, bytes.length)).isEqualTo(DecodeResult.BAD_FIELD);
    }

    @Test
    void everyFieldOfARejectionTravels() {
        final RejectRecord read = RejectRecord.decode(new UnsafeBuffer(REJECT), 0);
        assertThat(read.code()).isEqualTo(RejectCode.STALE_EPOCH);
        assertThat(read.session()).isEqualTo(SESSION);
        assertThat(read.epoch()).isEqualTo(5);
        assertThat(read.applicationData()).containsExactly(8, 9);
        assertThat(read).isNotEqualTo(new RejectRecord(RejectCode.STALE_EPOCH, SESSION, 6, new byte[] {8, 9}));
        assertThat(read).hasSameHashCodeAs(new RejectRecord(RejectCode.STALE_EPOCH, SESSION, 5, new byte[] {8, 9}));
        assertThat(read.hashCode()).isNotZero();
    }

    @Test
    void everyFieldOfAReplyTravels() {
        final ReplyRecord read = ReplyRecord.decode(new UnsafeBuffer(REPLY), 0);
        assertThat(read.sender()).isEqualTo(SENDER);
        assertThat(read.instance()).isEqualTo(4);
        assertThat(read.reply()).isEqualTo(new RecoveryReply(SESSION, 3, 5, new ReceiverCounts(6, 7)));
        assertThat(read.applicationData()).containsExactly(8, 9);
        assertThat(read).isNotEqualTo(
                new ReplyRecord(SENDER, 5, read.reply(), List.of(), new byte[] {8, 9}));
    }

    @Test
    void membersOfAListKeepTheirIndexAndTheirAddressesWhereverTheListBegins() {
        final MemberAddress four = new MemberAddress(3, new byte[] {10, 1, 0, 2});
        final MemberAddress six = new MemberAddress(200, new byte[16]);
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[64]);
        assertThat(MemberListDescriptor.encode(buffer, 7, 64, List.of(four, six))).isEqualTo(2);
        final List<MemberAddress> read = MemberListDescriptor.decode(buffer, 7, 2);
        assertThat(read).extracting(MemberAddress::member).containsExactly(3, 200);
        assertThat(read.getFirst().address()).containsExactly(10, 1, 0, 2);
        assertThat(read.getLast().address()).hasSize(16);
    }
}
