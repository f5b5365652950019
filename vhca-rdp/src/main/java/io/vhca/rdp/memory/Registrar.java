package io.vhca.rdp.memory;

import org.jspecify.annotations.Nullable;

/** Registers memory of the application with the device, for sends that copy nothing. */
public interface Registrar {
    /** A registration. */
    interface Registered {
        int lkey();

        /** Gives it up; no request of the device uses it any more. */
        void close();
    }

    /** Lets the device read that memory; null where it has no room for another registration. */
    @Nullable Registered register(long address, long lengthBytes);
}
