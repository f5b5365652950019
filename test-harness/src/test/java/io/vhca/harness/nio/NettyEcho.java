package io.vhca.harness.nio;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.DatagramPacket;
import io.netty.channel.socket.nio.NioDatagramChannel;
import java.net.InetSocketAddress;
import java.util.concurrent.CountDownLatch;
import java.util.function.IntConsumer;

/** Netty's NioDatagramChannel at both ends, as its own examples use it. */
final class NettyEcho implements EchoProgram {
    private static final class Server extends SimpleChannelInboundHandler<DatagramPacket> {
        @Override
        protected void channelRead0(final ChannelHandlerContext context, final DatagramPacket packet) {
            context.writeAndFlush(new DatagramPacket(packet.content().retain(), packet.sender()));
        }
    }

    private static final class Client extends SimpleChannelInboundHandler<DatagramPacket> {
        private final InetSocketAddress server;
        private final int count;
        private final IntConsumer onEcho;
        private final CountDownLatch done;
        private int sent;

        private Client(
                final InetSocketAddress server, final int count, final IntConsumer onEcho, final CountDownLatch done) {
            this.server = server;
            this.count = count;
            this.onEcho = onEcho;
            this.done = done;
        }

        @Override
        public void channelActive(final ChannelHandlerContext context) {
            for (int i = 0; i < WINDOW; i++) {
                send(context);
            }
        }

        private void send(final ChannelHandlerContext context) {
            if (sent < count) {
                final ByteBuf content = context.alloc().buffer().writeInt(sent).writeZero(1_000);
                context.writeAndFlush(new DatagramPacket(content, server));
                sent++;
            }
        }

        @Override
        protected void channelRead0(final ChannelHandlerContext context, final DatagramPacket packet) {
            onEcho.accept(packet.content().getInt(0));
            done.countDown();
            send(context);
        }
    }

    @Override
    public void run(
            final InetSocketAddress server, final InetSocketAddress client, final int count, final IntConsumer onEcho)
            throws Exception {
        final CountDownLatch done = new CountDownLatch(count);
        try (EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory())) {
            final Channel serving = new Bootstrap()
                    .group(group)
                    .channel(NioDatagramChannel.class)
                    .option(ChannelOption.SO_RCVBUF, 1 << 20)
                    .handler(new Server())
                    .bind(server)
                    .sync()
                    .channel();
            final Channel talking = new Bootstrap()
                    .group(group)
                    .channel(NioDatagramChannel.class)
                    .handler(new Client((InetSocketAddress) serving.localAddress(), count, onEcho, done))
                    .bind(client)
                    .sync()
                    .channel();
            done.await();
            talking.close().sync();
            serving.close().sync();
        }
    }
}
