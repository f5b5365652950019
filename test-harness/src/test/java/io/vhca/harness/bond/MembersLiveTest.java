package io.vhca.harness.bond;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.AccessFlags;
import io.vhca.api.Errno;
import io.vhca.api.MemoryRegion;
import io.vhca.api.VerbsException;
import io.vhca.api.WcStatus;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.bond.config.BondMode;
import io.vhca.bond.core.FailoverReport;
import io.vhca.bond.core.MemberStatus;
import io.vhca.recovery.wire.FailureReason;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Members of a running bond come and go under traffic, without an error and without a loss; on virtual time. */
class MembersLiveTest {
    private static final long MS = BondPair.MS;
    private static final int ACCESS = AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE;
    private static final int BURST = 6;
    private static final int SEATS = 16;

    private static List<String> names(final BondPair.Host host) {
        return host.bond.admin().members().stream().map(MemberStatus::name).toList();
    }

    private static boolean livesOn(final BondPair.Host host, final String member) {
        return host.bond.admin().path(host.qp()).startsWith(member + " ");
    }

    /** Both sides send without a pause until it is so; every message arrives once, none fails. */
    private static void underTraffic(final BondPair pair, final BooleanSupplier isSo) {
        for (int round = 0; !isSo.getAsBoolean(); round++) {
            assertThat(round).as("rounds of traffic: " + names(pair.left) + names(pair.right)).isLessThan(5_000);
            exchange(pair);
        }
        exchange(pair);
    }

    private static void exchange(final BondPair pair) {
        final int left = pair.left.received;
        final int right = pair.right.received;
        for (int i = 0; i < BURST; i++) {
            pair.left.send();
            pair.right.send();
        }
        assertThat(pair.runUntil(
                        () -> pair.left.received == left + BURST && pair.right.received == right + BURST, 2_000 * MS))
                .as("a burst arrives: " + pair.left.received + " " + pair.right.received)
                .isTrue();
        pair.runFor(MS);
        assertThat(pair.left.received).isEqualTo(left + BURST);
        assertThat(pair.right.received).isEqualTo(right + BURST);
        assertThat(pair.left.sends).containsOnly(WcStatus.SUCCESS);
        assertThat(pair.right.sends).containsOnly(WcStatus.SUCCESS);
    }

    private static void onlyPlanned(final BondPair pair) {
        assertThat(pair.left.failovers()).extracting(FailoverReport::reason).containsOnly(FailureReason.PLANNED);
        assertThat(pair.right.failovers())
                .extracting(FailoverReport::reason)
                .isSubsetOf(FailureReason.PLANNED, FailureReason.PEER_REQUEST);
    }

