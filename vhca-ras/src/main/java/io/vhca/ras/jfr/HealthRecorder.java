package io.vhca.ras.jfr;

/**
 * Writes what the reporters of one bond do into running recordings of the JVM, from the thread that calls. Without a
 * recording that wants the event each call is a look at a flag.
 */
public final class HealthRecorder {
    private final String bond;

    /** @param bond its name */
    public HealthRecorder(final String bond) {
        this.bond = bond;
    }

    /** There are more errors than before. */
    public void error(final String reporter, final long errors) {
        if (!FlightRecorder.isRecorded()) {
            return;
        }
        final HealthErrorEvent event = new HealthErrorEvent();
        if (event.isEnabled()) {
            event.bond = bond;
            event.reporter = reporter;
            event.errors = errors;
            event.commit();
        }
    }

    /** It was recovered, or, with a reason, was not. */
    public void recover(final String reporter, final boolean isAutomatic, final String refusal) {
        if (!FlightRecorder.isRecorded()) {
            return;
        }
        final HealthRecoverEvent event = new HealthRecoverEvent();
        if (event.isEnabled()) {
            event.bond = bond;
            event.reporter = reporter;
            event.automatic = isAutomatic;
            event.refusal = refusal;
            event.commit();
        }
    }

    /** A dump was written, or, with a reason, was not. */
    public void dump(final String reporter, final boolean isAutomatic, final String failure) {
        if (!FlightRecorder.isRecorded()) {
            return;
        }
        final HealthDumpEvent event = new HealthDumpEvent();
        if (event.isEnabled()) {
            event.bond = bond;
            event.reporter = reporter;
            event.automatic = isAutomatic;
            event.failure = failure;
            event.commit();
        }
    }
}
