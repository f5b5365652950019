package io.vhca.ras.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;

/** What events of one queue pair have in common. */
abstract class QueuePairEvent extends BondEvent {
    @Label("Queue Pair")
    @Description("Number of the virtual queue pair")
    int qpNum;
}
