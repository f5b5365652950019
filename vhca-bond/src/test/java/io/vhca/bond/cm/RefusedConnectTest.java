package io.vhca.bond.cm;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.config.BondOption;
import io.vhca.bond.fake.AppEnd;
import io.vhca.bond.fake.FakeCmId;
import io.vhca.bond.fake.RawPeer;
import io.vhca.bond.fake.Records;
import io.vhca.bond.fake.TwoBonds;
import io.vhca.recovery.wire.SessionId;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A first connect that the CM of the peer's device rejects by itself, for a reason of its own. */
class RefusedConnectTest {
    private static final int PORT = 7_471;
    private static final int INVALID_SERVICE_ID = 8;
    private static final int STALE_CONNECTION = 10;
    private static final int INVALID_PATH_MTU = 26;
    private static final int CONSUMER_DEFINED = 28;
    private final TwoBonds bonds = new TwoBonds(options -> options
            .set(BondOption.PATH_TIMEOUT, 500 * MS)
            .peers(Map.of(
                    InetAddress.ofLiteral("10.9.0.99"),
                    List.of(InetAddress.ofLiteral("10.1.0.99"), InetAddress.ofLiteral("10.2.0.99")))));
    private final AppEnd end = new AppEnd(bonds.a);

    @BeforeEach
    void create() {
        bonds.closing(end);
    }

    @AfterEach
    void close() {
        bonds.close();
    }

    private RawPeer listening(final String address) {
        final RawPeer raw = bonds.closing(new RawPeer(bonds, address));
        raw.listen(PORT);
        return raw;
    }

    private void connect(final String to) {
        end.on(bonds.routed(to));
        end.id().connect(ConnectParameters.of(new byte[0]));
        bonds.settle();
    }

    private void refuse(final CmEvent request, final int reason) {
        ((FakeCmId) request.id()).refuse(reason);
        bonds.settle();
    }

    private void accept(final RawPeer raw) {
        raw.accept(raw.next(CmEventType.CONNECT_REQUEST), Records.reply(new SessionId(1, 1), 0x40, 77));
        bonds.settle();
        TwoBonds.next(bonds.a, CmEventType.ESTABLISHED);
    }

    /** The next event of the application, which may come of a later round; all requests until then are refused. */
    private CmEvent refuseAll(final RawPeer raw, final int reason) {
        @Nullable CmEvent told = null;
        while (told == null) {
            for (CmEvent request = raw.next(); request != null; request = raw.next()) {
                refuse(request, reason);
            }
            bonds.advance(10 * MS);
            told = bonds.a.channel().getEvent(0);
        }
        return told;
    }

    @Test
    void aReasonOfOnePathLeavesTheOthers() {
        final RawPeer near = listening("10.1.0.99");
        final RawPeer far = listening("10.2.0.99");
        connect("10.9.0.99");
        refuse(near.next(CmEventType.CONNECT_REQUEST), INVALID_PATH_MTU);
        accept(far);
        assertThat(end.recovery().attachment().describe()).isEqualTo("a1 -> 10.2.0.99");
    }

    @Test
    void aReasonOfTheMomentIsAskedAgainInTheNextRound() {
        final RawPeer raw = listening("10.1.0.99");
        connect("10.1.0.99");
        refuse(raw.next(CmEventType.CONNECT_REQUEST), STALE_CONNECTION);
        bonds.advance(600 * MS); // the other member reaches nobody
        accept(raw);
    }

    @Test
    void theReasonIsToldWhereAllRoundsEndWithIt() {
        final RawPeer raw = listening("10.1.0.99");
        connect("10.1.0.99");
        final CmEvent told = refuseAll(raw, INVALID_PATH_MTU);
        assertThat(told.type()).isEqualTo(CmEventType.REJECTED);
        assertThat(told.status()).isEqualTo(INVALID_PATH_MTU);
    }

    @Test
    void aReasonOfARoundBeforeIsNotTold() {
        final RawPeer raw = listening("10.1.0.99");
        connect("10.1.0.99");
        refuse(raw.next(CmEventType.CONNECT_REQUEST), STALE_CONNECTION);
        bonds.advance(60_000 * MS);
        TwoBonds.next(bonds.a, CmEventType.UNREACHABLE);
    }

    /** Nobody listens, or the one who does says no. */
    @ParameterizedTest
    @ValueSource(ints = {INVALID_SERVICE_ID, CONSUMER_DEFINED})
    void aReasonThatSpeaksForThePeerIsToldAtOnce(final int reason) {
        final RawPeer raw = listening("10.1.0.99");
        connect("10.1.0.99");
        refuse(raw.next(CmEventType.CONNECT_REQUEST), reason);
        assertThat(TwoBonds.next(bonds.a, CmEventType.REJECTED).status()).isEqualTo(reason);
    }
}
