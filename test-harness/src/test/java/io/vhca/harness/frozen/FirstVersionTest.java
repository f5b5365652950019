package io.vhca.harness.frozen;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.harness.frozen.FirstVersion.Read;
import io.vhca.recovery.proof.AuthKey;
import io.vhca.recovery.proof.Endpoints;
import io.vhca.recovery.proof.Seal;
import io.vhca.recovery.wire.Agreement;
import io.vhca.recovery.wire.ConnectHeader;
import io.vhca.recovery.wire.DatagramRecord;
import io.vhca.recovery.wire.FailureReason;
import io.vhca.recovery.wire.MemberAddress;
import io.vhca.recovery.wire.MemberId;
import io.vhca.recovery.wire.OutOfBandRecord;
import io.vhca.recovery.wire.PrefixDescriptor;
import io.vhca.recovery.wire.ReceiverCounts;
import io.vhca.recovery.wire.RecordType;
import io.vhca.recovery.wire.RecoveryReply;
import io.vhca.recovery.wire.RecoveryRequest;
import io.vhca.recovery.wire.RejectCode;
import io.vhca.recovery.wire.RejectRecord;
import io.vhca.recovery.wire.ReplyRecord;
import io.vhca.recovery.wire.SessionId;
import io.vhca.recovery.wire.SessionRecord;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * This build and version 1, in both directions. The bytes are those that the product wrote when version 1 was frozen;
 * they do not change.
 */
class FirstVersionTest {
    private static final byte[] FIRST = HexFormat.of().parseHex(
            "5648010101020304050607081112131415161718212223246162");
    private static final byte[] RECOVER = HexFormat.of().parseHex(
            "5648010200000008010203040506070811121314151617182122232431323334fffffffefffffffd0000"
                    + "0000000000415152535455565758");
    private static final byte[] CLOSE = HexFormat.of().parseHex(
            "5648010300000008010203040506070811121314151617182122232431323334fffffffefffffffd0000"
                    + "0000000000410000000000000051");
    private static final byte[] OOB = HexFormat.of().parseHex(
            "5648010400000008010203040506070811121314151617182122232431323334fffffffefffffffd0000"
                    + "0000000000415152535455565758");
    private static final byte[] CONTROL = HexFormat.of().parseHex(
            "564801050102030405060708111213141516171821222324");
    private static final byte[] REPLY = HexFormat.of().parseHex(
            "564801060102030405060708111213141516171821222324515253545556575800000007000000000000"
                    + "004100000000000000420000020201040a0100020206fd00000000000000000000000000000200000000"
                    + "00000000000000000000000000000000000000000000000000000000000000006162");
    private static final byte[] REJECT = HexFormat.of().parseHex(
            "564801070009020001020304050607081112131415161718000000076162");
    private static final byte[] PROBE = HexFormat.of().parseHex(
            "564801080102030405060708111213141516171821222324");
    private static final byte[] DATAGRAM = HexFormat.of().parseHex(
            "56480109515253545556575821222324014142430131323301040a010002000000000000000000000000"
                    + "0000000000000000000000000000");
    private static final byte[] SEALED_FIRST = HexFormat.of().parseHex(
            "5648018101020304050607081112131415161718212223247ff539ce2b17126f9ae4441d79ca01856162");
    private static final byte[] SEALED_REJECT = HexFormat.of().parseHex(
            "5648018700101000f3dc5e50ed144a5e9fc03747cd720400000000000000000000000000000000000000"
                    + "0000");
    private static final byte[] SEALED_RECOVER = HexFormat.of().parseHex(
            "56480182e51000084888c68cca4dbf0436dc42aef43909cf2122232431323334fffffffefffffffd0000"
                    + "0000000000410000000000000051");
    private static final byte[] SEALED_REPLY = HexFormat.of().parseHex(
            "564801866217fe3b74fc82b95b16ee0f762a435a21222324515253545556575800000007000000000000"
                    + "004100000000000000420000000000000000000000000000000000000000000000000000000000000000"
                    + "0000000000000000000000000000000000000000000000000000000000000000");
    private static final byte[] SEALED_OOB = HexFormat.of().parseHex(
            "5648018400000008163dea80ae50b4aa11121314151617182122232431323334fffffffefffffffd0000"
                    + "0000000000410102030405060708");

    private static final SessionId SESSION = new SessionId(0x0102030405060708L, 0x1112131415161718L);
    private static final MemberId SENDER = new MemberId(1, 2);
    private static final int VQPN = 0x222324;
    private static final long WORD = 0x5152535455565758L;
    private static final byte[] APPLICATION = {0x61, 0x62};
    private static final List<MemberAddress> MEMBERS = List.of(
            new MemberAddress(1, new byte[] {10, 1, 0, 2}),
            new MemberAddress(2, InetAddress.ofLiteral("fd00::2").getAddress()));
    private static final AuthKey KEY = new AuthKey(new byte[32]);
    private static final Endpoints HERE =
            new Endpoints(InetAddress.ofLiteral("10.1.0.1"), InetAddress.ofLiteral("10.1.0.2"));

