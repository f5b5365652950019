package io.vhca.bond.verbs;

/**
 * An application's request for an event of a vCQ, and whether it has been told of what became owed since. Inside the
 * CQ's gate.
 */
final class EventRequest {
    private boolean isArmed;
    private boolean isSolicitedOnly;
    private boolean isUntold;
    private boolean isErrorUntold;

    /** A request for all that is open stays one, as on hardware, whatever is asked besides. */
    void arm(final boolean onlySolicited) {
        isSolicitedOnly = onlySolicited && (!isArmed || isSolicitedOnly);
        isArmed = true;
        isUntold = false;
        isErrorUntold = false;
    }

    boolean isArmed() {
        return isArmed;
    }

    boolean isSolicitedOnly() {
        return isSolicitedOnly;
    }

    /** A completion is owed. */
    void owed(final int status) {
        isUntold = true;
        isErrorUntold |= status != 0;
    }

    /**
     * True when an event is due for what is owed. Who waits for solicited messages only hears of those from the member.
     *
     * @param mayEventsDie the member's own events may never be heard
     */
    boolean isDue(final boolean mayEventsDie) {
        return isArmed && isUntold && (mayEventsDie || isErrorUntold || !isSolicitedOnly);
    }

    /** Consumes the request; false when there is none. */
    boolean take() {
        final boolean was = isArmed;
        isArmed = false;
        return was;
    }
}
