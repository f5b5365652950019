package io.vhca.harness.conformance;

import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** The suite on bonds over devices of libibverbs with {@link StrictOptions}, where there are some. */
@EnabledIfSystemProperty(
        named = BondOverVerbsConformanceTest.PROPERTY,
        matches = ".+,.+",
        disabledReason = "SKIPPED: no RDMA devices were named by -D" + BondOverVerbsConformanceTest.PROPERTY)
class StrictBondOverVerbsConformanceTest extends ConformanceSuite {
    StrictBondOverVerbsConformanceTest() {
        super(BondOverVerbsConformanceTest.bonds(StrictOptions::add));
    }
}
