package io.vhca.bond.memory;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the native memory of a bond was at one moment, at which nobody posted, polled or recovered.
 *
 * @param pauseNs how long nobody could; 0 where nobody was stopped
 * @param gates   that were closed
 * @param why     empty, or why nobody was stopped: there are no copies then
 * @param blocks  the copies
 * @param leftOut blocks that were not copied, as there were too many bytes
 */
public record FrozenMemory(long pauseNs, int gates, String why, List<Block> blocks, int leftOut) {
    /** Where a queue stands, by what that is. */
    public record Cursor(String queue, String what, long value) {
        /** Both, as it is written. */
        public String name() {
            return queue + " " + what;
        }
    }

    /**
     * One block.
     *
     * @param owner   as it names itself
     * @param block   where it lies; not to be read any more
     * @param copy    of its bytes; null where they were left out
     * @param cursors of its queues at that moment
     */
    public record Block(String owner, NativeBlock block, @Nullable MemorySegment copy, List<Cursor> cursors) {}
}
