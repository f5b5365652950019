package io.vhca.physical.soft.engine;

/**
 * The earliest deadline of all QPs. Arming only lowers it, so it may be early but never late; a look at all QPs puts it
 * right, when it comes due and when it is asked for after one was disarmed. The engine's owner.
 */
final class NicDeadline {
    private final QpTable qps;
    private boolean isSet;
    private boolean isExact = true;
    private long earliestNs;

    NicDeadline(final QpTable qps) {
        this.qps = qps;
    }

    /** A QP has a deadline at that time now. */
    void armed(final long deadlineNs) {
        if (!isSet || deadlineNs - earliestNs < 0) {
            isSet = true;
            earliestNs = deadlineNs;
        } else {
            isExact = false;
        }
    }

    /** A QP has its deadline no more. */
    void disarmed() {
        isExact = false;
    }

    /** {@link Long#MAX_VALUE} for none. */
    long next() {
        if (!isExact) {
            scan();
        }
        return isSet ? earliestNs : Long.MAX_VALUE;
    }

    int fire(final long nowNs) {
        if (!isSet || nowNs - earliestNs < 0) {
            return 0;
        }
        int count = 0;
        for (int i = 0; i < qps.size(); i++) {
            final SoftQp qp = qps.get(i);
            final Transport transport = qp.transport();
            if (transport.hasDeadline() && nowNs - transport.deadlineNs() >= 0) {
                transport.onDeadline();
                qp.nic.schedule(qp);
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
