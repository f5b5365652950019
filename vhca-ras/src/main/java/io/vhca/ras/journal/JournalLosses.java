package io.vhca.ras.journal;

/** Is told what a journal could not write. Any thread. */
public interface JournalLosses {
    /** It cannot be written, for this reason, and is tried again; once for as long as it lasts. */
    void onTrouble(Throwable reason);

    /** Events are lost: there was no room for them while the journal could not be written. */
    void onLost(long events);
}
