package io.vhca.bond.fake;

import io.vhca.api.AddressHandle;
import io.vhca.api.AhAttributes;
import io.vhca.api.ProtectionDomain;
import java.net.InetAddress;

/** An address handle of a fake device. */
final class FakeAh implements AddressHandle {
    private final FakePd pd;
    private final AhAttributes attributes;
    private final long handle;

    FakeAh(final FakePd pd, final AhAttributes attributes) {
        this.pd = pd;
        this.attributes = attributes;
        handle = pd.fake().fabric().nextNumber();
        pd.fake().handles().put(handle, this);
        pd.fake().children().add(this);
    }

    AhAttributes attributes() {
        return attributes;
    }

    InetAddress to() {
        return attributes.dgid().address();
    }

    @Override
    public ProtectionDomain pd() {
        return pd;
    }

    @Override
    public long handle() {
        return handle;
    }

    @Override
    public void close() {
        pd.fake().handles().remove(handle);
        pd.fake().children().remove(this);
    }
}
