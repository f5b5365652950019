package io.vhca.bond.failover;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.failover.PathProbe.Answer;
import io.vhca.bond.fake.FakeFabric.CmMessage;
import io.vhca.bond.fake.TwoBonds;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PathProbeTest {
    private final TwoBonds bonds = new TwoBonds();
    private final List<Answer> told = new ArrayList<>();
    private int echo;

    @AfterEach
    void close() {
        bonds.close();
    }

    private void probe(final int member, final String address, final int port) {
        bonds.settle();
        bonds.a.locked(() -> PathProbe.send(
                bonds.a.verbs().core(),
                bonds.a.cm().links(),
                bonds.a.member(member),
                new InetSocketAddress(InetAddress.ofLiteral(address), port),
                5,
                bonds.nowNs(),
                (answer, number, atNs) -> {
                    told.add(answer);
                    echo = number;
                }));
        bonds.settle();
    }

    private int port() {
        return bonds.b.verbs().core().config().basePort();
    }

    @Test
    void aBondAnswersWhateverItKnowsOfTheQueuePairAndNothingChanges() {
        probe(1, "10.2.0.2", port());
        assertThat(told).containsExactly(Answer.CARRIES);
        assertThat(bonds.b.count(Counter.REQ_UNKNOWN_SESSION)).isZero();
        assertThat(bonds.a.linksOn(1)).isEmpty();
        assertThat(bonds.b.linksOn(1)).isEmpty();
    }

    @Test
    void aDrainedMemberSaysSoAndWhereEchoesGoAllTheSame() {
        bonds.connect();
        bonds.advance(2_000 * MS);
        bonds.b.context().admin().drain("b1");
        probe(1, "10.2.0.2", port());
        assertThat(told).containsExactly(Answer.DRAINED);
        assertThat(echo).isNotZero();
    }

    @Test
    void aPathThatDoesNotCarryIsToldOfWhenItsTimeIsOver() {
        bonds.fabric.cut(bonds.a.device(0), bonds.b.device(0));
        probe(0, "10.1.0.2", port());
        assertThat(told).isEmpty();
        bonds.advance(600 * MS);
        assertThat(told).containsExactly(Answer.SILENCE);
    }

    @Test
    void aHostWithoutABondAtThatPortIsNoAnswer() {
        probe(0, "10.1.0.2", port() + 1);
        assertThat(told).containsExactly(Answer.NO_WORD);
    }

    @Test
    void aMemberThatCannotAskSaysSoAtOnce() {
        bonds.a.device(0).die();
        probe(0, "10.1.0.2", port());
        assertThat(told).containsExactly(Answer.NO_WORD);
    }

    @Test
    void anAnswerThatIsLostIsTakenForNone() {
        bonds.fabric.lose(CmMessage.REJ);
        probe(0, "10.1.0.2", port());
        bonds.advance(600 * MS);
        assertThat(told).containsExactly(Answer.SILENCE);
    }
}
