package io.vhca.ras.status;

/**
 * A bond as somebody saw it: whoever saw it may have been stopped since, and judges it by what was true then.
 *
 * @param isAlive whether its process lived
 * @param seenMs  when it was looked at, since 1970; its status is not older
 */
public record SeenBond(BondStatus status, boolean isAlive, long seenMs) {
    /** Looks now whether its process lives. */
    public static SeenBond of(final BondStatus status, final long seenMs) {
        return new SeenBond(status, status.isAlive(), seenMs);
    }
}
