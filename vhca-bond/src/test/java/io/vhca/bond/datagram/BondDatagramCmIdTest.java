package io.vhca.bond.datagram;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Errno;
import io.vhca.api.QpState;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.core.MemberStatus;
import io.vhca.bond.fake.DatagramEnd;
import io.vhca.bond.fake.FakeFabric.CmMessage;
import io.vhca.bond.fake.HandBond;
import io.vhca.bond.fake.TwoBonds;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Services of datagrams: which queue pair is at a port. */
class BondDatagramCmIdTest {
    private static final int PORT = 7_472;
    private final TwoBonds bonds = new TwoBonds();

    @AfterEach
    void close() {
        bonds.close();
    }

    private static byte[] bytes(final String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private void listen() {
        final CmId listener = bonds.closing(bonds.b.channel().createId(CmPortSpace.UDP, null));
        listener.bindAddr(new InetSocketAddress(InetAddress.ofLiteral("0.0.0.0"), PORT));
        listener.listen(8);
    }

    /** An id of a with a queue pair, which asks for the service. */
    private DatagramEnd ask(final String address) {
        final CmId id = bonds.a.channel().createId(CmPortSpace.UDP, null);
        resolve(address, id);
        final DatagramEnd end = bonds.closing(new DatagramEnd(bonds.a, id));
        id.connect(ConnectParameters.of(bytes("who")));
        bonds.settle();
        return end;
    }

    /** The same without a queue pair. */
    private CmId ask(final String address, final CmId id) {
        resolve(address, bonds.closing(id));
        id.connect(ConnectParameters.of(bytes("who")));
        bonds.settle();
        return id;
    }

    private void resolve(final String address, final CmId id) {
        id.resolveAddr(null, new InetSocketAddress(InetAddress.ofLiteral(address), PORT), 1_000);
        TwoBonds.next(bonds.a, CmEventType.ADDR_RESOLVED);
        id.resolveRoute(1_000);
        TwoBonds.next(bonds.a, CmEventType.ROUTE_RESOLVED);
    }

    /** The queue pair that answers for the service. */
    private DatagramEnd answer(final CmEvent request) {
        final DatagramEnd end = bonds.closing(new DatagramEnd(bonds.b, request.id()));
        request.id().accept(ConnectParameters.of(bytes("me")));
        bonds.settle();
        return end;
    }

    private static void assertNothingMore(final HandBond bond) {
        assertThat(bond.channel().getEvent(0)).isNull();
    }

    @Test
    void theAnswerNamesAQueuePairThatDatagramsReach() {
        listen();
        final DatagramEnd asker = ask("10.1.0.2");
        assertThat(asker.qp().state()).as("at once").isEqualTo(QpState.RTS);
        final CmEvent request = TwoBonds.next(bonds.b, CmEventType.CONNECT_REQUEST);
        assertThat(request.privateData()).isEqualTo(bytes("who"));
        final DatagramEnd service = answer(request);
        service.receives(2);
        final CmEvent answer = TwoBonds.next(bonds.a, CmEventType.ESTABLISHED);
        assertThat(answer.privateData()).isEqualTo(bytes("me"));
        assertThat(answer.parameters().qpNum()).isEqualTo(service.qp().qpNum());
        assertThat(answer.parameters().qkey()).isEqualTo(ConnectParameters.UDP_QKEY);
        TwoBonds.next(bonds.b, CmEventType.ESTABLISHED);
        asker.send(1, "one", asker.to("10.1.0.2"), service.qp().qpNum());
        bonds.settle();
        assertThat(service.polled()).containsExactly("0 one of " + asker.qp().qpNum());
        assertThatThrownBy(request.id()::disconnect).isInstanceOf(VerbsException.class);
    }

    @Test
    void nobodyAtThePortAndANoAreToldApart() {
        ask("10.1.0.2");
        assertThat(TwoBonds.next(bonds.a, CmEventType.UNREACHABLE).status()).isEqualTo(1);
        listen();
        ask("10.1.0.2");
        final CmId child = TwoBonds.next(bonds.b, CmEventType.CONNECT_REQUEST).id();
        child.reject(bytes("no"));
        bonds.settle();
        final CmEvent refused = TwoBonds.next(bonds.a, CmEventType.UNREACHABLE);
        assertThat(refused.status()).isEqualTo(2);
        assertThat(refused.privateData()).isEqualTo(bytes("no"));
        child.close();
    }

    /** As {@link CmId#reject} says. */
    @Test
    void theLongestNoPassesAndOneByteMoreIsRefused() {
        listen();
        ask("10.1.0.2");
        final CmId child = TwoBonds.next(bonds.b, CmEventType.CONNECT_REQUEST).id();
        assertThatThrownBy(() -> child.reject(new byte[109]))
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
        child.reject(new byte[108]);
        bonds.settle();
        assertThat(TwoBonds.next(bonds.a, CmEventType.UNREACHABLE).privateData()).hasSize(108);
        child.close();
    }

    @Test
    void aPathThatDoesNotCarryIsLeftForTheNext() {
        listen();
        bonds.fabric.lose(CmMessage.REQ);
        ask("10.1.0.2");
        bonds.advance(700 * MS);
        assertNothingMore(bonds.b);
        bonds.fabric.heal();
        bonds.advance(1_000 * MS);
        answer(TwoBonds.next(bonds.b, CmEventType.CONNECT_REQUEST));
        TwoBonds.next(bonds.a, CmEventType.ESTABLISHED);
    }

    @Test
    void aServiceThatIsSlowerThanThePathTimeoutIsToldOnceAndItsLateAnswerCounts() {
        listen();
        final long slowNs = bonds.a.verbs().core().config().pathTimeoutNs() * 5;
        ask("10.1.0.2");
        final CmEvent only = TwoBonds.next(bonds.b, CmEventType.CONNECT_REQUEST);
        bonds.advance(slowNs);
        assertNothingMore(bonds.b);
        final DatagramEnd service = answer(only);
        assertThat(TwoBonds.next(bonds.a, CmEventType.ESTABLISHED).parameters().qpNum())
                .isEqualTo(service.qp().qpNum());
        TwoBonds.next(bonds.b, CmEventType.ESTABLISHED);
        bonds.advance(slowNs);
        assertNothingMore(bonds.a);
        assertNothingMore(bonds.b);
        assertThat(bonds.a.linksOn(0)).isEmpty();
    }

    /** While its first question is open, the next one comes from another port of the member. */
    @Test
    void aSlowServiceIsToldOnceOfAnIdWithoutAQueuePairToo() {
        listen();
        ask("10.1.0.2", bonds.a.channel().createId(CmPortSpace.UDP, null));
        final CmEvent only = TwoBonds.next(bonds.b, CmEventType.CONNECT_REQUEST);
        bonds.advance(bonds.a.verbs().core().config().pathTimeoutNs() * 5);
        assertNothingMore(bonds.b);
        final DatagramEnd service = answer(only);
        assertThat(TwoBonds.next(bonds.a, CmEventType.ESTABLISHED).parameters().qpNum())
                .isEqualTo(service.qp().qpNum());
    }

    @Test
    void anAnswerThatIsLostIsGivenAgainWithoutTheApplication() {
        listen();
        ask("10.1.0.2");
        final CmEvent only = TwoBonds.next(bonds.b, CmEventType.CONNECT_REQUEST);
        bonds.fabric.lose(CmMessage.REP);
        answer(only);
        TwoBonds.next(bonds.b, CmEventType.ESTABLISHED);
        assertNothingMore(bonds.a);
        bonds.fabric.heal();
        bonds.advance(4 * bonds.a.verbs().core().config().pathTimeoutNs());
        TwoBonds.next(bonds.a, CmEventType.ESTABLISHED);
        assertNothingMore(bonds.b);
    }

    /** The application fills its arrays with something else once its calls have returned. */
    @Test
    void whatIsSaidAgainIsWhatTheApplicationGaveWithItsCall() {
        listen();
        final CmId id = bonds.closing(bonds.a.channel().createId(CmPortSpace.UDP, null));
        resolve("10.1.0.2", id);
        connectAndOverwrite(id, "who");
        bonds.settle();
        final CmEvent asked = TwoBonds.next(bonds.b, CmEventType.CONNECT_REQUEST);
        assertThat(asked.privateData()).isEqualTo(bytes("who"));
        bonds.closing(new DatagramEnd(bonds.b, asked.id()));
        bonds.fabric.lose(CmMessage.REP);
        final byte[] me = bytes("me");
        asked.id().accept(ConnectParameters.of(me));
        Arrays.fill(me, (byte) 0);
        giveAgain();
        assertThat(TwoBonds.next(bonds.a, CmEventType.ESTABLISHED).privateData()).isEqualTo(bytes("me"));
        TwoBonds.next(bonds.b, CmEventType.ESTABLISHED);
        connectAndOverwrite(id, "you");
        bonds.settle();
        final CmEvent second = TwoBonds.next(bonds.b, CmEventType.CONNECT_REQUEST);
        assertThat(second.privateData()).isEqualTo(bytes("you"));
        bonds.closing(second.id());
        bonds.fabric.lose(CmMessage.REJ);
        final byte[] no = bytes("no");
        second.id().reject(no);
        Arrays.fill(no, (byte) 0);
        giveAgain();
        assertThat(TwoBonds.next(bonds.a, CmEventType.UNREACHABLE).privateData()).isEqualTo(bytes("no"));
    }

    private static void connectAndOverwrite(final CmId id, final String text) {
        final byte[] given = bytes(text);
        id.connect(ConnectParameters.of(given));
        Arrays.fill(given, (byte) 0);
    }

    /** What was said is lost, and said again since it is asked for again. */
    private void giveAgain() {
        bonds.settle();
        bonds.fabric.heal();
        bonds.advance(4 * bonds.a.verbs().core().config().pathTimeoutNs());
    }

    /** It says that it has no room any more, which is no answer. */
    @Test
    void aQuestionOutlivesTheMemberThatItCameOver() {
        listen();
        bonds.spare("b2", "10.1.0.77");
        bonds.b.context().admin().add("b2");
        bonds.connect();
        ask("10.1.0.2");
        final CmEvent only = TwoBonds.next(bonds.b, CmEventType.CONNECT_REQUEST);
        bonds.b.context().admin().remove("b0");
        bonds.settle();
        assertNothingMore(bonds.a);
        bonds.advance(2_000 * MS);
        final DatagramEnd service = answer(only);
        assertThat(TwoBonds.next(bonds.a, CmEventType.ESTABLISHED).parameters().qpNum())
                .isEqualTo(service.qp().qpNum());
        TwoBonds.next(bonds.b, CmEventType.ESTABLISHED);
        assertNothingMore(bonds.b);
    }

    /** Its answer is given, and its queue pair has moved: nothing of it needs the member. */
    @Test
    void anAnsweredQuestionDoesNotKeepTheMemberThatItCameOver() {
        listen();
        ask("10.1.0.2");
        final DatagramEnd service = answer(TwoBonds.next(bonds.b, CmEventType.CONNECT_REQUEST));
        final CmEvent told = TwoBonds.next(bonds.b, CmEventType.ESTABLISHED);
        bonds.b.context().admin().remove("b0");
        bonds.advance(5_000 * MS);
        assertThat(bonds.b.context().admin().members()).extracting(MemberStatus::name).containsExactly("b1");
        assertThat(service.qp().state()).isEqualTo(QpState.RTS);
        assertNothingMore(bonds.b);
        told.id().close();
        bonds.settle();
        assertNothingMore(bonds.b);
    }

    /** Of too many at once each has its turn. */
    @Test
    void whoFindsNoRoomOrGivesWayAsksAgain() {
        listen();
        final int before = askTooMany();
        bonds.advance(5 * MS);
        ask("10.1.0.2", bonds.a.channel().createId(CmPortSpace.UDP, null));
        assertThat(bonds.b.count(Counter.REQ_DROPPED)).isPositive();
        assertNothingMore(bonds.a);
        for (int i = 0; i < before + 1; i++) {
            final CmId child = TwoBonds.next(bonds.b, CmEventType.CONNECT_REQUEST).id();
            child.reject(bytes("no"));
            bonds.closing(child);
            bonds.advance(10 * MS);
            TwoBonds.next(bonds.a, CmEventType.UNREACHABLE);
        }
        assertNothingMore(bonds.b);
    }

    /** As many ask as there is room for, and one more; how many. */
    private int askTooMany() {
        int count = 0;
        while (bonds.b.count(Counter.REQ_FULL) == 0) {
            ask("10.1.0.2", bonds.a.channel().createId(CmPortSpace.UDP, null));
            count++;
        }
        return count;
    }

    @Test
    void anIdThatAsksAnewIsANewRequest() {
        listen();
        final CmId id = ask("10.1.0.2", bonds.a.channel().createId(CmPortSpace.UDP, null));
        final CmEvent first = TwoBonds.next(bonds.b, CmEventType.CONNECT_REQUEST);
        first.id().reject(bytes("no"));
        bonds.settle();
        TwoBonds.next(bonds.a, CmEventType.UNREACHABLE);
        id.connect(ConnectParameters.of(bytes("who")));
        bonds.settle();
        answer(TwoBonds.next(bonds.b, CmEventType.CONNECT_REQUEST));
        TwoBonds.next(bonds.a, CmEventType.ESTABLISHED);
        first.id().close();
    }

    @Test
    void idsOfOneBondAreToldApart() {
        listen();
        ask("10.1.0.2");
        ask("10.1.0.2");
        final CmEvent one = TwoBonds.next(bonds.b, CmEventType.CONNECT_REQUEST);
        final CmEvent other = TwoBonds.next(bonds.b, CmEventType.CONNECT_REQUEST);
        assertThat(one.id()).isNotSameAs(other.id());
        one.id().close();
        other.id().close();
    }

    @Test
    void whereNobodyAnswersItIsUnreachableInTheEnd() {
        bonds.fabric.cut(bonds.a.device(0), bonds.b.device(0));
        ask("10.1.0.2");
        bonds.advance(29_000 * MS);
        assertNothingMore(bonds.a);
        bonds.advance(1_100 * MS);
        assertThat(TwoBonds.next(bonds.a, CmEventType.UNREACHABLE).status()).isNegative();
    }

    @Test
    void withNoMemberUpItWaitsForOne() {
        listen();
        bonds.a.device(0).port(false);
        bonds.a.device(1).port(false);
        bonds.settle();
        ask("10.1.0.2");
        bonds.advance(5_000 * MS);
        assertNothingMore(bonds.a);
        bonds.a.device(0).port(true);
        bonds.settle();
        answer(TwoBonds.next(bonds.b, CmEventType.CONNECT_REQUEST));
        TwoBonds.next(bonds.a, CmEventType.ESTABLISHED);
    }

    @Test
    void anIdThatIsClosedAsksNoMore() {
        bonds.fabric.lose(CmMessage.REQ);
        final DatagramEnd asker = ask("10.1.0.2");
        assertThat(bonds.a.linksOn(0)).hasSize(1);
        asker.close();
        assertThat(bonds.a.linksOn(0)).isEmpty();
        bonds.advance(5_000 * MS);
        assertThat(bonds.a.linksOn(0)).isEmpty();
        assertThat(bonds.a.linksOn(1)).isEmpty();
        assertNothingMore(bonds.a);
    }
}
