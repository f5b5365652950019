package io.vhca.ras.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** {@code io.vhca.Error}: what {@code vhca errors} shows, each time that it happens. */
@Name("io.vhca.Error")
@Label("Error")
@Description("Something failed: a queue pair for good, or what the bond goes on from")
final class ErrorEvent extends BondEvent {
    @Label("Code")
    @Description("As docs/ERRORS.md explains it")
    String code = "";

    @Label("What")
    String what = "";
}
