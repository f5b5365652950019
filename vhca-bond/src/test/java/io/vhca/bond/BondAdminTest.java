package io.vhca.bond;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.bond.config.BondMode;
import io.vhca.bond.core.BondObserver;
import io.vhca.bond.core.Inspection;
import io.vhca.bond.core.MemberStatus;
import io.vhca.bond.fake.AppEnd;
import io.vhca.bond.fake.FakeContext;
import io.vhca.bond.fake.TwoBonds;
import io.vhca.recovery.RecoveryState;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BondAdminTest {
    private TwoBonds bonds = new TwoBonds();

    @AfterEach
    void close() {
        bonds.close();
    }

    private BondAdmin admin() {
        return bonds.a.context().admin();
    }

    private static void assertErrno(final int errno, final ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(errno));
    }

    @Test
    void theMembersAreShownAsTheyAre() {
        bonds.connect();
        bonds.a.device(1).port(false);
        bonds.settle();
        final List<MemberStatus> members = admin().members();
        assertThat(members).extracting(MemberStatus::name).containsExactly("a0", "a1");
        assertThat(members.getFirst().active()).isTrue();
        assertThat(members.getFirst().up()).isTrue();
        assertThat(members.getFirst().queuePairs()).isEqualTo(2);
        assertThat(members.getLast().up()).isFalse();
        assertThat(members.getLast().failures()).isEqualTo(1);
    }

    @Test
    void onlyAMemberThatIsUpAndNotDrainedCanBeMadeActive() {
        assertErrno(Errno.EINVAL, () -> admin().activate("nobody"));
        bonds.a.device(1).port(false);
        bonds.settle();
        assertErrno(Errno.ENETDOWN, () -> admin().activate("a1"));
        bonds.a.device(1).port(true);
        bonds.settle();
        admin().drain("a1");
        assertErrno(Errno.ENETDOWN, () -> admin().activate("a1"));
        admin().resume("a1");
        admin().activate("a1");
        assertThat(admin().members().getLast().active()).isTrue();
    }

    @Test
    void aBalancingModeHasNoActiveMember() {
        bonds.close();
        bonds = new TwoBonds(options -> options.mode(BondMode.BALANCE_RR));
        assertErrno(Errno.EINVAL, () -> admin().activate("a1"));
    }

    @Test
    void optionsChangeAllOrNone() {
        admin().set(List.of("primary=a1", "miimon=50ms", "active_slave=a1"));
        assertThat(admin().config().primary()).isEqualTo("a1");
        assertThat(admin().config().miimonNs()).isEqualTo(50 * MS);
        assertThat(admin().members().getLast().active()).isTrue();
        assertThatThrownBy(() -> admin().set(List.of("miimon=10ms", "mode=balance-rr", "active_slave=nobody")))
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL))
                .hasMessageContainingAll("mode", "nobody");
        assertThat(admin().config().miimonNs()).isEqualTo(50 * MS);
    }

    @Test
    void blanksAroundAKeyAreNoneOfIt() {
        admin().set(List.of(" miimon = 50ms", "active_slave = a1"));
        assertThat(admin().config().miimonNs()).isEqualTo(50 * MS);
        assertThat(admin().members().getLast().active()).isTrue();
        assertThatThrownBy(() -> admin().set(List.of("auth_key_file = /nonexistent")))
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
    }

    @Test
    void aDeviceThatTwoAddAtOnceIsAMemberAndStaysTheBonds() {
        bonds.spare("a2", "10.1.0.3");
        bonds.meanwhile(() -> admin().add("a2"));
        assertErrno(Errno.EEXIST, () -> admin().add("a2"));
        assertThat(admin().members()).extracting(MemberStatus::name).containsExactly("a0", "a1", "a2");
        assertThat(bonds.released).isEmpty();
        admin().remove("a2");
        bonds.advance(100 * MS);
        assertThat(bonds.released).containsExactly("a2");
    }

    @Test
    void aDeviceThatCannotBecomeAMemberIsGivenBack() {
        bonds.spare("a2", "10.1.0.3").refuseOnce("createEventChannel");
        assertErrno(Errno.ENOMEM, () -> admin().add("a2"));
        assertThat(bonds.released).containsExactly("a2");
    }

    @Test
    void everyQueuePairIsShownTheBondsOwnToo() {
        final TwoBonds.Connection pair = bonds.connect();
        final AppEnd idle = bonds.closing(new AppEnd(bonds.a));
        idle.alone();
        pair.passive().receives(1);
        pair.active().send(1, "one");
        bonds.settle();
        pair.active().poll();
        final List<String> seen = new ArrayList<>();
        admin().visit((index, qpNum, type, state, recovery, epoch, member, remote, posted, completed, received) ->
                seen.add((qpNum == pair.active().qp().qpNum() ? "own" : qpNum == idle.qp().qpNum() ? "idle" : "control")
                        + " " + type + " " + state + " " + recovery + " " + epoch + " " + member
                        + (remote == null ? "" : " " + remote.getHostAddress())
                        + (qpNum == pair.active().qp().qpNum() ? " " + posted + " " + completed : "")));
        assertThat(seen).containsExactlyInAnyOrder(
                "own RC RTS CONNECTED 0 0 10.1.0.2 1 1",
                "control RC RTS CONNECTED 0 0 10.1.0.2",
                "idle RC RESET " + RecoveryState.IDLE + " 0 -1");
        assertThat(admin().visit(0, 1, (i, n, t, s, r, e, m, a, p, c, v) -> { })).as("there are others").isTrue();
    }

    @Test
    void thePathOfAQueuePairOfThisBondIsTold() {
        final TwoBonds.Connection pair = bonds.connect();
        assertThat(admin().path(pair.active().qp())).isEqualTo("a0 -> 10.1.0.2");
        assertErrno(Errno.EINVAL, () -> admin().path(pair.passive().qp()));
    }

    @Test
    void nothingCanBeDoneToABondThatIsClosed() {
        final BondAdmin closed = admin();
        bonds.close();
        assertErrno(Errno.EINVAL, () -> closed.set(List.of("miimon=10ms")));
        assertErrno(Errno.EINVAL, () -> closed.add("a7"));
        assertErrno(Errno.EINVAL, () -> closed.remove("a0"));
        bonds = new TwoBonds();
    }

    /** As by a dump that goes on while the application closes the bond. */
    @Test
    void membersThatAreBeingClosedAreAskedNothing() {
        final FakeContext first = bonds.a.device(0).opened();
        final FakeContext last = bonds.a.device(1).opened();
        final List<String> found = new ArrayList<>();
        admin().inspectMembers(new Names(found));
        assertThat(found).contains("member a0", "port state", "member a1");
        found.clear();
        final int before = first.timesAsked() + last.timesAsked();
        first.onClose(() -> {
            admin().inspectMembers(new Names(found));
            assertThat(admin().faultCounters()).isEmpty();
            assertErrno(Errno.EINVAL, () -> bonds.a.context().queryPort(1));
            found.add("over");
        });
        bonds.a.close();
        assertThat(found).containsExactly("over");
        assertThat(first.timesAsked() + last.timesAsked()).isEqualTo(before);
    }

    /** What is due when the bond is closed, as a snapshot of a member that died, has the members. */
    @Test
    void anObserverAsksTheMembersUntilItIsClosed() {
        final List<String> found = new ArrayList<>();
        admin().observe(new BondObserver() {
            @Override
            public void close() {
                admin().inspectMembers(new Names(found));
                found.addAll(admin().faultCounters().keySet());
            }
        });
        bonds.a.close();
        assertThat(found).contains("member a0", "port state", "member a1", "a0", "a1");
    }

    /** What is told, without the values. */
    private record Names(List<String> found) implements Inspection {
        @Override
        public void section(final String title) {
            found.add(title);
        }

        @Override
        public void value(final String name, final Object value) {
            found.add(name);
        }
    }
}
