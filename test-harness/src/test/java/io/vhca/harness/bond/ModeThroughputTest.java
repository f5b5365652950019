package io.vhca.harness.bond;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.vhca.api.AccessFlags;
import io.vhca.api.MemoryRegion;
import io.vhca.api.QueuePair;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.WcStatus;
import io.vhca.api.WrOpcode;
import io.vhca.bond.config.BondMode;
import io.vhca.bond.config.XmitHashPolicy;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What each mode makes of two links that are the limit, when one dies, and when it is back; on virtual time. */
class ModeThroughputTest {
    private static final long MS = BondPair.MS;
    private static final int RATE_MBPS = 8;
    private static final int CONNECTIONS = 4;
    private static final long SLICE_NS = MS / 2;
    /** On the link: Ethernet with preamble and gap, IPv4, UDP, BTH, RETH, the data and the ICRC. */
    private static final int WRITE_BYTES = 38 + 20 + 8 + 12 + 16 + BondPair.MESSAGE_BYTES + 4;
    private static final int ACCESS = AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE;

    /** Two queue pairs that always have something to write, on a member each where the mode has it so. */
    private static final class Load {
        private final BondPair pair;
        private final MemoryRegion target;
        private final SendWorkRequest write;
        private final List<QueuePair> busy = new ArrayList<>();

        Load(final BondPair pair, final MemoryRegion target, final Arena arena) {
            this.pair = pair;
            this.target = target;
            write = SendWorkRequest.allocate(arena, 1);
        }

        private String member(final QueuePair qp) {
            return pair.left.bond.admin().path(qp).split(" ")[0];
        }

        void choose(final List<QueuePair> all) {
            busy.add(all.getFirst());
            busy.add(all.stream()
                    .filter(qp -> !member(qp).equals(member(all.getFirst())))
                    .findFirst()
                    .orElse(all.getLast()));
        }

        private long[] completed() {
            final long[] counts = new long[busy.size()];
            pair.left.bond.admin().visit((index, qpNum, type, state, recovery, epoch, at, peer, sent, done, got) -> {
                for (int i = 0; i < counts.length; i++) {
                    counts[i] = busy.get(i).qpNum() == qpNum ? done : counts[i];
                }
            });
            return counts;
        }

        /** Writes for a while; how many of each completed. */
        long[] writeFor(final long durationNs) {
            final long[] before = completed();
            for (final long endNs = pair.nowNs + durationNs; endNs - pair.nowNs > 0; ) {
                for (final QueuePair qp : busy) {
                    int posted;
                    do {
                        posted = qp.postSend(write.wrId(1)
                                .opcode(WrOpcode.RDMA_WRITE)
                                .sendFlags(SendFlags.SIGNALED)
                                .sge(pair.left.region.addr(), BondPair.MESSAGE_BYTES, pair.left.region.lkey())
                                .rdma(target.addr(), target.rkey()));
                    } while (posted == 1);
                }
                pair.runFor(SLICE_NS);
            }
            assertThat(pair.left.sends).containsOnly(WcStatus.SUCCESS);
            pair.left.sends.clear();
            final long[] counts = completed();
            for (int i = 0; i < counts.length; i++) {
                counts[i] -= before[i];
            }
            return counts;
        }
    }

    @ParameterizedTest
    @EnumSource(BondMode.class)
    void twoLinksCarryTwiceWhatOneCarriesAndTheShareIsEvenAgainAfterOneHealed(final BondMode mode) {
        try (Arena arena = Arena.ofConfined();
                BondPair pair = BondPair.atRate(
                        config -> config.mode(mode).xmitHashPolicy(XmitHashPolicy.SRC_DST_PORT), RATE_MBPS);
                MemoryRegion target = pair.right.pd.regMr(arena.allocate(BondPair.MESSAGE_BYTES, 64), ACCESS)) {
            final List<QueuePair> all = new ArrayList<>(List.of(pair.left.qp()));
            while (all.size() < CONNECTIONS) {
                pair.connect();
                all.add(pair.left.qp());
            }
            pair.runFor(500 * MS);
            final Load load = new Load(pair, target, arena);
            load.choose(all);
            final boolean isBalancing = mode != BondMode.ACTIVE_BACKUP;
            assertThat(load.member(load.busy.get(0)).equals(load.member(load.busy.get(1))))
                    .as("on one member")
                    .isNotEqualTo(isBalancing);

            load.writeFor(500 * MS);
            final long[] before = load.writeFor(1_000 * MS);
            pair.left.ports[0].up(false);
            load.writeFor(1_000 * MS);
            final long[] cut = load.writeFor(1_000 * MS);
            pair.left.ports[0].up(true);
            load.writeFor(3_000 * MS);
            final long[] healed = load.writeFor(1_000 * MS);
            System.out.println(mode.text() + ": writes a second " + sum(before) + ", one link dead " + sum(cut)
                    + ", healed " + sum(healed) + " = " + healed[0] + " + " + healed[1]);

            final double links = isBalancing ? 2 : 1;
            // The link was the limit. What it saved before is more than its rate, by 4 ms of a second.
            final long most = RATE_MBPS * 125_000L / WRITE_BYTES;
            assertThat(sum(cut)).isBetween(most * 8 / 10, most * 1_004 / 1_000);
            assertThat((double) sum(before) / sum(cut)).isCloseTo(links, within(0.1 * links));
            assertThat((double) sum(healed) / sum(cut)).isCloseTo(links, within(0.1 * links));
            assertThat((double) healed[0] / sum(healed)).isCloseTo(0.5, within(0.05));
        }
    }

    private static long sum(final long[] counts) {
        return counts[0] + counts[1];
    }
}
