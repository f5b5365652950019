package io.vhca.bond.memory;

/**
 * What is there of one kind, of one owner, made at one place.
 *
 * @param owner           {@link MemoryTracker#APPLICATION}, {@link MemoryTracker#BOND}, or a member, whose device
 *                        has it
 * @param site            the line that made them; empty where the lines were not kept, and for a member's
 * @param count           how many there are
 * @param nativeBytes     that were allocated for them outside of the heap
 * @param registeredBytes that hardware may reach through them
 * @param grownCount      how many more there are than at the mark
 * @param grownBytes      how many more bytes of both
 * @param oldestMs        when the oldest of them was made, since 1970; 0 for a member's
 */
public record MemoryUse(
        MemoryKind kind,
        String owner,
        String site,
        long count,
        long nativeBytes,
        long registeredBytes,
        long grownCount,
        long grownBytes,
        long oldestMs) {
    /** Both kinds of bytes. */
    public long bytes() {
        return nativeBytes + registeredBytes;
    }
}
