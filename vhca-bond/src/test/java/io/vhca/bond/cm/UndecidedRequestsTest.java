package io.vhca.bond.cm;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.fake.AppEnd;
import io.vhca.bond.fake.RawPeer;
import io.vhca.bond.fake.Records;
import io.vhca.bond.fake.TwoBonds;
import io.vhca.recovery.wire.RecordType;
import io.vhca.recovery.wire.RejectCode;
import io.vhca.recovery.wire.SessionId;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** First requests that the application leaves undecided: how many there may be, and whose place goes first. */
class UndecidedRequestsTest {
    private static final int APP_PORT = 7_471;

    private final TwoBonds bonds = new TwoBonds();
    private final List<RawPeer> strangers = new ArrayList<>();
    private int sessions;

    @AfterEach
    void close() {
        refuseAll();
        strangers.forEach(RawPeer::close);
        bonds.close();
    }

    /** The application takes what it was told of and closes it; how many requests that were. */
    private int refuseAll() {
        int told = 0;
        for (CmEvent event = bonds.b.channel().getEvent(0); event != null; event = bonds.b.channel().getEvent(0)) {
            if (event.type() == CmEventType.CONNECT_REQUEST) {
                event.id().close();
                told++;
            }
        }
        return told;
    }

    private RawPeer stranger() {
        final RawPeer fresh = new RawPeer(bonds, "10.1.0." + (100 + strangers.size()));
        strangers.add(fresh);
        return fresh;
    }

    private void ask(final RawPeer from, final int times) {
        for (int i = 0; i < times; i++) {
            from.ask(
                    "10.1.0.2", APP_PORT,
                    Records.header(RecordType.FIRST, new SessionId(0x77, ++sessions), sessions & 0xff));
            bonds.settle();
        }
    }

    private long waiting() {
        return bonds.b.cm().accepts().undecided().size();
    }

    @Test
    void aStrangerGetsItsShareAndAllOfThemAnother() {
        bonds.closing(bonds.listen());
        final RawPeer one = stranger();
        ask(one, UndecidedRequests.OF_STRANGER + 10);
        assertThat(waiting()).isEqualTo(UndecidedRequests.OF_STRANGER);
        assertThat(bonds.b.count(Counter.REQ_FULL)).isEqualTo(10);
        assertThat(one.rejection()).as("it may come again").isEqualTo(RejectCode.NO_RESOURCES);
        for (int i = 0; i < 4; i++) {
            ask(stranger(), UndecidedRequests.OF_STRANGER);
        }
        assertThat(waiting()).isEqualTo(UndecidedRequests.OF_STRANGERS);
    }

    @Test
    void whatTheApplicationHasNotTakenGivesWayToWhatComesLater() {
        bonds.closing(bonds.listen());
        final RawPeer one = stranger();
        ask(one, UndecidedRequests.OF_STRANGER);
        final CmId taken = bonds.closing(TwoBonds.next(bonds.b, CmEventType.CONNECT_REQUEST).id());
        bonds.advance(5 * MS);
        ask(one, 1_000);
        assertThat(bonds.b.count(Counter.REQ_DROPPED)).isPositive();
        assertThat(waiting()).isEqualTo(UndecidedRequests.OF_STRANGER);
        taken.reject(new byte[0]);
        assertThat(waiting()).as("it was decided").isEqualTo(UndecidedRequests.OF_STRANGER - 1);
        assertThat(refuseAll()).isEqualTo(UndecidedRequests.OF_STRANGER - 1);
        assertThat(waiting()).isZero();
    }

    /** The application has no id of it that it could close. */
    @Test
    void aRequestThatNobodyHasTakenGoesWithItsListener() {
        final CmEventChannel channel = bonds.b.context().createEventChannel();
        final CmId listener = channel.createId(CmPortSpace.TCP, null);
        listener.bindAddr(new InetSocketAddress(InetAddress.ofLiteral("0.0.0.0"), APP_PORT));
        listener.listen(8);
        final RawPeer one = stranger();
        ask(one, 2);
        final CmId taken = Objects.requireNonNull(channel.getEvent(0)).id();
        listener.close();
        bonds.settle();
        assertThat(waiting()).as("what was taken is still to be decided on").isEqualTo(1);
        assertThat(channel.getEvent(0)).isNull();
        assertThat(one.rejection()).as("it may come again").isEqualTo(RejectCode.NO_RESOURCES);
        taken.close();
        channel.close();
    }

    @Test
    void whoWasMetBeforeGetsThroughThoughStrangersFillTheirRoom() {
        bonds.connect();
        final CmId listener = bonds.closing(bonds.listen());
        assertThat(listener.localAddress()).isNotNull();
        for (int i = 0; i < 5; i++) {
            ask(stranger(), UndecidedRequests.OF_STRANGER);
        }
        assertThat(waiting()).isEqualTo(UndecidedRequests.OF_STRANGERS);
        final AppEnd end = bonds.closing(new AppEnd(bonds.a));
        end.on(bonds.routed("10.1.0.2"));
        end.id().connect(ConnectParameters.of(new byte[0]));
        bonds.settle();
        assertThat(waiting()).isEqualTo(UndecidedRequests.OF_STRANGERS + 1);
    }

    @Test
    void tenThousandAddressesLeaveNothing() {
        final UndecidedRequests<Integer> undecided = new UndecidedRequests<>();
        for (int i = 0; i < 10_000; i++) {
            final InetAddress from = InetAddress.ofLiteral("10.9." + i / 250 + "." + (1 + i % 250));
            final long nowNs = i * MS;
            if (!undecided.hasRoom(from, false)) {
                final Integer oldest = undecided.victim(from, id -> true, nowNs);
                assertThat(oldest).isEqualTo(i - UndecidedRequests.OF_STRANGERS);
                undecided.remove(Objects.requireNonNull(oldest));
            }
            undecided.add(i, from, false, nowNs);
            assertThat(undecided.size()).isLessThanOrEqualTo(UndecidedRequests.OF_STRANGERS);
        }
        for (int i = 0; i < 10_000; i++) {
            undecided.remove(i);
        }
        assertThat(undecided.size()).isZero();
        assertThat(undecided.sources()).isZero();
    }
}
