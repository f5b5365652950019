package io.vhca.exs;

import io.vhca.api.Context;
import io.vhca.api.Devices;
import io.vhca.api.NativeMemory;
import io.vhca.exs.engine.PortTap;
import io.vhca.physical.soft.SoftDevice;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Two devices of the test's own with sockets on them, driven by the test. Bonds have two soft devices each. */
final class ExsWorld implements AutoCloseable {
    static final long PATIENCE_NS = TimeUnit.MINUTES.toNanos(1);

    private static final String NET;

    static {
        final SplittableRandom random = new SplittableRandom();
        NET = "127." + random.nextInt(32, 250) + "." + random.nextInt(250) + ".";
        System.setProperty(
                "vhca.soft",
                "soft0=" + NET + "1,soft1=" + NET + "2,soft2=" + NET + "3,soft3=" + NET + "4,soft4=" + NET
                        + "5,soft5=" + NET + "6");
        System.setProperty(
                "vhca.bond",
                "bond0: members=soft0,soft1; bond1: members=soft2,soft3; "
                        + "bond2: members=soft4,soft5 auth_key_file=" + key());
    }

    /** A file with a key that bond2 has alone. */
    private static Path key() {
        try {
            final Path file = Files.createTempFile("vhca-exs", ".key"); // its owner's alone
            file.toFile().deleteOnExit();
            return Files.writeString(file, "key = " + "5a".repeat(32) + "\n");
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** One device, its sockets, and a queue with the events that came to it. */
    static final class End implements AutoCloseable {
        final Context context;
        final Exs exs;
        final ExsQueue queue;
        private final ExsEvent[] batch = {new ExsEvent()};
        private final Deque<Seen> seen = new ArrayDeque<>();

        End(final String device, final ExsOptions options, final LongSupplier clock) {
            context = Devices.open(device);
            exs = Exs.init(Exs.VERSION, context, options, PortTap.NONE, clock);
            queue = exs.qcreate(256);
        }

        InetSocketAddress address(final int port) {
            return new InetSocketAddress(context.ipGid(1).address(), port);
        }

        void turn() {
            while (queue.qdequeue(batch, 0) > 0) {
                final ExsEvent event = batch[0];
                seen.add(new Seen(event.kind(), event.bytes(), event.errno(), event.isTruncated(),
                        event.cookie(), event.accepted()));
            }
        }

        /** Drives this end alone until that is so. */
        void awaitThat(final String what, final BooleanSupplier isSo) {
            for (final long beganNs = System.nanoTime(); !isSo.getAsBoolean(); turn()) {
                if (System.nanoTime() - beganNs > PATIENCE_NS) {
                    throw new AssertionError("not in time: " + what);
                }
            }
        }

        @Override
        public void close() {
            exs.close();
            context.close();
        }
    }

    record Seen(EventKind kind, long bytes, int errno, boolean isTruncated, @Nullable Object cookie,
            @Nullable ExsSocket accepted) {}

    final Arena arena = Arena.ofShared();
    final End left;
    final End right;
    private int port = 17_000;

    ExsWorld(final String leftDevice, final String rightDevice) {
        this(leftDevice, rightDevice, new ExsOptions(64, 472, 32, 16, 1_000, 10_000, false));
    }

    ExsWorld(final String leftDevice, final String rightDevice, final ExsOptions options) {
        this(leftDevice, rightDevice, options, System::nanoTime);
    }

    ExsWorld(final String leftDevice, final String rightDevice, final ExsOptions options, final LongSupplier clock) {
        left = new End(leftDevice, options, clock);
        right = new End(rightDevice, options, clock);
    }

    static void port(final String device, final boolean isUp) {
        ((SoftDevice) Devices.byName(device)).setPortUp(isUp);
    }

    /** The adapter dies; who opens the device anew gets another one. */
    static void kill(final String device) {
        final SoftDevice killed = (SoftDevice) Devices.byName(device);
        killed.kill();
        killed.revive();
    }

    /** The next event of an end; both are driven until it comes. */
    Seen await(final End end) {
        final long beganNs = System.nanoTime();
        while (true) {
            left.turn();
            right.turn();
            final Seen first = end.seen.poll();
            if (first != null) {
                return first;
            }
            if (System.nanoTime() - beganNs > PATIENCE_NS) {
                throw new AssertionError("no event");
            }
            Thread.onSpinWait();
        }
    }

    ExsSocket listen(final SocketType type) {
        final ExsSocket listener = right.exs.socket(type);
        listener.bind(right.address(++port));
        listener.listen(8);
        return listener;
    }

    static InetSocketAddress address(final ExsSocket listener) {
        return Objects.requireNonNull(listener.localAddress());
    }

    /** A connected pair, the left one first. */
    ExsSocket[] connect(final SocketType type) {
        final ExsSocket listener = listen(type);
        final ExsSocket[] pair = connect(listener, left.exs.socket(type));
        listener.close();
        return pair;
    }

    ExsSocket[] connect(final ExsSocket listener, final ExsSocket client) {
        listener.accept(right.queue, "accept");
        client.connect(address(listener), left.queue, "connect");
        final Seen connected = await(left);
        if (connected.errno() != 0) {
            throw new AssertionError(client.failure());
        }
        return new ExsSocket[] {client, Objects.requireNonNull(await(right).accepted())};
    }

    MemorySegment filled(final long length) {
        final MemorySegment memory = arena.allocate(length, 64);
        for (long i = 0; i < length; i++) {
            NativeMemory.putByte(memory.address() + i, (byte) (i * 31 + i / 251));
        }
        return memory;
    }

    @Override
    public void close() {
        left.close();
        right.close();
        arena.close();
    }
}
