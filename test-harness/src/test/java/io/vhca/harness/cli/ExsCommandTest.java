package io.vhca.harness.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.Context;
import io.vhca.api.Devices;
import io.vhca.api.Errno;
import io.vhca.exs.Exs;
import io.vhca.exs.ExsByteChannel;
import io.vhca.exs.ExsChannels;
import io.vhca.exs.ExsEvent;
import io.vhca.exs.ExsMemory;
import io.vhca.exs.ExsOptions;
import io.vhca.exs.ExsQueue;
import io.vhca.exs.ExsSetting;
import io.vhca.exs.ExsSocket;
import io.vhca.exs.SocketType;
import io.vhca.physical.soft.SoftConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** {@code vhca exs}, both ends in this process on two soft devices. */
@Timeout(600)
class ExsCommandTest {
    private static final int PID = (int) ProcessHandle.current().pid();
    private static final String NET = "127." + (64 + (PID >> 8 & 63)) + "." + (PID & 255) + ".";

    /** Devices of this test's own; others of this JVM have theirs. */
    @RegisterExtension
    static final SystemProperty DEVICES =
            new SystemProperty(SoftConfig.PROPERTY, "soft0=" + NET + "1,soft1=" + NET + "2");

    private static final Executor THREADS = task -> Thread.ofPlatform().daemon().start(task);

    private final Tool client = new Tool();
    private final Tool server = new Tool();

    private CompletableFuture<Integer> serve(final String... args) {
        return CompletableFuture.supplyAsync(() -> server.run(args), THREADS);
    }

    /** The server may not listen yet, or its device be closed: a connect that nobody took is tried again. */
    private void until0(final String... args) {
        int code = client.run(args);
        for (int attempt = 0; code != 0 && isNobodyThere() && attempt < 10_000; attempt++) {
            code = client.run(args);
        }
        assertThat(code).as(client.all()).isZero();
    }

    private boolean isNobodyThere() {
        return client.all().contains("ECONNREFUSED") || client.all().contains("EHOSTUNREACH");
    }

    @Test
    void pingSaysHowLongItTakes() throws Exception {
        final var end = serve("exs", "ping", "--device", "soft1", "--listen", "17950", "--clients", "1");
        until0("exs", "ping", "--device", "soft0", "--count", "50", NET + "2:17950");
        assertThat(client.out()).contains("64 bytes there and back, 50 times").contains("median");
        assertThat(end.get(60, TimeUnit.SECONDS)).as(server.all()).isZero();
    }

    /** More sockets come than are open at once: a place is taken again. */
    @Test
    void aCrowdOfSocketsIsServedByOneThread() throws Exception {
        final var end = serve(
                "exs", "crowd", "--device", "soft1", "--listen", "17955", "--sockets", "40", "--clients", "80");
        for (int time = 0; time < 2; time++) {
            until0("exs", "crowd", "--device", "soft0", "--sockets", "40", "--rounds", "3", NET + "2:17955");
            assertThat(client.out())
                    .contains("40 sockets, ", " connects a second", "KB of heap", "there and back on each, 3 times");
        }
        assertThat(end.get(60, TimeUnit.SECONDS)).as(server.all()).isZero();
        assertThat(client.run("exs", "crowd", "--sockets", "0", NET + "2:17955")).isEqualTo(2);
    }

