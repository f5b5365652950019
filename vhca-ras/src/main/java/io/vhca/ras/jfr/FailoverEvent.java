package io.vhca.ras.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Timespan;

/** {@code io.vhca.Failover}: a recovery ended, well or not. */
@Name("io.vhca.Failover")
@Label("Failover")
@Description("A recovery of a queue pair ended; how long the failure went unnoticed before it, a bond cannot know")
final class FailoverEvent extends QueuePairEvent {
    @Label("Epoch")
    @Description("In which it ended")
    long epoch;

    @Label("Reason")
    @Description("How the failure was noticed; PLANNED for a move")
    String reason = "";

    @Label("From Path")
    String from = "";

    @Label("To Path")
    @Description("Empty where the queue pair failed")
    String to = "";

    @Label("Fence")
    @Description("From the notice until the old queue pair was fenced and drained")
    @Timespan(Timespan.NANOSECONDS)
    long fence;

    @Label("Connect")
    @Description("From there until the connection that held was established")
    @Timespan(Timespan.NANOSECONDS)
    long connect;

    @Label("Replay")
    @Description("From there until everything was posted again")
    @Timespan(Timespan.NANOSECONDS)
    long replay;

    @Label("Total")
    @Timespan(Timespan.NANOSECONDS)
    long total;

    @Label("Negotiated")
    @Description("Requests completed by the peer's word")
    long negotiated;

    @Label("Replayed")
    @Description("Requests posted again")
    long replayed;

    @Label("Initiator")
    @Description("This side sent the request that held")
    boolean initiator;

    @Label("Error")
    @Description("Name of the error that ended the queue pair, empty where it lives")
    String error = "";
}
