package io.vhca.disni.program;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaConnParam;
import com.ibm.disni.verbs.RdmaEventChannel;
import com.ibm.disni.verbs.SVCPollCq;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/** A program that calls DiSNI's verbs without endpoints and groups. */
public final class VerbsProgram {
    private static final int TIMEOUT_MS = 60_000;
    private static final short RDMA_PS_TCP = 0x0106;
    private static final int LOCAL_WRITE = 1;
    private static final int CQE = 16;

    private VerbsProgram() {}

    private static void expect(final RdmaEventChannel channel, final RdmaCmEvent.EventType type) throws IOException {
        final RdmaCmEvent event = channel.getCmEvent(TIMEOUT_MS);
        if (event == null || event.getEvent() != type.ordinal()) {
            throw new IOException(
                    (event == null ? "nothing" : "event " + event.getEvent()) + " came in place of " + type);
        }
        event.ackEvent();
    }

    private static RdmaCmId resolved(final RdmaEventChannel channel, final InetSocketAddress address)
            throws IOException {
        final RdmaCmId id = channel.createId(RDMA_PS_TCP);
        id.resolveAddr(null, address, TIMEOUT_MS);
        expect(channel, RdmaCmEvent.EventType.RDMA_CM_EVENT_ADDR_RESOLVED);
        id.resolveRoute(TIMEOUT_MS);
        expect(channel, RdmaCmEvent.EventType.RDMA_CM_EVENT_ROUTE_RESOLVED);
        return id;
    }

    /**
     * Asks for a connection, and tears everything down, channels first.
     *
     * @return the code of the event that ended it, and what each call answered that took something down
     */
    public static int[] knock(final InetSocketAddress address) throws Exception {
        final RdmaEventChannel channel = RdmaEventChannel.createEventChannel();
        final RdmaCmId id = resolved(channel, address);
        final IbvContext context = id.getVerbs();
        final IbvPd pd = context.allocPd();
        final IbvCompChannel completions = context.createCompChannel();
        final IbvCQ cq = context.createCQ(completions, CQE, 0);
        id.createQP(pd, attributes(cq));
        id.connect(new RdmaConnParam());
        final RdmaCmEvent event = channel.getCmEvent(TIMEOUT_MS);
        return new int[] {
            event == null ? -1 : event.getEvent(),
            channel.destroyEventChannel(),
            completions.destroyCompChannel(),
            id.destroyQP(),
            id.destroyId(),
            cq.destroyCQ(),
            pd.deallocPd()
        };
    }

    private static IbvQPInitAttr attributes(final IbvCQ cq) {
        final IbvQPInitAttr attributes = new IbvQPInitAttr();
        attributes.cap().setMax_recv_sge(1);
        attributes.cap().setMax_recv_wr(10);
        attributes.cap().setMax_send_sge(1);
        attributes.setQp_type(IbvQP.IBV_QPT_RC);
        attributes.setRecv_cq(cq);
        attributes.setSend_cq(cq);
        return attributes;
    }

    /** What a queue pair answers to one receive more than it holds: how many it took, and the failure's text. */
    public static String overrun(final InetSocketAddress address) throws Exception {
        final RdmaEventChannel channel = RdmaEventChannel.createEventChannel();
        final RdmaCmId id = resolved(channel, address);
        final IbvContext context = id.getVerbs();
        final IbvPd pd = context.allocPd();
        final IbvCompChannel completions = context.createCompChannel();
        final IbvCQ cq = context.createCQ(completions, CQE, 0);
        final IbvQP qp = id.createQP(pd, attributes(cq));
        final var region = pd.regMr(ByteBuffer.allocateDirect(64), LOCAL_WRITE).execute().free().getMr();
        int taken = 0;
        String failure = "";
        try {
            while (taken < 100_000) {
                qp.postRecv(Buffers.receive(taken, region.getAddr(), 64, region.getLkey()), null)
                        .execute()
                        .free();
                taken++;
            }
        } catch (final IOException e) {
            failure = e.getMessage();
        }
        final SVCPollCq poll = cq.poll(new IbvWC[] {new IbvWC()}, 1);
        final int polled = poll.execute().getPolls();
        id.destroyQP();
        id.destroyId();
        cq.destroyCQ();
        String stale = "";
        try {
            poll.execute();
        } catch (final IOException e) {
            stale = e.getMessage();
        }
        channel.destroyEventChannel();
        completions.destroyCompChannel();
        return taken + " taken, " + polled + " polled; " + failure + "; " + stale;
    }
}
