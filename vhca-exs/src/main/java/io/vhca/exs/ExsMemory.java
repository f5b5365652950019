package io.vhca.exs;

import io.vhca.api.Errno;
import io.vhca.api.MemoryRegion;
import io.vhca.api.VerbsException;
import java.lang.foreign.MemorySegment;

/**
 * Registered memory: sends and receives of it are not copied, beyond small packets. The caller keeps the memory alive
 * until it is deregistered. Its counts belong to the driver's lock.
 */
public final class ExsMemory {
    private final Driver driver;
    private MemoryRegion region;
    private boolean isReadOnly;
    private boolean isClosed;
    private int uses;

    ExsMemory(final Driver driver, final MemoryRegion region, final boolean isReadOnly) {
        this.driver = driver;
        this.region = region;
        this.isReadOnly = isReadOnly;
    }

    public long lengthBytes() {
        return region.lengthBytes();
    }

    /** Calls that use it and are not complete. */
    public int uses() {
        return uses;
    }

    long address() {
        return region.addr();
    }

    int lkey() {
        return region.lkey();
    }

    int rkey() {
        return region.rkey();
    }

    Driver driver() {
        return driver;
    }

    void use() {
        uses++;
    }

    void unuse() {
        assert uses > 0;
        uses--;
    }

    /** Refuses a part that is not there, or that may not be written. */
    void check(
            final String call, final Object socket, final long offset, final long length, final boolean isWritten) {
        if (isClosed) {
            throw new VerbsException(
                    call, Errno.EFAULT, socket.toString(), "the memory was deregistered; register it again");
        }
        if (offset < 0 || length < 0 || length > region.lengthBytes() - offset) {
            throw new VerbsException(
                    call, Errno.EFAULT, socket.toString(),
                    length + " bytes from " + offset + " on are not within memory of " + region.lengthBytes());
        }
        if (isWritten && isReadOnly) {
            throw readOnly(call, socket);
        }
    }

    /** Why memory takes no receive. */
    static VerbsException readOnly(final String call, final Object socket) {
        return new VerbsException(call, Errno.EFAULT, socket.toString(), "read-only memory takes no receive");
    }

    private void checkIdle(final String call) {
        if (uses > 0) {
            throw new VerbsException(
                    call, Errno.EBUSY, toString(),
                    uses + " calls use it; wait for their events or close their sockets");
        }
    }

    /** Registers other memory in its place ({@code exs_mmodify}). EBUSY while calls use it. */
    public void mmodify(final MemorySegment memory) {
        driver.locked(() -> {
            checkIdle("mmodify");
            if (isClosed) {
                throw new VerbsException("mmodify", Errno.EINVAL, toString(), "it was deregistered");
            }
            final MemoryRegion other = driver.register("mmodify", memory);
            region.close();
            region = other;
            isReadOnly = memory.isReadOnly();
        });
    }

    /** Deregisters it ({@code exs_mderegister}). Idempotent; EBUSY while calls use it. */
    public void mderegister() {
        driver.locked(() -> {
            checkIdle("mderegister");
            driver.deregistered(this);
            close();
        });
    }

    void close() {
        if (!isClosed) {
            isClosed = true;
            region.close();
        }
    }

    @Override
    public String toString() {
        return "memory of " + region.lengthBytes() + " bytes";
    }
}
