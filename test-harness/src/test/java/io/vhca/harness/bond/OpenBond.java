package io.vhca.harness.bond;

import io.vhca.bond.BondContext;

/** For tests of other packages: a bond that is open. */
public final class OpenBond {
    private OpenBond() {}

    /** A bond over two soft devices at the loopback addresses of that last byte and the next. */
    public static BondContext open(final String name, final int last) {
        return SoftBonds.open(name, SoftBonds.soft(name + "-0", last), SoftBonds.soft(name + "-1", last + 1));
    }
}
