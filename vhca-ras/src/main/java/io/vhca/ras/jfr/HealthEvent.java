package io.vhca.ras.jfr;

import jdk.jfr.Label;

/** What all events of {@code vhca health} have in common. */
abstract class HealthEvent extends BondEvent {
    @Label("Reporter")
    String reporter = "";
}
