package io.vhca.exs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.VerbsException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Field;
import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.Channels;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.CompletionHandler;
import java.nio.channels.ReadPendingException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Channels and streams over sockets, both ends with threads of their own: one Exs with a thread, one without. */
class ExsChannelTest {
    private static final int LENGTH = 300_000;
    private static final int MOST_LOOKS = 10_000_000;

    private final ExsWorld world = new ExsWorld("soft0", "soft2");
    private final Exs withThread = Exs.init(Exs.VERSION, world.left.context, ExsOptions.DEFAULT);
    private final ExsChannels clients = new ExsChannels(withThread);
    private final ExsChannels servers = new ExsChannels(world.right.exs);
    private final ExsChannels.Listener listener = servers.listen(world.right.address(17_900), 4);
    private final CompletableFuture<ExsChannel> accepted = listener.accept();
    private final ExsChannel client = clients.connect(listener.address()).orTimeout(1, TimeUnit.MINUTES).join();
    private final ExsChannel server = accepted.orTimeout(1, TimeUnit.MINUTES).join();

    @AfterEach
    void close() throws IOException {
        client.close();
        server.close();
        listener.close();
        withThread.close();
        clients.close();
        servers.close();
        world.close();
    }

    private byte[] bytes() {
        return world.filled(LENGTH).toArray(ValueLayout.JAVA_BYTE);
    }

    @Test
    void streamsOfTheJdk() throws Exception {
        final CompletableFuture<Void> sent = CompletableFuture.runAsync(() -> {
            try (OutputStream out = Channels.newOutputStream(client)) {
                out.write(bytes());
            } catch (final IOException e) {
                throw new AssertionError(e);
            }
        });
        final InputStream in = Channels.newInputStream(server);
        assertThat(in.readAllBytes()).isEqualTo(bytes());
        sent.get(30, TimeUnit.SECONDS);
    }

    @Test
    void blockingChannelsWithDirectBuffers() throws Exception {
        final ByteBuffer out = ByteBuffer.allocateDirect(LENGTH).put(bytes()).flip();
        final ByteBuffer in = ByteBuffer.allocateDirect(LENGTH);
        final ExsByteChannel there = client.blocking();
        final CompletableFuture<Integer> sent = CompletableFuture.supplyAsync(() -> {
            try {
                final int written = there.write(out);
                there.shutdownOutput();
                return written;
            } catch (final IOException e) {
                throw new AssertionError(e);
            }
        });
        final ExsByteChannel here = server.blocking();
        int read = 0;
        while (in.hasRemaining()) {
            read += here.read(in);
        }
        assertThat(read).isEqualTo(LENGTH);
        assertThat(in.flip()).isEqualTo(ByteBuffer.wrap(bytes()));
        assertThat(sent.get(30, TimeUnit.SECONDS)).isEqualTo(LENGTH);
        assertThat(here.read(ByteBuffer.allocate(10))).isEqualTo(-1);
        assertThat(here.isOpen()).isTrue();
    }

    /** As with a SocketChannel; the buffer is nobody's but the reader's then. */
    @Test
    void whoIsInterruptedClosesTheChannelItWaitsFor() throws Exception {
        final ExsByteChannel here = server.blocking();
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> here.read(ByteBuffer.allocateDirect(10)))
                .isInstanceOf(ClosedByInterruptException.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(here.isOpen()).isFalse();
        assertThatThrownBy(() -> here.read(ByteBuffer.allocate(10))).isInstanceOf(ClosedChannelException.class);
        assertThat(client.blocking().read(ByteBuffer.allocate(10))).as("the peer reads the end").isEqualTo(-1);
    }

