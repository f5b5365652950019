package io.vhca.ras.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** {@code io.vhca.RecoveryState}: a transition of one queue pair's recovery. */
@Name("io.vhca.RecoveryState")
@Label("Recovery State")
@Description("The recovery of a queue pair went from one state to the next")
final class RecoveryStateEvent extends StepEvent {
    @Label("From")
    String from = "";

    @Label("To")
    String to = "";

    @Label("Reason")
    @Description("How the failure was noticed")
    String reason = "";

    @Label("Note")
    String note = "";
}
