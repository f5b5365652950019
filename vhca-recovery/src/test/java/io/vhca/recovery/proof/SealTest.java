package io.vhca.recovery.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.recovery.wire.ConnectHeader;
import io.vhca.recovery.wire.FailureReason;
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
import io.vhca.recovery.wire.SealedRecord;
import io.vhca.recovery.wire.SessionId;
import io.vhca.recovery.wire.SessionRecord;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which REQs and answers prove what they say, and which do not. */
class SealTest {
    private static final MemberId MEMBER = new MemberId(3, 2);
    private static final SessionId SESSION = new SessionId(0x1122_3344_5566_7788L, 0x99AA_BBCC_DDEE_FF00L);
    private static final Endpoints HERE = new Endpoints(InetAddress.ofLiteral("10.1.0.1"), InetAddress.ofLiteral(
            "10.1.0.2"));
    private static final Endpoints BACK = new Endpoints(HERE.asked(), HERE.asker());
    private static final Endpoints ELSEWHERE =
            new Endpoints(InetAddress.ofLiteral("10.1.0.9"), InetAddress.ofLiteral("10.1.0.2"));
    private static final Endpoints TO_ANOTHER =
            new Endpoints(InetAddress.ofLiteral("10.1.0.1"), InetAddress.ofLiteral("10.1.0.3"));

    private final SplittableRandom random = new SplittableRandom(5);
    private final AuthKey key = key();
    private final AuthKey other = key();

    private AuthKey key() {
        final byte[] secret = new byte[AuthKey.SIZE];
        random.nextBytes(secret);
        return new AuthKey(secret);
    }

    private static byte[] request(final RecordType type, final SessionId session, final int epoch) {
        final RecoveryRequest request = new RecoveryRequest(
                type, FailureReason.CM_DISCONNECTED, session, 0x10_0001, 0x10_0002, epoch, 77,
                new ReceiverCounts(5, 0));
        return type == RecordType.OOB
                ? new OutOfBandRecord(MEMBER, session.hi(), request).encode()
                : new SessionRecord(MEMBER, request).encode();
    }

    private Seal.Opened opened(final RecordType type, final byte[] data) {
        return Objects.requireNonNull(open(type, data, HERE));
    }

    private Seal.@Nullable Opened open(final RecordType type, final byte[] data, final Endpoints endpoints) {
        return type == RecordType.OOB
                ? Seal.openOutOfBand(key, data, endpoints)
                : Seal.open(key, data, SESSION, endpoints);
    }

