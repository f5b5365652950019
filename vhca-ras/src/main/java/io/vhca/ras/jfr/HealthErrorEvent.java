package io.vhca.ras.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** {@code io.vhca.HealthError}: a reporter of {@code vhca health} has more errors than before. */
@Name("io.vhca.HealthError")
@Label("Health Error")
@Description("A reporter of vhca health has more errors than before")
final class HealthErrorEvent extends HealthEvent {
    @Label("Errors")
    @Description("Since the bond was opened")
    long errors;
}
