package io.vhca.recovery.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class WireRecordsTest {
    private static final MemberId SENDER = new MemberId(1, 2);
    private static final SessionId SESSION = new SessionId(0x0102030405060708L, 0x1112131415161718L);

    private interface Validator {
        DecodeResult validate(DirectBuffer buffer, int offset, int length);
    }

    private static DecodeResult judge(final Validator validator, final byte[] bytes) {
        return validator.validate(new UnsafeBuffer(bytes), 0, bytes.length);
    }

    private static RecoveryRequest request(final RecordType type, final long ledger) {
        return new RecoveryRequest(type, FailureReason.PEER_REQUEST, SESSION, 0x222324, 0x31323334, -2, 0xFFFF_FFFDL,
                new ReceiverCounts(0x41, ledger));
    }

    @Test
    void sessionRecordIsExactlyTheseBytes() {
        final SessionRecord written = new SessionRecord(SENDER, request(RecordType.RECOVER, 0x51525354_55565758L));
        final byte[] bytes = written.encode();
        assertThat(HexFormat.of().formatHex(bytes)).isEqualTo("5648020200000008" + "0102030405060708"
                + "1112131415161718"
                + "21222324" + "31323334" + "fffffffe" + "fffffffd" + "0000000000000041" + "5152535455565758");
        assertThat(judge(SessionRecord::validate, bytes)).isEqualTo(DecodeResult.OK);
        assertThat(SessionRecord.decode(new UnsafeBuffer(bytes), 0)).isEqualTo(written);
        assertThatThrownBy(() -> request(RecordType.FIRST, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new SessionRecord(SENDER, request(RecordType.OOB, 0)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void outOfBandRecordNamesTheBondWhereASessionRecordHasTheLedger() {
        final OutOfBandRecord written =
                new OutOfBandRecord(SENDER, 0x51525354_55565758L, request(RecordType.OOB, 0));
        final byte[] bytes = written.encode();
        assertThat(HexFormat.of().formatHex(bytes)).isEqualTo("5648020400000008" + "0102030405060708"
                + "1112131415161718"
                + "21222324" + "31323334" + "fffffffe" + "fffffffd" + "0000000000000041" + "5152535455565758");
        assertThat(judge(OutOfBandRecord::validate, bytes)).isEqualTo(DecodeResult.OK);
        assertThat(judge(SessionRecord::validate, bytes)).isEqualTo(DecodeResult.BAD_TYPE);
        assertThat(OutOfBandRecord.decode(new UnsafeBuffer(bytes), 0)).isEqualTo(written);
        final byte[] marked = new OutOfBandRecord(SENDER, 0, request(RecordType.OOB, 7)).encode();
        assertThat(OutOfBandRecord.decode(new UnsafeBuffer(marked), 0).request().counts().ledger()).isZero();
        assertThatThrownBy(() -> new OutOfBandRecord(SENDER, 1, request(RecordType.RECOVER, 0)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(judge(OutOfBandRecord::validate, change(bytes, RequestDescriptor.RECEIVED_OFFSET, 0x80)))
                .isEqualTo(DecodeResult.BAD_FIELD);
        for (int length = 4; length < bytes.length; length++) {
            assertThat(judge(OutOfBandRecord::validate, Arrays.copyOf(bytes, length)))
                    .isEqualTo(DecodeResult.BAD_LENGTH);
        }
    }

    @Test
    void theFieldsOfASenderComeBackAtTheirEnds() {
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[SenderDescriptor.SIZE]);
        for (final int qpNum : new int[] {0, 1, (1 << 24) - 1}) {
            for (final int member : new int[] {0, 1, MemberId.MAX_MEMBERS - 1}) {
                for (final int generation : new int[] {0, 1, 7, 8, 15}) {
                    final MemberId id = new MemberId(member, generation);
                    SenderDescriptor.encode(buffer, 0, id, qpNum);
                    assertThat(SenderDescriptor.member(buffer, 0)).isEqualTo(id);
                    assertThat(SenderDescriptor.qpNum(buffer, 0)).isEqualTo(qpNum);
                }
            }
        }
        for (final int wrong : new int[] {-1, 16}) {
            assertThatThrownBy(() -> new MemberId(wrong, 0)).hasMessageContaining("member " + wrong);
            assertThatThrownBy(() -> new MemberId(0, wrong)).hasMessageContaining("generation " + wrong);
        }
        assertThat(MemberId.generation(15)).isEqualTo(15);
        assertThat(MemberId.generation(16)).isZero();
        assertThatThrownBy(() -> SenderDescriptor.encode(buffer, 0, SENDER, 1 << 24))
                .isInstanceOf(AssertionError.class);
    }

    @Test
    void connectHeaderLeavesTheApplicationThirtyTwoBytes() {
        final ConnectHeader header = new ConnectHeader(RecordType.FIRST, SESSION, SENDER, 0x77);
        final byte[] data = new byte[32];
        Arrays.fill(data, (byte) 0x5A);
        final byte[] bytes = header.encode(data);
        assertThat(bytes).hasSize(56).endsWith(data);
        assertThat(judge(ConnectHeader::validate, bytes)).isEqualTo(DecodeResult.OK);
        assertThat(ConnectHeader.decode(new UnsafeBuffer(bytes), 0)).isEqualTo(header);
        assertThatThrownBy(() -> header.encode(new byte[33])).hasMessageContaining("33").hasMessageContaining("32");
        assertThatThrownBy(() -> new ConnectHeader(RecordType.RECOVER, SESSION, SENDER,
                1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void replyRecordCarriesMembersUpToItsAreaAndEightyBytes() {
        final List<MemberAddress> members = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            members.add(new MemberAddress(i, new byte[] {10, 0, 0, (byte) i}));
        }
        final byte[] data = new byte[80];
        Arrays.fill(data, (byte) 7);
        final RecoveryReply reply = new RecoveryReply(SESSION, 3, 5, new ReceiverCounts(6, 7));
        final ReplyRecord full = new ReplyRecord(SENDER, 4, reply, members, data);
        final byte[] bytes = full.encode();
        assertThat(bytes).hasSize(196);
        assertThat(judge(ReplyRecord::validate, bytes)).isEqualTo(DecodeResult.OK);
        final ReplyRecord read = ReplyRecord.decode(new UnsafeBuffer(bytes), 0);
        assertThat(read.members()).isEqualTo(members.subList(0, 10));
        assertThat(read.applicationData()).isEqualTo(data);
        assertThat(read.sender()).isEqualTo(SENDER);
        assertThat(read.instance()).isEqualTo(4);
        assertThat(read.reply()).isEqualTo(reply);
        assertThatThrownBy(() -> new ReplyRecord(SENDER, 4, reply, members, new byte[81])).hasMessageContaining("81");

        final MemberAddress six = new MemberAddress(200, new byte[16]);
        final ReplyRecord mixed = new ReplyRecord(SENDER, 4, reply, List.of(six, members.get(1)), new byte[0]);
        final byte[] padded = Arrays.copyOf(mixed.encode(), 196); // as rdma_cm delivers it
        assertThat(judge(ReplyRecord::validate, padded)).isEqualTo(DecodeResult.OK);
        assertThat(ReplyRecord.decode(new UnsafeBuffer(padded), 0)).isEqualTo(mixed);
    }

    @Test
    void rejectRecordRoundTripsForEveryCode() {
        for (final RejectCode code : EnumSet.complementOf(EnumSet.of(RejectCode.UNKNOWN))) {
            final RejectRecord written = new RejectRecord(code, SESSION, 9, new byte[] {1, 2, 3});
            final byte[] padded = Arrays.copyOf(written.encode(), 148);
            assertThat(judge(RejectRecord::validate, padded)).isEqualTo(DecodeResult.OK);
            assertThat(RejectRecord.read(padded)).isEqualTo(written);
        }
        assertThat(RejectRecord.read(new byte[0])).isNull();
        assertThat(RejectRecord.read(new byte[148])).isNull();
        assertThat(new RejectRecord(RejectCode.FAILED, SESSION, 1, new byte[120]).encode()).hasSize(148);
        assertThatThrownBy(() -> new RejectRecord(RejectCode.FAILED, SESSION, 1,
                new byte[121])).hasMessageContaining("121");
    }

    @Test
    void wrongBytesAreToldApart() {
        final byte[] good = new SessionRecord(SENDER, request(RecordType.CLOSE, 5)).encode();
        assertThat(judge(SessionRecord::validate, change(good, 0, 0))).isEqualTo(DecodeResult.NOT_VHCA);
        assertThat(judge(SessionRecord::validate, change(good, 2, 0))).isEqualTo(DecodeResult.BAD_VERSION);
        assertThat(judge(SessionRecord::validate, change(good, 3, 99))).isEqualTo(DecodeResult.BAD_TYPE);
        assertThat(judge(SessionRecord::validate, change(good, 3,
                RecordType.FIRST.code()))).isEqualTo(DecodeResult.BAD_TYPE);
        assertThat(judge(SessionRecord::validate, change(good, RequestDescriptor.RECEIVED_OFFSET,
                0x80))).isEqualTo(DecodeResult.BAD_FIELD);
        for (int length = 0; length < good.length; length++) {
            assertThat(judge(SessionRecord::validate, Arrays.copyOf(good, length)))
                    .isEqualTo(length < 2 ? DecodeResult.NOT_VHCA : DecodeResult.BAD_LENGTH);
        }
        assertThat(SessionRecord.validate(new UnsafeBuffer(good), 0, 57)).isEqualTo(DecodeResult.BAD_LENGTH);
        final byte[] reject = new RejectRecord(RejectCode.CLOSED, SESSION, 1).encode();
        assertThat(judge(RejectRecord::validate, change(reject, RejectDescriptor.CODE_OFFSET + 1,
                99))).isEqualTo(DecodeResult.BAD_FIELD);
        assertThat(judge(RejectRecord::validate, change(reject, RejectDescriptor.APP_LENGTH_OFFSET,
                1))).isEqualTo(DecodeResult.BAD_LENGTH);
    }

    /** What a REQ has room for: one IPv6 address, or five of IPv4; one of IPv6 fits behind two of them alone. */
    @Test
    void datagramRecordMayLeaveOutMembersThatItHasNoRoomFor() {
        final List<MemberAddress> members = new ArrayList<>();
        for (int count = 0; count <= 5; count++) {
            assertThat(new DatagramRecord(1, null, 2, 0, 0, 0, members).mayLeaveOut()).isEqualTo(count >= 3);
            members.add(new MemberAddress(count, new byte[] {10, 0, 0, (byte) count}));
        }
        final MemberAddress six = new MemberAddress(0, new byte[16]);
        assertThat(new DatagramRecord(1, null, 2, 0, 0, 0, List.of(six)).mayLeaveOut()).isTrue();
    }

    private static MemberAddress member(final int index, final int addressBytes) {
        final byte[] address = new byte[addressBytes];
        address[0] = (byte) (index + 1);
        return new MemberAddress(index, address);
    }

    /** Whatever the families: a list that names not all says that it may not. */
    @Test
    void aRecordThatLeavesMembersOutSaysThatItMay() {
        final RecoveryReply counted = new RecoveryReply(SESSION, 6, 1, new ReceiverCounts(30, 31));
        for (int four = 0; four <= 16; four++) {
            for (int six = 0; six <= 16 - four; six++) {
                final List<MemberAddress> members = new ArrayList<>();
                for (int i = 0; i < four + six; i++) {
                    members.add(member(i, i < four ? 4 : 16));
                }
                final String what = four + " of IPv4, " + six + " of IPv6";
                final DatagramRecord datagram = new DatagramRecord(1, SENDER, 2, 3, 0, 0, members);
                final DatagramRecord asked = DatagramRecord.decode(new UnsafeBuffer(datagram.encodeRequest()), 0);
                assertThat(asked.members().containsAll(members) || asked.mayLeaveOut()).as(what).isTrue();
                final DatagramRecord answered = DatagramRecord.decode(new UnsafeBuffer(datagram.encodeAnswer()), 0);
                assertThat(answered.members().containsAll(members) || answered.answerMayLeaveOut()).as(what).isTrue();
                assertThat(answered.answerMayLeaveOut() && four + six <= 5).as(what).isFalse();
                final ReplyRecord reply = ReplyRecord.decode(
                        new UnsafeBuffer(new ReplyRecord(SENDER, 4, counted, members, new byte[0]).encode()), 0);
                assertThat(reply.members().containsAll(members) || ReplyRecord.mayLeaveOut(reply.members()))
                        .as(what)
                        .isTrue();
            }
        }
    }

    @Test
    void datagramRecordTellsWhereAQueuePairLives() {
        final List<MemberAddress> members = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            members.add(new MemberAddress(i, new byte[] {10, 0, 0, (byte) i}));
        }
        final DatagramRecord written = new DatagramRecord(
                0x0102030405060708L, SENDER, 0x222324, 0x313233, DatagramRecord.CALL, 0x414243, members);
        final byte[] request = written.encodeRequest();
        assertThat(HexFormat.of().formatHex(request)).startsWith(
                "56480209" + "0102030405060708" + "21222324" + "01313233" + "05414243"
                        + "00040a000000" + "01040a000001");
        assertThat(request).hasSize(56);
        final byte[] answer = written.encodeAnswer();
        assertThat(answer).hasSize(148);
        for (final byte[] bytes : List.of(request, answer)) {
            assertThat(judge(DatagramRecord::validate, bytes)).isEqualTo(DecodeResult.OK);
            final DatagramRecord read = DatagramRecord.decode(new UnsafeBuffer(bytes), 0);
            assertThat(read).isEqualTo(new DatagramRecord(
                    written.instance(), SENDER, written.vQpNum(), written.physicalQpNum(), DatagramRecord.CALL,
                    written.targetQpNum(), members.subList(0, bytes == request ? 5 : 20)));
        }
        final DatagramRecord nowhere = new DatagramRecord(1, null, 2, 0, 0, 0, List.of());
        assertThat(DatagramRecord.decode(new UnsafeBuffer(nowhere.encodeAnswer()), 0)).isEqualTo(nowhere);
        assertThatThrownBy(() -> new DatagramRecord(1, null, 2, 3, 0, 0, List.of())).hasMessageContaining("pQPN 3");
        assertThatThrownBy(() -> new DatagramRecord(1, SENDER, 2, 0, 0, 0, List.of())).hasMessageContaining("pQPN 0");
        assertThat(nowhere.encodeBefore(new byte[] {7})).hasSize(DatagramRecord.SIZE + 1).endsWith(7);
        assertThat(DatagramRecord.validate(new UnsafeBuffer(request), 0, 30)).isEqualTo(DecodeResult.BAD_LENGTH);
        assertThat(judge(DatagramRecord::validate, change(request, DatagramRecord.SIZE + 1, 5)))
                .isEqualTo(DecodeResult.BAD_FIELD);
    }

    private static byte[] change(final byte[] bytes, final int offset, final int value) {
        final byte[] changed = bytes.clone();
        changed[offset] = (byte) value;
        return changed;
    }

    @Test
    void noForeignBytesMakeAnyValidatorOrDecoderThrow() {
        final Random random = new Random(0x5648);
        int decoded = 0;
        for (int i = 0; i < 200_000; i++) {
            final byte[] bytes = new byte[random.nextInt(220)];
            random.nextBytes(bytes);
            if (bytes.length >= 4 && random.nextInt(10) != 0) {
                bytes[0] = 0x56;
                bytes[1] = 0x48;
                bytes[2] = 1;
                bytes[3] = (byte) (1 + random.nextInt(9));
            }
            if (bytes.length > 57) {
                bytes[54] = (byte) random.nextInt(5);
                bytes[55] = (byte) random.nextInt(90);
                bytes[57] = (byte) (random.nextBoolean() ? 4 : 6);
            }
            decoded += decodeAll(bytes);
        }
        assertThat(decoded).as("records that were valid by chance").isGreaterThan(1_000);
    }

    private static int decodeAll(final byte[] bytes) {
        final UnsafeBuffer buffer = new UnsafeBuffer(bytes);
        int decoded = 0;
        if (judge(ConnectHeader::validate, bytes) == DecodeResult.OK) {
            ConnectHeader.decode(buffer, 0);
            decoded++;
        }
        if (judge(SessionRecord::validate, bytes) == DecodeResult.OK) {
            SessionRecord.decode(buffer, 0);
            decoded++;
        }
        if (judge(OutOfBandRecord::validate, bytes) == DecodeResult.OK) {
            OutOfBandRecord.decode(buffer, 0);
            decoded++;
        }
        if (judge(ReplyRecord::validate, bytes) == DecodeResult.OK) {
            ReplyRecord.decode(buffer, 0);
            decoded++;
        }
        if (judge(DatagramRecord::validate, bytes) == DecodeResult.OK) {
            DatagramRecord.decode(buffer, 0);
            decoded++;
        }
        if (judge(RejectRecord::validate, bytes) == DecodeResult.OK) {
            RejectRecord.decode(buffer, 0);
            decoded++;
        }
        return decoded;
    }
}
