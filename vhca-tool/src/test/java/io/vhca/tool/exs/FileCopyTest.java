package io.vhca.tool.exs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What one end may not do to the other. */
class FileCopyTest {
    /** Says what a sender does, and hears nothing. */
    private record Said(ByteBuffer bytes) implements ByteChannel {
        @Override
        public int read(final ByteBuffer into) {
            final int length = Math.min(into.remaining(), bytes.remaining());
            into.put(bytes.slice(bytes.position(), length));
            bytes.position(bytes.position() + length);
            return length == 0 ? -1 : length;
        }

        @Override
        public int write(final ByteBuffer from) {
            final int length = from.remaining();
            from.position(from.limit());
            return length;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {
            // there is nothing to it
        }
    }

    /** It failed by what a channel says of a negative position. */
    @Test
    void aReceiverThatHasLessThanNothingGetsAllOfIt(@TempDir final Path directory) throws Exception {
        final Path file = Files.writeString(directory.resolve("file"), "content");
        final byte[] ofNothing = MessageDigest.getInstance("SHA-256").digest();
        final ByteBuffer said = ByteBuffer.allocate(Long.BYTES + ofNothing.length + 1)
                .putLong(-1)
                .put(ofNothing)
                .put((byte) 1)
                .flip();
        final FileCopy.Sent sent = FileCopy.send(new Said(said), file, (done, all) -> {});
        assertThat(sent.from()).isZero();
        assertThat(sent.bytes()).isEqualTo(7);
    }

    /** What a file system says that is full has no name of a file; this one takes nothing but a small number. */
    @Test
    void whatAFileSystemRefusesNamesTheFile() throws IOException {
        final Path file = Path.of("/proc/self/oom_score_adj");
        try (FileChannel out = FileChannel.open(file, StandardOpenOption.WRITE)) {
            assertThatThrownBy(() -> FileCopy.put(file, out, StandardCharsets.UTF_8.encode("content"), 0))
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith(file + ": ");
        }
    }

    /** The receiver adds to it while the file arrives, and file systems have 255 bytes. */
    @Test
    void aNameThatLeavesNoRoomForThatOfThePartIsNotSent(@TempDir final Path directory) throws IOException {
        final Path file = Files.writeString(directory.resolve("n".repeat(251)), "content");
        assertThatThrownBy(() -> FileCopy.send(new Said(ByteBuffer.allocate(0)), file, (done, all) -> {}))
                .isInstanceOf(IOException.class)
                .hasMessage("a name of 251 bytes; at most 249 can be received");
    }

    @Test
    void aNameThatWouldCommandATerminalIsNotTakenAndShownWithoutCommands(@TempDir final Path directory) {
        final byte[] name = "a\u001b[2J\nb".getBytes(StandardCharsets.UTF_8);
        final ByteBuffer said = ByteBuffer.allocate(Integer.BYTES + name.length + Long.BYTES)
                .putInt(name.length)
                .put(name)
                .putLong(10)
                .flip();
        assertThatThrownBy(() -> FileCopy.receive(new Said(said), directory, new HashSet<>()))
                .isInstanceOf(IOException.class)
                .hasMessage("a file is not taken under the name a?[2J?b");
    }

    @Test
    void aNameThatTheFileSystemDoesNotHaveIsAnErrorOfThatCopy() {
        final byte[] name = "n\u00e4me".getBytes(StandardCharsets.UTF_8);
        final ByteBuffer said = ByteBuffer.allocate(Integer.BYTES + name.length + Long.BYTES)
                .putInt(name.length)
                .put(name)
                .putLong(10)
                .flip();
        final Path directory = (Path) Proxy.newProxyInstance(
                Path.class.getClassLoader(), new Class<?>[] {Path.class}, (proxy, method, args) -> {
                    throw new InvalidPathException(String.valueOf(args[0]), "it has no such letters");
                });
        assertThatThrownBy(() -> FileCopy.receive(new Said(said), directory, new HashSet<>()))
                .isInstanceOf(IOException.class)
                .hasMessage("a file is not taken under the name n\u00e4me: it has no such letters");
    }