    @Test
    void aStreamOverABlockingChannelIsClosedByAnInterruptToo() throws Exception {
        final InputStream in = Channels.newInputStream(server.blocking());
        Thread.currentThread().interrupt();
        assertThatThrownBy(in::read).isInstanceOf(ClosedByInterruptException.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThatThrownBy(in::read).isInstanceOf(ClosedChannelException.class);
    }

    private static Thread waiting(final FutureTask<Integer> call) {
        final Thread caller = Thread.ofPlatform().daemon().start(call);
        for (int look = 0; look < MOST_LOOKS && caller.getState() != Thread.State.WAITING && !call.isDone(); look++) {
            Thread.yield();
        }
        return caller;
    }

    /** As the contract of a ByteChannel has it. */
    @Test
    void whoReadsWhileAnotherOneDoesWaitsForIt() throws Exception {
        final FutureTask<Integer> first = new FutureTask<>(() -> server.blocking().read(ByteBuffer.allocate(5)));
        final FutureTask<Integer> second = new FutureTask<>(() -> server.blocking().read(ByteBuffer.allocate(6)));
        waiting(first);
        waiting(second);
        client.write(ByteBuffer.allocate(5)).get(30, TimeUnit.SECONDS);
        assertThat(first.get(30, TimeUnit.SECONDS)).isEqualTo(5);
        client.write(ByteBuffer.allocate(6)).get(30, TimeUnit.SECONDS);
        assertThat(second.get(30, TimeUnit.SECONDS)).isEqualTo(6);
    }

    @Test
    void whatTwoWriteAtOnceIsNotMixed() throws Exception {
        final byte[] ones = new byte[LENGTH];
        final byte[] twos = new byte[LENGTH];
        Arrays.fill(ones, (byte) 1);
        Arrays.fill(twos, (byte) 2);
        final FutureTask<Integer> first = new FutureTask<>(() -> client.blocking().write(ByteBuffer.wrap(ones)));
        final FutureTask<Integer> second = new FutureTask<>(() -> client.blocking().write(ByteBuffer.wrap(twos)));
        waiting(first);
        waiting(second);
        final InputStream in = Channels.newInputStream(server.blocking());
        final FutureTask<byte[]> read = new FutureTask<>(() -> in.readNBytes(2 * LENGTH));
        Thread.ofPlatform().daemon().start(read);
        assertThat(read.get(30, TimeUnit.SECONDS)).startsWith(ones).endsWith(twos);
        assertThat(first.get(30, TimeUnit.SECONDS)).isEqualTo(LENGTH);
        assertThat(second.get(30, TimeUnit.SECONDS)).isEqualTo(LENGTH);
    }

    @Test
    void whoIsInterruptedWhileItWaitsForAnotherOnesCallClosesTheChannel() {
        final FutureTask<Integer> first = new FutureTask<>(() -> server.blocking().read(ByteBuffer.allocate(10)));
        final FutureTask<Integer> second = new FutureTask<>(() -> server.blocking().read(ByteBuffer.allocate(10)));
        waiting(first);
        waiting(second).interrupt();
        assertThatThrownBy(() -> second.get(30, TimeUnit.SECONDS))
                .hasCauseInstanceOf(ClosedByInterruptException.class);
        assertThatThrownBy(() -> first.get(30, TimeUnit.SECONDS))
                .hasCauseInstanceOf(AsynchronousCloseException.class);
        assertThat(server.isOpen()).isFalse();
    }

    /** What becomes of a write by a thread that is interrupted before; the peer reads what it wrote, to the end. */
    private CompletableFuture<Integer> writtenInterrupted(final ByteBuffer out) throws Exception {
        final CompletableFuture<Integer> sent = new CompletableFuture<>();
        final Thread writer = new Thread(() -> {
            Thread.currentThread().interrupt();
            try (ExsByteChannel there = client.blocking()) { // closed also where it had no time to wait
                sent.complete(there.write(out));
            } catch (final IOException e) {
                sent.completeExceptionally(e);
            }
        });
        writer.start();
        final byte[] in = Channels.newInputStream(server.blocking()).readAllBytes();
        writer.join();
        assertThat(in).as("to what the buffer says was written").hasSize(out.position());
        return sent;
    }

    @Test
    void whatAnInterruptedThreadWroteBeforeIsSent() throws Exception {
        final ByteBuffer out = ByteBuffer.allocateDirect(LENGTH).put(bytes()).flip();
        assertThat(writtenInterrupted(out).get()).isEqualTo(LENGTH);
    }

    /** A write of several parts, of which the interrupt lets one be done. */
    @Test
    void aLongWriteThatIsInterruptedSaysThatAnInterruptClosedTheChannel() throws Exception {
        final ByteBuffer out = ByteBuffer.wrap(bytes());
        final CompletableFuture<Integer> sent = writtenInterrupted(out);
        if (out.hasRemaining()) { // else it never had to wait
            assertThatThrownBy(sent::get).hasCauseInstanceOf(ClosedByInterruptException.class);
        }
    }

    @Test
    void whoWaitsIsToldWhereAllTheChannelsAreClosed() throws Exception {
        final Future<Integer> reading = server.read(ByteBuffer.allocate(10));
        final CompletableFuture<ExsChannel> accepting = listener.accept();
        servers.close();
        assertThat(reading.isDone()).as("before close returns").isTrue();
        assertThatThrownBy(reading::get).hasCauseInstanceOf(IOException.class);
        assertThat(accepting).isCompletedExceptionally();
        assertThat(server.isOpen()).isFalse();
        assertThatThrownBy(() -> server.read(ByteBuffer.allocate(10)).get()).hasCauseInstanceOf(IOException.class);
        assertThat(client.blocking().read(ByteBuffer.allocate(10))).as("the peer reads the end").isEqualTo(-1);
        clients.close();
        while (withThread.openSockets() != 0) { // its end has not been acknowledged yet
            assertThat(Thread.currentThread().isInterrupted()).as("timed out").isFalse();
            Thread.onSpinWait();
        }
        assertThatThrownBy(() -> clients.connect(listener.address()).join()).hasMessageContaining("were closed");
        assertThatThrownBy(() -> clients.listen(world.left.address(17_902), 1)).hasMessageContaining("were closed");
        assertThat(withThread.openSockets()).as("what was refused is gone").isZero();
    }

    @Test
    void aHandlerMayCloseTheChannels() throws Exception {
        final CompletableFuture<Boolean> isClosed = new CompletableFuture<>();
        server.read(ByteBuffer.allocate(10), servers, new CompletionHandler<>() {
            @Override
            public void completed(final Integer bytes, final ExsChannels all) {
                all.close();
                isClosed.complete(!server.isOpen());
            }

            @Override
            public void failed(final Throwable cause, final ExsChannels all) {
                isClosed.completeExceptionally(cause);
            }
        });
        client.write(ByteBuffer.allocate(10)).get(30, TimeUnit.SECONDS);
        assertThat(isClosed.get(30, TimeUnit.SECONDS)).isTrue();
    }

    /** Of sockets without a thread it was the one that drove them. */
    @Test
    void channelsOutliveTheirSockets() {
        final Future<Integer> reading = server.read(ByteBuffer.allocate(10));
        world.right.exs.close();
        assertThatThrownBy(() -> reading.get(30, TimeUnit.SECONDS)).hasCauseInstanceOf(IOException.class);
        assertThatThrownBy(() -> servers.connect(listener.address()).get(30, TimeUnit.SECONDS))
                .hasCauseInstanceOf(IOException.class)
                .hasMessageContaining("its Exs was closed");
        servers.close();
    }

    /** What the threads use is freed after that. */
    @Test
    void theThreadsHaveEndedWhoeverIsInterruptedInTheClose() {
        final Set<Thread> others = Thread.getAllStackTraces().keySet();
        final Exs own = Exs.init(Exs.VERSION, world.left.context, ExsOptions.DEFAULT);
        final ExsChannels channels = new ExsChannels(own);
        final Set<Thread> ours = new HashSet<>(Thread.getAllStackTraces().keySet());
        ours.removeAll(others);
        ours.removeIf(thread -> !thread.getName().startsWith("vhca-exs"));
        assertThat(ours).hasSize(2);
        Thread.currentThread().interrupt();
        channels.close();
        own.close();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(ours).noneMatch(Thread::isAlive);
    }

    @Test
    void oneReadAtATimeAndNoneAfterClose() throws Exception {
        assertThat(server.read(ByteBuffer.allocate(0)).get()).isZero();
        final var waiting = server.read(ByteBuffer.allocate(10));
        assertThatThrownBy(() -> server.read(ByteBuffer.allocate(10))).isInstanceOf(ReadPendingException.class);
        assertThatThrownBy(() -> client.read(ByteBuffer.allocate(1).asReadOnlyBuffer()))
                .isInstanceOf(IllegalArgumentException.class);
        server.close();
        assertThatThrownBy(() -> waiting.get(30, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class);
        assertThatThrownBy(() -> server.write(ByteBuffer.allocate(1)).get(30, TimeUnit.SECONDS))
                .hasCauseInstanceOf(ClosedChannelException.class);
        assertThat(server.isOpen()).isFalse();
    }

    /** What comes for it goes to a buffer that nobody looks at: the next read would go on behind a gap. */
    @Test
    void whereAReadWasCancelledNoneFollows() throws Exception {
        final Future<Integer> cancelled = server.read(ByteBuffer.allocate(10));
        assertThat(cancelled.cancel(false)).isTrue();
        client.write(ByteBuffer.allocate(10)).get(30, TimeUnit.SECONDS);
        for (int time = 0; time < 2; time++) {
            assertThatThrownBy(() -> server.read(ByteBuffer.allocate(10)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("a read was cancelled");
        }
        assertThat(server.isOpen()).isTrue();
        assertThat(server.write(ByteBuffer.allocate(10)).get(30, TimeUnit.SECONDS)).isEqualTo(10);
        assertThat(client.read(ByteBuffer.allocate(10)).get(30, TimeUnit.SECONDS)).isEqualTo(10);
    }

    @Test
    void whereAWriteWasCancelledNoneFollows() throws Exception {
        final Future<Integer> done = client.write(ByteBuffer.allocate(10));
        assertThat(done.get(30, TimeUnit.SECONDS)).isEqualTo(10);
        assertThat(done.cancel(true)).isFalse();
        assertThat(client.isOpen()).isTrue();
        final Future<Integer> cancelled = client.write(ByteBuffer.allocateDirect(LENGTH)); // nobody reads it
        assertThat(cancelled.cancel(false)).isTrue();
        assertThatThrownBy(() -> client.write(ByteBuffer.allocate(10)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("a write was cancelled");
    }

    @Test
    void aCallThatIsCancelledWithAnInterruptClosesTheChannel() throws Exception {
        assertThat(server.read(ByteBuffer.allocate(10)).cancel(true)).isTrue();
        assertThat(server.isOpen()).isFalse();
        assertThat(client.blocking().read(ByteBuffer.allocate(10))).as("the peer reads the end").isEqualTo(-1);
    }

    @Test
    void aHandlerThatThrowsEndsNobodyElse() throws Exception {
        final CompletableFuture<Throwable> told = new CompletableFuture<>();
        final Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((thread, thrown) -> told.complete(thrown));
        try {
            server.read(ByteBuffer.allocate(10), "a defect", new Throwing());
            client.write(ByteBuffer.allocate(10)).get(30, TimeUnit.SECONDS);
            assertThat(told.get(30, TimeUnit.SECONDS)).hasMessage("a defect");
            final Future<Integer> next = server.read(ByteBuffer.allocate(10));
            client.write(ByteBuffer.allocate(10)).get(30, TimeUnit.SECONDS);
            assertThat(next.get(30, TimeUnit.SECONDS)).isEqualTo(10);
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(before);
        }
    }

    /** What is thrown there is ignored, as by the JVM. */
    @Test
    void aHandlerOfUncaughtExceptionsThatThrowsEndsNobody() throws Exception {
        final CompletableFuture<Throwable> told = new CompletableFuture<>();
        final Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((thread, thrown) -> {
            told.complete(thrown);
            throw new IllegalStateException("another defect", thrown);
        });
        try {
            server.read(ByteBuffer.allocate(10), "a defect", new Throwing());
            client.write(ByteBuffer.allocate(10)).get(30, TimeUnit.SECONDS);
            assertThat(told.get(30, TimeUnit.SECONDS)).hasMessage("a defect");
            final Future<Integer> next = server.read(ByteBuffer.allocate(10));
            client.write(ByteBuffer.allocate(10)).get(30, TimeUnit.SECONDS);
            assertThat(next.get(30, TimeUnit.SECONDS)).isEqualTo(10);
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(before);
        }
    }

    /** The thread would never sleep again. */
    @Test
    void aHandlerThatIsLeftInterruptedLeavesTheThreadAsItWas() throws Exception {
        for (int time = 0; time < 2; time++) {
            final CompletableFuture<Boolean> isInterrupted = new CompletableFuture<>();
            server.read(ByteBuffer.allocate(10), isInterrupted, new CompletionHandler<>() {
                @Override
                public void completed(final Integer bytes, final CompletableFuture<Boolean> told) {
                    told.complete(Thread.currentThread().isInterrupted());
                    Thread.currentThread().interrupt();
                }

                @Override
                public void failed(final Throwable cause, final CompletableFuture<Boolean> told) {
                    told.completeExceptionally(cause);
                }
            });
            client.write(ByteBuffer.allocate(10)).get(30, TimeUnit.SECONDS);
            assertThat(isInterrupted.get(30, TimeUnit.SECONDS)).isFalse();
        }
    }

    /** It would never sleep again until a call ends. */
    @Test
    void aThreadThatIsInterruptedWhileNothingEndsSleepsAgain() throws Exception {
        final CompletableFuture<Thread> told = new CompletableFuture<>();
        final Future<Integer> read = server.read(ByteBuffer.allocate(10));
        client.write(ByteBuffer.allocate(10), told, new CompletionHandler<>() {
            @Override
            public void completed(final Integer bytes, final CompletableFuture<Thread> thread) {
                thread.complete(Thread.currentThread());
            }

            @Override
            public void failed(final Throwable cause, final CompletableFuture<Thread> thread) {
                thread.completeExceptionally(cause);
            }
        });
        final Thread thread = told.get(30, TimeUnit.SECONDS);
        assertThat(read.get(30, TimeUnit.SECONDS)).isEqualTo(10);
        assertThat(sleeps(thread)).as("behind the handler").isTrue();
        thread.interrupt();
        assertThat(sleeps(thread)).as("again").isTrue();
    }

    /** Whether it does before long, and nothing keeps it from doing so again. */
    private static boolean sleeps(final Thread thread) {
        boolean isAsleep = false;
        for (int look = 0; look < MOST_LOOKS && !isAsleep; look++) {
            Thread.yield();
            isAsleep = !thread.isInterrupted() && thread.getState() == Thread.State.TIMED_WAITING;
        }
        return isAsleep;
    }

    /** Throws whatever comes. */
    private static final class Throwing implements CompletionHandler<Integer, String> {
        @Override
        public void completed(final Integer bytes, final String sentence) {
            throw new IllegalStateException(sentence);
        }

        @Override
        public void failed(final Throwable cause, final String sentence) {
            throw new IllegalStateException(sentence, cause);
        }
    }

    @Test
    void aClosedListenerTakesNobody() {
        final CompletableFuture<ExsChannel> waiting = listener.accept();
        listener.close();
        assertThatThrownBy(() -> waiting.get(30, TimeUnit.SECONDS))
                .hasCauseInstanceOf(IOException.class)
                .hasMessageContaining("ECANCELED");
        assertThatThrownBy(() -> listener.accept().get(30, TimeUnit.SECONDS))
                .hasCauseInstanceOf(IOException.class)
                .hasMessageContaining("it was closed");
    }

    /** Each time the same: the first refusal leaves no read or write behind that never ends. */
    @Test
    void whatTheSocketRefusesByAnExceptionFailsTheCall() {
        final ExsQueue deleted = withThread.qcreate(1);
        deleted.qdelete();
        final ExsChannel channel = new ExsChannel(client.socket(), deleted, closed -> {});
        for (int time = 0; time < 2; time++) {
            assertThatThrownBy(() -> channel.read(ByteBuffer.allocate(1)).get(30, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(IOException.class)
                    .hasMessageContaining("the queue was deleted");
            assertThatThrownBy(() -> channel.write(ByteBuffer.allocate(1)).get(30, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(IOException.class)
                    .hasMessageContaining("the queue was deleted");
        }
    }

    /** As where there is no memory for the copy of a heap buffer; here it is too small. */
    @Test
    void whateverElseACallEndsInLeavesNoneBehindThatNeverEnds() throws ReflectiveOperationException {
        for (final String staging : new String[] {"readStaging", "writeStaging"}) {
            final Field field = ExsChannel.class.getDeclaredField(staging);
            field.setAccessible(true);
            field.set(client, ByteBuffer.allocateDirect(1));
        }
        for (int time = 0; time < 2; time++) {
            assertThatThrownBy(() -> client.read(ByteBuffer.allocate(10)))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> client.write(ByteBuffer.allocate(10)))
                    .isInstanceOf(BufferOverflowException.class);
        }
    }

    @Test
    void aConnectOrAListenThatIsRefusedAtOnceLeavesNoSocketOpen() {
        final ExsChannels.Listener waiting = clients.listen(world.left.address(17_901), 1);
        for (int i = 0; i < ExsChannels.DEPTH; i++) {
            waiting.accept();
        }
        final int before = withThread.openSockets();
        assertThatThrownBy(() -> clients.connect(listener.address()).get(30, TimeUnit.SECONDS))
                .hasCauseInstanceOf(IOException.class)
                .hasMessageContaining("ENOBUFS");
        assertThatThrownBy(() -> clients.listen(waiting.address(), 1)).isInstanceOf(VerbsException.class);
        assertThat(withThread.openSockets()).isEqualTo(before);
        waiting.close();
    }

    @Test
    void aConnectThatWasCancelledLeavesNoConnection() throws Exception {
        try (RawPeer peer = new RawPeer(world)) {
            peer.listen(world.left.address(17_902));
            final CompletableFuture<ExsChannel> connecting = servers.connect(world.left.address(17_902));
            assertThat(connecting.cancel(false)).as("nobody has answered").isTrue();
            peer.accept(RawPeer.GREETING);
            peer.awaitDisconnect();
        }
    }

    @Test
    void theConnectionOfAnAcceptThatWasCancelledIsTheNextOnes() throws Exception {
        final CompletableFuture<ExsChannel> cancelled = listener.accept();
        final CompletableFuture<ExsChannel> next = listener.accept();
        assertThat(cancelled.cancel(false)).isTrue();
        for (int time = 0; time < 2; time++) { // when the second one comes, nobody waits
            final ExsChannel here = clients.connect(listener.address()).get(30, TimeUnit.SECONDS);
            final ExsChannel there = (time == 0 ? next : listener.accept()).get(30, TimeUnit.SECONDS);
            here.write(ByteBuffer.allocate(10)).get(30, TimeUnit.SECONDS);
            assertThat(there.read(ByteBuffer.allocate(10)).get(30, TimeUnit.SECONDS)).isEqualTo(10);
        }
    }

    @Test
    void aConnectionThatNobodyTookIsClosedWithItsListener() throws Exception {
        assertThat(listener.accept().cancel(false)).isTrue();
        final ExsChannel here = clients.connect(listener.address()).get(30, TimeUnit.SECONDS);
        listener.close();
        assertThat(here.read(ByteBuffer.allocate(10)).get(30, TimeUnit.SECONDS)).isEqualTo(-1);
    }

    @Test
    void whoIsNotThereFailsTheConnect() {
        assertThatThrownBy(() -> clients.connect(world.right.address(9)).get(30, TimeUnit.SECONDS))
                .hasCauseInstanceOf(IOException.class)
                .hasMessageContaining("ECONNREFUSED")
                .hasMessageContaining("nobody listens there");
    }
}
