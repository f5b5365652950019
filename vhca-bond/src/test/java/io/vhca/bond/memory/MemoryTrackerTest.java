package io.vhca.bond.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.MemoryRegion;
import io.vhca.api.ProtectionDomain;
import java.util.List;
import org.junit.jupiter.api.Test;

class MemoryTrackerTest {
    private long nowMs = 1_000;
    private final MemoryTracker tracker = new MemoryTracker(() -> nowMs);

    private record Region(long lengthBytes) implements MemoryRegion {
        @Override
        public ProtectionDomain pd() {
            throw new AssertionError("nobody asks");
        }

        @Override
        public long addr() {
            return 0;
        }

        @Override
        public int lkey() {
            return 0;
        }

        @Override
        public int rkey() {
            return 0;
        }

        @Override
        public void close() {
            // Nothing to close.
        }
    }

    @Test
    void whatThereIsIsToldByKindOwnerAndLineLargestFirst() {
        final Object ring = new Object();
        tracker.holds(ring, 100);
        final Region small = new Region(10);
        tracker.beginOfApplication(small);
        nowMs = 2_000;
        tracker.keepSites(true);
        final Region large = new Region(4_000);
        tracker.beginOfApplication(large);
        tracker.onMember("soft0", large, 1);
        tracker.onMember("soft0", small, 1);
        tracker.onMember("soft0", small, -1);
        final List<MemoryUse> uses = tracker.uses();
        assertThat(uses).extracting(MemoryUse::owner)
                .containsExactly("application", "soft0", "bond", "application");
        assertThat(uses.getFirst()).satisfies(first -> {
            assertThat(first.kind()).isEqualTo(MemoryKind.MEMORY_REGION);
            assertThat(first.registeredBytes()).isEqualTo(4_000);
            assertThat(first.oldestMs()).isEqualTo(2_000);
        });
        assertThat(uses.get(1).registeredBytes()).isEqualTo(4_000);
        assertThat(uses.get(2).nativeBytes()).isEqualTo(100);
        assertThat(uses.getLast().site()).isEmpty();
        tracker.holds(ring, 50);
        assertThat(tracker.uses()).filteredOn(use -> use.owner().equals("bond")).singleElement()
                .extracting(MemoryUse::nativeBytes).isEqualTo(50L);
    }

    @Test
    void theGrowthSinceAMarkIsToldAlsoOfWhatIsGone() {
        final Region before = new Region(500);
        tracker.beginOfApplication(before);
        tracker.mark();
        assertThat(tracker.markedMs()).isEqualTo(1_000);
        tracker.beginOfApplication(new Region(70));
        assertThat(tracker.uses()).singleElement().satisfies(use -> {
            assertThat(use.count()).isEqualTo(2);
            assertThat(use.grownCount()).isOne();
            assertThat(use.grownBytes()).isEqualTo(70);
        });
        final Object buffer = new Object();
        tracker.holds(buffer, 9);
        tracker.mark();
        tracker.end(buffer);
        assertThat(tracker.uses()).filteredOn(use -> use.kind() == MemoryKind.BUFFER).singleElement()
                .satisfies(use -> {
                    assertThat(use.count()).isZero();
                    assertThat(use.grownCount()).isEqualTo(-1);
                    assertThat(use.grownBytes()).isEqualTo(-9);
                });
    }

    /** What somebody makes within his own is his too, also where it held memory before it was known whose it is. */
    @Test
    void ownersAreInherited() {
        final Object parent = new Object();
        final Region child = new Region(1);
        final Region grandchild = new Region(2);
        tracker.beginIn(parent, new Object());
        tracker.beginOfApplication(parent);
        tracker.holds(child, 64);
        tracker.beginIn(child, parent);
        tracker.beginIn(grandchild, child);
        tracker.beginIn(new Region(3), new Object());
        assertThat(tracker.ofApplication()).extracting(MemoryTracker.Open::object)
                .containsExactlyInAnyOrder(child, grandchild);
        tracker.end(child);
        tracker.end(child);
        assertThat(tracker.ofApplication()).hasSize(1);
    }
}
