package io.vhca.bond.verbs;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.RecvWorkRequest;
import io.vhca.api.SharedReceiveQueue;
import io.vhca.api.SrqAttributes;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.config.Unprotected;
import io.vhca.bond.fake.AppEnd;
import io.vhca.bond.fake.RawPeer;
import io.vhca.bond.fake.TwoBonds;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Queue pairs that share receives with one whose peer has no bond: that one stays where it is. */
class SharedReceivesOfPlainPeersTest {
    private static final int MAX_WR = 4;
    private static final int PORT = 7_471;

    private final TwoBonds bonds = new TwoBonds(options -> options.unprotected(Unprotected.ALLOW));
    private final Arena arena = Arena.ofConfined();
    private final SharedReceiveQueue srq = bonds.closing(bonds.b.pd().createSrq(new SrqAttributes(MAX_WR, 1, 0)));
    private final AppEnd buffers = bonds.closing(new AppEnd(bonds.b));

    @AfterEach
    void close() {
        bonds.close();
        arena.close();
    }

    /** A connection of a peer without the bond in that network. */
    private AppEnd accepted(final String network) throws Exception {
        try (AutoCloseable _ = bonds.listen()) {
            final RawPeer plain = bonds.closing(new RawPeer(bonds, network + ".0.99"));
            plain.ask(network + ".0.2", PORT, new byte[0]);
            bonds.settle();
            final CmEvent request = TwoBonds.next(bonds.b, CmEventType.CONNECT_REQUEST);
            final AppEnd end = bonds.closing(new AppEnd(bonds.b, srq));
            end.on(request.id());
            end.id().accept(ConnectParameters.of(new byte[0]));
            bonds.settle();
            TwoBonds.next(bonds.b, CmEventType.ESTABLISHED);
            return end;
        }
    }

    private void receives() {
        for (int i = 0; i < MAX_WR; i++) {
            assertThat(srq.postRecv(RecvWorkRequest.allocate(arena, 1)
                            .wrId(i)
                            .sge(buffers.into(i), 64, buffers.region().lkey())))
                    .isEqualTo(1);
        }
    }

    private static String member(final AppEnd end) {
        return end.recovery().attachment().describe().split(" ")[0];
    }

    private TwoBonds.Connection onTheOtherMember() {
        final TwoBonds.Connection pair =
                bonds.connect(new AppEnd(bonds.a), new AppEnd(bonds.b, srq), "10.2.0.2");
        for (int i = 0; i < MAX_WR; i++) {
            pair.active().send(i, "m" + i);
        }
        return pair;
    }

    @Test
    void whoHasNoReceivesGoesToWhereTheyStay() throws Exception {
        final AppEnd staying = accepted("10.1");
        receives();
        final TwoBonds.Connection pair = onTheOtherMember();
        bonds.advance(1_000 * MS);
        assertThat(pair.active().polled())
                .containsExactly("0 SUCCESS", "1 SUCCESS", "2 SUCCESS", "3 SUCCESS");
        assertThat(member(staying)).isEqualTo("b0");
        assertThat(member(pair.passive())).isEqualTo("b0");
    }

    /** It would come to where it is, have nothing there, and go once more. */
    @Test
    void whoDoesNotReachItsPeerFromWhereTheyStayIsNotMoved() throws Exception {
        final AppEnd staying = accepted("10.1");
        receives();
        bonds.b.context().admin().drain("b0");
        final AppEnd other = bonds.connect(new AppEnd(bonds.a), new AppEnd(bonds.b, srq), "10.2.0.2").passive();
        bonds.advance(5_000 * MS);
        assertThat(bonds.b.context().failovers()).isEmpty();
        assertThat(member(other)).isEqualTo("b1");
        assertThat(member(staying)).isEqualTo("b0");
    }

    @Test
    void whereNobodyCanMoveNothingIsTriedUntilTheReceivesAreFree() throws Exception {
        final AppEnd staying = accepted("10.1");
        receives();
        final AppEnd other = accepted("10.2");
        bonds.advance(10 * MS);
        assertThat(bonds.b.device(1).sharedReceives()).isZero();
        assertThat(bonds.b.verbs().shared().nextDeadlineNs() - bonds.nowNs()).isGreaterThan(900 * MS);
        staying.close();
        bonds.settle();
        assertThat(bonds.b.device(1).sharedReceives()).isEqualTo(MAX_WR);
        assertThat(member(other)).isEqualTo("b1");
    }
}
