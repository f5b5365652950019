package io.vhca.harness.lab;

import io.vhca.harness.interop.CProgram;
import io.vhca.harness.interop.InteropPart;
import java.util.List;

/** What Java uses in machine 2 where C programs on rxe0 of machine 1 are its peers. */
public enum InteropDevice {
    /** The embedded soft RNIC. */
    SOFT("soft0", MemberKinds.MIXED),
    /** The kernel's rxe by libibverbs. */
    RXE("rxe0", MemberKinds.RXE),
    /** A bond that takes peers without one. */
    BOND("bond0", MemberKinds.MIXED);

    private final String device;
    private final MemberKinds kinds;

    InteropDevice(final String device, final MemberKinds kinds) {
        this.device = device;
        this.kinds = kinds;
    }

    /** Those that one JVM has at the same time, with the same members. */
    public static List<List<InteropDevice>> together() {
        return List.of(List.of(SOFT, BOND), List.of(RXE));
    }

    /** Its name in machine 2. */
    public String device() {
        return device;
    }

    MemberKinds kinds() {
        return kinds;
    }

    /** What the JVM in machine 2 is told of it. */
    String property() {
        return this == BOND
                ? "vhca.bond=bond0: members=" + String.join(",", kinds.names(2)) + " unprotected=allow"
                : "vhca.soft=" + kinds.softDevices(2);
    }

    /** What C programs can do with it, in order. */
    List<InteropPart> parts() {
        return InteropPart.all(device).stream().filter(part -> whyNot(part).isEmpty()).toList();
    }

    /** Why a C program can have no part in it; empty when it can. */
    String whyNot(final InteropPart part) {
        if (this != BOND) {
            return "";
        }
        if (part.program() != CProgram.RPING) {
            return "both must be bonds";
        }
        return part.isServer() ? "it asks by the bond's key" : "";
    }
}
