package io.vhca.harness.bond;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.AddressHandle;
import io.vhca.api.Errno;
import io.vhca.api.Gid;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpState;
import io.vhca.api.WcStatus;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.physical.soft.fabric.Verdict;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** UD queue pairs of bonds on virtual time: datagrams may be lost, and nothing else. */
@Execution(ExecutionMode.CONCURRENT)
class DatagramsOnBondTest {
    private static final long MS = BondPair.MS;
    /** Of 500 ms. */
    private static final int PART_OF_PATH_TIMEOUT_MS = 150;

    private static BondPair pair(final String network) {
        return network.equals("two") ? BondPair.onTwoNetworks(config -> config, false) : new BondPair(config -> config);
    }

    @Test
    void aHealthyExchangeLosesNothing() {
        try (DatagramExchange all = new DatagramExchange(pair("one"))) {
            all.exchange(200);
            all.run(100 * MS);
            all.check();
            assertThat(all.right.numbers).hasSize(200);
            assertThat(all.left.numbers).hasSize(200);
        }
    }

    /** Whatever dies under traffic, at either end: it goes on over what is left, both ways. */
    @ParameterizedTest
    @CsvSource({
        "one, left, port", "one, right, port", "one, left, device", "one, right, device", "one, both, silent",
        "two, left, port", "two, right, port", "two, left, device", "two, right, device", "two, both, silent",
    })
    void trafficMovesToTheSurvivingMember(final String network, final String side, final String how) {
        try (DatagramExchange all = new DatagramExchange(pair(network))) {
            all.exchange(50);
            final BondPair.Host host = side.equals("left") ? all.pair.left : all.pair.right;
            switch (how) {
                case "port" -> host.ports[0].up(false);
                case "device" -> host.devices[0].kill();
                default -> all.pair.block(0, true, true, true);
            }
            all.exchange(6_000);
            final long moved = all.left.posted();
            final long movedBack = all.right.posted();
            all.exchange(200);
            all.run(3_000 * MS);

            all.check();
            assertThat(all.right.numbers).contains(LongStream.range(0, 50).boxed().toArray(Long[]::new));
            assertThat(all.right.numbers)
                    .contains(LongStream.range(moved, all.left.posted()).boxed().toArray(Long[]::new));
            assertThat(all.left.numbers)
                    .contains(LongStream.range(movedBack, all.right.posted()).boxed().toArray(Long[]::new));
        }
    }

    /** Who only receives tells those who send to it as soon as it has moved: no heartbeat is waited for. */
    @ParameterizedTest
    @ValueSource(strings = {"one", "two"})
    void whoOnlyReceivesTellsItsSendersWhenItMoves(final String network) {
        try (DatagramExchange all = new DatagramExchange(pair(network))) {
            for (int i = 0; i < 20; i++) {
                all.left.send(all.toRight, all.right.qp.qpNum());
                all.run(DatagramExchange.STEP_NS);
            }
            all.pair.right.devices[0].kill();
            final long before = all.left.posted();
            // On two networks the sender finds out besides that its own member does not lead there.
            final int patienceMs = network.equals("two") ? 1_700 : 20;
            for (int i = 0; i < patienceMs; i++) {
                assertThat(all.left.send(all.toRight, all.right.qp.qpNum())).isIn(1, -Errno.ENOMEM);
                all.run(DatagramExchange.STEP_NS);
            }
            all.run(1_000 * MS);
            assertThat(all.right.numbers.getLast()).isGreaterThan(before).isEqualTo(all.left.posted() - 1);
        }
    }

