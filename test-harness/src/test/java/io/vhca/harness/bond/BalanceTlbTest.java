package io.vhca.harness.bond;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.AccessFlags;
import io.vhca.api.MemoryRegion;
import io.vhca.api.WcStatus;
import io.vhca.api.cm.CmId;
import io.vhca.bond.config.BondMode;
import io.vhca.bond.core.FailoverReport;
import io.vhca.recovery.wire.FailureReason;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** balance-tlb: live queue pairs go where the least is sent, and stay there; on virtual time. */
class BalanceTlbTest {
    private static final long MS = BondPair.MS;
    private static final int CONNECTIONS = 4;
    private static final int ACCESS = AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE;

    private final Arena arena = Arena.ofConfined();
    private final BondPair pair = new BondPair(config -> config.mode(BondMode.BALANCE_TLB));
    private final MemoryRegion target = pair.right.pd.regMr(arena.allocate(BondPair.MESSAGE_BYTES, 64), ACCESS);
    private final List<CmId> connections = new ArrayList<>();

    @BeforeEach
    void connect() {
        for (int i = 0; i < CONNECTIONS; i++) {
            if (i > 0) {
                pair.connect();
            }
            connections.add(Objects.requireNonNull(pair.left.id));
        }
        pair.runFor(500 * MS);
    }

    @AfterEach
    void close() {
        target.close();
        pair.close();
        arena.close();
    }

    private String member(final CmId connection) {
        return pair.left.bond.admin().path(Objects.requireNonNull(connection.qp())).split(" ")[0];
    }

    private List<CmId> on(final String member) {
        return connections.stream().filter(one -> member(one).equals(member)).toList();
    }

    /** Each of them writes once a millisecond; every write succeeds. */
    private void write(final List<CmId> busy, final int times) {
        for (int i = 0; i < times; i++) {
            for (final CmId connection : busy) {
                pair.left.id = connection;
                pair.left.write(target.addr(), target.rkey());
            }
            pair.runFor(MS);
        }
        pair.runFor(50 * MS);
        assertThat(pair.left.sends).hasSize(times * busy.size()).containsOnly(WcStatus.SUCCESS);
        pair.left.sends.clear();
    }

    @Test
    void idleQueuePairsAreSpreadInTurn() {
        assertThat(on("left0")).hasSize(CONNECTIONS / 2);
        assertThat(on("left1")).hasSize(CONNECTIONS / 2);
    }

    @Test
    void twoThatAreBusyOnOneMemberPartAndThenAllStays() {
        final List<CmId> busy = on("left0");
        write(busy, 2_000);
        assertThat(busy).extracting(this::member).containsExactlyInAnyOrder("left0", "left1");
        final int moves = pair.left.failovers().size();
        write(busy, 5_000);
        assertThat(pair.left.failovers()).as("moves while the load is even").hasSize(moves);
        assertThat(pair.left.failovers()).extracting(FailoverReport::reason).containsOnly(FailureReason.PLANNED);
    }

    @Test
    void aBurstThatIsShortMovesNobody() {
        final int moves = pair.left.failovers().size();
        for (int i = 0; i < 10; i++) {
            write(on("left0"), 500);
            pair.runFor(1_500 * MS);
        }
        assertThat(pair.left.failovers()).hasSize(moves);
    }

    @Test
    void aNewQueuePairGoesWhereTheLeastIsSent() {
        write(List.of(on("left0").getFirst()), 500);
        for (int i = 0; i < 2; i++) {
            write(on("left0").subList(0, 1), 100);
            pair.connect();
            connections.add(Objects.requireNonNull(pair.left.id));
        }
        pair.runFor(500 * MS);
        assertThat(on("left1")).hasSize(CONNECTIONS / 2 + 2);
    }

    @Test
    void afterALinkHealsTheyGoHomeAndTheLoadIsEvenAgain() {
        pair.left.ports[0].up(false);
        pair.runFor(1_000 * MS);
        assertThat(on("left1")).hasSize(CONNECTIONS);
        write(connections, 500);
        pair.left.ports[0].up(true);
        write(connections, 3_000);
        assertThat(on("left0")).hasSize(CONNECTIONS / 2);
    }

    /** Those that go home once it is steady count there already: nobody else is sent after them. */
    @Test
    void aLinkThatIsNotSteadyYetDrawsNoOthers() {
        pair.left.bond.admin().set(List.of("updelay=3s"));
        pair.left.ports[1].up(false);
        pair.runFor(1_000 * MS);
        assertThat(on("left0")).hasSize(CONNECTIONS);
        final int failovers = pair.left.failovers().size();
        pair.left.ports[1].up(true);
        write(connections, 6_000);
        assertThat(on("left1")).hasSize(CONNECTIONS / 2);
        assertThat(pair.left.failovers()).hasSize(failovers + CONNECTIONS / 2);
    }
}
