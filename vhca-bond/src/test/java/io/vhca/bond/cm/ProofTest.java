package io.vhca.bond.cm;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.config.AuthKeyFile;
import io.vhca.bond.config.BondConfig;
import io.vhca.bond.config.BondOption;
import io.vhca.bond.config.ServiceMode.Standby;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.fake.AppEnd;
import io.vhca.bond.fake.FakeFabric;
import io.vhca.bond.fake.FakeFabric.CmMessage;
import io.vhca.bond.fake.FakeQp;
import io.vhca.bond.fake.HandBond;
import io.vhca.bond.fake.RawPeer;
import io.vhca.bond.fake.Records;
import io.vhca.bond.fake.TwoBonds;
import io.vhca.recovery.RecoveryState;
import io.vhca.recovery.proof.AuthKey;
import io.vhca.recovery.proof.Endpoints;
import io.vhca.recovery.proof.Seal;
import io.vhca.recovery.wire.RecordType;
import io.vhca.recovery.wire.RejectCode;
import io.vhca.recovery.wire.RejectRecord;
import io.vhca.recovery.wire.SealedRecord;
import io.vhca.recovery.wire.SessionId;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Two bonds that have a key in common, and what those can do that have none, or have heard everything. */
class ProofTest {
    private static final int LISTEN_PORT = 7_471;
    private final SplittableRandom random = new SplittableRandom(11);
    private final List<AutoCloseable> opened = new ArrayList<>();

    @TempDir
    private Path directory;

    private Path key = Path.of("");

    @BeforeEach
    void create() throws FileSystemException {
        key = directory.resolve("key");
        AuthKeyFile.create(key, random);
    }

    @AfterEach
    void close() throws Exception {
        for (final AutoCloseable one : opened.reversed()) {
            one.close();
        }
    }

    private static UnaryOperator<BondConfig.Builder> with(final Path file) {
        return config -> config.set(BondOption.AUTH_KEY_FILE, Optional.of(file.toString()));
    }

    private <T extends AutoCloseable> T closing(final T object) {
        opened.add(object);
        return object;
    }

    private TwoBonds keyed() {
        return closing(new TwoBonds(with(key)));
    }

    private TwoBonds warm() {
        return closing(new TwoBonds(options -> with(key).apply(options).set(BondOption.STANDBY, Standby.WARM)));
    }

    @Test
    void aRecoveryOverWhatStandsByProvesWhatItSays() {
        final TwoBonds bonds = warm();
        final TwoBonds.Connection pair = bonds.connect();
        bonds.advance(1_000 * TwoBonds.MS);
        fail(bonds, 0);
        assertCarries(bonds, pair, 1);
        assertThat(bonds.a.count(Counter.STANDBY_TAKEN)).isPositive();
        assertThat(bonds.b.count(Counter.STANDBY_TAKEN)).isPositive();
        assertThat(bonds.b.count(Counter.REQ_BAD_PROOF)).isZero();
    }

    private static void assertCarries(final TwoBonds bonds, final TwoBonds.Connection pair, final long wrId) {
        pair.passive().receives(1);
        pair.active().send(wrId, "one");
        bonds.settle();
        assertThat(bonds.polled(pair.active())).containsExactly(wrId + " SUCCESS");
        bonds.polled(pair.passive());
    }

    private static void fail(final TwoBonds bonds, final int member) {
        bonds.a.device(member).port(false);
        bonds.advance(1_000 * MS);
        bonds.a.device(member).port(true);
        bonds.advance(100 * MS);
    }

    private static long refusals(final HandBond bond) {
        return bond.count(Counter.REQ_NO_PROOF) + bond.count(Counter.REQ_BAD_PROOF) + bond.count(Counter.REQ_NO_KEY)
                + bond.count(Counter.REQ_REPLAYED) + bond.count(Counter.ANSWER_BAD_PROOF)
                + bond.count(Counter.CONTROL_BAD_PROOF) + bond.count(Counter.KEY_REFUSED)
                + bond.count(Counter.REQ_UNKNOWN_SESSION) + bond.count(Counter.REQ_FORGED);
    }

