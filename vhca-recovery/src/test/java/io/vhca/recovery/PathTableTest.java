package io.vhca.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class PathTableTest {
    private final PathTable table = new PathTable(2, 2, 100, 350);

    private static PathId path(final int local, final int remote) {
        return new PathId(local, remote);
    }

    private List<PathId> order(final long nowNs) {
        final List<PathId> order = new ArrayList<>();
        final BitSet tried = new BitSet();
        for (PathId next = table.next(tried, nowNs); next != null; next = table.next(tried, nowNs)) {
            order.add(next);
            tried.set(table.index(next));
        }
        return order;
    }

    @Test
    void preferredMemberThenAffinity() {
        table.affinity(path(0, 1), 1);
        table.affinity(path(1, 1), 1);
        assertThat(order(0)).containsExactly(path(0, 1), path(0, 0), path(1, 1), path(1, 0));
        table.preferLocal(1);
        assertThat(order(0)).containsExactly(path(1, 1), path(1, 0), path(0, 1), path(0, 0));
    }

    @Test
    void afterAFailureTheDisjointPathComesFirstAndTheFailedOneLast() {
        table.failed(path(0, 0), 1_000);
        assertThat(order(1_000)).containsExactly(path(1, 1), path(0, 1), path(1, 0), path(0, 0));
        assertThat(order(1_099).getFirst()).isEqualTo(path(1, 1));
        assertThat(order(1_100)).as("penalty over").containsExactly(path(0, 1), path(0, 0), path(1, 0), path(1, 1));
    }

    @Test
    void elsewhereIsAnotherMemberAndWhereThereIsOneAnotherAddress() {
        assertThat(table.elsewhere(path(0, 0), 0)).isEqualTo(path(1, 1));
        assertThat(table.elsewhere(path(1, 0), 0)).isEqualTo(path(0, 1));
        assertThat(table.elsewhere(path(0, 1), 0)).isEqualTo(path(1, 0));
        table.remoteUp(1, false);
        assertThat(table.elsewhere(path(0, 0), 0)).as("shares an end").isEqualTo(path(1, 0));
        table.localUp(1, false);
        assertThat(table.elsewhere(path(0, 0), 0)).as("no other member").isNull();
    }

    @Test
    void elsewhereNothingSpeaksAgainstThePath() {
        table.failed(path(1, 1), 10);
        assertThat(table.elsewhere(path(0, 0), 10)).isEqualTo(path(1, 0));
        table.failed(path(1, 0), 10);
        assertThat(table.elsewhere(path(0, 0), 109)).isNull();
        assertThat(table.elsewhere(path(0, 0), 110)).isEqualTo(path(1, 1));
        table.affinity(path(0, 0), 24);
        table.affinity(path(1, 1), 24);
        assertThat(table.elsewhere(path(0, 0), 110)).isEqualTo(path(1, 1));
        table.failed(path(1, 1), 110);
        assertThat(table.elsewhere(path(0, 0), 110)).as("two networks: no way across").isNull();
    }

    @Test
    void ofSeveralThatShareNothingTheBetterOneIsElsewhere() {
        final PathTable three = new PathTable(3, 3, 100, 350);
        three.affinity(path(2, 1), 8);
        assertThat(three.elsewhere(path(0, 0), 0)).isEqualTo(path(2, 1));
        three.preferLocal(1);
        assertThat(three.elsewhere(path(0, 0), 0)).isNotNull().extracting(PathId::localMember).isEqualTo(1);
    }

    @Test
    void thePenaltyDoublesToItsLimitDecaysAndEndsWithSuccess() {
        final long[] expected = {100, 200, 350, 350};
        for (int i = 0; i < expected.length; i++) {
            table.failed(path(1, 1), 10);
            assertThat(table.penaltyNs(path(1, 1), 10)).isEqualTo(expected[i]);
            assertThat(table.consecutiveFailures(path(1, 1))).isEqualTo(i + 1);
        }
        assertThat(table.penaltyNs(path(1, 1), 110)).isEqualTo(250);
        table.succeeded(path(1, 1), 110);
        assertThat(table.penaltyNs(path(1, 1), 110)).isZero();
    }

    @Test
    void aPathThatFlapsStaysSuspectThoughItConnectsUntilItHasStoodForAWhile() {
        final PathId flapping = path(1, 1);
        table.failed(flapping, 0);
        table.succeeded(flapping, 50);
        assertThat(table.penaltyNs(flapping, 50)).as("one failure is forgotten with success").isZero();
        table.failed(flapping, 1_000);
        assertThat(table.penaltyNs(flapping, 1_000)).as("it had stood for 950").isEqualTo(200);
        table.succeeded(flapping, 1_010);
        assertThat(table.penaltyNs(flapping, 1_010)).as("it connects, and flapped once").isEqualTo(90);
        table.failed(flapping, 1_050);
        assertThat(table.penaltyNs(flapping, 1_050)).isEqualTo(350);
        table.succeeded(flapping, 1_060);
        assertThat(table.penaltyNs(flapping, 1_060)).isEqualTo(190);
        table.failed(flapping, 1_060 + 999);
        table.succeeded(flapping, 1_060 + 999);
        assertThat(table.penaltyNs(flapping, 1_060 + 999)).as("not long enough").isEqualTo(350);
        table.failed(flapping, 2_059 + 1_000);
        assertThat(table.penaltyNs(flapping, 2_059 + 1_000)).as("it stood: all is forgotten").isEqualTo(100);
    }

    @Test
    void whatStandsForAWhileIsNotSuspectHoweverLongItsPenaltyWas() {
        final PathTable patient = new PathTable(1, 1, 100, 100_000);
        patient.succeeded(path(0, 0), 0);
        for (int i = 0; i < 6; i++) {
            patient.failed(path(0, 0), 10 * i);
            patient.succeeded(path(0, 0), 10 * i + 5);
        }
        assertThat(patient.penaltyNs(path(0, 0), 55)).isEqualTo(3_200 - 5);
        assertThat(patient.penaltyNs(path(0, 0), 55 + 999)).isPositive();
        assertThat(patient.penaltyNs(path(0, 0), 55 + 1_000)).isZero();
    }

    @Test
    void anOperatorsWishForgivesAMembersPathsAndNoOthers() {
        for (int i = 0; i < 4; i++) {
            table.succeeded(path(0, 0), i);
            table.failed(path(0, 0), i);
            table.failed(path(1, 0), i);
        }
        table.forgive(0);
        assertThat(table.penaltyNs(path(0, 0), 4)).isZero();
        assertThat(table.penaltyNs(path(1, 0), 4)).isPositive();
        table.failed(path(0, 0), 5);
        assertThat(table.penaltyNs(path(0, 0), 5)).as("once more, as the first time but for the flap").isEqualTo(200);
    }

    @Test
    void aFailureThatWasNoneIsNoFlapEither() {
        table.succeeded(path(0, 0), 0);
        final PathTable.Health before = table.health(path(0, 0));
        table.failed(path(0, 0), 10);
        table.restore(path(0, 0), before);
        table.failed(path(0, 0), 20);
        assertThat(table.penaltyNs(path(0, 0), 20)).as("the first flap").isEqualTo(200);
    }

    @Test
    void downEndsAreNotTriedAndUnknownPathsAreIgnored() {
        table.localUp(0, false);
        assertThat(order(0)).containsExactly(path(1, 0), path(1, 1));
        table.remoteUp(0, false);
        assertThat(order(0)).containsExactly(path(1, 1));
        assertThat(table.usable(path(1, 0))).isFalse();
        assertThat(table.usable(PathId.NONE)).isFalse();
        table.failed(PathId.NONE, 0);
        table.succeeded(new PathId(5, 5), 0);
        assertThatThrownBy(() -> table.index(new PathId(2, 0))).hasMessageContaining("2->0");
        assertThatThrownBy(() -> new PathTable(0, 1, 1, 1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void leastRecentlyFailedFirstAmongEquals() {
        table.failed(path(0, 0), 20);
        table.failed(path(0, 1), 10);
        table.failed(path(1, 0), 5);
        table.failed(path(1, 1), 7);
        assertThat(order(50)).as("all suspect").containsExactly(path(1, 0), path(1, 1), path(0, 1), path(0, 0));
        assertThat(order(200)).as("none").containsExactly(path(0, 1), path(0, 0), path(1, 0), path(1, 1));
    }

    /** Members 10.77.0.1 and 10.77.1.1, the peer's addresses 10.77.0.2 and 10.77.1.2. */
    private void twoNetworks() {
        table.affinity(path(0, 0), 30);
        table.affinity(path(0, 1), 23);
        table.affinity(path(1, 0), 23);
        table.affinity(path(1, 1), 30);
    }

    @Test
    void crosswisePathsOfTwoNetworksComeLastWhateverHasFailed() {
        twoNetworks();
        for (int failures = 0; failures < 1 << 8; failures++) {
            for (int i = 0; i < 8; i++) {
                if ((failures >> i & 1) != 0) {
                    table.failed(path(i >> 1 & 1, i & 1), i);
                }
            }
            for (int preferred = 0; preferred < 2; preferred++) {
                table.preferLocal(preferred);
                assertThat(order(10).subList(0, 2))
                        .as("failures %x", failures)
                        .containsExactlyInAnyOrder(path(0, 0), path(1, 1));
            }
        }
        table.localUp(0, false);
        assertThat(order(10)).as("better across than not at all").containsExactly(path(1, 1), path(1, 0));
    }

    @Test
    void networksOfFourAddressesHaveNoWayAcrossEither() {
        // 10.0.0.1 and .5 to 10.0.0.2 and .6
        table.affinity(path(0, 0), 30);
        table.affinity(path(0, 1), 29);
        table.affinity(path(1, 0), 29);
        table.affinity(path(1, 1), 30);
        table.failed(path(0, 0), 10);
        table.failed(path(1, 1), 20);
        assertThat(order(30)).containsExactly(path(0, 0), path(1, 1), path(0, 1), path(1, 0));
    }

    @Test
    void aWayAcrossThatWasUsedOnceIsOneLikeAnyOther() {
        twoNetworks();
        table.succeeded(path(0, 1), 10);
        table.failed(path(0, 0), 10);
        table.failed(path(1, 1), 20);
        assertThat(order(30)).containsExactly(path(0, 1), path(0, 0), path(1, 1), path(1, 0));
    }

    @Test
    void bothBondsTakeTheSamePathsForCrosswise() {
        final SplittableRandom random = new SplittableRandom(7);
        for (int round = 0; round < 500; round++) {
            final PathTable here = new PathTable(3, 2, 100, 350);
            final PathTable there = new PathTable(2, 3, 100, 350);
            for (int i = 0; i < 6; i++) {
                final int affinity = random.nextInt(32);
                here.affinity(path(i / 2, i % 2), affinity);
                there.affinity(path(i % 2, i / 2), affinity);
            }
            for (int i = 0; i < 6; i++) {
                assertThat(there.isCrosswise(path(i % 2, i / 2))).isEqualTo(here.isCrosswise(path(i / 2, i % 2)));
            }
        }
    }

    @Test
    void ofTwoSuspectPathsTheOneThatFailedLongerAgoWhateverIsPreferred() {
        twoNetworks();
        table.failed(path(0, 0), 10);
        table.failed(path(1, 1), 20);
        for (int preferred = 0; preferred < 2; preferred++) {
            table.preferLocal(preferred);
            assertThat(order(30).subList(0, 2)).containsExactly(path(0, 0), path(1, 1));
        }
    }

    @Test
    void onOneNetworkNothingIsCrosswise() {
        // 10.0.0.1 and .2 to 10.0.0.3 and .4: whatever one end is nearer to, its partner is nearer to another.
        table.affinity(path(0, 0), 30);
        table.affinity(path(0, 1), 29);
        table.affinity(path(1, 0), 31);
        table.affinity(path(1, 1), 29);
        table.failed(path(1, 0), 1_000);
        assertThat(order(1_000)).containsExactly(path(0, 1), path(0, 0), path(1, 1), path(1, 0));
    }

    @Test
    void aTableGrowsByMembersThatAreUpAndKeepsWhatItKnows() {
        table.affinity(path(0, 1), 7);
        table.failed(path(0, 0), 10);
        table.localUp(1, false);
        table.grow(1);
        assertThat(table.localMembers()).as("never smaller").isEqualTo(2);
        table.grow(3);
        assertThat(List.of(table.localMembers(), table.remoteAddresses())).containsExactly(3, 2);
        assertThat(table.penaltyNs(path(0, 0), 10)).isEqualTo(100);
        assertThat(order(10)).containsExactly(path(2, 1), path(0, 1), path(2, 0), path(0, 0));
    }

    @Test
    void ofANewDeviceInAnOldSeatNothingIsKnown() {
        twoNetworks();
        table.failed(path(0, 0), 10);
        table.failed(path(1, 1), 10);
        table.succeeded(path(0, 1), 10);
        table.forgetLocal(0);
        assertThat(table.penaltyNs(path(0, 0), 10)).isZero();
        assertThat(table.penaltyNs(path(1, 1), 10)).as("another's").isEqualTo(100);
        table.affinity(path(0, 0), 30);
        table.affinity(path(0, 1), 23);
        assertThat(table.isCrosswise(path(0, 1))).as("that the old one went across is forgotten").isTrue();
    }

    @Test
    void aGoodPathIsUpAndNotCrosswiseAndNotSuspect() {
        twoNetworks();
        assertThat(table.goodPath(0, 0)).isEqualTo(path(0, 0));
        assertThat(table.goodPath(1, 0)).isEqualTo(path(1, 1));
        table.failed(path(0, 0), 10);
        assertThat(table.goodPath(0, 10)).as("suspect, and the other one crosswise").isNull();
        assertThat(table.goodPath(0, 110)).isEqualTo(path(0, 0));
        table.succeeded(path(0, 1), 10);
        assertThat(table.goodPath(0, 10)).as("crosswise, but it worked once").isEqualTo(path(0, 1));
        table.remoteUp(1, false);
        assertThat(table.goodPath(0, 10)).isNull();
        table.localUp(1, false);
        assertThat(table.goodPath(1, 0)).isNull();
    }

    @Test
    void aPathThatIsPutOffIsForThoseAloneWhoNeedOneUntilAPenaltyIsOver() {
        twoNetworks();
        table.putOff(path(1, 1), 10);
        assertThat(table.goodPath(1, 109)).isNull();
        assertThat(table.elsewhere(path(0, 0), 109)).isNull();
        assertThat(table.standby(path(0, 0), 109)).isNull();
        assertThat(table.standby(path(0, 0), 110)).isEqualTo(path(1, 1));
        assertThat(table.goodPath(1, 110)).isEqualTo(path(1, 1));
        assertThat(table.elsewhere(path(0, 0), 110)).isEqualTo(path(1, 1));
        assertThat(table.penaltyNs(path(1, 1), 10)).as("nothing is held against it").isZero();
        table.putOff(path(2, 0), 10); // outside the table
    }

    /** One that the peer keeps clear will be refused; one that failed may carry again. */
    @Test
    void whatStandsByTriesASuspectPathBeforeOneThatIsPutOff() {
        final PathTable three = new PathTable(3, 3, 100, 350);
        three.putOff(path(1, 1), 10);
        three.failed(path(2, 2), 10);
        for (int i = 0; i < 9; i++) {
            if (i % 4 != 0) {
                three.failed(path(i / 3, i % 3), 5);
            }
        }
        assertThat(three.standby(path(0, 0), 20)).isNotEqualTo(path(1, 1)).isNotNull();
    }

    @Test
    void whatIsPutOffIsForgottenWithTheRestAndStaysAsTheTableGrows() {
        twoNetworks();
        table.putOff(path(1, 1), 10);
        table.grow(3);
        assertThat(table.goodPath(1, 10)).isNull();
        table.forgive(1);
        assertThat(table.goodPath(1, 10)).isEqualTo(path(1, 1));
        table.putOff(path(1, 1), 10);
        table.forgetRemote(1);
        assertThat(table.elsewhere(path(0, 0), 10)).isEqualTo(path(1, 1));
    }

    @Test
    void aDeviceThatTakesAnIndexBeginsWithoutAPast() {
        table.affinity(path(1, 0), 5);
        table.failed(path(1, 0), 10);
        table.failed(path(1, 1), 10);
        table.failed(path(0, 0), 10);
        table.failed(path(0, 1), 10);
        assertThat(order(1_000)).as("all failed at once").containsExactly(
                path(0, 0), path(0, 1), path(1, 0), path(1, 1));
        table.forgetLocal(1);
        table.preferLocal(1);
        assertThat(order(10)).containsExactly(path(1, 0), path(1, 1), path(0, 0), path(0, 1));
        table.affinity(path(1, 1), 1);
        assertThat(order(1_000).getFirst()).as("the affinity of before is forgotten").isEqualTo(path(1, 1));
    }

    @Test
    void thePastOfTheFirstMemberIsForgottenForItAlone() {
        table.failed(path(0, 0), 10);
        table.failed(path(1, 0), 10);
        table.forgetLocal(0);
        table.preferLocal(0);
        assertThat(order(1_000)).containsExactly(path(0, 0), path(0, 1), path(1, 1), path(1, 0));
        assertThat(table.consecutiveFailures(path(1, 0))).isOne();
    }

    @Test
    void ofGoodPathsOfAMemberTheNearestIsTaken() {
        table.affinity(path(0, 0), 1);
        table.affinity(path(0, 1), 2);
        assertThat(table.goodPath(0, 0)).isEqualTo(path(0, 1));
        table.failed(path(0, 1), 0);
        assertThat(table.goodPath(0, 99)).isEqualTo(path(0, 0));
        assertThat(table.goodPath(0, 100)).as("when the penalty is over").isEqualTo(path(0, 1));
    }

    @Test
    void aTableHasAMemberAndAnAddressAndAPenaltyAtLeast() {
        assertThat(new PathTable(1, 1, 1, 1).localMembers()).isOne();
        assertThatThrownBy(() -> new PathTable(0, 1, 1, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new PathTable(1, 0, 1, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new PathTable(1, 1, 0, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new PathTable(1, 1, 2, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThat(table.usable(path(0, 2))).isFalse();
        assertThat(table.usable(path(2, 0))).isFalse();
        assertThat(table.usable(path(1, 1))).isTrue();
        assertThat(table.isCrosswise(path(1, 1))).isFalse();
    }
}