    private static void refused(final Runnable order, final int errno, final String... words) {
        assertThatThrownBy(order::run)
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(errno))
                .hasMessageContainingAll(words);
    }

    @Test
    void aMemberLeavesUnderTrafficAndComesBackManyTimes() {
        try (BondPair pair = new BondPair(config -> config.primary("left0"))) {
            for (int time = 0; time < 20; time++) {
                assertThat(livesOn(pair.left, "left0")).isTrue();
                pair.left.bond.admin().remove("left0");
                underTraffic(pair, () -> names(pair.left).equals(List.of("left1")));
                assertThat(livesOn(pair.left, "left1")).isTrue();
                pair.left.bond.admin().add("left0");
                assertThat(names(pair.left)).containsExactly("left0", "left1");
                underTraffic(pair, () -> livesOn(pair.left, "left0"));
            }
            onlyPlanned(pair);
        }
    }

    /** The application has not looked at the request yet when the member on which it came is gone. */
    @ParameterizedTest
    @ValueSource(longs = {1, 100, 3_000})
    void aRequestThatWaitsForTheApplicationComesAgainOverAnotherMember(final long holdMs) {
        try (BondPair pair = new BondPair(config -> config)) {
            pair.left.events.clear();
            pair.right.events.clear();
            pair.right.takesEvents = false;
            pair.left
                    .channel
                    .createId(CmPortSpace.TCP, null)
                    .resolveAddr(null, new InetSocketAddress(pair.address(1, 9), BondPair.PORT), 1_000);
            pair.runFor(5 * MS);
            pair.right.bond.admin().remove("right0");
            assertThat(pair.runUntil(() -> names(pair.right).equals(List.of("right1")), 100 * MS)).isTrue();
            pair.runFor(holdMs * MS);
            pair.right.takesEvents = true;
            pair.runFor(2_000 * MS);
            assertThat(pair.left.events).endsWith(CmEventType.ESTABLISHED).doesNotContain(CmEventType.REJECTED);
            assertThat(pair.right.events).containsExactly(CmEventType.CONNECT_REQUEST, CmEventType.ESTABLISHED);
            exchange(pair);
        }
    }

    @Test
    void aNewMemberTakesTheTrafficOfBothThatLeave() {
        try (BondPair pair = new BondPair(config -> config)) {
            pair.left.bond.admin().add(pair.left.plugInSpare(2, 2));
            assertThat(names(pair.left)).containsExactly("left0", "left1", "left2");
            pair.left.bond.admin().remove("left0");
            pair.left.bond.admin().remove("left1");
            underTraffic(pair, () -> names(pair.left).equals(List.of("left2")));
            assertThat(livesOn(pair.left, "left2")).isTrue();
            onlyPlanned(pair);
            refused(() -> pair.left.bond.admin().remove("left2"), Errno.EBUSY, "left2", "no other member is up", "add");
            exchange(pair);
        }
    }

    @Test
    void keysOfBeforeAndOfTheTimeBetweenWorkOverAMemberThatIsNew() {
        try (Arena arena = Arena.ofConfined();
                BondPair pair = new BondPair(config -> config.mode(BondMode.ACTIVE_BACKUP));
                MemoryRegion before = pair.right.pd.regMr(arena.allocate(64, 64), ACCESS)) {
            pair.right.bond.admin().add(pair.right.plugInSpare(2, 2));
            try (MemoryRegion between = pair.right.pd.regMr(arena.allocate(64, 64), ACCESS)) {
                for (final String gone : List.of("right0", "right1")) {
                    pair.right.bond.admin().remove(gone);
                    underTraffic(pair, () -> !names(pair.right).contains(gone));
                    assertThat(write(pair, pair.left, before)).isEqualTo(WcStatus.SUCCESS);
                    assertThat(write(pair, pair.left, between)).isEqualTo(WcStatus.SUCCESS);
                }
                assertThat(livesOn(pair.right, "right2")).isTrue();
            }
        }
    }

    private static WcStatus write(final BondPair pair, final BondPair.Host from, final MemoryRegion to) {
        final int count = from.sends.size();
        from.write(to.addr(), to.rkey());
        assertThat(pair.runUntil(() -> from.sends.size() > count, 5_000 * MS)).isTrue();
        return from.sends.getLast();
    }

    /** An index that another device has now names other keys: the peer must not use those that it knows of it. */
    @Test
    void anIndexThatIsUsedAgainMeansTheNewDeviceToThePeer() {
        try (Arena arena = Arena.ofConfined();
                BondPair pair = new BondPair(config -> config);
                MemoryRegion region = pair.left.pd.regMr(arena.allocate(64, 64), ACCESS)) {
            assertThat(write(pair, pair.right, region)).isEqualTo(WcStatus.SUCCESS);
            String last = "left0";
            for (int number = 2; number < 2 * SEATS; number++) {
                final String next = pair.left.plugInSpare(2 + number % 2, number);
                pair.left.bond.admin().add(next);
                pair.left.bond.admin().activate(next);
                pair.left.bond.admin().remove(last);
                final String gone = last;
                underTraffic(pair, () -> !names(pair.left).contains(gone) && livesOn(pair.left, next));
                assertThat(write(pair, pair.right, region)).as("over " + next).isEqualTo(WcStatus.SUCCESS);
                last = next;
            }
        }
    }

    /** The first choice by address would be a member that left: whoever tries it waits for path_timeout. */
    @Test
    void thePeerDoesNotTryAMemberThatLeft() {
        try (BondPair pair = new BondPair(config -> config)) {
            pair.right.bond.admin().add(pair.right.plugInSpare(2, 2));
            pair.right.bond.admin().remove("right0");
            underTraffic(pair, () -> names(pair.right).equals(List.of("right1", "right2")));
            pair.right.bond.admin().drain("right2");
            underTraffic(pair, () -> livesOn(pair.right, "right1"));
            pair.right.bond.admin().resume("right2");
            pair.runFor(2_000 * MS);
            final int before = pair.left.failovers().size();
            final int received = pair.right.received;
            pair.block(1, true, true, true);
            // Only one side has anything to notice.
            pair.left.send();
            assertThat(pair.runUntil(() -> pair.right.received == received + 1, 2_000 * MS)).isTrue();
            assertThat(pair.left.failovers()).hasSizeGreaterThan(before);
            assertThat(pair.left.failovers().getLast().connectNs())
                    .isLessThan(pair.left.bond.admin().config().pathTimeoutNs());
        }
    }

    /** Nobody can tell the peer of it: it is known by what it asks. */
    @Test
    void aMemberThatIsAddedWhileNothingConnectsBringsTheConnectionBack() {
        try (BondPair pair = new BondPair(config -> config)) {
            pair.right.bond.admin().remove("right1");
            underTraffic(pair, () -> names(pair.right).equals(List.of("right0")));
            pair.runFor(100 * MS);
            pair.block(0, true, true, true);
            final int received = pair.right.received;
            pair.left.send();
            pair.runFor(1_000 * MS);
            pair.right.bond.admin().add("right1");
            assertThat(pair.runUntil(() -> pair.right.received == received + 1, 5_000 * MS)).isTrue();
            assertThat(livesOn(pair.right, "right1")).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aListenerOfBeforeTakesConnectionsOverANewMember(final boolean isBound) {
        try (BondPair pair = new BondPair(config -> config)) {
            final CmId bound = pair.right.channel.createId(CmPortSpace.TCP, null);
            if (isBound) {
                bound.bindAddr(new InetSocketAddress(pair.address(1, 9), 6_000));
            }
            pair.right.bond.admin().add(pair.right.plugInSpare(2, 2));
            for (final String gone : List.of("right0", "right1")) {
                pair.right.bond.admin().remove(gone);
                underTraffic(pair, () -> !names(pair.right).contains(gone));
            }
            pair.connectTo(pair.address(1, 2));
            exchange(pair);
            bound.close();
        }
    }

    @Test
    void aMemberWhoseRemovalIsTakenBackStays() {
        try (BondPair pair = new BondPair(config -> config.mode(BondMode.BALANCE_RR))) {
            pair.left.bond.admin().remove("left1");
            assertThat(pair.left.bond.admin().members()).extracting(MemberStatus::leaving).containsExactly(false, true);
            refused(() -> pair.left.bond.admin().add("left1"), Errno.EEXIST, "being removed", "resume");
            pair.left.bond.admin().resume("left1");
            pair.runFor(1_000 * MS);
            assertThat(names(pair.left)).containsExactly("left0", "left1");
            assertThat(pair.left.bond.admin().members()).extracting(MemberStatus::leaving).containsOnly(false);
            exchange(pair);
        }
    }

    @Test
    void aMemberStaysUntilTheOthersCanTakeItsQueuePairs() {
        try (BondPair pair = new BondPair(config -> config)) {
            pair.block(1, true, true, true);
            pair.left.bond.admin().remove("left0");
            pair.runFor(3_000 * MS);
            assertThat(names(pair.left)).containsExactly("left0", "left1");
            exchange(pair);
            pair.block(1, true, true, false);
            underTraffic(pair, () -> names(pair.left).equals(List.of("left1")));
        }
    }

    @Test
    void aMemberWhoseDeviceDiesWhileItIsBeingRemovedIsGone() {
        try (BondPair pair = new BondPair(config -> config)) {
            pair.block(1, true, true, true);
            pair.left.bond.admin().remove("left0");
            pair.runFor(100 * MS);
            pair.left.devices[0].kill();
            pair.block(1, true, true, false);
            assertThat(pair.runUntil(() -> names(pair.left).equals(List.of("left1")), 5_000 * MS)).isTrue();
            pair.left.plugInAgain(0);
            underTraffic(pair, () -> livesOn(pair.left, "left1"));
            pair.runFor(1_000 * MS);
            assertThat(names(pair.left)).containsExactly("left1");
            pair.left.bond.admin().add("left0new");
            assertThat(names(pair.left)).containsExactly("left0new", "left1");
            exchange(pair);
        }
    }

    @Test
    void whatCannotBeIsRefusedByNameAndChangesNothing() {
        try (BondPair pair = new BondPair(config -> config)) {
            refused(() -> pair.left.bond.admin().add("left1"), Errno.EEXIST, "left1", "already");
            refused(() -> pair.left.bond.admin().add("nosuch"), Errno.ENODEV, "nosuch");
            refused(() -> pair.left.bond.admin().remove("nosuch"), Errno.EINVAL, "nosuch", "left0", "left1");
            pair.left.ports[1].up(false);
            pair.runFor(1_000 * MS);
            refused(() -> pair.left.bond.admin().remove("left0"), Errno.EBUSY, "left0", "add one");
            assertThat(pair.left.bond.admin().members()).extracting(MemberStatus::drained).containsOnly(false);
            pair.left.bond.admin().remove("left1");
            pair.runFor(100 * MS);
            assertThat(names(pair.left)).containsExactly("left0");
            exchange(pair);
        }
    }
}