    /** Every record that differs in one bit. */
    private static void eachBent(final byte[] data, final Predicate<byte[]> isRefused) {
        for (int bit = 0; bit < data.length * Byte.SIZE; bit++) {
            final byte[] bent = data.clone();
            bent[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
            if (SealedRecord.type(bent) != null) {
                assertThat(isRefused.test(bent)).as("bit %d", bit).isTrue();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"RECOVER", "CLOSE", "OOB"})
    void aRequestOfASessionIsReadAsItWasWrittenAndHasItsSize(final RecordType type) {
        final byte[] plain = request(type, SESSION, 9);
        final Seal.Question asked = Seal.ask(key, plain, HERE);
        assertThat(asked.data()).hasSize(PrefixDescriptor.MAX_REQ_SIZE);
        assertThat(SealedRecord.type(asked.data())).isEqualTo(type);
        final Seal.Opened opened = opened(type, asked.data());
        assertThat(opened.data()).isEqualTo(plain);
        assertThat(opened.seal().session()).isEqualTo(SESSION);
    }

    @ParameterizedTest
    @EnumSource(names = {"RECOVER", "CLOSE"})
    void itDoesNotTellTheSession(final RecordType type) {
        final byte[] data = Seal.ask(key, request(type, SESSION, 9), HERE).data();
        for (int i = 0; i + Long.BYTES <= data.length; i++) {
            final long window = ByteBuffer.wrap(data).getLong(i);
            assertThat(window).isNotEqualTo(SESSION.hi()).isNotEqualTo(SESSION.lo());
        }
        assertThat(SealedRecord.hint(data)).isEqualTo(SealedRecord.hint(SESSION));
    }

    @ParameterizedTest
    @EnumSource(names = {"RECOVER", "CLOSE", "OOB"})
    void noBitOfItMayBeAnother(final RecordType type) {
        eachBent(Seal.ask(key, request(type, SESSION, 9), HERE).data(), bent -> open(type, bent, HERE) == null);
    }

    @ParameterizedTest
    @EnumSource(names = {"RECOVER", "CLOSE", "OOB"})
    void itProvesNothingFromElsewhereNorToAnotherNorBackNorByAnotherKey(final RecordType type) {
        final byte[] data = Seal.ask(key, request(type, SESSION, 9), HERE).data();
        for (final Endpoints wrong : List.of(ELSEWHERE, TO_ANOTHER, BACK)) {
            assertThat(open(type, data, wrong)).isNull();
        }
        assertThat(Seal.open(other, data, SESSION, HERE)).isNull();
        assertThat(Seal.openOutOfBand(other, data, HERE)).isNull();
    }

    @Test
    void itProvesNothingOfAnotherSession() {
        final byte[] data = Seal.ask(key, request(RecordType.RECOVER, SESSION, 9), HERE).data();
        assertThat(Seal.open(key, data, new SessionId(SESSION.hi(), SESSION.lo() + 1), HERE)).isNull();
    }

    @Test
    void anEpochNorAnyOtherFieldMayBeTakenFromAnotherRequest() {
        final byte[] nine = Seal.ask(key, request(RecordType.RECOVER, SESSION, 9), HERE).data();
        final byte[] ten = Seal.ask(key, request(RecordType.RECOVER, SESSION, 10), HERE).data();
        final byte[] mixed = nine.clone();
        System.arraycopy(ten, 24, mixed, 24, 32);
        assertThat(open(RecordType.RECOVER, mixed, HERE)).isNull();
    }

    // ---- REQs that open a connection --------------------------------------------------------------------------------

    private static byte[] header(final RecordType type, final int applicationBytes) {
        final byte[] data = new byte[applicationBytes];
        Arrays.fill(data, (byte) 'x');
        return new ConnectHeader(type, new SessionId(4, 1), MEMBER, 0x10_0001).encode(data);
    }

    private static byte[] filledUp(final byte[] data, final int length) {
        return Arrays.copyOf(data, length);
    }

    @ParameterizedTest
    @EnumSource(names = {"FIRST", "CONTROL"})
    void aFirstRequestLeavesRoomForSixteenBytesOfTheApplications(final RecordType type) {
        for (int bytes = 0; bytes <= 16; bytes++) {
            final byte[] plain = header(type, bytes);
            final byte[] nonce = key.sign(AuthKey.Purpose.NONCE);
            final Seal.Question asked = Seal.first(key, plain, nonce, HERE);
            assertThat(asked.data().length).isLessThanOrEqualTo(PrefixDescriptor.MAX_REQ_SIZE);
            final Seal.Opened opened = Objects.requireNonNull(Seal.openFirst(key, asked.data(), nonce, HERE));
            assertThat(opened.data()).isEqualTo(plain);
            final Seal.Opened padded = Objects.requireNonNull(Seal.openFirst(
                    key, filledUp(asked.data(), PrefixDescriptor.MAX_REQ_SIZE), nonce, HERE));
            assertThat(padded.data()).startsWith(plain);
            assertThat(padded.seal().session())
                    .isEqualTo(opened.seal().session())
                    .isEqualTo(Objects.requireNonNull(asked.seal()).session());
        }
        assertThatThrownBy(() -> Seal.first(key, header(type, 17), null, HERE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at most 16 fit");
    }

    @Test
    void itProvesNothingWithAnotherNonceFromElsewhereOrByAnotherKey() {
        final byte[] nonce = key.sign(AuthKey.Purpose.NONCE);
        final byte[] data = Seal.first(key, header(RecordType.FIRST, 3), nonce, HERE).data();
        assertThat(Seal.openFirst(key, data, null, HERE)).isNull();
        assertThat(Seal.openFirst(key, data, key.sign(AuthKey.Purpose.NONCE, new byte[1]), HERE)).isNull();
        assertThat(Seal.openFirst(other, data, nonce, HERE)).isNull();
        for (final Endpoints wrong : List.of(ELSEWHERE, TO_ANOTHER, BACK)) {
            assertThat(Seal.openFirst(key, data, nonce, wrong)).isNull();
        }
        eachBent(data, bent -> Seal.openFirst(key, bent, nonce, HERE) == null);
    }

    @Test
    void theSessionIsOfTheKeyTheNameAndTheNonceAndNotToldByAny() {
        final byte[] nonce = key.sign(AuthKey.Purpose.NONCE);
        final Function<Seal.Question, SessionId> session = asked -> Objects.requireNonNull(asked.seal()).session();
        final byte[] plain = header(RecordType.FIRST, 0);
        final SessionId made = session.apply(Seal.first(key, plain, nonce, HERE));
        assertThat(made)
                .isNotEqualTo(new SessionId(4, 1))
                .isNotEqualTo(session.apply(Seal.first(key, plain, null, HERE)))
                .isNotEqualTo(session.apply(Seal.first(other, plain, nonce, HERE)))
                .isEqualTo(session.apply(Seal.first(key, plain, nonce, ELSEWHERE)));
    }

    // ---- answers ----------------------------------------------------------------------------------------------------

    private static byte[] reply() {
        return new ReplyRecord(
                        MEMBER, 77, new RecoveryReply(SESSION, 0x10_0002, 9, new ReceiverCounts(8, 0)), List.of(),
                        new byte[] {1, 2, 3})
                .encode();
    }

    private static byte[] reject() {
        return new RejectRecord(RejectCode.STALE_EPOCH, SESSION, 12).encode();
    }

    @Test
    void anAnswerIsReadAsItWasWrittenThoughItIsFilledUp() {
        final Seal.Question asked = Seal.ask(key, request(RecordType.RECOVER, SESSION, 9), HERE);
        final Seal.Opened opened = opened(RecordType.RECOVER, asked.data());
        final Seal seal = Objects.requireNonNull(asked.seal());
        for (final byte[] plain : List.of(reply(), reject())) {
            final byte[] answer = opened.seal().answer(plain);
            assertThat(answer).hasSameSizeAs(plain);
            assertThat(seal.open(answer)).isEqualTo(plain);
            assertThat(seal.open(filledUp(answer, answer.length + 29))).isEqualTo(plain);
            eachBent(answer, bent -> seal.open(bent) == null);
        }
    }

    @Test
    void itAnswersNoOtherRequest() {
        final Seal.Opened nine = opened(
                RecordType.RECOVER, Seal.ask(key, request(RecordType.RECOVER, SESSION, 9), HERE).data());
        final Seal ten = Objects.requireNonNull(
                Seal.ask(key, request(RecordType.RECOVER, SESSION, 10), HERE).seal());
        assertThat(ten.open(nine.seal().answer(reply()))).isNull();
        assertThat(ten.open(nine.seal().answer(reject()))).isNull();
    }

    @Test
    void anAnswerWithoutAProofOrOfAnotherKindIsNone() {
        final Seal seal = Objects.requireNonNull(
                Seal.ask(key, request(RecordType.RECOVER, SESSION, 9), HERE).seal());
        assertThat(seal.open(reply())).isNull();
        assertThat(seal.open(reject())).isNull();
        assertThat(seal.open(new byte[0])).isNull();
        assertThat(seal.open(request(RecordType.RECOVER, SESSION, 9))).isNull();
    }

    @Test
    void whoDoesNotHaveTheSessionCanSayThatAndNothingElse() {
        final Seal.Question asked = Seal.ask(key, request(RecordType.RECOVER, SESSION, 9), HERE);
        final Seal seal = Objects.requireNonNull(asked.seal());
        final byte[] unknown = new RejectRecord(RejectCode.UNKNOWN_SESSION, SessionId.NONE, 0).encode();
        final byte[] answer = Seal.ofStranger(key, asked.data(), HERE).answer(unknown);
        assertThat(Objects.requireNonNull(RejectRecord.read(Objects.requireNonNull(seal.open(answer)))).code())
                .isEqualTo(RejectCode.UNKNOWN_SESSION);
        assertThat(seal.open(Seal.ofStranger(key, asked.data(), HERE).answer(reply()))).isNull();
        assertThat(seal.open(Seal.ofStranger(other, asked.data(), HERE).answer(unknown))).isNull();
        assertThat(seal.open(Seal.ofStranger(key, asked.data(), TO_ANOTHER).answer(unknown)))
                .as("another bond of the same key, to which the request was led")
                .isNull();
        final byte[] bent = asked.data().clone();
        bent[4] ^= 1;
        assertThat(seal.open(Seal.ofStranger(key, bent, HERE).answer(unknown)))
                .as("a request that was bent on its way so that its session is not found")
                .isNull();
    }

    @Test
    void foreignBytesOfAnyLengthAreNoRecordWithAProof() {
        for (int round = 0; round < 2_000; round++) {
            final byte[] data = new byte[random.nextInt(60)];
            random.nextBytes(data);
            assertThat(SealedRecord.type(data)).isNull();
        }
        final byte[] data = Seal.ask(key, request(RecordType.RECOVER, SESSION, 9), HERE).data();
        for (int length = 0; length < data.length; length++) {
            assertThat(SealedRecord.type(Arrays.copyOf(data, length))).isNull();
        }
    }

    @Test
    void onlyRequestsThatDoSomethingNeedAProof() {
        for (final RecordType type : List.of(RecordType.RECOVER, RecordType.CLOSE, RecordType.OOB)) {
            assertThat(SealedRecord.needsProof(request(type, SESSION, 1))).isTrue();
        }
        assertThat(SealedRecord.needsProof(header(RecordType.FIRST, 0))).isTrue();
        assertThat(SealedRecord.needsProof(header(RecordType.CONTROL, 0))).isTrue();
        assertThat(SealedRecord.needsProof(header(RecordType.PROBE, 0))).isFalse();
        assertThat(SealedRecord.needsProof(new byte[3])).isFalse();
    }
}
