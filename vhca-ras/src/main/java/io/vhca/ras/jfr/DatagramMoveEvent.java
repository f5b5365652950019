package io.vhca.ras.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** {@code io.vhca.DatagramMove}: a queue pair for datagrams lives elsewhere. */
@Name("io.vhca.DatagramMove")
@Label("Datagram Move")
@Description("A queue pair for datagrams lives on another member, or on none")
final class DatagramMoveEvent extends QueuePairEvent {
    @Label("From")
    @Description("Empty where it lived on no member")
    String from = "";

    @Label("To")
    @Description("Empty where it lives on no member")
    String to = "";
}
