package io.vhca.ras.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** {@code io.vhca.Negotiation}: the peer's counts were applied. */
@Name("io.vhca.Negotiation")
@Label("Negotiation")
@Description("Two bonds told each other what had arrived")
final class NegotiationEvent extends StepEvent {
    @Label("Received Here")
    @Description("Messages that this side has received since the queue pair was connected first")
    long ownReceived;

    @Label("Received There")
    @Description("Messages that the peer has received")
    long peerReceived;

    @Label("Ledger")
    @Description("The last mark that the peer found behind one-sided operations")
    String ledger = "";
}
