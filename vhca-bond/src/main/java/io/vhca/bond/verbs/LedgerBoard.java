package io.vhca.bond.verbs;

import io.vhca.api.AccessFlags;
import io.vhca.api.VerbsException;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.wire.LedgerWord;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The ledger words of one vPD, registered a page at a time when the first peer asks for one. A vPD has its own, as
 * hardware lets a queue pair reach the memory of its own domain only. Control lock.
 */
final class LedgerBoard implements AutoCloseable {
    private static final int PAGE_BYTES = 4096;

    private final BondProtectionDomain pd;
    private final BondCore core;
    private final Arena arena = Arena.ofShared();
    private final List<BondMemoryRegion> pages = new ArrayList<>();
    private final ArrayDeque<LedgerWord> free = new ArrayDeque<>();
    /** Of a page that a member had no room to register: the next one is made of it. */
    private @Nullable MemorySegment unregistered;

    LedgerBoard(final BondProtectionDomain pd) {
        this.pd = pd;
        core = pd.scope().core();
    }

    /**
     * A word that says nothing; it is the caller's until {@link #giveBack}. Null where a member has no room for one
     * more page of them.
     */
    @Nullable LedgerWord take() {
        if (free.isEmpty()) {
            try {
                addPage();
            } catch (final VerbsException e) {
                core.counters().ignored(e);
                return null;
            }
        }
        final LedgerWord word = free.remove();
        word.clear();
        return word;
    }

    private void addPage() {
        final MemorySegment memory =
                unregistered == null ? arena.allocate(PAGE_BYTES, PAGE_BYTES) : unregistered;
        unregistered = memory;
        final BondMemoryRegion page =
                new BondMemoryRegion(pd, memory, AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE);
        unregistered = null;
        pages.add(page);
        core.begins(page, pd);
        core.holds(this, (long) pages.size() * PAGE_BYTES);
        for (int at = 0; at < PAGE_BYTES; at += LedgerWord.SIZE) {
            free.add(new LedgerWord(memory.address() + at, page.rkey()));
        }
    }

    /** The vQP is gone, and with it every physical QP that could write. */
    void giveBack(final LedgerWord word) {
        free.add(word);
    }

    @Override
    public void close() {
        pages.forEach(BondMemoryRegion::close);
        core.ends(this);
        pages.clear();
        free.clear();
        arena.close();
    }
}
