package io.vhca.harness.sim;

import io.vhca.physical.soft.fabric.SimFabric;

/** Makes the two hosts of a scenario. */
@FunctionalInterface
interface HostFactory {
    /**
     * A host whose ports are added to the fabric, left first.
     *
     * @param isRecorded keep the bond's journal
     * @param violations where what the host is seen to do wrong is reported
     */
    SimHost create(Scenario scenario, Side side, SimFabric fabric, boolean isRecorded, Violations violations);
}