    @Test
    void blastHasARowForEachSize(@TempDir final Path directory) throws Exception {
        final var end = serve("exs", "blast", "--device", "soft1", "--listen", "17951", "--clients", "2");
        final Path page = directory.resolve("blast.html");
        until0(
                "exs", "blast", "--device", "soft0", "--sizes", "100,100000", "--ms", "20", "--link", "1000000",
                "--html", page.toString(), NET + "2:17951");
        assertThat(client.out().lines()).hasSize(4);
        assertThat(client.out()).contains("Mbit/s", "% of usable").doesNotContain(" -  ");
        assertThat(client.out()).containsPattern("sender, % of a CPU +receiver, % of a CPU");
        // Both ends say what they took.
        assertThat(client.out().lines().filter(line -> line.matches(" *100+ .* [0-9]+ +[0-9]+"))).hasSize(2);
        assertThat(client.err())
                .containsPattern("1 of 2: [0-9.]+ Mbit/s by sends of 100 bytes\n2 of 2: .* by sends of 100000 bytes\n");
        assertThat(page).content().contains("<td>100</td>", "<td>100000</td>", "<polyline");
        assertThat(end.get(60, TimeUnit.SECONDS)).as(server.all()).isZero();
    }

    @Test
    void copyToNobodyIsOneSentence(@TempDir final Path directory) throws IOException {
        final Path file = Files.write(directory.resolve("file"), new byte[10]);
        try (Context other = Devices.open("soft1")) {
            assertThat(other.device().name()).isEqualTo("soft1");
            assertThat(client.run("exs", "copy", "--device", "soft0", "--file", file.toString(), NET + "2:17959"))
                    .isEqualTo(1);
        }
        assertThat(client.err().lines()).singleElement().asString()
                .startsWith("vhca exs copy: connect on ")
                .contains("ECONNREFUSED");
    }

    /** A client that ends in the midst of its sends, without a word, as one that is killed. */
    private static void sendAndVanish(final int port) {
        try (Context context = Devices.open("soft0");
                Arena arena = Arena.ofShared();
                Exs exs = Exs.init(Exs.VERSION, context, ExsOptions.DEFAULT.drivenByCaller())) {
            final ExsQueue queue = exs.qcreate(64);
            final ExsMemory memory = exs.mregister(arena.allocate(16 << 20, 64));
            final ExsEvent[] events = {new ExsEvent()};
            ExsSocket socket = connect(exs, queue, port, events);
            while (events[0].errno() == Errno.ECONNREFUSED || events[0].errno() == Errno.EHOSTUNREACH) {
                // The server does not listen yet.
                socket.close();
                socket = connect(exs, queue, port, events);
            }
            assertThat(events[0].errno()).isZero();
            for (int i = 0; i < 50; i++) {
                assertThat(socket.send(memory, 0, 16 << 20, 0, queue, null)).isNotNegative();
            }
            socket.close();
        }
    }

    private static ExsSocket connect(
            final Exs exs, final ExsQueue queue, final int port, final ExsEvent[] events) {
        final ExsSocket socket = exs.socket(SocketType.STREAM);
        socket.fcntl(ExsSetting.LINGER_MS, 0);
        socket.connect(new InetSocketAddress(NET + "2", port), queue, null);
        assertThat(queue.qdequeue(events, Long.MAX_VALUE)).isOne();
        return socket;
    }

    @Test
    void aClientThatIsLostEndsNobodyElsesPing() throws Exception {
        final var end = serve("exs", "ping", "--device", "soft1", "--listen", "17956", "--clients", "2");
        sendAndVanish(17956);
        until0("exs", "ping", "--device", "soft0", "--count", "5", NET + "2:17956");
        assertThat(end.get(60, TimeUnit.SECONDS)).as(server.all()).isEqualTo(1);
        assertThat(server.out()).startsWith("a client is lost: ").hasLineCount(1);
    }

    @Test
    void aClientThatIsLostEndsNobodyElsesBlast() throws Exception {
        final var end = serve("exs", "blast", "--device", "soft1", "--listen", "17957", "--clients", "2");
        sendAndVanish(17957);
        until0("exs", "blast", "--device", "soft0", "--sizes", "1000", "--ms", "20", NET + "2:17957");
        assertThat(end.get(60, TimeUnit.SECONDS)).as(server.all()).isEqualTo(1);
        assertThat(server.out()).startsWith("a client is lost: ").hasLineCount(1);
    }