    // ---- who has the key --------------------------------------------------------------------------------------------

    @Test
    void theyConnectRecoverAndCloseAsWithoutOne() {
        final TwoBonds bonds = keyed();
        final TwoBonds.Connection pair = bonds.connect();
        assertCarries(bonds, pair, 1);
        fail(bonds, 0);
        assertCarries(bonds, pair, 2);
        fail(bonds, 1);
        assertCarries(bonds, pair, 3);
        assertThat(bonds.a.count(Counter.RECOVERED)).isPositive();
        pair.passive().write(4, "two", pair.active().into(0), pair.active().region().rkey());
        bonds.settle();
        assertThat(bonds.polled(pair.passive())).as("keys are told over the bonds' own link").contains("4 SUCCESS");
        pair.active().id().disconnect();
        bonds.settle();
        assertThat(pair.passive().cmEvents()).contains(CmEventType.DISCONNECTED);
        assertThat(refusals(bonds.a) + refusals(bonds.b)).isZero();
    }

    @Test
    void aBondIsToldANonceOnceAndNotForEachConnection() {
        final TwoBonds bonds = keyed();
        bonds.connect();
        final long told = bonds.b.count(Counter.REQ_CHALLENGED);
        assertThat(told).as("once at the application's port, once at the bond's own").isEqualTo(2);
        final int before = bonds.fabric.heard().size();
        bonds.connect();
        bonds.connect();
        assertThat(bonds.b.count(Counter.REQ_CHALLENGED)).isEqualTo(told);
        assertThat(bonds.fabric.heard().subList(before, bonds.fabric.heard().size()))
                .extracting(FakeFabric.Heard::kind)
                .containsExactly(CmMessage.REQ, CmMessage.REP, CmMessage.REQ, CmMessage.REP);
    }

    @Test
    void nothingOnTheWireTellsASession() {
        final TwoBonds bonds = keyed();
        final TwoBonds.Connection pair = bonds.connect();
        final List<byte[]> all = new ArrayList<>(controlMessages(bonds.b));
        all.addAll(controlMessages(bonds.a));
        assertThat(all).as("what their members are, and whose the session is").hasSizeGreaterThanOrEqualTo(3);
        fail(bonds, 0);
        pair.active().write(1, "one", pair.passive().into(0), pair.passive().region().rkey());
        bonds.settle();
        final SessionId session = pair.active().recovery().identity().session();
        assertThat(session).isEqualTo(pair.passive().recovery().identity().session());
        bonds.fabric.heard().forEach(one -> all.add(one.data()));
        all.addAll(controlMessages(bonds.b));
        all.addAll(controlMessages(bonds.a));
        assertThat(all).hasSizeGreaterThan(10);
        for (final byte[] data : all) {
            for (int i = 0; i + Long.BYTES <= data.length; i++) {
                assertThat(ByteBuffer.wrap(data).getLong(i)).isNotEqualTo(session.hi()).isNotEqualTo(session.lo());
            }
        }
        assertThat(bonds.fabric.heard())
                .as("with a key each is marked, but for questions whether a path carries")
                .allMatch(one -> SealedRecord.type(one.data()) != null || !SealedRecord.needsProof(one.data()));
    }

    @Test
    void anApplicationIsToldHowMuchFits() {
        final TwoBonds bonds = keyed();
        final CmId listener = bonds.closing(bonds.listen());
        final AppEnd active = bonds.closing(new AppEnd(bonds.a));
        active.on(bonds.routed("10.1.0.2"));
        assertThatThrownBy(() -> active.id().connect(ConnectParameters.of(new byte[17])))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("16");
        final byte[] most = "sixteen bytes it".getBytes(StandardCharsets.US_ASCII);
        active.id().connect(ConnectParameters.of(most));
        bonds.settle();
        final CmEvent request = TwoBonds.next(bonds.b, CmEventType.CONNECT_REQUEST);
        assertThat(request.privateData()).startsWith(most);
        request.id().reject(new byte[0]);
        bonds.settle();
        TwoBonds.next(bonds.a, CmEventType.REJECTED);
        request.id().close();
        listener.close();
    }

