package io.vhca.ras.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** {@code io.vhca.MemberState}: something changed about a member. */
@Name("io.vhca.MemberState")
@Label("Member State")
@Description("A member of a bond went up or down, was drained, resumed, added or removed")
final class MemberStateEvent extends BondEvent {
    @Label("Member")
    @Description("Name of the device")
    String member = "";

    @Label("Change")
    @Description("UP, DOWN, DIED, RETURNED, DRAINED, RESUMED, ADDED, LEAVING or REMOVED")
    String change = "";

    @Label("Reason")
    @Description("How it was noticed that the member went down; NONE otherwise")
    String reason = "";

    @Label("Link Failures")
    @Description("How often its link went down or its device died so far")
    long failures;
}