    @Test
    void copyGoesOnFromWhatIsThere(@TempDir final Path directory) throws Exception {
        final byte[] bytes = new byte[3_000_000];
        new SplittableRandom(1).nextBytes(bytes);
        final Path file = Files.write(directory.resolve("file"), bytes);
        final Path into = Files.createDirectory(directory.resolve("into"));
        Files.write(into.resolve(".file.part"), Arrays.copyOf(bytes, 2_000_000));

        assertThat(copy(file, into)).startsWith("file: 3000000 bytes, 1000000 of them now").hasLineCount(1);
        assertThat(into.resolve("file")).hasBinaryContent(bytes);
        assertThat(into.resolve(".file.part")).doesNotExist();

        Files.write(into.resolve(".file.part"), new byte[100]);
        assertThat(copy(file, into)).contains("3000000 bytes, 3000000 of them now");
        assertThat(into.resolve("file")).hasBinaryContent(bytes);
    }

    @Test
    void copyMakesTheDirectory(@TempDir final Path directory) throws Exception {
        final Path file = Files.write(directory.resolve("file"), new byte[10]);
        final Path into = directory.resolve("new").resolve("into");
        assertThat(copy(file, into)).contains("10 bytes, 10 of them now");
        assertThat(into.resolve("file")).hasBinaryContent(new byte[10]);
    }

    /** As with scp: the file keeps its name, and the other end says where it goes. */
    @Test
    void copyTakesAFileAndAHost(@TempDir final Path directory) throws Exception {
        final Path file = Files.write(directory.resolve("file"), new byte[10]);
        final Path into = Files.createDirectory(directory.resolve("into"));
        final var end = serve(
                "exs", "copy", "--device", "soft1", "--listen", "7471", "--clients", "1", "--into", into.toString());
        until0("exs", "copy", "--device", "soft0", file.toString(), NET + "2:");
        assertThat(end.get(60, TimeUnit.SECONDS)).as(server.all()).isZero();
        assertThat(into.resolve("file")).hasBinaryContent(new byte[10]);
    }

    private String copy(final Path file, final Path into) throws Exception {
        final var end = serve(
                "exs", "copy", "--device", "soft1", "--listen", "17952", "--clients", "1", "--into", into.toString());
        until0("exs", "copy", "--device", "soft0", "--file", file.toString(), NET + "2:17952");
        assertThat(end.get(60, TimeUnit.SECONDS)).as(server.all()).isZero();
        return client.out();
    }

    @Test
    void theExampleEchoes() {
        assertThat(client.run("example", "exs-echo", "--device", "soft0")).as(client.all()).isZero();
    }

    @Test
    void theFileServerGivesWhatItHas(@TempDir final Path dir) throws IOException {
        final Path files = Files.createDirectory(dir.resolve("files"));
        final Path into = Files.createDirectory(dir.resolve("into"));
        final byte[] bytes = new byte[2_500_000];
        new SplittableRandom(1).nextBytes(bytes);
        Files.write(files.resolve("data"), bytes);
        Files.write(dir.resolve("secret"), bytes);
        assertThat(get(files, into, "data")).as(client.all()).isZero();
        assertThat(client.out()).contains("has 2500000 bytes");
        assertThat(into.resolve("data")).hasBinaryContent(bytes);
        for (final String name : new String[] {"nothing", "../secret", "."}) {
            assertThat(get(files, into, name)).as(name).isNotZero();
            assertThat(client.err()).contains("the server has no such file");
        }
        assertThat(into).isDirectoryNotContaining("glob:**secret");
        assertThat(client.run("example", "exs-files", "--device", "soft0")).isEqualTo(2);
    }

    /** As where neither is named: the server reads the file that the client gets. */
    @Test
    void aFileThatIsGotIntoTheServersDirectoryStaysWhatItIs(@TempDir final Path dir) throws IOException {
        final byte[] bytes = new byte[5_000_000];
        new SplittableRandom(1).nextBytes(bytes);
        final Path file = Files.write(dir.resolve("data"), bytes);
        assertThat(get(dir, dir, "data")).as(client.all()).isZero();
        assertThat(file).hasBinaryContent(bytes);
        assertThat(dir.toFile().list()).containsExactly("data");
    }