    private static ByteBuffer said(final String name, final byte[] content, final boolean isWhole) throws Exception {
        return said(name, content, 0, isWhole);
    }

    private static ByteBuffer said(final String name, final byte[] content, final int from, final boolean isWhole)
            throws Exception {
        final byte[] nameBytes = name.getBytes(StandardCharsets.UTF_8);
        final ByteBuffer said = ByteBuffer.allocate(200)
                .putInt(nameBytes.length)
                .put(nameBytes)
                .putLong(content.length)
                .putLong(from)
                .put(content, from, content.length - from);
        return (isWhole ? said.put(MessageDigest.getInstance("SHA-256").digest(content)) : said).flip();
    }

    /** Another file that arrives does not make up for one that did not. */
    @Test
    void aFileIsMissingUntilItArrivedItself(@TempDir final Path directory) throws Exception {
        final byte[] content = "content".getBytes(StandardCharsets.UTF_8);
        final Set<String> missing = new HashSet<>();
        assertThatThrownBy(() -> FileCopy.receive(new Said(said("one", content, false)), directory, missing))
                .isInstanceOf(IOException.class);
        assertThat(missing).containsExactly("one");
        FileCopy.receive(new Said(said("two", content, true)), directory, missing);
        assertThat(missing).containsExactly("one");
        FileCopy.receive(new Said(said("one", content, true)), directory, missing);
        assertThat(missing).isEmpty();
    }

    /** A link would say which file of this user is overwritten, and a FIFO would be waited for. */
    @Test
    void whatIsNoFileIsNotWrittenThrough(@TempDir final Path directory) throws Exception {
        final Path into = Files.createDirectory(directory.resolve("into"));
        final Path own = Files.writeString(directory.resolve("own"), "precious");
        final Path absent = directory.resolve("absent");
        Files.createSymbolicLink(into.resolve(".one.part"), own);
        Files.createSymbolicLink(into.resolve(".two.part"), absent);
        Files.createDirectory(into.resolve(".three.part"));
        Files.createDirectory(into.resolve("four"));
        Files.createSymbolicLink(into.resolve("five"), Path.of("/dev/null"));
        final byte[] content = "content".getBytes(StandardCharsets.UTF_8);
        for (final String name : List.of("one", "two", "three")) {
            assertThatThrownBy(() ->
                            FileCopy.receive(new Said(said(name, content, true)), into, new HashSet<>()))
                    .isInstanceOf(IOException.class)
                    .hasMessage(into.resolve("." + name + ".part")
                            + " is in the way and no regular file: delete it and copy " + name + " again");
        }
        for (final String name : List.of("four", "five")) {
            assertThatThrownBy(() ->
                            FileCopy.receive(new Said(said(name, content, true)), into, new HashSet<>()))
                    .isInstanceOf(IOException.class)
                    .hasMessage(into.resolve(name) + " is in the way and no regular file: delete it and copy " + name
                            + " again");
        }
        assertThat(own).hasContent("precious");
        assertThat(absent).doesNotExist();
        assertThat(into.resolve("four")).isDirectory();
        assertThat(into.resolve("five")).isSymbolicLink();
    }

