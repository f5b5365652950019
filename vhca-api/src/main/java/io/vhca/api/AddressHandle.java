package io.vhca.api;

/** An address handle for UD sends ({@code struct ibv_ah}). */
public interface AddressHandle extends AutoCloseable {
    ProtectionDomain pd();

    /** What goes into {@code ud.ah} of a work request. */
    long handle();

    /** Destroys the handle ({@code ibv_destroy_ah}). Idempotent. */
    @Override
    void close();
}