    /** Where one must follow the other, an outage is a part of path_timeout, whoever of the two lost its link. */
    @ParameterizedTest
    @ValueSource(strings = {"one", "two"})
    void aLinkThatGoesDownCostsPartOfAPathTimeout(final String network) {
        try (DatagramExchange all = new DatagramExchange(pair(network))) {
            all.exchange(200);
            for (int cut = 0; cut < 6; cut++) {
                final boolean isLeft = cut % 2 == 0;
                final String place = isLeft ? all.places().getFirst() : all.places().getLast();
                final int member = place.charAt(place.length() - 1) - '0';
                final BondPair.Host host = isLeft ? all.pair.left : all.pair.right;
                host.ports[member].up(false);
                final long lostFrom = all.left.posted();
                all.exchange(PART_OF_PATH_TIMEOUT_MS);
                final long first = all.left.posted();
                all.exchange(50);
                all.run(50 * MS);
                assertThat(all.right.numbers)
                        .as("cut %d at %s: datagrams %d to %d were sent in the outage", cut, place, lostFrom, first)
                        .contains(LongStream.range(first, all.left.posted()).boxed().toArray(Long[]::new));
                host.ports[member].up(true);
                all.exchange(3_000);
            }
            all.check();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"one", "two"})
    void anOperatorMovesDatagramsThereAndBack(final String network) {
        try (DatagramExchange all = new DatagramExchange(pair(network))) {
            all.exchange(20);
            assertThat(all.places()).containsExactly("left0", "right0");
            all.pair.left.bond.admin().drain("left0");
            all.exchange(3_000);
            assertThat(all.places().getFirst()).isEqualTo("left1");
            all.pair.left.bond.admin().resume("left0");
            all.pair.left.bond.admin().activate("left0");
            all.exchange(3_000);
            assertThat(all.places()).as("who was called away comes home").containsExactly("left0", "right0");
            all.exchangeWithoutLoss(1_000 * MS);
        }
    }

    /** Drivers take 24 bits of it. A member that refuses the others had left it without one for good. */
    @Test
    void aQueuePairWhoseFirstPacketNumberHasMoreBitsMovesToo() {
        try (DatagramExchange all = new DatagramExchange(pair("one"))) {
            all.left.qp.modify(new QpAttributes().qpState(QpState.RESET));
            all.left.qp.modify(
                    new QpAttributes().qpState(QpState.INIT).pkeyIndex(0).portNum(1).qkey(DatagramEnd.QKEY));
            all.left.qp.modify(new QpAttributes().qpState(QpState.RTR));
            all.left.qp.modify(new QpAttributes().qpState(QpState.RTS).sqPsn(0x8100_0000));
            all.exchange(20);
            all.pair.left.devices[0].kill();
            all.exchange(3_000);
            final long moved = all.left.posted();
            all.exchange(20);
            all.run(100 * MS);
            assertThat(all.places().getFirst()).isEqualTo("left1");
            assertThat(all.right.numbers).containsAll(LongStream.range(moved, moved + 20).boxed().toList());
        }
    }

    @Test
    void aDeviceThatComesBackCarriesDatagramsAgain() {
        try (DatagramExchange all = new DatagramExchange(pair("one"))) {
            all.exchange(20);
            all.pair.left.devices[0].kill();
            all.exchange(1_000);
            all.pair.left.plugInAgain(0);
            all.run(2_000 * MS);
            all.pair.left.devices[1].kill();
            all.exchange(1_000);
            assertThat(all.places().getFirst()).startsWith("left0");
            all.run(2_000 * MS);
            all.check();
            assertThat(all.right.numbers.getLast()).isEqualTo(all.left.posted() - 1);
            assertThat(all.left.numbers.getLast()).isEqualTo(all.right.posted() - 1);
        }
    }

    /** An address that is taken away and given back has another place in the table: what names the old one is lost. */
    @Test
    void datagramsGoOnWhenTheGidOfTheirMemberMovesInItsTable() {
        try (DatagramExchange all = new DatagramExchange(pair("one"))) {
            all.exchange(20);
            all.pair.left.devices[0].moveGid(3);
            all.run(10 * MS);
            all.exchangeWithoutLoss(100 * MS);
            assertThat(all.places()).as("no reason to go").containsExactly("left0", "right0");
        }
    }