    /** Of two that wrote one file, one had cut what the other one had, and had given it the file's name half-way. */
    @Test
    void aFileIsReceivedOnceAtATime(@TempDir final Path directory) throws Exception {
        final byte[] content = "content".getBytes(StandardCharsets.UTF_8);
        final byte[] other = "some other content".getBytes(StandardCharsets.UTF_8);
        final Said first = new Said(said("one", content, true));
        final List<String> refused = new ArrayList<>();
        final ByteChannel halfWay = (ByteChannel) Proxy.newProxyInstance(
                ByteChannel.class.getClassLoader(), new Class<?>[] {ByteChannel.class}, (proxy, method, args) -> {
                    if (!method.getName().equals("read")) {
                        return first.write((ByteBuffer) args[0]);
                    }
                    final ByteBuffer into = (ByteBuffer) args[0];
                    if (into.isDirect() && into.remaining() < content.length) {
                        assertThatThrownBy(() -> FileCopy.receive(
                                        new Said(said("one", other, true)), directory, new HashSet<>()))
                                .isInstanceOf(IOException.class)
                                .satisfies(e -> refused.add(e.getMessage()));
                    }
                    // A piece arrives in two.
                    final int limit = into.limit();
                    into.limit(Math.min(limit, into.position() + 4));
                    final int length = first.read(into);
                    into.limit(limit);
                    return length;
                });
        FileCopy.receive(halfWay, directory, new HashSet<>());
        assertThat(refused).containsExactly(directory.resolve(".one.part") + " is being received already");
        assertThat(directory.resolve("one")).hasContent("content");
        FileCopy.receive(new Said(said("one", other, true)), directory, new HashSet<>());
        assertThat(directory.resolve("one")).hasContent("some other content");
    }

    /** A part had the name that another file may have. */
    @Test
    void aFileWhoseNameIsThatOfAPartStays(@TempDir final Path directory) throws Exception {
        final byte[] part = "of itself".getBytes(StandardCharsets.UTF_8);
        FileCopy.receive(new Said(said("one.part", part, true)), directory, new HashSet<>());
        FileCopy.receive(
                new Said(said("one", "content".getBytes(StandardCharsets.UTF_8), true)), directory, new HashSet<>());
        assertThat(directory.resolve("one.part")).hasContent("of itself");
        assertThat(directory.resolve("one")).hasContent("content");
    }

    /** Of what is there, its beginning is read through the channel that has the lock. */
    @Test
    void aCopyGoesOnFromWhatIsThere(@TempDir final Path directory) throws Exception {
        Files.writeString(directory.resolve(".one.part"), "cont");
        final byte[] content = "content".getBytes(StandardCharsets.UTF_8);
        assertThat(FileCopy.receive(new Said(said("one", content, 4, true)), directory, new HashSet<>()))
                .isEqualTo("one, 7 bytes, 3 of them now");
        assertThat(directory.resolve("one")).hasContent("content");
        assertThat(directory.resolve(".one.part")).doesNotExist();
    }

    /** Also of one that the whole of this one is the beginning of. */
    @ParameterizedTest
    @CsvSource({"something much longer, 0", "content and more, 7"})
    void whatIsLongerThanItsFileIsCut(
            final String part, final int from, @TempDir final Path directory) throws Exception {
        Files.writeString(directory.resolve(".one.part"), part);
        final byte[] content = "content".getBytes(StandardCharsets.UTF_8);
        FileCopy.receive(new Said(said("one", content, from, true)), directory, new HashSet<>());
        assertThat(directory.resolve("one")).hasContent("content");
    }

    @Test
    void whatIsNotWhatItsSenderSaysIsNotKept(@TempDir final Path directory) throws Exception {
        final ByteBuffer said = said("one", "content".getBytes(StandardCharsets.UTF_8), true);
        final int last = said.limit() - 1;
        said.put(last, (byte) ~said.get(last));
        final Set<String> missing = new HashSet<>();
        assertThatThrownBy(() -> FileCopy.receive(new Said(said), directory, missing))
                .isInstanceOf(IOException.class)
                .hasMessage("one has another SHA-256 than its sender says");
        assertThat(directory).isEmptyDirectory();
        assertThat(missing).containsExactly("one");
    }

    @Test
    void aSenderIsToldThatWhatArrivedIsNotWhatItSent(@TempDir final Path directory) throws IOException {
        final Path file = Files.writeString(directory.resolve("file"), "content");
        final ByteBuffer said = ByteBuffer.allocate(Long.BYTES + 32 + 1);
        assertThatThrownBy(() -> FileCopy.send(new Said(said), file, (done, all) -> {}))
                .isInstanceOf(IOException.class)
                .hasMessage("what arrived of " + file + " is not what was sent; copy it again");
    }
}
