package io.vhca.ras.jfr;

import io.vhca.recovery.JournalEvent;
import java.util.Locale;
import jdk.jfr.Description;
import jdk.jfr.Label;

/** What events of one step of a recovery have in common. */
abstract class StepEvent extends QueuePairEvent {
    @Label("Session")
    String session = "";

    @Label("Side")
    @Description("0 for the side that connected first, 1 for the other")
    int side;

    @Label("Epoch")
    @Description("Grows by one with each attempt to connect")
    long epoch;

    final void of(final JournalEvent step) {
        bond = step.bond();
        qpNum = step.vQpNum();
        session = String.format(Locale.ROOT, "%08x", step.sessionTag());
        side = step.side();
        epoch = Integer.toUnsignedLong(step.epoch());
    }
}
