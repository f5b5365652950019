package io.vhca.bond;

import java.util.ArrayList;
import java.util.List;

/** Knows which bonds were opened, and observes none; of one that is named bonderror it ends in an Error. */
public final class FakeObservers implements BondObserverProvider {
    /** Their names, in order. */
    static final List<String> BONDS = new ArrayList<>();

    @Override
    public void attach(final BondContext bond) {
        BONDS.add(bond.device().name());
        if (bond.device().name().equals("bonderror")) {
            throw new InternalError("planted");
        }
    }
}
