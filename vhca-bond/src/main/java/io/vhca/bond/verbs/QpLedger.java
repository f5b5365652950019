package io.vhca.bond.verbs;

import io.vhca.bond.queue.RemoteKeys;
import io.vhca.bond.queue.VirtualSendQueue;
import io.vhca.bond.wire.LedgerWord;
import org.jspecify.annotations.Nullable;

/**
 * Both halves of the ledger of one vQP: the word here, into which the peer writes its marks, and the one at the peer,
 * which this side's marks go to. Control lock, but for {@link #onMarkRefused}.
 */
public final class QpLedger {

    private final BondProtectionDomain pd;
    private final boolean writesMarks;
    private @Nullable LedgerWord word;
    private @Nullable LedgerWord atPeer;
    private volatile boolean refused;

    /** @param writesMarks whether this side's requests are followed by marks */
    QpLedger(final BondProtectionDomain pd, final boolean writesMarks) {
        this.pd = pd;
        this.writesMarks = writesMarks;
    }

    // ---- the peer's marks -------------------------------------------------------------------------------------------

    /**
     * The word that the peer's marks go to; there is one from the first question on. Null where a member has no room
     * for it now.
     */
    public @Nullable LedgerWord word() {
        LedgerWord own = word;
        if (own == null) {
            own = pd.ledgerBoard().take();
            word = own;
        }
        return own;
    }

    /** What the peer's marks say; final once the physical QP is fenced and drained. */
    public long marked() {
        return word == null ? 0 : word.read();
    }

    // ---- this side's marks ------------------------------------------------------------------------------------------

    /** True while requests must wait, as nobody knows yet where their marks go. */
    public boolean awaitsWord() {
        return writesMarks && atPeer == null;
    }

    /** The peer says where its word is. */
    public void found(final LedgerWord known) {
        atPeer = known;
    }

    /** A mark was refused by the peer's hardware: the word is asked for anew after the recovery. Any thread. */
    void onMarkRefused() {
        refused = true;
    }

    /** The key that marks need and that is not known, or 0. */
    public int missingKey(final @Nullable RemoteKeys keys) {
        final LedgerWord target = atPeer;
        return target == null || keys == null || keys.find(target.virtualKey()) != null ? 0 : target.virtualKey();
    }

    /**
     * Aims the marks over the connection in use, and answers the keys that requests may be translated by: null while
     * marks have no target, so that a request that names memory, whatever its key, waits as it does for its own key.
     */
    public @Nullable RemoteKeys aim(final VirtualSendQueue sends, final RemoteKeys keys, final long wrIdPrefix) {
        if (!writesMarks) {
            return keys;
        }
        if (refused) {
            refused = false;
            atPeer = null;
        }
        final LedgerWord target = atPeer;
        final RemoteKeys.Entry entry = target == null ? null : keys.find(target.virtualKey());
        if (target == null || entry == null) {
            return null;
        }
        sends.markInto(target.address(), entry.rkey(), wrIdPrefix);
        return keys;
    }

    /** The vQP begins another life (RESET). */
    public void reset() {
        atPeer = null;
        if (word != null) {
            word.clear();
        }
    }

    void close() {
        if (word != null) {
            pd.ledgerBoard().giveBack(word);
            word = null;
        }
    }
}
