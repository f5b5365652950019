package io.vhca.physical.soft.engine.qp;

/**
 * The earliest deadline of all queue pairs. Setting a timer only lowers it, so that it may be early but never late. A
 * look at all queue pairs makes it exact: when it expires, and when it is asked for after a timer was cleared. The
 * engine's owner.
 */
public final class EarliestDeadline {
    private final QpTable qps;
    private boolean isSet;
    private boolean isExact = true;
    private long earliestNs;

    /** The earliest deadline of those in the table. */
    public EarliestDeadline(final QpTable qps) {
        this.qps = qps;
    }

    /** A queue pair set a timer. */
    public void timerSet(final long deadlineNs) {
        if (!isSet || deadlineNs - earliestNs < 0) {
            isSet = true;
            earliestNs = deadlineNs;
        } else {
            isExact = false;
        }
    }

    /** A queue pair cleared its timer. */
    public void timerCleared() {
        isExact = false;
    }

    /** {@link Long#MAX_VALUE} for none. */
    public long next() {
        if (!isExact) {
            scan();
        }
        return isSet ? earliestNs : Long.MAX_VALUE;
    }

    /** Tells each queue pair whose timer has expired, and gives it a turn; how many those were. */
    public int fire(final long nowNs) {
        if (!isSet || nowNs - earliestNs < 0) {
            return 0;
        }
        int count = 0;
        for (int i = 0; i < qps.size(); i++) {
            final QpContext qp = qps.get(i);
            final Transport transport = qp.transport();
            if (transport.hasDeadline() && nowNs - transport.deadlineNs() >= 0) {
                qp.onDeadline();
                qp.schedule();
                count++;
            }
        }
        scan();
        return count;
    }

    private void scan() {
        isSet = false;
        for (int i = 0; i < qps.size(); i++) {
            final Transport transport = qps.get(i).transport();
            if (transport.hasDeadline()) {
                final long at = transport.deadlineNs();
                if (!isSet || at - earliestNs < 0) {
                    isSet = true;
                    earliestNs = at;
                }
            }
        }
        isExact = true;
    }
}
