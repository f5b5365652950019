package io.vhca.bond.cm;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.api.NativeMemory;
import io.vhca.api.QpState;
import io.vhca.api.WcStatus;
import io.vhca.api.WrOpcode;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.config.AtomicsMode;
import io.vhca.bond.config.BondConfig;
import io.vhca.bond.config.BondOption;
import io.vhca.bond.config.ConfirmMode;
import io.vhca.bond.config.LedgerMode;
import io.vhca.bond.config.Unprotected;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.fake.AppEnd;
import io.vhca.bond.fake.FakeCmId;
import io.vhca.bond.fake.HandBond;
import io.vhca.bond.fake.PlainProgram;
import io.vhca.bond.fake.RawPeer;
import io.vhca.bond.fake.Records;
import io.vhca.bond.fake.TwoBonds;
import io.vhca.recovery.RecoveryState;
import io.vhca.recovery.wire.ConnectHeader;
import io.vhca.recovery.wire.DecodeResult;
import io.vhca.recovery.wire.RecordType;
import io.vhca.recovery.wire.RejectCode;
import io.vhca.recovery.wire.RejectRecord;
import io.vhca.recovery.wire.SessionId;
import io.vhca.recovery.wire.TrailingHeader;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Peers without the bond: served over one member where that is allowed, refused else, and never in place of a bond. */
class PlainPeerTest {
    private static final int PORT = 7_471;
    private static final String PLAIN = "10.1.0.99";
    private static final UnaryOperator<BondConfig.Builder> ALLOW = options -> options.unprotected(Unprotected.ALLOW);

    private final Arena arena = Arena.ofConfined();
    private final List<AutoCloseable> opened = new ArrayList<>();

    @TempDir
    private Path directory = Path.of("");

    @AfterEach
    void close() throws Exception {
        for (final AutoCloseable one : opened.reversed()) {
            one.close();
        }
        arena.close();
    }

    private <T extends AutoCloseable> T closing(final T one) {
        opened.add(one);
        return one;
    }

    private TwoBonds bonds(final UnaryOperator<BondConfig.Builder> options) {
        return closing(new TwoBonds(options));
    }

