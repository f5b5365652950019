package io.vhca.bond.link;

import io.vhca.api.Errno;
import io.vhca.api.NativeMemory;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpState;
import io.vhca.api.QueuePair;
import io.vhca.api.RecvWrDescriptor;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWrDescriptor;
import io.vhca.api.ServiceClass;
import io.vhca.api.VerbsException;
import io.vhca.api.WrOpcode;
import io.vhca.api.cm.CmId;
import io.vhca.bond.core.BondCore;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** What one {@link PathLink} owns, and destroys once: its CM id and the queue pair that it carries. Control lock. */
final class LinkParts {
    private final BondCore core;
    private final CmId id;
    private @Nullable CarriedQp carried;
    private boolean isUsed;
    private boolean isGone;

    LinkParts(final BondCore core, final CmId id) {
        this.core = core;
        this.id = id;
    }

    /** From that port; from any where another program has it on this member: it is only what the peer is shown. */
    void resolve(final InetAddress from, final int port, final InetSocketAddress to, final int timeoutMs) {
        try {
            id.resolveAddr(new InetSocketAddress(from, port), to, timeoutMs);
        } catch (final VerbsException e) {
            if (port == 0 || e.errno() != Errno.EADDRINUSE) {
                throw e;
            }
            core.counters().ignored(e);
            id.resolveAddr(new InetSocketAddress(from, 0), to, timeoutMs);
        }
    }

    /** What the id has, of a request what that asks for; nothing where the member does not tell. */
    ServiceClass serviceClass() {
        try {
            return id.serviceClass();
        } catch (final VerbsException e) {
            core.counters().ignored(e);
            return ServiceClass.NONE;
        }
    }

    @Nullable CarriedQp carried() {
        return carried;
    }

    @Nullable QueuePair qp() {
        return carried == null ? null : carried.queuePair();
    }

    /** The queue pair is there, for whoever uses it later. */
    void reserve(final CarriedQp made) {
        assert core.holdsLock();
        assert carried == null : "a link carries one queue pair";
        carried = made;
    }

    /** The queue pair is there, and used from now on. */
    QueuePair use(final CarriedQp made) {
        reserve(made);
        made.beginUse();
        isUsed = true;
        return made.queuePair();
    }

    /** Gives all away. */
    @Nullable CarriedQp give() {
        final CarriedQp given = carried;
        carried = null;
        isGone = true;
        return given;
    }

    /** Moves the queue pair to ERR and posts a marker behind each queue; false where they will not come back. */
    boolean fence(final long sendMarker, final long recvMarker, final long scratchWr) {
        final CarriedQp now = carried;
        if (now == null) {
            return false;
        }
        final QueuePair physical = now.queuePair();
        try {
            physical.modify(new QpAttributes().qpState(QpState.ERR));
        } catch (final VerbsException e) {
            core.counters().ignored(e);
            return false;
        }
        NativeMemory.fill(scratchWr, SendWrDescriptor.SIZE, (byte) 0);
        NativeMemory.putLong(scratchWr + SendWrDescriptor.WR_ID_OFFSET, sendMarker);
        NativeMemory.putInt(scratchWr + SendWrDescriptor.OPCODE_OFFSET, WrOpcode.SEND.code());
        NativeMemory.putInt(scratchWr + SendWrDescriptor.SEND_FLAGS_OFFSET, SendFlags.SIGNALED);
        if (physical.postSend(scratchWr) != 1) {
            return false;
        }
        NativeMemory.fill(scratchWr, RecvWrDescriptor.SIZE, (byte) 0);
        NativeMemory.putLong(scratchWr + RecvWrDescriptor.WR_ID_OFFSET, recvMarker);
        return now.sharesReceives() || physical.postRecv(scratchWr) == 1;
    }

    /** Destroys the queue pair alone; the id keeps the connection. */
    void destroyQp() {
        final CarriedQp gone = carried;
        if (gone == null) {
            return;
        }
        carried = null;
        destroy(gone, id::destroyQp);
    }

    boolean isGone() {
        return isGone;
    }

    /** Destroys both; once. */
    void destroy() {
        assert !isGone : "destroyed twice";
        isGone = true;
        destroy(carried, id::close);
    }

    private void destroy(final @Nullable CarriedQp gone, final Runnable how) {
        if (gone != null && isUsed) {
            gone.endUse();
        }
        try {
            how.run();
        } catch (final VerbsException e) {
            // Every destroy succeeds by contract; EIO here is the member's word that it is gone.
            core.counters().ignoredOfDead(e);
        }
        if (gone != null) {
            gone.afterDestroy();
        }
    }
}
