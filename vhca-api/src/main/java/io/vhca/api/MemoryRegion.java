package io.vhca.api;

/** Registered memory ({@code struct ibv_mr}). */
public interface MemoryRegion extends AutoCloseable {
    ProtectionDomain pd();

    /** Native address of the first byte. */
    long addr();

    long lengthBytes();

    /** Key for scatter/gather elements of local work requests. */
    int lkey();

    /** Key that a peer needs to reach this memory. */
    int rkey();

    /** Deregisters ({@code ibv_dereg_mr}); the keys are dead at once. Idempotent. */
    @Override
    void close();
}
