package io.vhca.api;

import java.lang.foreign.MemorySegment;

/** A protection domain ({@code struct ibv_pd}): objects of one work with each other, never with those of another. */
public interface ProtectionDomain extends AutoCloseable {
    Context context();

    /**
     * Registers memory ({@code ibv_reg_mr}). The caller keeps the memory alive until the region is closed.
     *
     * @param memory a native segment of at least one byte
     * @param access a combination of {@link AccessFlags}
     * @throws VerbsException EINVAL for heap memory or an impossible combination, EFAULT where the memory's arena was
     *     closed, or it is read-only and the device may write, ENOMEM at the device's limit
     */
    MemoryRegion regMr(MemorySegment memory, int access);

    /**
     * A queue pair in RESET ({@code ibv_create_qp}).
     *
     * @throws VerbsException EINVAL for capabilities above the device's, or CQs and SRQ of another context
     */
    QueuePair createQp(QpInitAttributes attributes);

    /** A shared receive queue ({@code ibv_create_srq}). */
    SharedReceiveQueue createSrq(SrqAttributes attributes);

    /** An address handle for UD sends ({@code ibv_create_ah}). */
    AddressHandle createAh(AhAttributes attributes);

    /**
     * Frees the domain ({@code ibv_dealloc_pd}). Idempotent.
     *
     * @throws VerbsException EBUSY when objects of it are still open
     */
    @Override
    void close();
}
