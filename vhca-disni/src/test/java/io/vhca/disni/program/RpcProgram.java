package io.vhca.disni.program;

import com.ibm.darpc.DaRPCClientEndpoint;
import com.ibm.darpc.DaRPCClientGroup;
import com.ibm.darpc.DaRPCFuture;
import com.ibm.darpc.DaRPCMessage;
import com.ibm.darpc.DaRPCProtocol;
import com.ibm.darpc.DaRPCServerEndpoint;
import com.ibm.darpc.DaRPCServerEvent;
import com.ibm.darpc.DaRPCServerGroup;
import com.ibm.darpc.DaRPCService;
import com.ibm.darpc.DaRPCStream;
import com.ibm.disni.RdmaServerEndpoint;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.CountDownLatch;

/** A program of DaRPC, which is made of DiSNI: the server answers a number by its square. */
public final class RpcProgram {
    private static final int TIMEOUT_MS = 60_000;
    /** How long DiSNI's threads wait at a time, and so how long closing a group takes. */
    private static final int TURN_MS = 50;
    private static final int QUEUE = 16;
    private static final int INLINE_BYTES = 0;

    private RpcProgram() {}

    /** A request or its answer. */
    private static final class Number implements DaRPCMessage {
        long value;

        @Override
        public int write(final ByteBuffer buffer) {
            buffer.putLong(value);
            return Long.BYTES;
        }

        @Override
        public void update(final ByteBuffer buffer) {
            value = buffer.getLong();
        }

        @Override
        public int size() {
            return Long.BYTES;
        }
    }

    private static class Protocol implements DaRPCProtocol<Number, Number> {
        @Override
        public Number createRequest() {
            return new Number();
        }

        @Override
        public Number createResponse() {
            return new Number();
        }
    }

    private static final class Squares extends Protocol implements DaRPCService<Number, Number> {
        final CountDownLatch closed = new CountDownLatch(1);
        volatile int served;

        @Override
        public void processServerEvent(final DaRPCServerEvent<Number, Number> event) throws IOException {
            final long value = event.getReceiveMessage().value;
            event.getSendMessage().value = value * value;
            event.triggerResponse();
            served++;
        }

        @Override
        public void open(final DaRPCServerEndpoint<Number, Number> endpoint) {}

        @Override
        public void close(final DaRPCServerEndpoint<Number, Number> endpoint) {
            closed.countDown();
        }
    }

    /** Serves one client; how many calls it made. */
    public static int serve(final InetSocketAddress address, final Runnable listening) throws Exception {
        final Squares squares = new Squares();
        final DaRPCServerGroup<Number, Number> group = DaRPCServerGroup.createServerGroup(
                squares, new long[] {1}, TURN_MS, INLINE_BYTES, false, QUEUE, QUEUE, QUEUE, QUEUE);
        final RdmaServerEndpoint<DaRPCServerEndpoint<Number, Number>> server = group.createServerEndpoint();
        server.bind(address, 10);
        listening.run();
        server.accept();
        squares.closed.await();
        server.close();
        group.close();
        return squares.served;
    }

    /** Calls that often; how many answers were right. */
    public static int ask(final InetSocketAddress address, final int calls) throws Exception {
        final DaRPCClientGroup<Number, Number> group =
                DaRPCClientGroup.createClientGroup(new Protocol(), TURN_MS, INLINE_BYTES, QUEUE, QUEUE);
        final DaRPCClientEndpoint<Number, Number> client = group.createEndpoint();
        client.connect(address, TIMEOUT_MS);
        final DaRPCStream<Number, Number> stream = client.createStream();
        int right = 0;
        for (int i = 0; i < calls; i++) {
            final Number request = new Number();
            request.value = i;
            final DaRPCFuture<Number, Number> answer = stream.request(request, new Number(), false);
            right += answer.get().value == (long) i * i ? 1 : 0;
        }
        client.close();
        group.close();
        return right;
    }

    /** Both ends, as processes: {@code serve HOST PORT} and {@code ask HOST PORT CALLS}. */
    public static void main(final String[] args) throws Exception {
        final InetSocketAddress address = new InetSocketAddress(args[1], Integer.parseInt(args[2]));
        System.out.println("answered "
                + (args[0].equals("serve")
                        ? serve(address, () -> System.out.println("listening"))
                        : ask(address, Integer.parseInt(args[3]))));
    }
}
