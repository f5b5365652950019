package io.vhca.rdp.common;

import org.jspecify.annotations.Nullable;

/** An option of RDS that a driver has not: who gives it is told why. */
enum AbsentOption {
    MAX_CTRL_SEND_BUFFERS("MaxCtrlSendBuffers", "no more are used than the other node's MaxCtrlRecvBuffers"),
    MIN_RNR_TIMER("MinRnrTimer", "credits keep every SEND from an empty queue, so nobody is told to wait"),
    PERF_COUNTERS("PerfCounters", "counters are kept always, a plain store each: `vhca rdp stats`"),
    DEBUG_LEVEL("DebugLevel", "what goes wrong is counted and logged by System.Logger, whose levels are the program's"),
    TRACE_LEVEL("TraceLevel", "the bond below is traced, by component and object: `vhca trace set bond0 ...`");

    private final String label;
    private final String why;

    AbsentOption(final String label, final String why) {
        this.label = label;
        this.why = why;
    }

    /** Why an option of that name is refused; null where RDS has none of that name either. */
    static @Nullable String why(final String name) {
        for (final AbsentOption one : values()) {
            if (one.label.equals(name)) {
                return "there is no " + name + ", which RDS has: " + one.why;
            }
        }
        return null;
    }
}
