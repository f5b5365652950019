package io.vhca.bond.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.bond.config.BondMode;
import io.vhca.bond.config.XmitHashPolicy;
import io.vhca.bond.fake.MemberBench;
import io.vhca.bond.link.PathPreference;
import io.vhca.bond.member.Member;
import io.vhca.recovery.wire.FailureReason;
import java.net.InetAddress;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every mode, over three members. */
class PlacementTest {
    private static final InetAddress PEER = InetAddress.ofLiteral("10.1.0.2");
    private MemberBench bench = new MemberBench(3, options -> options);
    private LinkMonitor monitor = new LinkMonitor(bench.core, bench.members);
    private MemberLoads loads = new MemberLoads(bench.members);
    private Placement placement = new Placement(bench.core, bench.members, monitor, loads);

    @BeforeEach
    void useActiveBackup() {
        use(BondMode.ACTIVE_BACKUP, XmitHashPolicy.SRC_DST);
    }

    @AfterEach
    void close() {
        bench.close();
    }

    private void use(final BondMode mode, final XmitHashPolicy policy) {
        bench.close();
        bench = new MemberBench(3, options -> options.mode(mode).xmitHashPolicy(policy));
        monitor = new LinkMonitor(bench.core, bench.members);
        loads = new MemberLoads(bench.members);
        placement = new Placement(bench.core, bench.members, monitor, loads);
    }

    private String preferred(final int place) {
        return placement.preferred(place).name();
    }

    private void down(final int member) {
        monitor.down(bench.member(member), FailureReason.PORT_ERR, 0);
    }

    @Test
    void activeBackupPutsAllOnTheActiveMember() {
        assertThat(placement.place(PEER, 1, 1)).isZero();
        assertThat(preferred(0)).isEqualTo("m0");
        down(0);
        assertThat(preferred(0)).isEqualTo("m1");
    }

    @Test
    void activeBackupMovesAHealthyOneOnlyWhereSomebodyChose() {
        assertThat(placement.better(0, bench.member(1))).as("nobody chose").isNull();
        monitor.activate(bench.member(2));
        assertThat(placement.better(0, bench.member(1))).isSameAs(bench.member(2));
        assertThat(placement.better(0, bench.member(2))).as("it is there").isNull();
        assertThat(placement.better(PathPreference.PEERS, bench.member(1))).as("the peer placed it").isNull();
    }

    @Test
    void roundRobinGoesRoundAndSkipsWhatIsDown() {
        use(BondMode.BALANCE_RR, XmitHashPolicy.SRC_DST);
        for (int i = 0; i < 7; i++) {
            assertThat(placement.place(PEER, 1, 1)).isEqualTo(i);
            assertThat(preferred(i)).isEqualTo("m" + i % 3);
        }
        down(1);
        assertThat(preferred(0)).isEqualTo("m0");
        assertThat(preferred(1)).isEqualTo("m2");
        assertThat(preferred(2)).isEqualTo("m0");
        assertThat(placement.better(1, bench.member(0))).isSameAs(bench.member(2));
    }

    @Test
    void xorDependsOnWhoIsConnectedAndByOptionOnPortsToo() {
        use(BondMode.BALANCE_XOR, XmitHashPolicy.SRC_DST);
        final int place = placement.place(PEER, 1, 1);
        assertThat(place).isNotNegative();
        assertThat(placement.place(PEER, 99, 77)).isEqualTo(place);
        final Set<String> used = new HashSet<>();
        for (int i = 1; i < 50; i++) {
            used.add(preferred(placement.place(InetAddress.ofLiteral("10.1.0." + i), 1, 1)));
        }
        assertThat(used).containsExactlyInAnyOrder("m0", "m1", "m2");
        use(BondMode.BALANCE_XOR, XmitHashPolicy.SRC_DST_PORT);
        used.clear();
        for (int i = 1; i < 50; i++) {
            used.add(preferred(placement.place(PEER, 7_000, i)));
        }
        assertThat(used).containsExactlyInAnyOrder("m0", "m1", "m2");
    }

    @Test
    void transmitLoadPutsANewOneWhereThereIsLeastToDo() {
        use(BondMode.BALANCE_TLB, XmitHashPolicy.SRC_DST);
        loads.seen(new double[] {0.9, 0.5, 0.8}, new double[] {10_000, 10_000, 10_000});
        for (int i = 0; i < 5; i++) {
            assertThat(placement.place(PEER, 1, i)).isEqualTo(1);
        }
        assertThat(preferred(1)).isEqualTo("m1");
        down(1);
        assertThat(preferred(1)).as("its place may not be used now").isNotEqualTo("m1");
        assertThat(placement.place(PEER, 1, 1)).isEqualTo(2);
    }

    @Test
    void aPlaceOfAMemberThatIsNotThereAnyMoreIsCountedRound() {
        use(BondMode.BALANCE_TLB, XmitHashPolicy.SRC_DST);
        assertThat(preferred(7)).isEqualTo("m1");
    }

    @ParameterizedTest
    @EnumSource(BondMode.class)
    void inEveryModeADrainedMemberIsLeftWhoeverPlacedTheQueuePair(final BondMode mode) {
        use(mode, XmitHashPolicy.SRC_DST);
        monitor.drained(bench.member(0), true);
        for (final int place : new int[] {PathPreference.PEERS, 0}) {
            final Member better = placement.better(place, bench.member(0));
            assertThat(better).isNotNull().isNotSameAs(bench.member(0));
        }
        assertThat(placement.better(PathPreference.PEERS, bench.member(1))).isNull();
    }

    @ParameterizedTest
    @EnumSource(BondMode.class)
    void inEveryModeWithNobodyUpTheActiveMemberIsNamedAndNothingMoves(final BondMode mode) {
        use(mode, XmitHashPolicy.SRC_DST);
        for (int i = 0; i < 3; i++) {
            down(i);
        }
        assertThat(placement.preferred(0)).isSameAs(monitor.active());
        assertThat(placement.better(0, bench.member(0))).isNull();
        assertThat(placement.place(PEER, 1, 1)).isNotNegative();
    }
}
