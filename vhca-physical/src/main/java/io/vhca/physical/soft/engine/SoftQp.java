package io.vhca.physical.soft.engine;

import io.vhca.api.Errno;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QpState;
import io.vhca.api.QpType;
import io.vhca.api.QueuePair;
import io.vhca.physical.soft.engine.memory.MemoryDomain;
import io.vhca.physical.soft.engine.qp.QpContext;
import io.vhca.physical.soft.engine.queue.ReceiveQueue;
import io.vhca.physical.soft.engine.queue.SendQueue;
import io.vhca.physical.soft.engine.queue.SoftCq;
import io.vhca.physical.soft.engine.queue.SoftSrq;
import org.jspecify.annotations.Nullable;

/**
 * A queue pair of a soft device as applications see it. Any thread: posting takes the lock of the queue, everything
 * else the engine. What the engine does with it is {@link QpContext}'s.
 */
public final class SoftQp implements QueuePair {
    private final Engine engine;
    private final QpFactory factory;
    private final QpContext context;
    private final MemoryDomain domain;
    private final QpCapabilities capabilities;
    private final SendQueue sends;
    private final ReceiveQueue receives;
    private final @Nullable SoftSrq srq;

    SoftQp(
            final Engine engine,
            final QpFactory factory,
            final MemoryDomain domain,
            final QpInitAttributes attributes,
            final int qpNum) {
        this.engine = engine;
        this.factory = factory;
        this.domain = domain;
        context = new QpContext(engine, engine.turns(), domain, this, qpNum, attributes, factory::transport);
        capabilities = attributes.cap();
        sends = context.sends();
        receives = context.receives();
        srq = context.srq();
    }

    QpContext context() {
        return context;
    }

    @Override
    public ProtectionDomain pd() {
        return domain.pd();
    }

    @Override
    public SoftCq sendCq() {
        return context.sendCq();
    }

    @Override
    public SoftCq recvCq() {
        return context.recvCq();
    }

    @Override
    public @Nullable SoftSrq srq() {
        return srq;
    }

    @Override
    public QpType qpType() {
        return context.type();
    }

    @Override
    public int qpNum() {
        return context.qpNum();
    }

    @Override
    public QpState state() {
        return context.state();
    }

    @Override
    public QpCapabilities capabilities() {
        return capabilities;
    }

    @Override
    public void modify(final QpAttributes attributes) {
        engine.acquireFor("modifyQp");
        try {
            context.modify(engine.port(), attributes);
        } finally {
            engine.release();
        }
        engine.driveInline();
    }

    @Override
    public QpAttributes query() {
        engine.acquireFor("queryQp");
        try {
            return context.query();
        } finally {
            engine.release();
        }
    }

    @Override
    public int postSend(final long wrAddress) {
        final int count;
        sends.lock();
        try {
            final QpState now = context.state();
            if (engine.isDead()) {
                return -Errno.EIO;
            }
            if (context.isClosed() || now == QpState.RESET || now == QpState.INIT || now == QpState.RTR) {
                return -Errno.EINVAL;
            }
            count = sends.postAll(wrAddress);
        } finally {
            sends.unlock();
        }
        if (count <= 0 || context.state() == QpState.ERR && engine.config().forgetsPostsInError()) {
            return count;
        }
        context.ring();
        engine.driveSends(context.transport().expectsAnswer());
        return count;
    }

    @Override
    public int postRecv(final long wrAddress) {
        if (srq != null) {
            return -Errno.EINVAL;
        }
        final int count;
        final boolean mustFlush;
        receives.lock();
        try {
            if (engine.isDead()) {
                return -Errno.EIO;
            }
            final QpState now = context.state();
            if (context.isClosed() || now == QpState.RESET) {
                return -Errno.EINVAL;
            }
            count = receives.postAll(wrAddress);
            mustFlush = context.state() == QpState.ERR && !engine.config().forgetsPostsInError();
        } finally {
            receives.unlock();
        }
        if (mustFlush && count > 0) {
            context.ring();
            engine.driveInline();
        }
        return count;
    }

    @Override
    public void close() {
        engine.acquire();
        try {
            if (!context.isClosed()) {
                // It may have a last word to its peer, the way to whom is given up behind that.
                context.close();
                factory.remove(context);
                engine.destroyed(this);
            }
        } finally {
            engine.release();
        }
        engine.driveInline();
    }

    @Override
    public String toString() {
        return engine.name() + " qp 0x" + Integer.toHexString(context.qpNum());
    }
}
