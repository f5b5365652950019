package io.vhca.bond.cm;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.Errno;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.config.Unprotected;
import io.vhca.bond.fake.AppEnd;
import io.vhca.bond.fake.RawPeer;
import io.vhca.bond.fake.TwoBonds;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An accept of a peer without the bond that comes to nothing: the peer hears of it, and the application if it asks. */
class PlainAcceptTest {
    private static final int PORT = 7_471;

    private final TwoBonds bonds = new TwoBonds(options -> options.unprotected(Unprotected.ALLOW));
    private final RawPeer plain = bonds.closing(new RawPeer(bonds, "10.1.0.99"));
    private final AppEnd end = bonds.closing(new AppEnd(bonds.b));

    @BeforeEach
    void request() {
        bonds.closing(bonds.listen());
        plain.ask("10.1.0.2", PORT, "hello".getBytes(StandardCharsets.US_ASCII));
        bonds.settle();
        end.on(TwoBonds.next(bonds.b, CmEventType.CONNECT_REQUEST).id());
    }

    @AfterEach
    void close() {
        bonds.close();
    }

    @Test
    void withoutRoomForAQueuePairItFailsAndThePeerIsRefused() {
        bonds.b.device(0).refuseOnce("createQp");
        end.id().accept(ConnectParameters.of(new byte[0]));
        bonds.settle();
        assertThat(TwoBonds.next(bonds.b, CmEventType.CONNECT_ERROR).status()).isEqualTo(-Errno.ENOMEM);
        assertThat(plain.next(CmEventType.REJECTED).privateData()).isEmpty();
        assertThat(end.recovery().attachment().link()).isNull();
    }

    @Test
    void whoClosesTheIdBeforeItWasSentHearsNothingMore() {
        end.id().accept(ConnectParameters.of(new byte[0]));
        end.id().close();
        bonds.settle();
        assertThat(plain.next(CmEventType.REJECTED).privateData()).isEmpty();
        assertThat(bonds.b.channel().getEvent(0)).isNull();
    }
}
