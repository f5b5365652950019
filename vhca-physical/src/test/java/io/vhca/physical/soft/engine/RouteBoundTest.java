package io.vhca.physical.soft.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.AhAttributes;
import io.vhca.api.Errno;
import io.vhca.api.Mtu;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpState;
import io.vhca.api.VerbsException;
import io.vhca.api.WcStatus;
import io.vhca.api.WrOpcode;
import io.vhca.physical.soft.engine.TestPair.Completion;
import io.vhca.physical.soft.engine.core.NicCounter;
import io.vhca.physical.soft.engine.ud.SoftAh;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** More addresses than the carrier has routes: strangers cost nobody a connection, and a verb says what is missing. */
class RouteBoundTest {
    private static final int STRANGERS = 10_000;
    private static final int STRANGER_NET = 0x7f630000;

    private static void answer(final TestPair pair, final int stranger) {
        final MemorySegment mad = pair.arena.allocate(256, 8);
        pair.a.nic.sendMad(TestPair.v4(STRANGER_NET + stranger), mad.address());
    }

    private static void sendOne(final TestPair pair, final int wrId) {
        pair.b.postRecv(wrId, 0, 64);
        pair.a.fill(0, 64, wrId);
        pair.a.post(pair.a.request(WrOpcode.SEND, wrId, 0, 64));
        pair.run();
        assertThat(pair.a.pollSends()).extracting(Completion::status).containsExactly(WcStatus.SUCCESS);
        assertThat(pair.b.pollReceives()).extracting(Completion::wrId).containsExactly((long) wrId);
        assertThat(pair.b.bytes(0, 64)).isEqualTo(pair.a.bytes(0, 64));
    }

    @Test
    void answersToStrangersTakeNobodysRoute() {
        try (TestPair pair = new TestPair()) {
            for (int i = 0; i < STRANGERS; i++) {
                answer(pair, i);
                if (i % 1000 == 0) {
                    sendOne(pair, i);
                }
            }
            assertThat(pair.a.count(NicCounter.DROP_NO_ROUTE)).isZero();
        }
    }

    @Test
    void aFullTableCostsTheRequestThatFoundItFull() {
        try (TestPair pair = new TestPair()) {
            final List<SoftAh> ahs = new ArrayList<>();
            for (int i = 1; i < TestLink.ROUTES; i++) {
                ahs.add(pair.a.pd.createAh(AhAttributes.to(TestPair.v4(STRANGER_NET + i))));
            }
            assertThatThrownBy(() -> pair.a.pd.createAh(AhAttributes.to(TestPair.v4(STRANGER_NET))))
                    .isInstanceOfSatisfying(VerbsException.class, e -> {
                        assertThat(e.verb()).isEqualTo("createAh");
                        assertThat(e.errno()).isEqualTo(Errno.ENOMEM);
                    });
            final SoftQp other = pair.a.pd.createQp(pair.rc(pair.a));
            other.modify(new QpAttributes().qpState(QpState.INIT).pkeyIndex(0).portNum(1).accessFlags(0));
            assertThatThrownBy(() -> other.modify(toRtr(STRANGER_NET)))
                    .isInstanceOfSatisfying(VerbsException.class, e -> {
                        assertThat(e.verb()).isEqualTo("modifyQp");
                        assertThat(e.errno()).isEqualTo(Errno.ENOMEM);
                    });
            assertThat(other.state()).isEqualTo(QpState.INIT);
            answer(pair, 0);
            assertThat(pair.a.count(NicCounter.DROP_NO_ROUTE)).isEqualTo(1);
            sendOne(pair, 1);

            ahs.removeLast().close();
            other.modify(toRtr(STRANGER_NET));
            assertThatThrownBy(() -> pair.a.pd.createAh(AhAttributes.to(TestPair.v4(STRANGER_NET + 100))))
                    .isInstanceOf(VerbsException.class);
            other.close();
            ahs.add(pair.a.pd.createAh(AhAttributes.to(TestPair.v4(STRANGER_NET + 100))));
            ahs.forEach(SoftAh::close);
            sendOne(pair, 2);
        }
    }

    @Test
    void aQueuePairThatIsResetGivesItsRouteBack() {
        try (TestPair pair = new TestPair()) {
            final SoftQp other = pair.a.pd.createQp(pair.rc(pair.a));
            for (int i = 0; i < 3 * TestLink.ROUTES; i++) {
                other.modify(new QpAttributes().qpState(QpState.INIT).pkeyIndex(0).portNum(1).accessFlags(0));
                other.modify(toRtr(STRANGER_NET + i));
                other.modify(new QpAttributes().qpState(QpState.RESET));
            }
            other.close();
            sendOne(pair, 1);
        }
    }

    private static QpAttributes toRtr(final int peer) {
        return new QpAttributes()
                .qpState(QpState.RTR)
                .ah(AhAttributes.to(TestPair.v4(peer)))
                .pathMtu(Mtu.MTU_256)
                .destQpNum(5)
                .rqPsn(1)
                .maxDestRdAtomic(1)
                .minRnrTimer(12);
    }
}
