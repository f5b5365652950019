package io.vhca.bond.queue;

import io.vhca.api.ProtectionDomain;

/** The memory behind a virtual key, as far as the bond itself works on it. Control lock. */
public interface RegisteredMemory {
    ProtectionDomain pd();

    /** True where the bytes lie within the region, which was registered for that access, and are still there. */
    boolean allows(long address, long length, int wanted);
}
