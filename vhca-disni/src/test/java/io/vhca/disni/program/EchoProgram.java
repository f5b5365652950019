package io.vhca.disni.program;

import com.ibm.disni.RdmaActiveEndpoint;
import com.ibm.disni.RdmaActiveEndpointGroup;
import com.ibm.disni.RdmaServerEndpoint;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.SVCPostRecv;
import com.ibm.disni.verbs.SVCPostSend;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.IntConsumer;

/**
 * A program of an active endpoint group, whose thread waits for completion events: the client numbers its messages, the
 * server sends each of them back. Posts are stateful calls that are made once and executed again and again.
 */
public final class EchoProgram {
    private static final int TIMEOUT_MS = 60_000;
    /** How long DiSNI's threads wait at a time, and so how long closing a group takes. */
    private static final int TURN_MS = 50;
    private static final int BYTES = 1024;
    private static final int SLOTS = 8;
    private static final int LAST = -1;

    private EchoProgram() {}

    private static final class End extends RdmaActiveEndpoint {
        /** What arrived, or the failure that ended it. */
        final BlockingQueue<Object> arrived = new LinkedBlockingQueue<>();

        final BlockingQueue<Integer> freeSends = new LinkedBlockingQueue<>();
        private final ByteBuffer memory = ByteBuffer.allocateDirect(2 * SLOTS * BYTES);
        private final List<SVCPostSend> sends = new ArrayList<>();
        private final List<SVCPostRecv> receives = new ArrayList<>();

        End(final RdmaActiveEndpointGroup<End> group, final RdmaCmId id, final boolean isServer) throws IOException {
            super(group, id, isServer);
        }

        @Override
        protected synchronized void init() throws IOException {
            super.init();
            final IbvMr region = registerMemory(memory).execute().free().getMr();
            for (int i = 0; i < SLOTS; i++) {
                sends.add(postSend(Buffers.send(
                        i, IbvSendWR.IBV_WR_SEND, region.getAddr() + (long) i * BYTES, BYTES, region.getLkey())));
                freeSends.add(i);
                receives.add(postRecv(Buffers.receive(
                        i, region.getAddr() + (long) (SLOTS + i) * BYTES, BYTES, region.getLkey())));
                receives.get(i).execute();
            }
        }

        void send(final int number) throws IOException, InterruptedException {
            final int slot = freeSends.take();
            for (int at = 0; at < BYTES; at += Integer.BYTES) {
                memory.putInt(slot * BYTES + at, number);
            }
            sends.get(slot).execute();
        }

        @Override
        public void dispatchCqEvent(final IbvWC wc) throws IOException {
            if (wc.getStatus() != 0) {
                arrived.add(new IOException("a request completed with status " + wc.getStatus()));
            } else if (wc.getOpcode() == IbvWC.IbvWcOpcode.IBV_WC_SEND.getOpcode()) {
                freeSends.add((int) wc.getWr_id());
            } else {
                final int slot = (int) wc.getWr_id();
                final int number = memory.getInt((SLOTS + slot) * BYTES);
                for (int at = 0; at < BYTES; at += Integer.BYTES) {
                    if (memory.getInt((SLOTS + slot) * BYTES + at) != number) {
                        arrived.add(new IOException("message " + number + " is torn at byte " + at));
                        return;
                    }
                }
                receives.get(slot).execute();
                arrived.add(number);
            }
        }

        int await() throws IOException, InterruptedException {
            final Object what = arrived.take();
            if (what instanceof IOException failure) {
                throw failure;
            }
            return (Integer) what;
        }
    }

    private static RdmaActiveEndpointGroup<End> group() throws IOException {
        final RdmaActiveEndpointGroup<End> group = new RdmaActiveEndpointGroup<>(TURN_MS, false, 32, 4, 64);
        group.init((id, isServer) -> new End(group, id, isServer));
        return group;
    }

    /** Echoes to one client; how many messages it sent. */
    public static int serve(final InetSocketAddress address, final Runnable listening) throws Exception {
        final RdmaActiveEndpointGroup<End> group = group();
        final RdmaServerEndpoint<End> server = group.createServerEndpoint();
        server.bind(address, 10);
        listening.run();
        final End end = server.accept();
        int count = 0;
        for (int number = end.await(); number != LAST; number = end.await()) {
            if (number != count++) {
                throw new IOException("message " + number + " came in place of " + (count - 1));
            }
            end.send(number);
        }
        end.send(LAST);
        // The client is gone once it has that: a send of its own is not waited for.
        while (end.freeSends.size() < SLOTS && end.isConnected()) {
            Thread.onSpinWait();
        }
        end.close();
        server.close();
        group.close();
        return count;
    }

    /**
     * Sends that many messages and waits for each to come back.
     *
     * @param sent told before each
     */
    public static int ask(final InetSocketAddress address, final int messages, final IntConsumer sent)
            throws Exception {
        final RdmaActiveEndpointGroup<End> group = group();
        final End end = group.createEndpoint();
        end.connect(address, TIMEOUT_MS);
        int count = 0;
        for (int i = 0; i < messages; i++) {
            sent.accept(i);
            end.send(i);
            if (end.await() != i) {
                throw new IOException("something else came back than message " + i);
            }
            count++;
        }
        end.send(LAST);
        if (end.await() != LAST) {
            throw new IOException("something came after the last message");
        }
        end.close();
        group.close();
        return count;
    }

    /** Both ends, as processes: {@code serve HOST PORT} and {@code ask HOST PORT MESSAGES}. */
    public static void main(final String[] args) throws Exception {
        final InetSocketAddress address = new InetSocketAddress(args[1], Integer.parseInt(args[2]));
        System.out.println("echoed "
                + (args[0].equals("serve")
                        ? serve(address, () -> System.out.println("listening"))
                        : ask(address, Integer.parseInt(args[3]), sent -> {})));
    }
}