    // ---- who has none, or another -----------------------------------------------------------------------------------

    private void assertRefused(final TwoBonds bonds, final Counter atB) {
        final CmId listener = bonds.closing(bonds.listen());
        final AppEnd active = bonds.closing(new AppEnd(bonds.a));
        active.on(bonds.routed("10.1.0.2"));
        active.id().connect(ConnectParameters.of(new byte[0]));
        bonds.settle();
        TwoBonds.next(bonds.a, CmEventType.REJECTED);
        assertThat(bonds.b.channel().getEvent(0)).as("the application hears nothing").isNull();
        assertThat(bonds.b.count(atB)).isEqualTo(1);
        assertThat(bonds.a.count(Counter.KEY_REFUSED)).isEqualTo(1);
        assertThat(bonds.b.linksOn(0)).isEmpty();
        assertThat(bonds.b.device(0).opened().queuePairs()).isEmpty();
        assertThat(active.recovery().machineOrNull()).isNull();
        listener.close();
    }

    @Test
    void aBondWithoutAKeyIsRefusedByOneThatHas() {
        assertRefused(closing(new TwoBonds(config -> config, with(key))), Counter.REQ_NO_PROOF);
    }

    @Test
    void aBondWithAKeyIsRefusedByOneWithout() {
        assertRefused(closing(new TwoBonds(with(key), config -> config)), Counter.REQ_NO_KEY);
    }

    @Test
    void bondsOfDifferentKeysRefuseEachOther() throws FileSystemException {
        final Path other = directory.resolve("other");
        AuthKeyFile.create(other, random);
        assertRefused(closing(new TwoBonds(with(key), with(other))), Counter.REQ_BAD_PROOF);
    }

    // ---- a key for another ------------------------------------------------------------------------------------------

    private static void tell(final HandBond bond, final Path file) {
        bond.context().admin().set(List.of("auth_key_file=" + file));
    }

    private Path copy(final Path of, final String name) throws Exception {
        final Path copy = directory.resolve(name);
        Files.copy(of, copy, java.nio.file.StandardCopyOption.COPY_ATTRIBUTES);
        return copy;
    }

