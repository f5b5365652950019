package io.vhca.harness.conformance;

/** The suite on bonds over embedded RNICs with {@link StrictOptions}. */
class StrictBondConformanceTest extends ConformanceSuite {
    private static final DevicePair BONDS = BondConformanceTest.bonds(30, StrictOptions::add);

    StrictBondConformanceTest() {
        super(BONDS);
    }
}
