package io.vhca.harness.nio;

import java.net.InetSocketAddress;
import java.nio.channels.Selector;
import java.util.concurrent.CountDownLatch;
import java.util.function.IntConsumer;
import org.apache.mina.core.buffer.IoBuffer;
import org.apache.mina.core.service.IoHandlerAdapter;
import org.apache.mina.core.session.IoSession;
import org.apache.mina.transport.socket.nio.NioDatagramAcceptor;
import org.apache.mina.transport.socket.nio.NioDatagramConnector;

/** Apache MINA's datagram acceptor and connector, whose channels are connected and share a {@link Selector}. */
final class MinaEcho implements EchoProgram {
    private static final class Server extends IoHandlerAdapter {
        @Override
        public void messageReceived(final IoSession session, final Object message) {
            session.write(IoBuffer.allocate(((IoBuffer) message).remaining()).put((IoBuffer) message).flip());
        }
    }

    private static final class Client extends IoHandlerAdapter {
        private final int count;
        private final IntConsumer onEcho;
        private final CountDownLatch done;
        private int sent;

        private Client(final int count, final IntConsumer onEcho, final CountDownLatch done) {
            this.count = count;
            this.onEcho = onEcho;
            this.done = done;
        }

        @Override
        public void sessionOpened(final IoSession session) {
            for (int i = 0; i < WINDOW; i++) {
                send(session);
            }
        }

        private void send(final IoSession session) {
            if (sent < count) {
                session.write(IoBuffer.allocate(1_000).putInt(0, sent));
                sent++;
            }
        }

        @Override
        public void messageReceived(final IoSession session, final Object message) {
            onEcho.accept(((IoBuffer) message).getInt());
            done.countDown();
            send(session);
        }
    }

    @Override
    public void run(
            final InetSocketAddress server, final InetSocketAddress client, final int count, final IntConsumer onEcho)
            throws Exception {
        final CountDownLatch done = new CountDownLatch(count);
        final NioDatagramAcceptor acceptor = new NioDatagramAcceptor();
        final NioDatagramConnector connector = new NioDatagramConnector(1);
        try {
            acceptor.setHandler(new Server());
            acceptor.bind(server);
            connector.setHandler(new Client(count, onEcho, done));
            connector.connect(acceptor.getLocalAddress(), client).await();
            done.await();
        } finally {
            connector.dispose();
            acceptor.dispose();
        }
    }
}