    @Test
    void aKeyIsRotatedUnderTrafficAndFailovers() throws Exception {
        final Path keyOfB = copy(key, "b");
        final TwoBonds bonds = closing(new TwoBonds(with(key), with(keyOfB)));
        final TwoBonds.Connection pair = bonds.connect();
        AuthKeyFile.rotate(key, random);
        tell(bonds.a, key);
        fail(bonds, 0);
        assertCarries(bonds, pair, 1);
        assertThat(bonds.b.count(Counter.REQ_BAD_PROOF)).as("b has not the new key yet").isPositive();
        bonds.closing(bonds.connect().active());
        Files.copy(key, keyOfB, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        tell(bonds.b, keyOfB);
        final long before = refusals(bonds.a) + refusals(bonds.b);
        fail(bonds, 1);
        assertCarries(bonds, pair, 2);
        bonds.connect();
        AuthKeyFile.rotate(key, random);
        Files.copy(key, keyOfB, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        tell(bonds.b, keyOfB);
        tell(bonds.a, key);
        fail(bonds, 0);
        assertCarries(bonds, pair, 3);
        assertThat(refusals(bonds.a) + refusals(bonds.b)).isEqualTo(before);
    }

    /** The peer has not the new key yet, and one path is left: it is told all the same, signed with the one before. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aPeerThatHasTheKeyBeforeIsToldOfTheEnd(final boolean isDisconnected) throws Exception {
        final Path keyOfB = copy(key, "b");
        final TwoBonds bonds = closing(new TwoBonds(with(key), with(keyOfB)));
        final TwoBonds.Connection pair = bonds.connect();
        bonds.a.device(1).port(false);
        bonds.b.device(1).port(false);
        bonds.advance(1_000 * MS);
        AuthKeyFile.rotate(key, random);
        tell(bonds.a, key);
        if (isDisconnected) {
            pair.active().id().disconnect();
        } else {
            pair.active().close();
        }
        bonds.advance(5_000 * MS);
        assertThat(bonds.b.count(Counter.REQ_BAD_PROOF)).isEqualTo(1);
        assertThat(pair.passive().cmEvents()).containsExactly(CmEventType.DISCONNECTED);
        assertThat(pair.passive().recovery().machine().state()).isEqualTo(RecoveryState.CLOSED);
        // It has asked by itself, and was told; a peer that is gone by then would not have told it.
        assertThat(bonds.b.journal()).contains("CLOSED_ACK");
    }

    /** Who answers so may be anybody: the connection waits for the peer no longer than for one that says nothing. */
    @Test
    void aPeerThatHasAnotherKeyByNowIsWaitedForAsLongAsOneThatSaysNothing() throws Exception {
        final Path keyOfB = copy(key, "b");
        final TwoBonds bonds = closing(new TwoBonds(
                config -> with(key).apply(config).recoveryTimeoutNs(2_000 * MS),
                config -> with(keyOfB).apply(config).recoveryTimeoutNs(60_000 * MS)));
        final TwoBonds.Connection pair = bonds.connect();
        assertCarries(bonds, pair, 1);
        Files.delete(keyOfB);
        AuthKeyFile.create(keyOfB, random);
        tell(bonds.b, keyOfB);
        pair.active().send(2, "lost");
        bonds.a.device(0).port(false);
        bonds.advance(4_000 * MS);
        assertThat(bonds.b.count(Counter.REQ_BAD_PROOF)).isPositive();
        assertThat(bonds.polled(pair.active())).containsExactly("2 RETRY_EXC_ERR");
        bonds.a.device(0).port(true);
    }

    @Test
    void aKeyNeitherComesNorGoesWhileTheBondIsOpenAndABadFileLeavesTheOneBefore() throws Exception {
        final TwoBonds bonds = closing(new TwoBonds(with(key), config -> config));
        assertThatThrownBy(() -> bonds.a.context().admin().set(List.of("auth_key_file=none")))
                .hasMessageContaining("does not come or go while the bond is open");
        assertThatThrownBy(() -> tell(bonds.b, key))
                .hasMessageContaining("does not come or go while the bond is open");
        assertThatThrownBy(() -> tell(bonds.a, directory.resolve("none")))
                .hasMessageContaining("there is no such file");
        assertThat(bonds.a.context().admin().config().get(BondOption.AUTH_KEY_FILE)).hasValue(key.toString());
        tell(bonds.a, key);
    }

    // ---- who has heard everything -----------------------------------------------------------------------------------

    /** Two bonds that have connected, failed over and closed a connection; who listened has heard all of it. */
    private TwoBonds.Connection history(final TwoBonds bonds) {
        final TwoBonds.Connection closed = bonds.connect();
        closed.active().close();
        closed.passive().close();
        bonds.settle();
        final TwoBonds.Connection pair = bonds.connect();
        fail(bonds, 0);
        fail(bonds, 1);
        fail(bonds, 0);
        assertCarries(bonds, pair, 1);
        return pair;
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.1.0.99", "10.1.0.1", "10.1.0.2"})
    void whatWasHeardDoesNothingWhenItIsSaidAgainWordForWord(final String from) {
        final TwoBonds bonds = warm();
        final TwoBonds.Connection pair = history(bonds);
        final RawPeer raw = closing(new RawPeer(bonds, from));
        final long failovers = bonds.a.count(Counter.FAILOVERS) + bonds.b.count(Counter.FAILOVERS);
        final CmId listener = bonds.closing(bonds.listen());
        final int basePort = bonds.b.verbs().core().config().basePort();
        int asked = 0;
        for (final FakeFabric.Heard one : List.copyOf(bonds.fabric.heard())) {
            for (final int port : new int[] {basePort, LISTEN_PORT}) {
                raw.ask("10.1.0.2", port, one.data());
                bonds.settle();
                for (CmEvent event = raw.next(); event != null; event = raw.next()) {
                    assertThat(event.type()).isEqualTo(CmEventType.REJECTED);
                    asked++;
                }
            }
        }
        assertThat(asked).isGreaterThan(20);
        assertThat(bonds.b.channel().getEvent(0)).as("the application is asked nothing").isNull();
        assertThat(pair.active().recovery().machine().state()).isEqualTo(RecoveryState.CONNECTED);
        assertThat(bonds.a.count(Counter.FAILOVERS) + bonds.b.count(Counter.FAILOVERS)).isEqualTo(failovers);
        final boolean isSpoofed = from.equals("10.1.0.1");
        assertThat(bonds.b.count(Counter.REQ_BAD_PROOF)).isGreaterThan(isSpoofed ? 0 : 5);
        assertThat(bonds.b.count(Counter.REQ_GARBAGE)).as("answers are no requests").isPositive();
        assertCarries(bonds, pair, 2);
        listener.close();
    }

    /** Nobody was told of it: the peer is to ask again, by the same name. */
    @Test
    void aFirstRequestThatIsToComeAgainIsTakenThen() {
        final TwoBonds bonds = keyed();
        final CmId listener = bonds.listen();
        final AppEnd active = bonds.closing(new AppEnd(bonds.a));
        active.on(bonds.routed("10.1.0.2"));
        active.id().connect(ConnectParameters.of(new byte[0]));
        bonds.settle();
        listener.close();
        bonds.closing(bonds.listen());
        bonds.advance(1_000 * MS);
        final AppEnd passive = bonds.closing(new AppEnd(bonds.b));
        passive.on(TwoBonds.next(bonds.b, CmEventType.CONNECT_REQUEST).id());
        passive.id().accept(ConnectParameters.of(new byte[0]));
        bonds.settle();
        TwoBonds.next(bonds.a, CmEventType.ESTABLISHED);
        assertThat(bonds.b.count(Counter.REQ_REPLAYED)).isZero();
    }

    @Test
    void aFirstRequestIsTakenOnceThoughTheApplicationHasRefusedIt() {
        final TwoBonds bonds = keyed();
        final CmId listener = bonds.closing(bonds.listen());
        final AppEnd active = bonds.closing(new AppEnd(bonds.a));
        active.on(bonds.routed("10.1.0.2"));
        active.id().connect(ConnectParameters.of(new byte[0]));
        bonds.settle();
        final CmEvent request = TwoBonds.next(bonds.b, CmEventType.CONNECT_REQUEST);
        request.id().reject(new byte[0]);
        bonds.settle();
        TwoBonds.next(bonds.a, CmEventType.REJECTED);
        request.id().close();
        final RawPeer raw = closing(new RawPeer(bonds, "10.1.0.1"));
        for (final FakeFabric.Heard one : List.copyOf(bonds.fabric.heard())) {
            if (one.kind() == CmMessage.REQ) {
                raw.ask("10.1.0.2", LISTEN_PORT, one.data());
                bonds.settle();
            }
        }
        assertThat(bonds.b.channel().getEvent(0)).isNull();
        assertThat(bonds.b.count(Counter.REQ_REPLAYED)).isEqualTo(1);
        assertThat(bonds.b.count(Counter.REQ_CHALLENGED)).as("it was told what to sign with, and cannot").isEqualTo(2);
        listener.close();
    }

    @ParameterizedTest
    @EnumSource(names = {"FIRST", "CONTROL", "RECOVER", "CLOSE", "OOB"})
    void aRequestWithoutAProofIsRefusedThoughItShowsTheSession(final RecordType type) {
        final TwoBonds bonds = keyed();
        final TwoBonds.Connection pair = bonds.connect();
        final RawPeer raw = closing(new RawPeer(bonds, "10.1.0.99"));
        final SessionId session = pair.passive().recovery().identity().session();
        final boolean opens = type == RecordType.FIRST || type == RecordType.CONTROL;
        raw.ask(
                "10.1.0.2",
                bonds.b.verbs().core().config().basePort(),
                opens
                        ? Records.header(type, session, 5)
                        : Records.session(
                                type, session, pair.active().qp().qpNum(), pair.passive().qp().qpNum(), 9));
        bonds.settle();
        assertThat(raw.rejection()).isEqualTo(RejectCode.KEY_REQUIRED);
        assertThat(bonds.b.count(Counter.REQ_NO_PROOF)).isEqualTo(1);
        assertCarries(bonds, pair, 1);
    }

    /** Who was asked out of band, and does not know whether the answer arrived, asks for the session of the other. */
    @Test
    void anOutOfBandRequestIsProvenForTheSessionOfEitherSide() throws Exception {
        final TwoBonds bonds = keyed();
        final AppEnd one = bonds.closing(new AppEnd(bonds.a));
        one.alone();
        one.toInit();
        one.toRtr("10.1.0.2", 77, 22);
        final SessionId own = Objects.requireNonNull(one.recovery().identity()).session();
        bonds.b.device(0).port(false);
        bonds.b.device(1).port(false);
        final RawPeer raw = closing(new RawPeer(bonds, "10.1.0.2"));
        ask(bonds, raw, own, one.qp().qpNum());
        raw.next(CmEventType.ESTABLISHED);
        assertThat(bonds.a.count(Counter.REQ_BAD_PROOF)).isZero();
        ask(bonds, raw, new SessionId(own.hi() + 1, own.lo()), one.qp().qpNum());
        assertThat(raw.rejection()).isEqualTo(RejectCode.BAD_PROOF);
    }

    private void ask(final TwoBonds bonds, final RawPeer raw, final SessionId session, final int qpNum)
            throws Exception {
        final InetAddress asker = InetAddress.ofLiteral("10.1.0.2");
        final Endpoints endpoints = new Endpoints(asker, InetAddress.ofLiteral("10.1.0.1"));
        final AuthKey shared = AuthKeyFile.read(key).keysOf(asker).getFirst();
        raw.ask(
                "10.1.0.1",
                bonds.a.verbs().core().config().basePort(),
                Seal.ask(shared, Records.session(RecordType.OOB, session, 77, qpNum, 1), endpoints).data());
        bonds.settle();
    }

    /** Somebody on the way leads a question for another bond of the host here: what this one says ends none of its. */
    @Test
    void onlyTheBondThatIsAskedProvesThatItHasNoSuchSession() throws Exception {
        final TwoBonds bonds = keyed();
        final int unknown = bonds.connect().passive().qp().qpNum() + 100;
        final InetAddress asker = InetAddress.ofLiteral("10.1.0.99");
        final RawPeer raw = closing(new RawPeer(bonds, "10.1.0.99"));
        final AuthKey shared = AuthKeyFile.read(key).keysOf(asker).getFirst();
        for (final boolean isOwn : new boolean[] {true, false}) {
            final Seal.Question question = Seal.ask(
                    shared,
                    Records.session(
                            RecordType.RECOVER, new SessionId(5, 6), 77, isOwn ? unknown : unknown | 1 << 20, 1),
                    new Endpoints(asker, InetAddress.ofLiteral("10.1.0.2")));
            raw.ask("10.1.0.2", bonds.b.verbs().core().config().basePort(), question.data());
            bonds.settle();
            final byte[] answer = raw.next(CmEventType.REJECTED).privateData();
            assertThat(Objects.requireNonNull(question.seal()).open(answer) != null).isEqualTo(isOwn);
        }
    }

    @Test
    void aForgedRefusalEndsNoSession() {
        final TwoBonds bonds = keyed();
        final TwoBonds.Connection pair = bonds.connect();
        bonds.b.device(0).port(false);
        bonds.b.device(1).port(false);
        final RawPeer forger = closing(new RawPeer(bonds, "10.1.0.2"));
        forger.listen(bonds.b.verbs().core().config().basePort());
        bonds.fabric.cut(bonds.a.device(0), bonds.b.device(0));
        bonds.a.device(0).port(false);
        bonds.settle();
        bonds.a.device(0).port(true);
        int forged = 0;
        for (int round = 0; round < 40; round++) {
            bonds.advance(100 * MS);
            for (CmEvent event = forger.next(); event != null; event = forger.next()) {
                if (event.type() == CmEventType.CONNECT_REQUEST) {
                    final RejectCode code = forged++ % 2 == 0 ? RejectCode.UNKNOWN_SESSION : RejectCode.CLOSED;
                    event.id().reject(new RejectRecord(code, SessionId.NONE, 0).encode());
                }
            }
        }
        assertThat(forged).isPositive();
        assertThat(bonds.a.count(Counter.ANSWER_BAD_PROOF)).isPositive();
        assertThat(pair.active().recovery().isDead()).isFalse();
        forger.close();
        opened.remove(forger);
        bonds.fabric.heal();
        bonds.b.device(0).port(true);
        bonds.b.device(1).port(true);
        bonds.advance(10_000 * MS);
        assertCarries(bonds, pair, 1);
    }

    // ---- the bonds' own link ----------------------------------------------------------------------------------------

    private static List<byte[]> controlMessages(final HandBond bond) {
        final List<byte[]> all = new ArrayList<>();
        for (int member = 0; member < 2; member++) {
            for (final FakeQp qp : bond.device(member).opened().queuePairs()) {
                if (!qp.heard().isEmpty() && qp.heard().getFirst().length > 30) {
                    all.addAll(qp.heard());
                }
            }
        }
        return all;
    }

    private static FakeQp controlQp(final HandBond bond) {
        return bond.device(0).opened().queuePairs().stream()
                .filter(qp -> !qp.heard().isEmpty() && qp.heard().getFirst().length > 30)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aMessageThatIsRepeatedBentOrMadeUpIsDroppedAndCounted() {
        final TwoBonds bonds = keyed();
        final TwoBonds.Connection pair = bonds.connect();
        bonds.settle();
        final FakeQp control = controlQp(bonds.b);
        final List<byte[]> heard = new ArrayList<>(control.heard());
        heard.addAll(controlQp(bonds.a).heard());
        for (final byte[] message : List.copyOf(heard)) {
            final byte[] bent = message.clone();
            bent[9] ^= 1;
            heard.add(bent);
        }
        heard.add(new byte[0]);
        heard.add(ByteBuffer.allocate(320).putInt(1).putInt(1).put((byte) 0).put((byte) 4).array());
        final int peers = Objects.requireNonNull(pair.passive().recovery().identity().peer()).members().size();
        for (final byte[] message : heard) {
            control.inject(message);
            bonds.settle();
        }
        assertThat(bonds.b.count(Counter.CONTROL_BAD_PROOF)).isEqualTo(heard.size());
        assertThat(pair.passive().recovery().identity().peer().members()).hasSize(peers);
        pair.passive().write(4, "two", pair.active().into(0), pair.active().region().rkey());
        bonds.settle();
        assertThat(bonds.polled(pair.passive())).as("the link goes on").contains("4 SUCCESS");
    }
}