    /** A device that was started anew gives its numbers out again, and a peer that has not heard of it sends there. */
    @Test
    void aNumberThatAnotherQueuePairHadIsNotTakenByTheNextOne() {
        try (DatagramExchange all = new DatagramExchange(pair("one"))) {
            all.exchange(5);
            final int old = all.right.qp.qpNum();
            final List<Long> before = List.copyOf(all.right.numbers);
            all.right.qp.close();
            all.pair.right.bond.admin().remove("right0");
            assertThat(all.pair.runUntil(() -> all.pair.right.bond.admin().members().size() == 1, 5_000 * MS))
                    .isTrue();
            all.pair.right.bond.admin().add("right0");
            all.pair.right.bond.admin().activate("right0");
            final List<DatagramEnd> others = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                others.add(new DatagramEnd(all.pair.right.bond));
                others.getLast().fillReceives();
                assertThat(all.pair.right.bond.admin().path(others.getLast().qp)).isEqualTo("right0");
            }
            for (int i = 0; i < 20; i++) {
                all.left.send(all.toRight, old);
                all.pair.runFor(MS);
                all.left.poll();
                others.forEach(DatagramEnd::poll);
            }
            assertThat(others).allMatch(other -> other.numbers.isEmpty());
            assertThat(all.right.numbers).isEqualTo(before);
            others.forEach(DatagramEnd::close);
        }
    }

    /** Adapters report the end of their link so before the link itself: what was not sent goes out over another one. */
    @Test
    void whatADeviceCouldNotSendGoesOutOverAnotherMember() {
        try (DatagramExchange all = new DatagramExchange(pair("one"))) {
            all.exchange(5);
            for (int i = 0; i < 3; i++) {
                all.left.send(all.toRight, all.right.qp.qpNum());
            }
            all.pair.left.devices[0].failSenders();
            all.run(10 * MS);
            all.check();
            assertThat(all.places().getFirst()).isEqualTo("left1");
            assertThat(all.left.sent).hasSize(8);
            assertThat(all.right.numbers).isEqualTo(LongStream.range(0, 8).boxed().toList());
        }
    }

    /** What completed lies in the CQ until it is polled; that somebody polls late is no silence of the hardware. */
    @Test
    void whoPollsLateIsNotTakenForSilentHardware() {
        final long watchdogNs = 200 * MS;
        try (DatagramExchange all = new DatagramExchange(
                new BondPair(config -> config.watchdogNs(watchdogNs).heartbeatNs(0)))) {
            all.exchange(5);
            all.left.send(all.toRight, all.right.qp.qpNum());
            all.pair.runFor(watchdogNs / 2);
            all.pair.nowNs += 10 * watchdogNs;
            all.pair.runFor(10 * watchdogNs);
            assertThat(all.places()).as("nothing is wrong with it").containsExactly("left0", "right0");
            all.exchangeWithoutLoss(100 * MS);
        }
    }

    /** SIDR: whatever path is dead, the service answers over another, and its answer names a vQP that is reached. */
    @Test
    void aServiceIsFoundOverTheMemberThatSurvives() {
        try (DatagramExchange all = new DatagramExchange(pair("two"));
                CmEventChannel asking = all.pair.left.bond.createEventChannel();
                CmEventChannel serving = all.pair.right.bond.createEventChannel();
                CmId service = serving.createId(CmPortSpace.UDP, null);
                CmId id = asking.createId(CmPortSpace.UDP, null)) {
            service.bindAddr(new InetSocketAddress(all.pair.address(1, 9), 77));
            service.listen(1);
            all.pair.block(0, true, true, true);
            id.resolveAddr(null, new InetSocketAddress(all.pair.address(1, 9), 77), 1_000);
            id.resolveRoute(1_000);
            id.connect(ConnectParameters.of(new byte[] {1}));
            final List<CmEvent> asked = new ArrayList<>();
            final List<CmEvent> found = new ArrayList<>();
            assertThat(all.pair.runUntil(
                            () -> {
                                answer(serving.getEvent(0), asked, all.right.qp.qpNum());
                                final CmEvent event = asking.getEvent(0);
                                if (event != null && event.type() == CmEventType.ESTABLISHED) {
                                    found.add(event);
                                }
                                return !found.isEmpty();
                            },
                            3_000 * MS))
                    .isTrue();
            assertThat(asked.getFirst().privateData()).startsWith(1);
            assertThat(found.getFirst().privateData()).startsWith(2);
            assertThat(found.getFirst().parameters().qpNum()).isEqualTo(all.right.qp.qpNum());
            assertThat(found.getFirst().parameters().qkey()).isEqualTo(DatagramEnd.QKEY);
            try (AddressHandle ah = all.left.pd.createAh(Objects.requireNonNull(found.getFirst().ahAttributes()))) {
                all.left.send(ah, found.getFirst().parameters().qpNum());
                all.run(3_000 * MS);
            }
            assertThat(all.right.numbers).containsExactly(0L);
            asked.forEach(event -> event.id().close());
        }
    }

    private static void answer(final @Nullable CmEvent event, final List<CmEvent> asked, final int qpNum) {
        if (event != null && event.type() == CmEventType.CONNECT_REQUEST) {
            asked.add(event);
            event.id().accept(new ConnectParameters(new byte[] {2}, 0, 0, 0, 0, qpNum, DatagramEnd.QKEY));
        }
    }

    /** Each receive that was posted is still there after the move, in its place. */
    @Test
    void receivesOutliveTheMemberTheyWerePostedTo() {
        try (DatagramExchange all = new DatagramExchange(pair("one"))) {
            all.right.repostsReceives = false;
            for (int i = 0; i < 10; i++) {
                all.left.send(all.toRight, all.right.qp.qpNum());
                all.run(DatagramExchange.STEP_NS);
            }
            assertThat(all.right.receives).hasSize(10);
            all.pair.right.devices[0].kill();
            all.run(2_000 * MS);
            for (int i = 10; i < DatagramEnd.DEPTH; i++) {
                all.left.send(all.toRight, all.right.qp.qpNum());
                all.run(DatagramExchange.STEP_NS);
            }
            all.run(100 * MS);
            assertThat(all.right.receives)
                    .isEqualTo(LongStream.range(0, DatagramEnd.DEPTH).boxed().toList());
            assertThat(all.right.numbers)
                    .isEqualTo(LongStream.range(0, DatagramEnd.DEPTH).boxed().toList());
        }
    }

    /** What was sent is not sent again, and what had arrived is not lost, though nobody had polled it. */
    @Test
    void whatTheDeadMemberHadDoneCounts() {
        try (DatagramExchange all = new DatagramExchange(pair("one"))) {
            all.exchange(1);
            for (int i = 0; i < 10; i++) {
                all.left.send(all.toRight, all.right.qp.qpNum());
            }
            all.pair.runFor(10 * MS);
            all.pair.left.devices[0].kill();
            all.pair.right.devices[0].kill();
            all.pair.runFor(2_000 * MS);
            all.run(10 * MS);
            all.check();
            assertThat(all.left.sent).hasSize(11);
            assertThat(all.right.numbers).isEqualTo(LongStream.range(0, 11).boxed().toList());
        }
    }

    /** What a receive shows of its sender is enough to answer it, before and after either moved. */
    @Test
    void whoeverIsHeardCanBeAnswered() {
        try (DatagramExchange all = new DatagramExchange(pair("one"))) {
            for (int round = 0; round < 2; round++) {
                all.left.send(all.toRight, all.right.qp.qpNum());
                all.run(10 * MS);
                final int heard = all.right.sources.getLast();
                assertThat(heard).isEqualTo(all.left.qp.qpNum());
                try (AddressHandle back = all.right.handleOf(all.right.lastSource)) {
                    all.right.send(back, heard);
                    all.run(50 * MS);
                }
                assertThat(all.left.numbers).hasSize(round + 1);
                all.pair.left.ports[0].up(false);
                all.run(2_000 * MS);
            }
        }
    }

    /** Each of many senders is named, each of many destinations reached, before and after all of them moved. */
    @Test
    void manyPeersAreToldApart() {
        final int count = 24;
        try (DatagramExchange all = new DatagramExchange(pair("one"))) {
            final List<DatagramEnd> senders = new ArrayList<>();
            final List<AddressHandle> back = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                senders.add(new DatagramEnd(all.pair.left.bond));
                senders.get(i).fillReceives();
                back.add(all.right.handleOf(Gid.of(all.pair.address(0, i % 2 == 0 ? 9 : i % 4 / 2))));
            }
            for (int round = 1; round <= 2; round++) {
                all.right.sources.clear();
                for (final DatagramEnd sender : senders) {
                    try (AddressHandle ah = sender.handleOf(Gid.of(all.pair.address(1, 9)))) {
                        sender.send(ah, all.right.qp.qpNum());
                        all.run(2 * MS);
                    }
                }
                assertThat(all.right.sources)
                        .isEqualTo(senders.stream().map(sender -> sender.qp.qpNum()).toList());
                for (int i = 0; i < count; i++) {
                    all.right.send(back.get(i), senders.get(i).qp.qpNum());
                    all.run(MS);
                }
                all.run(2_000 * MS);
                for (final DatagramEnd sender : senders) {
                    sender.poll();
                    assertThat(sender.numbers).hasSize(round);
                }
                all.pair.left.devices[0].kill();
                all.run(2_000 * MS);
            }
            back.forEach(AddressHandle::close);
            senders.forEach(DatagramEnd::close);
        }
    }

    @Test
    void whatNobodyKnowsIsLostAndHoldsNobodyUpForLong() {
        try (DatagramExchange all = new DatagramExchange(pair("one"));
                AddressHandle nowhere = all.left.handleOf(Gid.of(all.pair.address(1, 7)))) {
            all.left.send(all.toRight, all.right.qp.qpNum() + 1);
            all.left.send(nowhere, all.right.qp.qpNum());
            all.left.send(all.toRight, all.right.qp.qpNum());
            all.run(5_000 * MS);
            for (int i = 0; i < 20; i++) {
                all.left.send(nowhere, all.right.qp.qpNum());
                all.left.send(all.toRight, all.right.qp.qpNum());
            }
            all.run(10 * MS);
            assertThat(all.left.sent).isEqualTo(LongStream.range(0, 43).boxed().toList());
            assertThat(all.left.sendStatus).containsOnly(WcStatus.SUCCESS);
            assertThat(all.right.numbers).hasSize(21);
        }
    }

    /** A slow host, or a long way: every question is answered, and none within the usual time of a path. */
    @ParameterizedTest
    @ValueSource(ints = {300, 900})
    void answersThatTakeLongerThanAPathAreWaitedFor(final int oneWayMs) {
        try (DatagramExchange all = new DatagramExchange(pair("one"))) {
            all.exchange(20);
            all.pair.fabric.faults((from, to, trafficClass, packet, length, nowNs) -> Verdict.delay(0, oneWayMs * MS));
            all.pair.left.ports[0].up(false);
            all.exchange(6_000);
            all.run(3_000 * MS); // what is on the way fills the network
            assertThat(all.places().getFirst()).isEqualTo("left1");
            final long first = all.left.posted();
            final long firstBack = all.right.posted();
            all.exchange(20);
            all.run(3_000 * MS);
            all.check();
            assertThat(all.right.numbers).contains(LongStream.range(first, first + 20).boxed().toArray(Long[]::new));
            assertThat(all.left.numbers)
                    .contains(LongStream.range(firstBack, firstBack + 20).boxed().toArray(Long[]::new));
        }
    }

    @Test
    void withNoMemberLeftDatagramsAreLostUntilOneIsBack() {
        try (DatagramExchange all = new DatagramExchange(pair("one"))) {
            all.exchange(10);
            for (int member = 0; member < 2; member++) {
                all.pair.left.ports[member].up(false);
            }
            all.exchange(100);
            all.run(1_000 * MS);
            all.check();
            all.pair.left.ports[1].up(true);
            all.run(2_000 * MS);
            all.exchangeWithoutLoss(100 * MS);
        }
    }

    @Test
    void requestsWithoutASignalCompleteQuietlyThoughTheirPathDies() {
        try (DatagramExchange all = new DatagramExchange(pair("one"))) {
            for (int i = 0; i < 500; i++) {
                assertThat(all.left.send(all.toRight, all.right.qp.qpNum(), 0)).isEqualTo(1);
                if (i == 250) {
                    all.pair.left.devices[0].kill();
                    all.run(2_000 * MS);
                }
                all.run(DatagramExchange.STEP_NS);
            }
            all.run(100 * MS);
            assertThat(all.left.sent).isEmpty();
            assertThat(all.right.numbers).hasSizeGreaterThan(490);
        }
    }

    @Test
    void errFlushesWhatIsLeftAndTheNextLifeBeginsClean() {
        try (DatagramExchange all = new DatagramExchange(pair("one"))) {
            all.exchange(5);
            all.left.qp.modify(new QpAttributes().qpState(QpState.ERR));
            all.left.send(all.toRight, all.right.qp.qpNum());
            all.run(10 * MS);
            assertThat(all.left.sendStatus.getLast()).isEqualTo(WcStatus.WR_FLUSH_ERR);
            assertThat(all.left.receiveStatus.subList(5, all.left.receiveStatus.size()))
                    .hasSize(DatagramEnd.DEPTH)
                    .containsOnly(WcStatus.WR_FLUSH_ERR);
            all.left.qp.modify(new QpAttributes().qpState(QpState.RESET));
            all.left.bringUp();
            all.left.fillReceives();
            all.left.numbers.clear();
            all.exchange(5);
            all.run(1_500 * MS);
            assertThat(all.right.numbers).hasSize(10);
            assertThat(all.left.sendStatus.getLast()).isEqualTo(WcStatus.SUCCESS);
            assertThat(List.copyOf(all.left.numbers)).isNotEmpty();
        }
    }
}