    @Test
    void aGetThatEndsMidwayLeavesWhatWasThere(@TempDir final Path into) throws Exception {
        final Path file = Files.writeString(into.resolve("data"), "an older one");
        try (Context device = Devices.open("soft1");
                Exs exs = Exs.init(Exs.VERSION, device, ExsOptions.DEFAULT);
                ExsChannels channels = new ExsChannels(exs);
                ExsChannels.Listener listener = channels.listen(new InetSocketAddress(NET + "2", 17954), 1)) {
            final var end = CompletableFuture.runAsync(() -> beginAndEnd(listener), THREADS);
            assertThat(client.run(
                            "example", "exs-files", "--device", "soft0", "--port", "17954", "--file", "data",
                            "--into", into.toString(), NET + "2"))
                    .isNotZero();
            end.get(60, TimeUnit.SECONDS);
        }
        assertThat(client.err()).contains("it ended after 2 of 100 bytes");
        assertThat(file).hasContent("an older one");
        assertThat(into.toFile().list()).containsExactly("data");
    }

    /** A server of files that says how long one is, and ends behind its first two bytes. */
    private static void beginAndEnd(final ExsChannels.Listener listener) {
        try (ExsByteChannel asker = listener.accept().join().blocking()) {
            final ByteBuffer name = ByteBuffer.allocate(100);
            while (asker.read(name) > 0) {
                // up to where the client shut down
            }
            asker.write(ByteBuffer.allocate(Long.BYTES + 2).putLong(0, 100));
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private int get(final Path files, final Path into, final String name) {
        return client.run(
                "example", "exs-files", "--device", "soft0", "--port", "17953", "--dir", files.toString(), "--file",
                name, "--into", into.toString());
    }

    @Test
    void wrongUseIsSaid(@TempDir final Path directory) throws IOException {
        assertThat(client.run("exs", "ping")).isEqualTo(2);
        assertThat(client.err()).contains("name either --listen PORT or the HOST:PORT");
        assertThat(client.run("exs", "ping", "--size", "0", "h:1")).isEqualTo(2);
        assertThat(client.run("exs", "blast", "--sizes", "17000000", "h:1")).isEqualTo(2);
        for (final String command : new String[] {"ping", "blast", "crowd", "copy"}) {
            assertThat(client.run("exs", command, "--listen", "70000")).as(command).isEqualTo(2);
            assertThat(client.err()).contains("--listen must be 1 .. 65535");
            assertThat(client.run("exs", command, "--listen", "17950", "--clients", "0")).as(command).isEqualTo(2);
        }
        assertThat(client.run("exs", "copy", "--device", "soft0", "--file", directory.toString(), NET + "2:17960"))
                .isEqualTo(2);
        assertThat(client.err()).contains(directory + " is no file, or cannot be read");
        assertThat(client.run("exs", "copy", directory.toString(), NET + "2:")).isEqualTo(2);
        assertThat(client.err()).contains(directory + " is no file, or cannot be read");
        for (final String words : List.of(NET + "2:17960", "--file a b h:1", "--file a --listen 17960 b")) {
            assertThat(client.run(("exs copy " + words).split(" "))).as(words).isEqualTo(2);
            assertThat(client.err()).containsPattern("name one file and the end that listens|name either --listen");
        }
        // No resolver is asked for a name whose label is that long.
        final String nobody = "n".repeat(64) + ":17960";
        assertThat(client.run("exs", "ping", "--device", "soft0", nobody)).isEqualTo(2);
        assertThat(client.err()).contains("the host of " + nobody + " is not known here");
        assertThat(client.run("exs", "blast", "--html", "/no/such/page.html", "h:1")).isEqualTo(2);
        assertThat(client.err()).contains("there is no directory /no/such");
    }
}
