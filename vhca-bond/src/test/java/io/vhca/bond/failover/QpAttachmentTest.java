package io.vhca.bond.failover;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.QpState;
import io.vhca.api.WcStatus;
import io.vhca.bond.config.BondOption;
import io.vhca.bond.config.ServiceMode.Standby;
import io.vhca.bond.fake.AppEnd;
import io.vhca.bond.fake.FakeFabric.CmMessage;
import io.vhca.bond.fake.FakeQp;
import io.vhca.bond.fake.TwoBonds;
import io.vhca.bond.link.PathLink;
import io.vhca.recovery.wire.FailureReason;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class QpAttachmentTest {
    private final TwoBonds bonds = new TwoBonds(options -> options.set(BondOption.STANDBY, Standby.COLD));
    private AppEnd active = new AppEnd(bonds.a);
    private AppEnd passive = active;

    @BeforeEach
    void connect() {
        active.close();
        final TwoBonds.Connection pair = bonds.connect();
        active = pair.active();
        passive = pair.passive();
    }

    @AfterEach
    void close() {
        bonds.close();
    }

    private QpAttachment attachment() {
        return active.recovery().attachment();
    }

    private FailureReason send(final WcStatus status, final long sequence) {
        return attachment().classifySend(status.code(), 0, sequence);
    }

    @Test
    void aPathFailureOfASendHasItsReasonAndTheApplicationsOwnHasNone() {
        assertThat(send(WcStatus.RETRY_EXC_ERR, 0)).isEqualTo(FailureReason.RETRY_EXC);
        assertThat(send(WcStatus.LOC_PROT_ERR, 0)).isEqualTo(FailureReason.NONE);
        assertThat(send(WcStatus.REM_ACCESS_ERR, 0)).isEqualTo(FailureReason.NONE);
        assertThat(send(WcStatus.WR_FLUSH_ERR, 0)).isEqualTo(FailureReason.NONE);
    }

    @Test
    void aDoubtfulSendIsTheRequestsOwnFaultOnceItsBudgetIsSpent() {
        for (int i = 1; i < RetryBudget.MOST_TRIES; i++) {
            assertThat(send(WcStatus.GENERAL_ERR, 4)).isNotEqualTo(FailureReason.NONE);
        }
        assertThat(send(WcStatus.GENERAL_ERR, 4)).isEqualTo(FailureReason.NONE);
        assertThat(send(WcStatus.GENERAL_ERR, 5)).isNotEqualTo(FailureReason.NONE);
    }

    @Test
    void aDoubtfulReceiveIsTheApplicationsOwn() {
        assertThat(attachment().classifyReceive(WcStatus.GENERAL_ERR.code(), 0)).isEqualTo(FailureReason.NONE);
        assertThat(attachment().classifyReceive(WcStatus.LOC_LEN_ERR.code(), 0)).isEqualTo(FailureReason.NONE);
    }

    @Test
    void withThePortGoingDownWhatIsLocalIsBlamedOnThePath() {
        bonds.a.locked(() -> bonds.a.member(0).portActive(false));
        assertThat(send(WcStatus.LOC_QP_OP_ERR, 0)).isNotEqualTo(FailureReason.NONE);
        bonds.a.locked(() -> bonds.a.member(0).portActive(true));
    }

    @Test
    void aLinkIsCurrentUntilThePeersDeviceCameBack() {
        final PathLink link = Objects.requireNonNull(active.recovery().healthyLink());
        assertThat(attachment().isCurrent(active.recovery().identity().peer())).isTrue();
        bonds.a.locked(() -> active.recovery().identity().peer().keys(link.remoteMember(), 5));
        assertThat(attachment().isCurrent(active.recovery().identity().peer())).isFalse();
    }

    /** What is known then is the keys of the other member. */
    @Test
    void aLinkThatIsBeingMadeIsCurrent() {
        bonds.fabric.lose(CmMessage.REQ);
        bonds.a.device(0).port(false);
        bonds.settle();
        assertThat(attachment().link()).isNotNull();
        assertThat(attachment().keys()).isNull();
        assertThat(attachment().isCurrent(active.recovery().identity().peer())).isTrue();
    }

    @Test
    void afterTheGateIsClosedPostsWaitAndTheHardwareBecomesQuiet() {
        passive.receives(3);
        active.send(1, "one");
        assertThat(active.physical().outstanding()).isEqualTo(1);
        bonds.a.locked(() -> attachment().stopSending());
        active.send(2, "two");
        assertThat(active.physical().outstanding()).isEqualTo(1);
        bonds.a.locked(() -> assertThat(attachment().isQuiet()).isFalse());
        bonds.fabric.run();
        bonds.a.locked(() -> assertThat(attachment().isQuiet()).isTrue());
        bonds.a.locked(() -> attachment().openGates());
        bonds.settle();
        assertThat(active.polled()).containsExactly("1 SUCCESS", "2 SUCCESS");
    }

    @Test
    void aFenceMovesThePhysicalQueuePairToErrWithAMarkerBehindEachQueue() {
        passive.receives(1);
        bonds.fabric.stop(true);
        active.receives(2);
        active.send(1, "one");
        final FakeQp physical = active.physical();
        final int before = physical.everSent().size();
        bonds.a.locked(() -> {
            attachment().fence();
            assertThat(physical.state()).isEqualTo(QpState.ERR);
            assertThat(physical.everSent()).hasSize(before + 1);
            assertThat(attachment().isDrained()).isTrue();
            attachment().finishDrain();
            assertThat(attachment().physical()).isNull();
            assertThat(attachment().describe()).isEmpty();
            assertThat(attachment().isDrained()).as("no queue pair, nothing to come").isTrue();
        });
        assertThat(physical.isClosed()).isTrue();
        assertThat(active.polled()).as("flushes only mark the end").isEmpty();
    }

    @Test
    void aMessageOnThePhysicalQueuePairIsNoticedThoughNobodyPolls() {
        passive.receives(1);
        bonds.b.locked(() -> assertThat(passive.recovery().attachment().hasReceived()).isFalse());
        active.send(1, "one");
        bonds.settle();
        bonds.b.locked(() -> assertThat(passive.recovery().attachment().hasReceived()).isTrue());
        assertThat(passive.polled()).containsExactly("0 SUCCESS");
    }

    @Test
    void whatArrivedOnADyingDeviceIsKept() {
        passive.receives(1);
        active.send(1, "one");
        bonds.settle();
        bonds.a.device(0).die();
        bonds.b.device(0).die();
        bonds.advance(500 * MS);
        assertThat(passive.polled()).containsExactly("0 SUCCESS");
        assertThat(active.polled()).containsExactly("1 SUCCESS");
    }
}
