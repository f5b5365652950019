package io.vhca.bond.cm;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.config.BondOption;
import io.vhca.bond.fake.AppEnd;
import io.vhca.bond.fake.RawPeer;
import io.vhca.bond.fake.Records;
import io.vhca.bond.fake.TwoBonds;
import io.vhca.recovery.wire.MemberAddress;
import io.vhca.recovery.wire.SessionId;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A bond with two members was met at one of them, and is gone: b has the address of the other one by now. */
class GoneBondTest {
    private static final byte[] NONE = new byte[0];
    private static final int PORT = 7_471;
    private static final String MET = "10.1.0.99";
    private static final String NOW_OF_B = "10.2.0.2";
    private static final int GONE = 9;
    private static final int NEW = 77;

    private final TwoBonds bonds = new TwoBonds(options -> options.set(BondOption.PATH_TIMEOUT, 500 * MS));
    private final AppEnd end = new AppEnd(bonds.a);

    @BeforeEach
    void create() {
        bonds.closing(end);
    }

    @AfterEach
    void close() {
        bonds.close();
    }

    private static InetAddress ip(final String text) {
        return InetAddress.ofLiteral(text);
    }

    private static List<MemberAddress> members(final String... addresses) {
        return List.of(
                new MemberAddress(0, ip(addresses[0]).getAddress()),
                new MemberAddress(1, ip(addresses[1]).getAddress()));
    }

    private void met(final long instance, final String at) {
        bonds.a.locked(() -> bonds.a.cm().peers().met(instance, ip(at), members(at, NOW_OF_B)));
    }

    private void connect(final String to) {
        end.on(bonds.routed(to));
        end.id().connect(ConnectParameters.of(NONE));
        bonds.settle();
    }

    private void acceptAtB() {
        final AppEnd other = bonds.closing(new AppEnd(bonds.b));
        other.on(TwoBonds.next(bonds.b, CmEventType.CONNECT_REQUEST).id());
        other.id().accept(ConnectParameters.of(NONE));
        bonds.settle();
    }

    /** Accepts the last request that came. */
    private void accept(final RawPeer raw) {
        CmEvent last = null;
        for (CmEvent event = raw.next(); event != null; event = raw.next()) {
            last = event.type() == CmEventType.CONNECT_REQUEST ? event : last;
        }
        raw.accept(Objects.requireNonNull(last), Records.reply(new SessionId(1, 1), 0x40, NEW));
        bonds.settle();
        TwoBonds.next(bonds.a, CmEventType.ESTABLISHED);
        assertThat(end.recovery().identity().peer().instance()).isEqualTo(NEW);
    }

    private void assertNothingAtA() {
        assertThat(bonds.a.channel().getEvent(0)).as(bonds.a.journal()).isNull();
    }

    @Test
    void whoHasTheAddressThatIsNamedIsAskedFirst() {
        met(GONE, MET);
        bonds.closing(bonds.listen());
        bonds.a.context().admin().activate("a1");
        try (RawPeer raw = new RawPeer(bonds, MET)) {
            raw.listen(PORT);
            connect(MET);
            assertThat(bonds.b.channel().getEvent(0)).isNull();
            accept(raw);
        }
    }

    @Test
    void whoHasTheOtherAddressIsNotTakenForTheOneThatIsNamed() {
        met(GONE, MET);
        bonds.closing(bonds.listen());
        try (RawPeer raw = new RawPeer(bonds, MET)) {
            raw.listen(PORT);
            connect(MET);
            bonds.advance(600 * MS);
            acceptAtB();
            assertNothingAtA();
            bonds.advance(600 * MS);
            accept(raw);
        }
    }

    @Test
    void whoHasTheOtherAddressDoesNotRefuseForTheOneThatIsNamed() {
        met(GONE, MET);
        try (RawPeer raw = new RawPeer(bonds, MET)) {
            raw.listen(PORT);
            connect(MET);
            bonds.advance(1_600 * MS);
            assertNothingAtA();
            accept(raw);
        }
    }

    @Test
    void theSameBondIsFoundAtItsOtherAddress() {
        met(bonds.b.verbs().core().instance(), MET);
        bonds.closing(bonds.listen());
        connect(MET);
        bonds.advance(600 * MS);
        acceptAtB();
        TwoBonds.next(bonds.a, CmEventType.ESTABLISHED);
    }

    @Test
    void oneThatWasStartedAnewIsFoundAtItsOtherAddress() {
        met(GONE, "10.1.0.2");
        bonds.closing(bonds.listen());
        bonds.fabric.cut(bonds.a.device(0), bonds.b.device(0));
        connect("10.1.0.2");
        bonds.advance(600 * MS);
        acceptAtB();
        TwoBonds.next(bonds.a, CmEventType.ESTABLISHED);
    }

    // ---- services of datagrams --------------------------------------------------------------------------------------

    private void listenForDatagrams() {
        final CmId listener = bonds.closing(bonds.b.channel().createId(CmPortSpace.UDP, null));
        listener.bindAddr(new InetSocketAddress(ip("0.0.0.0"), PORT));
        listener.listen(8);
    }

    private void ask() {
        final CmId id = bonds.closing(bonds.a.channel().createId(CmPortSpace.UDP, null));
        id.resolveAddr(null, new InetSocketAddress(ip(MET), PORT), 1_000);
        TwoBonds.next(bonds.a, CmEventType.ADDR_RESOLVED);
        id.resolveRoute(1_000);
        TwoBonds.next(bonds.a, CmEventType.ROUTE_RESOLVED);
        id.connect(ConnectParameters.of(NONE));
        bonds.advance(600 * MS);
    }

    private void answer() {
        final CmId child = bonds.closing(TwoBonds.next(bonds.b, CmEventType.CONNECT_REQUEST).id());
        child.accept(new ConnectParameters(NONE, 0, 0, 0, 0, 0x40, ConnectParameters.UDP_QKEY));
        bonds.settle();
    }

    @Test
    void aServiceOfAnotherHostIsNotTakenForTheOneThatIsNamed() {
        met(GONE, MET);
        listenForDatagrams();
        ask();
        answer();
        assertNothingAtA();
        bonds.advance(60_000 * MS);
        assertThat(TwoBonds.next(bonds.a, CmEventType.UNREACHABLE).status()).isNegative();
    }

    @Test
    void anotherHostWithoutTheServiceDoesNotSpeakForTheOneThatIsNamed() {
        met(GONE, MET);
        ask();
        assertNothingAtA();
        bonds.advance(60_000 * MS);
        assertThat(TwoBonds.next(bonds.a, CmEventType.UNREACHABLE).status()).isNegative();
    }

    @Test
    void aServiceIsFoundWhereItsBondHasSaidThatItIs() {
        met(GONE, MET);
        bonds.a.locked(() -> bonds.a.cm().peers().datagrams()
                .heard(bonds.b.verbs().core().datagramInstance(), members(MET, NOW_OF_B)));
        listenForDatagrams();
        ask();
        answer();
        TwoBonds.next(bonds.a, CmEventType.ESTABLISHED);
    }
}