    private static RecoveryRequest request(final RecordType type, final long ledger) {
        return new RecoveryRequest(
                type, FailureReason.PEER_REQUEST, SESSION, VQPN, 0x31323334, -2, 0xFFFF_FFFDL,
                new ReceiverCounts(0x41, ledger));
    }

    private static ReplyRecord reply(final List<MemberAddress> members, final byte[] application) {
        return new ReplyRecord(
                SENDER, WORD, new RecoveryReply(SESSION, VQPN, 7, new ReceiverCounts(0x41, 0x42)), members,
                application);
    }

    private static byte[] connect(final RecordType type, final byte[] application) {
        return new ConnectHeader(type, SESSION, SENDER, VQPN).encode(application);
    }

    /** A record as it was frozen, and as this build writes it in its own version. */
    private record Pair(String name, byte[] frozen, byte[] ours) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static Stream<Pair> records() {
        final DatagramRecord datagram = new DatagramRecord(
                WORD, SENDER, VQPN, 0x414243, DatagramRecord.CALL, 0x313233, MEMBERS.subList(0, 1));
        return Stream.of(
                new Pair("FIRST", FIRST, connect(RecordType.FIRST, APPLICATION)),
                new Pair("RECOVER", RECOVER, new SessionRecord(SENDER, request(RecordType.RECOVER, WORD)).encode()),
                new Pair("CLOSE", CLOSE, new SessionRecord(SENDER, request(RecordType.CLOSE, 0x51)).encode()),
                new Pair("OOB", OOB, new OutOfBandRecord(SENDER, WORD, request(RecordType.OOB, 0)).encode()),
                new Pair("CONTROL", CONTROL, connect(RecordType.CONTROL, new byte[0])),
                new Pair("REPLY", REPLY, reply(MEMBERS, APPLICATION).encode()),
                new Pair("REJECT", REJECT,
                        new RejectRecord(RejectCode.APPLICATION, SESSION, 7, APPLICATION).encode()),
                new Pair("PROBE", PROBE, connect(RecordType.PROBE, new byte[0])),
                new Pair("DATAGRAM", DATAGRAM, datagram.encodeRequest()));
    }

    @ParameterizedTest
    @MethodSource("records")
    void theFrozenCodecReadsAndWritesWhatWasFrozen(final Pair pair) {
        assertThat(FirstVersion.write(Objects.requireNonNull(FirstVersion.read(pair.frozen)))).isEqualTo(pair.frozen);
        assertThat(FirstVersion.faultOf(pair.frozen)).isNull();
    }

    @ParameterizedTest
    @MethodSource("records")
    void inVersionOneThisBuildWritesThoseBytes(final Pair pair) {
        assertThat(Agreement.write(pair.ours.clone(), 1)).isEqualTo(pair.frozen);
    }

    @ParameterizedTest
    @MethodSource("records")
    void whatThisBuildWritesInItsOwnVersionIsToTheFrozenCodecTheSame(final Pair pair) {
        final byte[] ours = Agreement.write(pair.ours.clone(), PrefixDescriptor.VERSION);
        assertThat(FirstVersion.version(ours)).isEqualTo(PrefixDescriptor.VERSION).isGreaterThan(1);
        final Read read = Objects.requireNonNull(FirstVersion.read(ours));
        assertThat(FirstVersion.write(read)).isEqualTo(pair.frozen);
        assertThat(FirstVersion.faultOf(ours)).as("it is none of version 1 all the same").isNotNull();
    }

    @Test
    void thisBuildReadsWhatWasFrozen() {
        final UnsafeBuffer reply = new UnsafeBuffer(REPLY);
        assertThat(ReplyRecord.decode(reply, 0)).isEqualTo(reply(MEMBERS, APPLICATION));
        assertThat(Agreement.answered(PrefixDescriptor.VERSION, REPLY)).isEqualTo(Agreement.LEAST);
        assertThat(Agreement.asked(PrefixDescriptor.VERSION, FIRST)).isEqualTo(Agreement.LEAST);
        assertThat(ConnectHeader.decode(new UnsafeBuffer(FIRST), 0))
                .isEqualTo(new ConnectHeader(RecordType.FIRST, SESSION, SENDER, VQPN));
        assertThat(SessionRecord.decode(new UnsafeBuffer(RECOVER), 0))
                .isEqualTo(new SessionRecord(SENDER, request(RecordType.RECOVER, WORD)));
        assertThat(OutOfBandRecord.decode(new UnsafeBuffer(OOB), 0))
                .isEqualTo(new OutOfBandRecord(SENDER, WORD, request(RecordType.OOB, 0)));
        assertThat(RejectRecord.read(REJECT))
                .isEqualTo(new RejectRecord(RejectCode.APPLICATION, SESSION, 7, APPLICATION));
        assertThat(DatagramRecord.decode(new UnsafeBuffer(DATAGRAM), 0).physicalQpNum()).isEqualTo(0x414243);
    }

