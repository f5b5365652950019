package io.vhca.physical.soft.engine;

import io.vhca.api.AddressHandle;
import io.vhca.api.AhAttributes;

/** An address handle of a {@link SoftNic}. */
public final class SoftAh implements AddressHandle {
    private final SoftPd pd;
    private final AhAttributes attributes;
    private final long handle;
    final Path path;
    private boolean isClosed;

    SoftAh(final SoftPd pd, final AhAttributes attributes, final Path path, final long handle) {
        this.pd = pd;
        this.attributes = attributes;
        this.path = path;
        this.handle = handle;
    }

    @Override
    public SoftPd pd() {
        return pd;
    }

    @Override
    public long handle() {
        return handle;
    }

    /** What it was created with. */
    public AhAttributes attributes() {
        return attributes;
    }

    @Override
    public void close() {
        pd.nic.acquire();
        try {
            if (!isClosed) {
                isClosed = true;
                pd.nic.objects().removeAh(this);
            }
        } finally {
            pd.nic.release();
        }
    }

    @Override
    public String toString() {
        return pd.nic.name() + " ah to " + attributes.dgid();
    }
}
