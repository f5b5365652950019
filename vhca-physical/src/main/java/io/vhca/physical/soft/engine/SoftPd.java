package io.vhca.physical.soft.engine;

import io.vhca.api.AccessFlags;
import io.vhca.api.AhAttributes;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.api.Errno;
import io.vhca.api.NativeMemory;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.SrqAttributes;
import io.vhca.api.VerbsException;
import io.vhca.physical.soft.engine.memory.MemoryDomain;
import io.vhca.physical.soft.engine.memory.SoftMr;
import io.vhca.physical.soft.engine.queue.SoftSrq;
import io.vhca.physical.soft.engine.ud.SoftAh;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A protection domain of a soft device. Any thread. */
public final class SoftPd implements ProtectionDomain {
    private static final int ALLOWED_ACCESS = AccessFlags.LOCAL_WRITE
            | AccessFlags.REMOTE_WRITE
            | AccessFlags.REMOTE_READ
            | AccessFlags.REMOTE_ATOMIC;

    private final Engine engine;
    private final NicObjects objects;
    private final MemoryDomain domain;
    private final @Nullable Context context;
    private final int number;
    private volatile boolean isClosed;

    SoftPd(final Engine engine, final NicObjects objects, final @Nullable Context context, final int number) {
        this.engine = engine;
        this.objects = objects;
        domain = new MemoryDomain(engine, objects.keys(), this);
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
        NativeMemory.requireRegistrable(this, memory, access);
        if ((access & ~ALLOWED_ACCESS) != 0) {
            throw new VerbsException(
                    "regMr", Errno.EINVAL, toString(),
                    "access 0x" + Integer.toHexString(access)
                            + " is not possible: nothing but local write, remote write, read and atomic is carried");
        }
        engine.acquireFor("regMr");
        try {
            requireOpen("regMr");
            return domain.register(memory, access);
        } finally {
            engine.release();
        }
    }

    @Override
    public SoftQp createQp(final QpInitAttributes attributes) {
        engine.acquireFor("createQp");
        try {
            requireOpen("createQp");
            requireOwn(attributes.sendCq(), attributes.recvCq());
            return objects.qpFactory().create(domain, attributes);
        } finally {
            engine.release();
        }
    }

    /** Several contexts of a device may be open, and each is closed with what belongs to it. */
    private void requireOwn(final CompletionQueue sendCq, final CompletionQueue recvCq) {
        if (context != null && (sendCq.context() != context || recvCq.context() != context)) {
            throw new VerbsException(
                    "createQp", Errno.EINVAL, toString(), "the completion queues belong to another context");
        }
    }

    @Override
    public SoftSrq createSrq(final SrqAttributes attributes) {
        engine.acquireFor("createSrq");
        try {
            requireOpen("createSrq");
            return objects.addSrq(domain, attributes);
        } finally {
            engine.release();
        }
    }

    @Override
    public SoftAh createAh(final AhAttributes attributes) {
        engine.acquireFor("createAh");
        try {
            requireOpen("createAh");
            return objects.ahs().create(domain, attributes);
        } finally {
            engine.release();
        }
    }

    @Override
    public void close() {
        engine.acquire();
        try {
            if (isClosed) {
                return;
            }
            final int users = domain.users();
            if (users > 0) {
                throw new VerbsException(
                        "deallocPd", Errno.EBUSY, toString(),
                        users + " objects of it are still open: close them first");
            }
            isClosed = true;
            objects.pds().removed();
        } finally {
            engine.release();
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
        return engine.name() + " pd " + number;
    }
}
