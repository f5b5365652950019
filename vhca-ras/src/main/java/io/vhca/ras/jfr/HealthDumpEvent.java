package io.vhca.ras.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** {@code io.vhca.HealthDump}: a reporter has written down what it looks at. */
@Name("io.vhca.HealthDump")
@Label("Health Dump")
@Description("A reporter has written down what it looks at")
final class HealthDumpEvent extends HealthEvent {
    @Label("Automatic")
    @Description("Whether the option health asked for it")
    boolean automatic;

    @Label("Failure")
    @Description("Why it was not written; empty where it was")
    String failure = "";
}