    @Test
    void theFieldsAreWhereTheyWereFrozen() {
        final Read read = Objects.requireNonNull(FirstVersion.read(RECOVER));
        assertThat(read.field("reason")).isEqualTo(FailureReason.PEER_REQUEST.code());
        assertThat(read.field("hi")).isEqualTo(SESSION.hi());
        assertThat(read.field("lo")).isEqualTo(SESSION.lo());
        assertThat(read.field("sender")).isEqualTo(0x21222324);
        assertThat(read.field("target")).isEqualTo(0x31323334);
        assertThat(read.field("epoch")).isEqualTo(0xFFFF_FFFEL);
        assertThat(read.field("answer")).isEqualTo(0xFFFF_FFFDL);
        assertThat(read.field("received")).isEqualTo(0x41);
        assertThat(read.field("ledger")).isEqualTo(WORD);
    }

    @Test
    void theFrozenCodecReadsTheKnownPartOfWhatIsYetToCome() {
        final byte[] longer = Arrays.copyOf(REPLY, 196);
        longer[2] = 9;
        longer[52] = 77;
        longer[150] = 77;
        assertThat(FirstVersion.write(Objects.requireNonNull(FirstVersion.read(longer)))).isEqualTo(REPLY);
        longer[3] = 99;
        assertThat(FirstVersion.read(longer)).isNull();
        assertThat(FirstVersion.read(new byte[56])).isNull();
        assertThat(FirstVersion.read(Arrays.copyOf(RECOVER, 55))).isNull();
        final byte[] cut = Arrays.copyOf(REPLY, 117);
        assertThat(FirstVersion.read(cut)).as("its application data is missing").isNull();
    }

    // ---- with a key -------------------------------------------------------------------------------------------------

    @Test
    void inVersionOneThisBuildSignsThoseBytes() {
        final Seal.Question first =
                Seal.first(KEY, Agreement.write(connect(RecordType.FIRST, APPLICATION), 1), null, HERE);
        assertThat(first.data()).isEqualTo(SEALED_FIRST);
        final Seal sealOfFirst = Objects.requireNonNull(first.seal());
        assertThat(sealOfFirst.answer(Agreement.write(
                        new RejectRecord(RejectCode.CHALLENGE, SessionId.NONE, 0, new byte[16]).encode(), 1)))
                .isEqualTo(SEALED_REJECT);
        final Seal.Question recover = Seal.ask(
                KEY, Agreement.write(new SessionRecord(SENDER, request(RecordType.RECOVER, 0x51)).encode(), 1), HERE);
        assertThat(recover.data()).isEqualTo(SEALED_RECOVER);
        assertThat(Objects.requireNonNull(recover.seal())
                        .answer(Agreement.write(reply(List.of(), new byte[0]).encode(), 1)))
                .isEqualTo(SEALED_REPLY);
        final byte[] outOfBand =
                new OutOfBandRecord(SENDER, SESSION.hi(), request(RecordType.OOB, 0)).encode();
        assertThat(Seal.ask(KEY, Agreement.write(outOfBand, 1), HERE).data()).isEqualTo(SEALED_OOB);
        for (final byte[] sealed : List.of(SEALED_FIRST, SEALED_REJECT, SEALED_RECOVER, SEALED_REPLY, SEALED_OOB)) {
            assertThat(FirstVersion.faultOf(sealed)).isNull();
        }
    }

    @Test
    void thisBuildOpensWhatWasSignedThen() {
        assertThat(Objects.requireNonNull(Seal.openFirst(KEY, SEALED_FIRST, null, HERE)).data()).isEqualTo(FIRST);
        assertThat(Objects.requireNonNull(Seal.open(KEY, SEALED_RECOVER, SESSION, HERE)).data())
                .isEqualTo(Agreement.write(new SessionRecord(SENDER, request(RecordType.RECOVER, 0x51)).encode(), 1));
        assertThat(Seal.openOutOfBand(KEY, SEALED_OOB, HERE)).isNotNull();
        final Seal asked = Objects.requireNonNull(Seal.ask(
                KEY, Agreement.write(new SessionRecord(SENDER, request(RecordType.RECOVER, 0x51)).encode(), 1), HERE)
                .seal());
        final byte[] answer = Objects.requireNonNull(asked.open(Arrays.copyOf(SEALED_REPLY, 196)));
        assertThat(ReplyRecord.decode(new UnsafeBuffer(answer), 0)).isEqualTo(reply(List.of(), new byte[0]));
    }
}
