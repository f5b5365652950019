package io.vhca.physical.verbs;

import io.vhca.api.MemoryRegion;
import io.vhca.api.NativeMemory;
import io.vhca.api.ProtectionDomain;
import io.vhca.physical.rdmacore.ibv_mr;
import io.vhca.physical.verbs.lib.Ibv;

/** Memory registered with libibverbs. Any thread. */
final class VerbsMr implements MemoryRegion {
    private final VerbsPd pd;
    private final long address;
    private final long addr;
    private final long lengthBytes;
    private final int lkey;
    private final int rkey;
    private boolean isClosed;

    VerbsMr(final VerbsPd pd, final long address) {
        this.pd = pd;
        this.address = address;
        addr = NativeMemory.getLong(address + ibv_mr.addr$offset());
        lengthBytes = NativeMemory.getLong(address + ibv_mr.length$offset());
        lkey = NativeMemory.getInt(address + ibv_mr.lkey$offset());
        rkey = NativeMemory.getInt(address + ibv_mr.rkey$offset());
        pd.children().add(this);
    }

    @Override
    public ProtectionDomain pd() {
        return pd;
    }

    @Override
    public long addr() {
        return addr;
    }

    @Override
    public long lengthBytes() {
        return lengthBytes;
    }

    @Override
    public int lkey() {
        return lkey;
    }

    @Override
    public int rkey() {
        return rkey;
    }

    @Override
    public synchronized void close() {
        if (isClosed) {
            return;
        }
        pd.context().requireDestroyed("deregMr", Ibv.DEREG_MR.status(address), this);
        isClosed = true;
        pd.children().remove(this);
    }

    @Override
    public String toString() {
        return pd.context() + " mr lkey 0x" + Integer.toHexString(lkey);
    }
}
