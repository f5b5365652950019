package io.vhca.rdp.memory;

import org.jspecify.annotations.Nullable;

/** Registers memory of the application with the device, for datagrams that are not copied. */
public interface Registrar {
    /** A registration. */
    interface Registered {
        int lkey();

        /** By which other nodes write there, where they may. */
        int rkey();

        /** Gives it up; no request of the device uses it any more. */
        void close();
    }

    /**
     * Lets the device read that memory; null where it has no room for another registration.
     *
     * @param isWritable connected nodes that know the key may write there too
     */
    @Nullable Registered register(long address, long lengthBytes, boolean isWritable);
}
