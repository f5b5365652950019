package io.vhca.physical.verbs;

import io.vhca.api.AddressHandle;
import io.vhca.api.AhAttributes;
import io.vhca.api.ProtectionDomain;
import io.vhca.physical.verbs.lib.Ibv;

/** An address handle of libibverbs. Any thread. */
final class VerbsAh implements AddressHandle {
    private final VerbsPd pd;
    private final long address;
    private final AhAttributes attributes;
    private boolean isClosed;

    VerbsAh(final VerbsPd pd, final long address, final AhAttributes attributes) {
        this.pd = pd;
        this.address = address;
        this.attributes = attributes;
        pd.children().add(this);
    }

    @Override
    public ProtectionDomain pd() {
        return pd;
    }

    @Override
    public long handle() {
        return address;
    }

    @Override
    public synchronized void close() {
        if (isClosed) {
            return;
        }
        pd.context().requireDestroyed("destroyAh", Ibv.DESTROY_AH.status(address), this);
        isClosed = true;
        pd.children().remove(this);
    }

    @Override
    public String toString() {
        return pd.context() + " ah to " + attributes.dgid();
    }
}
