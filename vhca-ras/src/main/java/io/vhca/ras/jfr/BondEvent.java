package io.vhca.ras.jfr;

import jdk.jfr.Category;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.StackTrace;

/** What all events of a bond have in common; the annotations are inherited. */
@Category({"vHCA", "Bond"})
@StackTrace(false)
abstract class BondEvent extends Event {
    @Label("Bond")
    String bond = "";
}