    private static byte[] text(final String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** A plain peer's connection to bond b. */
    private AppEnd accepted(final TwoBonds bonds, final PlainProgram plain) {
        bonds.closing(bonds.listen());
        plain.connect(text("hello"));
        final CmEvent request = TwoBonds.next(bonds.b, CmEventType.CONNECT_REQUEST);
        assertThat(request.privateData()).isEqualTo(text("hello"));
        final AppEnd end = bonds.closing(new AppEnd(bonds.b));
        end.on(request.id());
        end.id().accept(ConnectParameters.of(text("welcome")));
        bonds.settle();
        assertThat(TwoBonds.next(bonds.b, CmEventType.ESTABLISHED).parameters()).isSameAs(request.parameters());
        assertThat(plain.raw().next(CmEventType.ESTABLISHED).privateData()).isEqualTo(text("welcome"));
        return end;
    }

    private AppEnd asking(final TwoBonds bonds, final String to, final byte[] data) {
        final AppEnd end = bonds.closing(new AppEnd(bonds.a));
        end.on(bonds.routed(to));
        end.id().connect(ConnectParameters.of(data));
        bonds.settle();
        return end;
    }

    /** A connection of bond a to a plain peer. */
    private AppEnd connected(final TwoBonds bonds, final PlainProgram plain) {
        plain.raw().listen(PORT);
        final AppEnd end = asking(bonds, PLAIN, text("hello"));
        final byte[] seen = plain.accept(text("welcome"));
        assertThat(Arrays.copyOf(seen, 5)).as("where it looks for it").isEqualTo(text("hello"));
        assertThat(TwoBonds.next(bonds.a, CmEventType.ESTABLISHED).privateData()).isEqualTo(text("welcome"));
        return end;
    }

    // ---- refused ----------------------------------------------------------------------------------------------------

    @Test
    void unlessItIsAllowedAPlainPeerIsRefused() {
        final TwoBonds bonds = bonds(options -> options);
        bonds.closing(bonds.listen());
        final PlainProgram plain = bonds.closing(new PlainProgram(bonds, PLAIN, arena));
        plain.connect(text("hello"));
        assertThat(plain.raw().rejection()).isEqualTo(RejectCode.GARBAGE);
        assertThat(bonds.b.channel().getEvent(0)).isNull();
        assertThat(bonds.b.count(Counter.REQ_GARBAGE)).isEqualTo(1);
        assertThat(bonds.b.count(Counter.UNPROTECTED)).isZero();
    }

    @Test
    void unlessItIsAllowedThePlainAnswerOfAPeerIsARefusal() {
        final TwoBonds bonds = bonds(options -> options);
        final PlainProgram plain = bonds.closing(new PlainProgram(bonds, PLAIN, arena));
        plain.raw().listen(PORT);
        asking(bonds, PLAIN, text("hello"));
        plain.accept(text("welcome"));
        assertThat(TwoBonds.next(bonds.a, CmEventType.REJECTED).privateData()).isEmpty();
    }

    // ---- served -----------------------------------------------------------------------------------------------------

    @Test
    void aPlainPeerConnectsToAListenerAndPrivateDataIsWhatWasGiven() {
        final TwoBonds bonds = bonds(ALLOW);
        final PlainProgram plain = bonds.closing(new PlainProgram(bonds, PLAIN, arena));
        final AppEnd end = accepted(bonds, plain);
        assertThat(end.qp().state()).isEqualTo(QpState.RTS);
        end.receives(2);
        plain.send("ping");
        end.send(1, "pong");
        bonds.settle();
        assertThat(bonds.polled(end)).containsExactlyInAnyOrder("0 SUCCESS", "1 SUCCESS");
        assertThat(end.text(0, 4)).isEqualTo("ping");
        assertThat(plain.received(0, 4)).isEqualTo("pong");
        assertThat(bonds.b.count(Counter.UNPROTECTED)).isEqualTo(1);
    }

    @Test
    void aBondConnectsToAPlainPeerAndUsesItsKeysAsTheyAre() {
        final TwoBonds bonds = bonds(ALLOW);
        final PlainProgram plain = bonds.closing(new PlainProgram(bonds, PLAIN, arena));
        final AppEnd end = connected(bonds, plain);
        assertThat(end.qp().query().destQpNum()).isEqualTo(plain.qp().qpNum());
        end.write(1, "written", plain.address() + 512, plain.rkey());
        end.send(2, "sent");
        bonds.settle();
        assertThat(bonds.polled(end)).containsExactly("1 SUCCESS", "2 SUCCESS");
        assertThat(plain.received(8, 7)).isEqualTo("written");
        assertThat(plain.received(0, 4)).isEqualTo("sent");
        assertThat(bonds.a.count(Counter.UNPROTECTED)).isEqualTo(1);
        end.write(3, "wrong", plain.address() + 512, 0x7777_7777);
        bonds.settle();
        assertThat(bonds.polled(end)).containsExactly("3 REM_ACCESS_ERR");
    }

    @Test
    void statusShowsThatItHasNoRecovery() {
        final TwoBonds bonds = bonds(ALLOW);
        final AppEnd end = accepted(bonds, bonds.closing(new PlainProgram(bonds, PLAIN, arena)));
        assertThat(rows(bonds.b)).containsExactly(end.qp().qpNum() + " RC RTS null 0 /" + PLAIN);
        assertThat(bonds.b.context().admin().path(end.qp())).isEqualTo("b0 -> " + PLAIN);
    }

    private static List<String> rows(final HandBond bond) {
        final List<String> rows = new ArrayList<>();
        bond.context().admin().visit(
                (index, qpNum, type, state, recovery, epoch, member, remote, posted, completed, received) -> rows.add(
                        qpNum + " " + type + " " + state + " " + recovery + " " + member + " " + remote));
        return rows;
    }

    @Test
    void optionsOfWhatOnlyBondsCanDoAreNotInTheWay() {
        final TwoBonds bonds = bonds(options -> options.unprotected(Unprotected.ALLOW)
                .ledger(LedgerMode.EACH).confirm(ConfirmMode.PEER).atomics(AtomicsMode.EMULATED));
        final PlainProgram plain = bonds.closing(new PlainProgram(bonds, PLAIN, arena));
        final AppEnd end = connected(bonds, plain);
        end.write(1, "one", plain.address() + 512, plain.rkey());
        end.atomic(2, WrOpcode.ATOMIC_FETCH_AND_ADD, plain.address() + 1_024, plain.rkey(), 5, 0);
        end.write(3, "two", plain.address() + 576, plain.rkey());
        bonds.advance(100 * MS);
        assertThat(bonds.polled(end)).containsExactly("1 SUCCESS", "2 SUCCESS", "3 SUCCESS");
        assertThat(NativeMemory.getLong(plain.address() + 1_024)).isEqualTo(5);
        assertThat(end.physical().everSent()).as("no marks").hasSize(3);
    }

    @Test
    void whatAPlainPeerRefusesWithReachesTheApplication() {
        final TwoBonds bonds = bonds(ALLOW);
        final PlainProgram plain = bonds.closing(new PlainProgram(bonds, PLAIN, arena));
        plain.raw().listen(PORT);
        asking(bonds, PLAIN, text("hello"));
        ((FakeCmId) plain.raw().next(CmEventType.CONNECT_REQUEST).id()).reject(text("no"));
        bonds.settle();
        assertThat(TwoBonds.next(bonds.a, CmEventType.REJECTED).privateData()).isEqualTo(text("no"));
    }

    @Test
    void whatTheApplicationRefusesWithReachesThePlainPeer() {
        final TwoBonds bonds = bonds(ALLOW);
        bonds.closing(bonds.listen());
        final PlainProgram plain = bonds.closing(new PlainProgram(bonds, PLAIN, arena));
        plain.connect(new byte[0]);
        final CmId asked = bonds.closing(TwoBonds.next(bonds.b, CmEventType.CONNECT_REQUEST).id());
        asked.reject(text("no"));
        bonds.settle();
        assertThat(plain.raw().next(CmEventType.REJECTED).privateData()).isEqualTo(text("no"));
    }

    // ---- failures, as on hardware -----------------------------------------------------------------------------------

    @Test
    void anErrorOfThePathIsTheApplications() {
        final TwoBonds bonds = bonds(ALLOW);
        final AppEnd end = connected(bonds, bonds.closing(new PlainProgram(bonds, PLAIN, arena)));
        bonds.fabric.stop(true);
        end.receives(1);
        end.send(1, "one");
        end.send(2, "two");
        end.send(3, "three");
        end.physical().executeUnacknowledged();
        end.physical().completeUnacknowledged();
        end.physical().failOldest(WcStatus.RETRY_EXC_ERR);
        bonds.fabric.stop(false);
        bonds.advance(1_000 * MS);
        assertThat(bonds.polled(end))
                .containsExactlyInAnyOrder("1 SUCCESS", "2 RETRY_EXC_ERR", "3 WR_FLUSH_ERR", "0 WR_FLUSH_ERR");
        assertThat(end.qp().state()).isEqualTo(QpState.ERR);
        assertThat(bonds.a.count(Counter.FAILOVERS)).isZero();
    }

    @Test
    void anErrorThatABondWouldHoldForThePathsIsToldAsItIs() {
        final TwoBonds bonds = bonds(ALLOW);
        final AppEnd end = connected(bonds, bonds.closing(new PlainProgram(bonds, PLAIN, arena)));
        bonds.fabric.stop(true);
        end.send(1, "one");
        end.physical().failOldest(WcStatus.LOC_QP_OP_ERR);
        bonds.advance(1_000 * MS);
        assertThat(bonds.polled(end)).containsExactly("1 LOC_QP_OP_ERR");
    }

    private void endsWithItsMember(final TwoBonds bonds, final AppEnd end, final Runnable failure) {
        bonds.fabric.stop(true);
        end.receives(1);
        end.send(1, "one");
        end.send(2, "two");
        end.physical().executeUnacknowledged();
        end.physical().completeUnacknowledged();
        failure.run();
        bonds.advance(1_000 * MS);
        assertThat(bonds.polled(end))
                .containsExactlyInAnyOrder("1 SUCCESS", "2 RETRY_EXC_ERR", "0 WR_FLUSH_ERR");
        assertThat(end.cmEvents()).containsExactly(CmEventType.DISCONNECTED);
        assertThat(bonds.a.events()).extracting(AsyncEvent::type).contains(AsyncEventType.QP_FATAL);
        assertThat(bonds.a.count(Counter.UNPROTECTED_LOST)).isEqualTo(1);
        assertThat(rows(bonds.a)).containsExactly(end.qp().qpNum() + " RC ERR IDLE -1 null");
        assertThat(end.send(3, "late")).isEqualTo(1);
        assertThat(bonds.polled(end)).containsExactly("3 WR_FLUSH_ERR");
    }

    @Test
    void aPortThatGoesDownEndsIt() {
        final TwoBonds bonds = bonds(ALLOW);
        final AppEnd end = connected(bonds, bonds.closing(new PlainProgram(bonds, PLAIN, arena)));
        endsWithItsMember(bonds, end, () -> bonds.a.device(0).port(false));
    }

    @Test
    void aDeviceThatDiesEndsIt() {
        final TwoBonds bonds = bonds(ALLOW);
        final AppEnd end = connected(bonds, bonds.closing(new PlainProgram(bonds, PLAIN, arena)));
        endsWithItsMember(bonds, end, () -> bonds.a.device(0).die());
    }

    @Test
    void hardwareThatSaysNothingForTheTimeOfAWatchdogThatWasSetEndsIt() {
        final TwoBonds bonds = bonds(options -> ALLOW.apply(options).watchdogNs(3_000 * MS));
        final AppEnd end = connected(bonds, bonds.closing(new PlainProgram(bonds, PLAIN, arena)));
        endsWithItsMember(bonds, end, () -> bonds.advance(10_000 * MS));
    }

    @Test
    void elseItsDeviceDecidesAloneHowLongARequestMayTake() {
        final TwoBonds bonds = bonds(ALLOW);
        final AppEnd end = connected(bonds, bonds.closing(new PlainProgram(bonds, PLAIN, arena)));
        bonds.fabric.stop(true);
        end.send(1, "one");
        bonds.advance(10_000 * MS);
        assertThat(bonds.polled(end)).isEmpty();
        bonds.fabric.stop(false);
        bonds.settle();
        assertThat(bonds.polled(end)).containsExactly("1 SUCCESS");
    }

    @Test
    void anotherMemberThatGoesDownDoesNotTouchIt() {
        final TwoBonds bonds = bonds(ALLOW);
        final AppEnd end = connected(bonds, bonds.closing(new PlainProgram(bonds, PLAIN, arena)));
        bonds.a.device(1).port(false);
        bonds.advance(1_000 * MS);
        end.send(1, "one");
        bonds.settle();
        assertThat(bonds.polled(end)).containsExactly("1 SUCCESS");
    }

    @Test
    void itStaysOnItsMemberWhateverAnOperatorWants() {
        final TwoBonds bonds = bonds(ALLOW);
        final AppEnd end = connected(bonds, bonds.closing(new PlainProgram(bonds, PLAIN, arena)));
        bonds.a.context().admin().drain("a0");
        bonds.advance(1_000 * MS);
        end.send(1, "one");
        bonds.settle();
        assertThat(bonds.polled(end)).containsExactly("1 SUCCESS");
        assertThat(bonds.a.context().admin().path(end.qp())).startsWith("a0");
    }

    @Test
    void aPeerThatDisconnectsEndsIt() {
        final TwoBonds bonds = bonds(ALLOW);
        final PlainProgram plain = bonds.closing(new PlainProgram(bonds, PLAIN, arena));
        final AppEnd end = accepted(bonds, plain);
        end.receives(1);
        plain.id().disconnect();
        bonds.settle();
        assertThat(end.cmEvents()).containsExactly(CmEventType.DISCONNECTED);
        assertThat(bonds.polled(end)).containsExactly("0 WR_FLUSH_ERR");
        assertThat(bonds.b.count(Counter.UNPROTECTED_LOST)).isZero();
        assertThat(rows(bonds.b)).containsExactly(end.qp().qpNum() + " RC ERR CLOSED -1 null");
    }

    @Test
    void anApplicationThatDisconnectsEndsIt() {
        final TwoBonds bonds = bonds(ALLOW);
        final PlainProgram plain = bonds.closing(new PlainProgram(bonds, PLAIN, arena));
        final AppEnd end = connected(bonds, plain);
        plain.raw().next(CmEventType.ESTABLISHED);
        end.send(1, "one");
        bonds.settle();
        end.id().disconnect();
        bonds.settle();
        plain.raw().next(CmEventType.DISCONNECTED);
        assertThat(end.cmEvents()).containsExactly(CmEventType.DISCONNECTED);
        assertThat(bonds.polled(end)).containsExactly("1 SUCCESS");
    }

    // ---- beside bonds -----------------------------------------------------------------------------------------------

    @Test
    void bondsThatAllowItAreProtectedAmongEachOther() {
        final TwoBonds bonds = bonds(ALLOW);
        final TwoBonds.Connection pair = bonds.connect();
        assertThat(bonds.a.count(Counter.UNPROTECTED) + bonds.b.count(Counter.UNPROTECTED)).isZero();
        assertThat(TrailingHeader.turnedBack(bonds.fabric.heard().getFirst().data())).isNotNull();
        pair.passive().receives(1);
        bonds.a.device(0).port(false);
        pair.active().send(1, "one");
        bonds.advance(1_000 * MS);
        assertThat(bonds.polled(pair.active())).containsExactly("1 SUCCESS");
        assertThat(bonds.a.count(Counter.RECOVERED)).isPositive();
    }

    @Test
    void aBondThatLooksForItsHeaderInFrontAloneIsAskedThatWay() {
        final TwoBonds bonds = bonds(ALLOW);
        final RawPeer first = bonds.closing(new RawPeer(bonds, PLAIN));
        first.listen(PORT);
        asking(bonds, PLAIN, text("hello"));
        final CmEvent behind = first.next(CmEventType.CONNECT_REQUEST);
        assertThat(TrailingHeader.isOfBond(behind.privateData())).isFalse();
        ((FakeCmId) behind.id()).reject(new RejectRecord(RejectCode.GARBAGE, SessionId.NONE, 0).encode());
        bonds.settle();
        CmEvent next = first.next();
        while (next != null && next.type() != CmEventType.CONNECT_REQUEST) {
            next = first.next();
        }
        final byte[] data = Objects.requireNonNull(next).privateData();
        assertThat(ConnectHeader.validate(new UnsafeBuffer(data), 0, data.length))
                .isEqualTo(DecodeResult.OK);
        assertThat(Arrays.copyOfRange(data, ConnectHeader.SIZE, data.length)).isEqualTo(text("hello"));
    }

    private UnaryOperator<BondConfig.Builder> keyed() throws IOException {
        final Path file = directory.resolve("vhca.key");
        Files.writeString(file, "key = " + "5a".repeat(32) + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        return options -> options.unprotected(Unprotected.ALLOW)
                .set(BondOption.AUTH_KEY_FILE, Optional.of(file.toString()));
    }

    @Test
    void bondsWithAKeyThatAllowItProveThemselvesAmongEachOther() throws IOException {
        final TwoBonds bonds = bonds(keyed());
        final TwoBonds.Connection pair = bonds.connect();
        assertThat(bonds.a.count(Counter.UNPROTECTED) + bonds.b.count(Counter.UNPROTECTED)).isZero();
        pair.passive().receives(1);
        bonds.a.device(0).port(false);
        pair.active().send(1, "one");
        bonds.advance(1_000 * MS);
        assertThat(bonds.polled(pair.active())).containsExactly("1 SUCCESS");
    }

    @Test
    void withAKeyAPlainPeerIsServedBothWaysWhereNoBondWasMet() throws IOException {
        final TwoBonds bonds = bonds(keyed());
        final PlainProgram plain = bonds.closing(new PlainProgram(bonds, PLAIN, arena));
        connected(bonds, plain).send(1, "one");
        bonds.settle();
        assertThat(plain.received(0, 3)).isEqualTo("one");
        assertThat(bonds.a.count(Counter.ANSWER_BAD_PROOF)).isZero();
        bonds.closing(bonds.listen());
        plain.raw().ask("10.1.0.2", PORT, text("hello"));
        bonds.settle();
        final CmEvent request = TwoBonds.next(bonds.b, CmEventType.CONNECT_REQUEST);
        bonds.closing(request.id());
        assertThat(request.privateData()).isEqualTo(text("hello"));
    }

    // ---- whoever takes a record away --------------------------------------------------------------------------------

    private void asks(final TwoBonds bonds, final int port, final byte[] data) {
        final RawPeer raw = bonds.closing(new RawPeer(bonds, "10.1.0.66"));
        raw.ask("10.1.0.2", port, data);
        bonds.settle();
        assertThat(raw.rejection()).isNotNull();
        assertThat(bonds.b.channel().getEvent(0)).as("the application hears nothing").isNull();
        assertThat(bonds.b.count(Counter.UNPROTECTED)).isZero();
    }

    @Test
    void aRequestToRecoverIsNeverAPlainPeers() {
        final TwoBonds bonds = bonds(ALLOW);
        final TwoBonds.Connection pair = bonds.connect();
        bonds.closing(bonds.listen());
        final byte[] recover = Records.session(
                RecordType.RECOVER, pair.passive().recovery().identity().session(), pair.active().qp().qpNum(),
                pair.passive().qp().qpNum(), 7);
        final int own = bonds.b.verbs().core().config().basePort();
        asks(bonds, PORT, recover);
        asks(bonds, own, Arrays.copyOfRange(recover, 4, recover.length));
        asks(bonds, own, new byte[0]);
        asks(bonds, own, TrailingHeader.turn(Records.header(RecordType.FIRST, new SessionId(1, 2), 3)));
        assertThat(pair.passive().recovery().machine().state()).isEqualTo(RecoveryState.CONNECTED);
    }

    @Test
    void aRecordThatDoesNotHoldIsNotAPlainPeers() {
        final TwoBonds bonds = bonds(ALLOW);
        bonds.closing(bonds.listen());
        final byte[] first = Records.header(RecordType.FIRST, new SessionId(1, 2), 3);
        asks(bonds, PORT, Arrays.copyOf(first, 20));
        first[2] = 0;
        asks(bonds, PORT, first);
    }

    @Test
    void thePlainAnswerToARequestToRecoverIsNoAnswer() {
        final TwoBonds bonds = bonds(ALLOW);
        final TwoBonds.Connection pair = bonds.connect();
        bonds.a.device(0).port(false);
        bonds.b.device(1).port(false);
        bonds.settle();
        final int own = bonds.b.verbs().core().config().basePort();
        final RawPeer instead = bonds.closing(new RawPeer(bonds, "10.2.0.2"));
        instead.listen(own);
        pair.active().send(1, "one");
        bonds.advance(2_000 * MS);
        int answered = 0;
        for (CmEvent event = instead.next(); event != null; event = instead.next()) {
            if (event.type() == CmEventType.CONNECT_REQUEST) {
                instead.accept(event, text("welcome"));
                bonds.settle();
                answered++;
            }
        }
        assertThat(answered).as("it was asked").isPositive();
        bonds.settle();
        assertThat(bonds.polled(pair.active())).as("nothing that it says counts").isEmpty();
        assertThat(pair.active().recovery().machine().state()).isNotEqualTo(RecoveryState.CONNECTED);
        assertThat(bonds.a.count(Counter.UNPROTECTED)).isZero();
    }

    @Test
    void withAKeyABondThatWasMetIsNotTakenForAPlainPeer() throws IOException {
        final TwoBonds bonds = bonds(keyed());
        bonds.connect();
        bonds.closing(bonds.listen());
        // Somebody on the path takes the header away, in the name of bond a.
        bonds.b.locked(() -> bonds.b.cm().peers().at(0x77, InetAddress.ofLiteral("10.1.0.66"))
                .metAt(InetAddress.ofLiteral("10.1.0.66")));
        asks(bonds, PORT, text("hello"));
        // And takes it away from the answer of a bond that was met.
        bonds.a.locked(() -> bonds.a.cm().peers().at(0x78, InetAddress.ofLiteral(PLAIN))
                .metAt(InetAddress.ofLiteral(PLAIN)));
        final PlainProgram plain = bonds.closing(new PlainProgram(bonds, PLAIN, arena));
        plain.raw().listen(PORT);
        asking(bonds, PLAIN, text("hello"));
        plain.accept(text("welcome"));
        assertThat(bonds.a.count(Counter.UNPROTECTED)).isZero();
        TwoBonds.next(bonds.a, CmEventType.REJECTED);
    }
}
