package io.vhca.disni.program;

import com.ibm.disni.RdmaEndpoint;
import com.ibm.disni.RdmaEndpointGroup;
import com.ibm.disni.RdmaPassiveEndpointGroup;
import com.ibm.disni.RdmaServerEndpoint;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.SVCPollCq;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedList;
import java.util.List;

/**
 * A program of a passive endpoint group: the server tells where its data is, the client READs it, WRITEs its answer
 * there and says so by a SEND. Both poll. Remote keys are the regions' local ones, as in DiSNI's own examples.
 */
public final class ReadProgram {
    private static final int TIMEOUT_MS = 60_000;
    /** How long DiSNI's threads wait at a time, and so how long closing a group takes. */
    private static final int TURN_MS = 50;
    private static final int BYTES = 4096;
    private static final int INFO_BYTES = 16;
    private static final String DATA = "what the server has";
    private static final String ANSWER = "what the client wrote";

    private ReadProgram() {}

    // As such programs are written: what init makes is there before anybody asks.
    @SuppressWarnings("NullAway.Init")
    private static final class End extends RdmaEndpoint {
        private final ByteBuffer data = ByteBuffer.allocateDirect(BYTES);
        private final ByteBuffer info = ByteBuffer.allocateDirect(INFO_BYTES);
        private IbvMr dataMr;
        private IbvMr infoMr;
        private SVCPollCq poll;
        private IbvWC[] wcs;
        /** Opcodes of completions that were polled and not awaited yet. */
        private final List<Integer> completed = new ArrayList<>();

        End(final RdmaEndpointGroup<End> group, final RdmaCmId id, final boolean isServer) throws IOException {
            super(group, id, isServer);
        }

        @Override
        protected synchronized void init() throws IOException {
            super.init();
            dataMr = registerMemory(data).execute().free().getMr();
            infoMr = registerMemory(info).execute().free().getMr();
            postRecv(Buffers.receive(1, infoMr.getAddr(), INFO_BYTES, infoMr.getLkey()))
                    .execute()
                    .free();
            wcs = new IbvWC[] {new IbvWC(), new IbvWC()};
            poll = getCqProvider().getCQ().poll(wcs, wcs.length);
        }

        void post(final LinkedList<IbvSendWR> list) throws IOException {
            postSend(list).execute().free();
        }

        /** Polls until there is a completion of that kind; others that come meanwhile wait for their turn. */
        void await(final IbvWC.IbvWcOpcode opcode) throws IOException {
            while (!completed.remove(Integer.valueOf(opcode.getOpcode()))) {
                final int count = poll.execute().getPolls();
                for (int i = 0; i < count; i++) {
                    if (wcs[i].getStatus() != 0) {
                        throw new IOException("status " + wcs[i].getStatus() + ", opcode " + wcs[i].getOpcode()
                                + " while waiting for " + opcode);
                    }
                    completed.add(wcs[i].getOpcode());
                }
                Thread.onSpinWait();
            }
        }
    }

    private static RdmaPassiveEndpointGroup<End> group() throws IOException {
        final RdmaPassiveEndpointGroup<End> group = new RdmaPassiveEndpointGroup<>(TURN_MS, 10, 4, 20);
        group.init((id, isServer) -> new End(group, id, isServer));
        return group;
    }

    /** Serves one client; what it wrote. */
    public static String serve(final InetSocketAddress address, final Runnable listening) throws Exception {
        final RdmaPassiveEndpointGroup<End> group = group();
        final RdmaServerEndpoint<End> server = group.createServerEndpoint();
        server.bind(address, 10);
        listening.run();
        final End end = server.accept();
        end.data.put(0, DATA.getBytes(StandardCharsets.US_ASCII));
        end.info.putLong(0, end.dataMr.getAddr());
        end.info.putInt(8, end.dataMr.getLength());
        end.info.putInt(12, end.dataMr.getLkey());
        // The receive is on the same buffer: the answer that comes says nothing but that it came.
        end.post(Buffers.send(2, IbvSendWR.IBV_WR_SEND, end.infoMr.getAddr(), INFO_BYTES, end.infoMr.getLkey()));
        end.await(IbvWC.IbvWcOpcode.IBV_WC_SEND);
        end.await(IbvWC.IbvWcOpcode.IBV_WC_RECV);
        final String written = text(end.data, ANSWER.length());
        end.close();
        server.close();
        group.close();
        return written;
    }

    /** A client; what it read. */
    public static String ask(final InetSocketAddress address) throws Exception {
        final RdmaPassiveEndpointGroup<End> group = group();
        final End end = group.createEndpoint();
        end.connect(address, TIMEOUT_MS);
        end.await(IbvWC.IbvWcOpcode.IBV_WC_RECV);
        final long remote = end.info.getLong(0);
        final int rkey = end.info.getInt(12);
        transfer(end, IbvSendWR.IBV_WR_RDMA_READ, remote, rkey, end.info.getInt(8));
        end.await(IbvWC.IbvWcOpcode.IBV_WC_RDMA_READ);
        final String read = text(end.data, DATA.length());
        end.data.put(0, ANSWER.getBytes(StandardCharsets.US_ASCII));
        transfer(end, IbvSendWR.IBV_WR_RDMA_WRITE, remote, rkey, ANSWER.length());
        end.await(IbvWC.IbvWcOpcode.IBV_WC_RDMA_WRITE);
        end.post(Buffers.send(5, IbvSendWR.IBV_WR_SEND, end.infoMr.getAddr(), INFO_BYTES, end.infoMr.getLkey()));
        end.await(IbvWC.IbvWcOpcode.IBV_WC_SEND);
        end.close();
        group.close();
        return read;
    }

    private static void transfer(
            final End end, final int opcode, final long remote, final int rkey, final int lengthBytes)
            throws IOException {
        final LinkedList<IbvSendWR> list =
                Buffers.send(4, opcode, end.dataMr.getAddr(), lengthBytes, end.dataMr.getLkey());
        list.getFirst().getRdma().setRemote_addr(remote);
        list.getFirst().getRdma().setRkey(rkey);
        end.post(list);
    }

    private static String text(final ByteBuffer from, final int lengthBytes) {
        final byte[] bytes = new byte[lengthBytes];
        from.get(0, bytes);
        return new String(bytes, StandardCharsets.US_ASCII);
    }

    /** Both ends, as processes: {@code serve HOST PORT} and {@code ask HOST PORT}. */
    public static void main(final String[] args) throws Exception {
        final InetSocketAddress address = new InetSocketAddress(args[1], Integer.parseInt(args[2]));
        System.out.println(
                args[0].equals("serve") ? serve(address, () -> System.out.println("listening")) : ask(address));
    }
}
