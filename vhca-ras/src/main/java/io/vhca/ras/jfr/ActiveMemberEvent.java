package io.vhca.ras.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** {@code io.vhca.ActiveMember}: new connections go to another member. */
@Name("io.vhca.ActiveMember")
@Label("Active Member")
@Description("Another member of a bond is the active one")
final class ActiveMemberEvent extends BondEvent {
    @Label("From")
    String from = "";

    @Label("To")
    String to = "";
}
