package io.vhca.ras.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** {@code io.vhca.HealthRecover}: what a reporter looks at was recovered, or was not. */
@Name("io.vhca.HealthRecover")
@Label("Health Recover")
@Description("Somebody asked for a recovery, or the option health did")
final class HealthRecoverEvent extends HealthEvent {
    @Label("Automatic")
    @Description("Whether the option health asked for it")
    boolean automatic;

    @Label("Refusal")
    @Description("Why it was not recovered; empty where it was, or is under way")
    String refusal = "";
}
