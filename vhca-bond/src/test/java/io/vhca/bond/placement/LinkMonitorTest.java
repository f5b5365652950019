package io.vhca.bond.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.bond.config.BondConfig;
import io.vhca.bond.config.PrimaryReselect;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.fake.MemberBench;
import io.vhca.bond.member.Member;
import io.vhca.bond.member.MemberObserver;
import io.vhca.recovery.wire.FailureReason;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LinkMonitorTest {
    private static final long MS = 1_000_000;
    private static final long MIIMON = 100 * MS;
    private @Nullable MemberBench made;
    private long nowNs = Long.MAX_VALUE - 10 * MIIMON;

    @AfterEach
    void close() {
        if (made != null) {
            made.close();
        }
    }

    private MemberBench bench(final UnaryOperator<BondConfig.Builder> options) {
        final MemberBench bench = new MemberBench(3, builder -> options.apply(builder.miimonNs(MIIMON)));
        made = bench;
        return bench;
    }

    private static LinkMonitor monitor(final MemberBench bench) {
        return new LinkMonitor(bench.core, bench.members);
    }

    private int look(final MemberBench bench, final LinkMonitor monitor, final long afterNs) {
        nowNs += afterNs;
        bench.core.beginTurn(nowNs);
        return monitor.doWork(nowNs);
    }

    private static List<AsyncEventType> raised(final MemberBench bench) {
        final List<AsyncEventType> all = new ArrayList<>();
        for (AsyncEvent event = bench.core.asyncEvents().take(0);
                event != null;
                event = bench.core.asyncEvents().take(0)) {
            all.add(event.type());
        }
        return all;
    }

    @Test
    void theFirstMemberThatIsUpIsActiveUnlessAPrimaryIsNamed() {
        final MemberBench bench = bench(options -> options);
        assertThat(monitor(bench).active().name()).isEqualTo("m0");
        bench.device(0).portSilently(false);
        assertThat(monitor(bench).active().name()).isEqualTo("m1");
        bench.device(0).portSilently(true);
        bench.core.config(bench.core.config().toBuilder().primary("m2").build());
        assertThat(monitor(bench).active().name()).isEqualTo("m2");
    }

    @Test
    void aPortEventCountsAtOnceAndTheActiveMemberChangesBeforeAnybodyIsTold() {
        final MemberBench bench = bench(options -> options);
        final LinkMonitor monitor = monitor(bench);
        bench.members.observe(new MemberObserver() {
            @Override
            public void onDown(
                    final Member member, final FailureReason reason, final long atNs) {
                assertThat(monitor.active().name()).isEqualTo("m1");
            }
        });
        monitor.down(bench.member(0), FailureReason.PORT_ERR, nowNs);
        assertThat(bench.takeTold()).containsExactly("m0 down PORT_ERR");
        assertThat(bench.member(0).isUp()).isFalse();
        assertThat(bench.member(0).history().failures()).isEqualTo(1);
        monitor.down(bench.member(0), FailureReason.PORT_ERR, nowNs);
        assertThat(bench.takeTold()).as("once").isEmpty();
        monitor.up(bench.member(0), nowNs);
        assertThat(bench.takeTold()).containsExactly("preference", "m0 up", "list");
        assertThat(monitor.active().name()).as("without a primary the active one stays").isEqualTo("m1");
        monitor.up(bench.member(0), nowNs);
        assertThat(bench.takeTold()).isEmpty();
        assertThat(bench.notes()).containsExactly(
                "member m0 is down", "member m1 is active in place of m0", "member m0 is up");
    }

    @Test
    void whatNoEventSaysIsFoundByLookingEveryMiimon() {
        final MemberBench bench = bench(options -> options);
        final LinkMonitor monitor = monitor(bench);
        look(bench, monitor, 0);
        assertThat(monitor.nextDeadlineNs()).isEqualTo(nowNs + MIIMON);
        bench.device(1).portSilently(false);
        assertThat(look(bench, monitor, MIIMON - 1)).isZero();
        assertThat(look(bench, monitor, 1)).isEqualTo(1);
        assertThat(bench.takeTold()).containsExactly("m1 down PORT_ERR");
        bench.device(1).portSilently(true);
        assertThat(look(bench, monitor, MIIMON)).isEqualTo(1);
        assertThat(bench.takeTold()).containsExactly("preference", "m1 up", "list");
    }

    @Test
    void withinDowndelayAPortMayComeBackAndNobodyHears() {
        final MemberBench bench = bench(options -> options.downdelayNs(2 * MIIMON));
        final LinkMonitor monitor = monitor(bench);
        look(bench, monitor, 0);
        bench.device(0).portSilently(false);
        look(bench, monitor, MIIMON);
        look(bench, monitor, MIIMON);
        assertThat(bench.member(0).isGoingDown()).isTrue();
        bench.device(0).portSilently(true);
        look(bench, monitor, MIIMON);
        assertThat(bench.member(0).isGoingDown()).isFalse();
        assertThat(bench.takeTold()).isEmpty();
        bench.device(0).portSilently(false);
        look(bench, monitor, MIIMON);
        look(bench, monitor, MIIMON);
        assertThat(bench.takeTold()).as("the time begins anew").isEmpty();
        look(bench, monitor, MIIMON);
        assertThat(bench.takeTold()).containsExactly("m0 down PORT_ERR");
        assertThat(bench.member(0).isGoingDown()).isFalse();
    }

    @Test
    void whatIsNoWordOfThePortDoesNotWaitForDowndelay() {
        final MemberBench bench = bench(options -> options.downdelayNs(1_000 * MIIMON));
        monitor(bench).down(bench.member(0), FailureReason.ADDRESS_LOST, nowNs);
        assertThat(bench.takeTold()).containsExactly("m0 down ADDRESS_LOST");
    }

    @Test
    void aPrimaryIsChosenAgainOnceItWasUpForUpdelay() {
        final MemberBench bench = bench(options -> options.primary("m0").updelayNs(3 * MIIMON));
        final LinkMonitor monitor = monitor(bench);
        look(bench, monitor, 0);
        bench.device(0).portSilently(false);
        look(bench, monitor, MIIMON);
        assertThat(monitor.active().name()).isEqualTo("m1");
        assertThat(monitor.chosen()).isNull();
        bench.device(0).portSilently(true);
        look(bench, monitor, MIIMON);
        for (int i = 0; i < 2; i++) {
            look(bench, monitor, MIIMON);
            assertThat(monitor.active().name()).isEqualTo("m1");
        }
        bench.takeTold();
        look(bench, monitor, MIIMON);
        assertThat(monitor.active().name()).isEqualTo("m0");
        assertThat(bench.takeTold()).containsExactly("preference");
    }

    @Test
    void primaryReselectBetterWantsAFasterLinkAndFailureNever() {
        for (final PrimaryReselect policy : List.of(PrimaryReselect.BETTER, PrimaryReselect.FAILURE)) {
            final MemberBench bench = bench(options -> options.primary("m0").primaryReselect(policy));
            final LinkMonitor monitor = monitor(bench);
            monitor.down(bench.member(0), FailureReason.PORT_ERR, nowNs);
            monitor.up(bench.member(0), nowNs);
            look(bench, monitor, 0);
            assertThat(monitor.active().name()).as("%s, as fast", policy).isEqualTo("m1");
            bench.device(0).speedMbps(400_000);
            look(bench, monitor, MIIMON);
            look(bench, monitor, MIIMON);
            assertThat(monitor.active().name())
                    .as("%s, faster", policy)
                    .isEqualTo(policy == PrimaryReselect.BETTER ? "m0" : "m1");
            bench.close();
            made = null;
        }
    }

    @Test
    void whatAnOperatorMadeActiveStaysUntilItFailsOrAnotherPrimaryIsNamed() {
        final MemberBench bench = bench(options -> options.primary("m0"));
        final LinkMonitor monitor = monitor(bench);
        monitor.activate(bench.member(2));
        look(bench, monitor, MIIMON);
        assertThat(monitor.active().name()).isEqualTo("m2");
        assertThat(monitor.chosen()).isSameAs(bench.member(2));
        monitor.down(bench.member(2), FailureReason.PORT_ERR, nowNs);
        assertThat(monitor.active().name()).as("the primary before any other").isEqualTo("m0");
        monitor.up(bench.member(2), nowNs);
        assertThat(monitor.chosen()).isSameAs(bench.member(0));
        monitor.activate(bench.member(2));
        bench.core.config(bench.core.config().toBuilder().primary("m1").build());
        monitor.optionsChanged(true);
        look(bench, monitor, 0);
        assertThat(monitor.active().name()).isEqualTo("m1");
    }

    @Test
    void aDrainedMemberIsNotActiveAndASecondDrainSaysNothing() {
        final MemberBench bench = bench(options -> options);
        final LinkMonitor monitor = monitor(bench);
        monitor.drained(bench.member(0), true);
        monitor.drained(bench.member(0), true);
        assertThat(monitor.active().name()).isEqualTo("m1");
        assertThat(bench.member(0).isUp()).isTrue();
        assertThat(bench.member(0).isEligible()).isFalse();
        monitor.drained(bench.member(0), false);
        assertThat(bench.notes()).containsExactly(
                "member m0 is drained", "member m1 is active in place of m0", "member m0 is in use again");
    }

    @Test
    void theBondsPortGoesDownAndUpWithMinLinks() {
        final MemberBench bench = bench(options -> options.minLinks(2));
        final LinkMonitor monitor = monitor(bench);
        assertThat(monitor.isBondUp()).isTrue();
        monitor.down(bench.member(0), FailureReason.PORT_ERR, nowNs);
        assertThat(raised(bench)).isEmpty();
        monitor.down(bench.member(1), FailureReason.PORT_ERR, nowNs);
        assertThat(raised(bench)).containsExactly(AsyncEventType.PORT_ERR);
        assertThat(monitor.isBondUp()).isFalse();
        monitor.up(bench.member(1), nowNs);
        assertThat(raised(bench)).containsExactly(AsyncEventType.PORT_ACTIVE);
        bench.core.config(bench.core.config().toBuilder().minLinks(3).build());
        monitor.optionsChanged(false);
        assertThat(raised(bench)).containsExactly(AsyncEventType.PORT_ERR);
    }

    @Test
    void aDeviceThatDiesIsDeadForAllWhoeverFailsWhenItGoesDown() {
        final MemberBench bench = bench(options -> options);
        final LinkMonitor monitor = monitor(bench);
        bench.members.observe(new MemberObserver() {
            @Override
            public void onDown(
                    final Member member, final FailureReason reason, final long atNs) {
                throw new IllegalStateException("it fails");
            }
        });
        assertThatIllegalStateException()
                .isThrownBy(() -> monitor.died(bench.member(0), FailureReason.DEVICE_FATAL, nowNs));
        assertThat(bench.takeTold()).containsExactly("m0 down DEVICE_FATAL", "m0 died");
    }

    @Test
    void aDeviceThatDiesIsDownAndDeadOnceAndStaysOutOfLooks() {
        final MemberBench bench = bench(options -> options);
        final LinkMonitor monitor = monitor(bench);
        bench.device(0).die();
        monitor.died(bench.member(0), FailureReason.DEVICE_FATAL, nowNs);
        monitor.died(bench.member(0), FailureReason.DEVICE_REMOVAL, nowNs);
        assertThat(bench.takeTold()).containsExactly("m0 down DEVICE_FATAL", "m0 died");
        assertThat(bench.member(0).isAlive()).isFalse();
        assertThat(look(bench, monitor, 0)).isZero();
        monitor.up(bench.member(0), nowNs);
        monitor.addressChanged(bench.member(0), nowNs);
        assertThat(bench.takeTold()).as("a dead device says nothing").isEmpty();
        assertThat(bench.member(0).isUp()).isFalse();
    }

    @Test
    void aDeviceThatCannotBeAskedCountsAsDown() {
        final MemberBench bench = bench(options -> options);
        final LinkMonitor monitor = monitor(bench);
        bench.device(0).die();
        assertThat(monitor.isPortActiveNow(bench.member(0))).isFalse();
        assertThat(bench.core.counters().get(Counter.MEMBER_ERRORS_IGNORED)).isEqualTo(1);
    }

    @Test
    void anotherAddressIsAFailureOfWhatRanOverTheOldOneAndTheMemberIsLookedAtAtOnce() {
        final MemberBench bench = bench(options -> options);
        final LinkMonitor monitor = monitor(bench);
        look(bench, monitor, 0);
        bench.device(0).address("10.0.0.77");
        monitor.addressChanged(bench.member(0), nowNs);
        assertThat(bench.takeTold()).containsExactly("m0 down ADDRESS_LOST");
        assertThat(bench.member(0).address()).isEqualTo(InetAddress.ofLiteral("10.0.0.77"));
        assertThat(look(bench, monitor, 1)).isEqualTo(1);
        assertThat(bench.takeTold()).containsExactly("preference", "m0 up", "list");
    }

    @Test
    void theSameAddressAtAnotherIndexIsNoFailure() {
        final MemberBench bench = bench(options -> options);
        final LinkMonitor monitor = monitor(bench);
        bench.device(0).gidIndex(2);
        monitor.addressChanged(bench.member(0), nowNs);
        assertThat(bench.takeTold()).containsExactly("m0 gid moved");
        assertThat(bench.member(0).gidIndex()).isEqualTo(2);
        monitor.addressChanged(bench.member(0), nowNs);
        assertThat(bench.takeTold()).isEmpty();
    }

    @Test
    void aMemberThatLostItsLastAddressIsDown() {
        final MemberBench bench = bench(options -> options);
        final LinkMonitor monitor = monitor(bench);
        bench.device(0).die();
        monitor.addressChanged(bench.member(0), nowNs);
        assertThat(bench.takeTold()).containsExactly("m0 down ADDRESS_LOST");
    }

    /** An Ethernet port keeps its link-local GID, a device of another kind an empty table. */
    @ParameterizedTest
    @ValueSource(strings = {"fe80::1", "::", "0.0.0.0"})
    void itStaysDownThoughItsPortIsActiveUntilItHasAnAddressAgain(final String none) {
        final MemberBench bench = bench(options -> options);
        final LinkMonitor monitor = monitor(bench);
        look(bench, monitor, 0);
        bench.device(0).address(none);
        monitor.addressChanged(bench.member(0), nowNs);
        assertThat(bench.takeTold()).containsExactly("m0 down ADDRESS_LOST");
        assertThat(bench.member(0).address()).isEqualTo(InetAddress.ofLiteral("10.0.0.1"));
        assertThat(look(bench, monitor, MIIMON)).isZero();
        monitor.up(bench.member(0), nowNs);
        assertThat(bench.member(0).isUp()).isFalse();
        assertThat(bench.takeTold()).isEmpty();
        bench.device(0).address("10.0.0.1");
        monitor.addressChanged(bench.member(0), nowNs);
        look(bench, monitor, 1);
        assertThat(bench.takeTold()).containsExactly("preference", "m0 up", "list");
    }

    @Test
    void anAddressThatIsThereAgainIsFoundByALookToo() {
        final MemberBench bench = bench(options -> options);
        final LinkMonitor monitor = monitor(bench);
        look(bench, monitor, 0);
        bench.device(0).address("fe80::1");
        monitor.addressChanged(bench.member(0), nowNs);
        bench.takeTold();
        bench.device(0).address("10.0.0.77");
        assertThat(look(bench, monitor, MIIMON)).isEqualTo(1);
        assertThat(bench.takeTold()).containsExactly("preference", "m0 up", "list");
        assertThat(bench.member(0).address()).isEqualTo(InetAddress.ofLiteral("10.0.0.77"));
    }

    @Test
    void aDeviceThatNeverHadAnotherAddressIsUsedByItsLinkLocalOne() {
        final MemberBench bench = bench(options -> options);
        bench.device(0).address("fe80::1");
        bench.member(0).address(InetAddress.ofLiteral("fe80::1"));
        final LinkMonitor monitor = monitor(bench);
        bench.device(0).address("fe80::2");
        monitor.addressChanged(bench.member(0), nowNs);
        look(bench, monitor, 0);
        assertThat(bench.takeTold()).containsExactly("m0 down ADDRESS_LOST", "preference", "m0 up", "list");
    }

    @Test
    void withNobodyUpTheLastActiveMemberStays() {
        final MemberBench bench = bench(options -> options);
        final LinkMonitor monitor = monitor(bench);
        for (int i = 0; i < 3; i++) {
            monitor.down(bench.member(i), FailureReason.PORT_ERR, nowNs);
        }
        assertThat(monitor.active().name()).isEqualTo("m2");
        monitor.up(bench.member(1), nowNs);
        assertThat(monitor.active().name()).isEqualTo("m1");
    }

    /** It was found out after the ports were looked at. */
    @Test
    void aBondThatIsDownFromTheBeginningSaysWhenItIsUp() {
        final MemberBench bench = bench(options -> options.minLinks(3));
        final LinkMonitor monitor = monitor(bench);
        bench.member(0).uselessAddress();
        monitor.begin();
        bench.device(0).address("10.0.0.77");
        monitor.addressChanged(bench.member(0), nowNs);
        look(bench, monitor, 0);
        assertThat(raised(bench)).containsExactly(AsyncEventType.PORT_ACTIVE);
    }
}
