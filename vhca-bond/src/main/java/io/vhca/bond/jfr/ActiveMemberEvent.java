package io.vhca.bond.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** {@code io.vhca.ActiveMember}: new connections go to another member. */
@Name("io.vhca.ActiveMember")
@Label("Active Member")
@Category({"vHCA", "Bond"})
@Description("Another member of a bond is the active one")
@StackTrace(false)
final class ActiveMemberEvent extends Event {
    @Label("Bond")
    String bond = "";

    @Label("From")
    String from = "";

    @Label("To")
    String to = "";
}
