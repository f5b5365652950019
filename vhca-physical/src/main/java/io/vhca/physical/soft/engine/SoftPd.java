package io.vhca.physical.soft.engine;

import io.vhca.api.AccessFlags;
import io.vhca.api.AhAttributes;
import io.vhca.api.Context;
import io.vhca.api.Errno;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.SrqAttributes;
import io.vhca.api.VerbsException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A protection domain of a {@link SoftNic}. */
public final class SoftPd implements ProtectionDomain {
    private static final int ALLOWED_ACCESS = AccessFlags.LOCAL_WRITE
            | AccessFlags.REMOTE_WRITE
            | AccessFlags.REMOTE_READ
            | AccessFlags.REMOTE_ATOMIC;

    final SoftNic nic;
    private final @Nullable Context context;
    private final int number;
    /** Objects that refer to this; guarded by the engine's ownership. */
    int users;

    private volatile boolean isClosed;

    SoftPd(final SoftNic nic, final @Nullable Context context, final int number) {
        this.nic = nic;
        this.context = context;
        this.number = number;
    }

    @Override
    public Context context() {
        if (context == null) {
            throw new IllegalStateException(this + " was created without a context");
        }
        return context;
    }

    @Override
    public SoftMr regMr(final MemorySegment memory, final int access) {
        if (!memory.isNative() || memory.byteSize() == 0) {
            throw new VerbsException(
                    "regMr", Errno.EINVAL, toString(), "only native memory of at least one byte can be registered");
        }
        final int needsLocalWrite = AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_ATOMIC;
        if ((access & ~ALLOWED_ACCESS) != 0
                || (access & needsLocalWrite) != 0 && (access & AccessFlags.LOCAL_WRITE) == 0) {
            throw new VerbsException(
                    "regMr",
                    Errno.EINVAL,
                    toString(),
                    "access 0x" + Integer.toHexString(access)
                            + " is not possible: remote write and atomic need local write, nothing else is carried");
        }
        nic.acquireFor("regMr");
        try {
            requireOpen("regMr");
            return nic.objects().addRegion(this, memory, access);
        } finally {
            nic.release();
        }
    }

    @Override
    public SoftQp createQp(final QpInitAttributes attributes) {
        nic.acquireFor("createQp");
        try {
            requireOpen("createQp");
            return nic.objects().addQp(this, attributes);
        } finally {
            nic.release();
        }
    }

    @Override
    public SoftSrq createSrq(final SrqAttributes attributes) {
        nic.acquireFor("createSrq");
        try {
            requireOpen("createSrq");
            return nic.objects().addSrq(this, attributes);
        } finally {
            nic.release();
        }
    }

    @Override
    public SoftAh createAh(final AhAttributes attributes) {
        nic.acquireFor("createAh");
        try {
            requireOpen("createAh");
            return nic.objects().addAh(this, attributes);
        } finally {
            nic.release();
        }
    }

    @Override
    public void close() {
        nic.acquire();
        try {
            if (isClosed) {
                return;
            }
            if (users > 0) {
                throw new VerbsException(
                        "deallocPd", Errno.EBUSY, toString(),
                        users + " objects of it are still open: close them first");
            }
            isClosed = true;
            nic.objects().pdClosed();
        } finally {
            nic.release();
        }
    }

    /** False once closed. Any thread. */
    public boolean isOpen() {
        return !isClosed;
    }

    private void requireOpen(final String verb) {
        if (isClosed) {
            throw new VerbsException(verb, Errno.EINVAL, toString(), "the protection domain is closed");
        }
    }

    @Override
    public String toString() {
        return nic.name() + " pd " + number;
    }
}
