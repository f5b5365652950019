package io.vhca.bond.failover;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.AhAttributes;
import io.vhca.api.Gid;
import io.vhca.api.ServiceClass;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.fake.AppEnd;
import io.vhca.bond.fake.FakeFabric.CmMessage;
import io.vhca.bond.fake.TwoBonds;
import java.net.InetAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A switch holds or drops one class: echoes go with that of the queue pairs, and find it. */
class EchoOfClassTest {
    /** {@code detect_min}. */
    private static final long LEAST_NS = 50 * MS;

    private static final long FOUND_NS = 2 * LEAST_NS + LEAST_NS / 4;
    private static final int TOS = 0x60;
    private static final ServiceClass SERVICE = new ServiceClass(TOS, 3, 17);

    private final TwoBonds bonds = new TwoBonds(options -> options.heartbeatNs(0).watchdogNs(0));
    private final Ends ofClass = new Ends(SERVICE);
    private final Ends plain = new Ends(ServiceClass.NONE);

    /** A connection of that class. */
    private final class Ends {
        private final AppEnd active = bonds.closing(new AppEnd(bonds.a));
        private final AppEnd passive = bonds.closing(new AppEnd(bonds.b));
        private final ServiceClass service;
        private final Deque<Integer> awaited = new ArrayDeque<>();
        private int sent;

        private Ends(final ServiceClass service) {
            this.service = service;
        }

        private void connect() {
            final CmId listener = bonds.listen();
            final CmId id = bonds.routed("10.1.0.2");
            if (!service.equals(ServiceClass.NONE)) {
                id.serviceClass(service);
            }
            active.on(id);
            id.connect(ConnectParameters.of(new byte[0]));
            bonds.settle();
            passive.on(TwoBonds.next(bonds.b, CmEventType.CONNECT_REQUEST).id());
            passive.id().accept(ConnectParameters.of(new byte[0]));
            bonds.settle();
            TwoBonds.next(bonds.a, CmEventType.ESTABLISHED);
            TwoBonds.next(bonds.b, CmEventType.ESTABLISHED);
            listener.close();
        }

        private void send() {
            passive.receive(0);
            active.send(++sent, "one");
            awaited.add(sent);
        }

        private void assertCompleted() {
            assertThat(bonds.polled(active)).containsExactly(awaited.remove() + " SUCCESS");
        }

        private String where() {
            return active.recovery().attachment().describe();
        }
    }

    /** Both paths have been asked for both classes, and have answered. */
    @BeforeEach
    void connect() {
        ofClass.connect();
        plain.connect();
        bonds.advance(2_100 * MS);
        for (int i = 0; i < 8; i++) {
            ofClass.send();
            plain.send();
            bonds.advance(LEAST_NS);
            ofClass.assertCompleted();
            plain.assertCompleted();
        }
        bonds.fabric.lose(CmMessage.REJ); // what the connection manager would say comes with no class
    }

    @AfterEach
    void close() {
        bonds.close();
    }

    @Test
    void aPathThatDropsTheClassIsLeftByItsQueuePairsAlone() {
        bonds.fabric.cut(bonds.a.device(0), bonds.b.device(0), TOS);
        ofClass.send();
        plain.send();
        bonds.advance(FOUND_NS);
        assertThat(ofClass.where()).as(bonds.a.journal()).startsWith("a1");
        ofClass.assertCompleted();
        plain.assertCompleted();
        bonds.advance(4 * FOUND_NS);
        assertThat(plain.where()).startsWith("a0");
        assertThat(bonds.a.count(Counter.PATHS_LOST)).isEqualTo(1);
    }

    @Test
    void whereAnotherClassIsDroppedNobodyMoves() {
        bonds.fabric.cut(bonds.a.device(0), bonds.b.device(0), TOS + 0x20);
        ofClass.send();
        plain.send();
        bonds.advance(4 * FOUND_NS);
        ofClass.assertCompleted();
        plain.assertCompleted();
        assertThat(bonds.a.context().failovers()).isEmpty();
    }

    /** Who has nothing under way is probed when the others leave: it moves once its hardware gives that up. */
    @Test
    void ofAPathThatDropsAllBothAreFound() {
        bonds.fabric.cut(bonds.a.device(0), bonds.b.device(0));
        ofClass.send();
        bonds.advance(FOUND_NS);
        assertThat(ofClass.where()).as(bonds.a.journal()).startsWith("a1");
        bonds.fabric.expire();
        assertThat(bonds.polled(plain.active)).isEmpty();
        assertThat(plain.where()).as(bonds.a.journal()).startsWith("a1");
        ofClass.assertCompleted();
    }

    @Test
    void questionAndAnswerGoWithAllThatTheQueuePairHas() {
        assertThat(bonds.a.device(0).opened().addressVectors()).contains(vectorTo("10.1.0.2"));
        assertThat(bonds.b.device(0).opened().addressVectors()).contains(vectorTo("10.1.0.1"));
    }

    private static AhAttributes vectorTo(final String address) {
        return SERVICE.to(Gid.of(InetAddress.ofLiteral(address)), 0, 1);
    }
}
