package io.vhca.ras.journal;

import io.vhca.api.FailureText;
import io.vhca.recovery.JournalEvent;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Reads a {@link ChronicleJournal} from its beginning, while it is written, after it was closed, or after its writer
 * crashed.
 *
 * <p>The files may be anybody's work, and Chronicle believes what they say of themselves: it waits for documents that
 * never come, and addresses memory by offsets that it finds there. So they are read as a stream here, and each length
 * is held against the file.
 */
public final class JournalReader {
    private final Path directory;
    private final List<String> problems = new ArrayList<>();
    private long events;
    private long unreadable;

    /**
     * A reader.
     *
     * @param journal the journal's directory, or one of its .cq4 files
     * @throws IllegalArgumentException where there is no such journal, with what to give instead
     */
    public JournalReader(final Path journal) {
        final Path absolute = journal.toAbsolutePath();
        directory = Files.isRegularFile(absolute) && absolute.getParent() != null ? absolute.getParent() : absolute;
        if (!Files.exists(directory.resolve(ChronicleFileDescriptor.TABLE))) {
            throw new IllegalArgumentException("no journal at " + journal + ": give the directory that holds "
                    + ChronicleFileDescriptor.TABLE + " and the " + ChronicleFileDescriptor.SUFFIX + " files");
        }
    }

    /**
     * Every complete event in order; returns their number. What a crash left incomplete is left out; what cannot be
     * read is among the {@link #problems}, and the next file is read.
     */
    public long forEach(final Consumer<JournalEvent> consumer) {
        events = 0;
        unreadable = 0;
        problems.clear();
        for (final Path file : files()) {
            final long before = unreadable;
            try {
                if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
                    throw new IOException("it is no file");
                }
                try (FileChannel channel =
                        FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
                    read(channel, consumer);
                }
            } catch (final EOFException e) {
                problems.add(file + " is damaged: it ends within a document");
            } catch (final IOException e) {
                problems.add(file + " cannot be read: " + FailureText.of(e));
            }
            if (unreadable > before) {
                problems.add(unknown(file, unreadable - before));
            }
        }
        return events;
    }

    private static String unknown(final Path file, final long documents) {
        return file + ": " + (documents == 1 ? "1 document is no event" : documents + " documents are no events")
                + " of version " + JournalEventDescriptor.VERSION
                + "; use the vhca of the application's version, or move the file away";
    }

    /** A file a day, named by it. */
    private List<Path> files() {
        try (Stream<Path> all = Files.list(directory)) {
            return all.filter(file -> file.toString().endsWith(ChronicleFileDescriptor.SUFFIX)).sorted().toList();
        } catch (final IOException e) {
            problems.add(directory + " cannot be listed: " + FailureText.of(e));
            return List.of();
        }
    }

    private void read(final FileChannel channel, final Consumer<JournalEvent> consumer) throws IOException {
        final DataInputStream in = new DataInputStream(new BufferedInputStream(Channels.newInputStream(channel)));
        boolean isFirst = true;
        while (true) {
            final int header = header(in);
            if (ChronicleFileDescriptor.isEnd(header)) {
                return;
            }
            if (isFirst && !ChronicleFileDescriptor.isOwn(header)) {
                throw new IOException("it is no file of a journal");
            }
            final int length = ChronicleFileDescriptor.length(header);
            if (ChronicleFileDescriptor.isOwn(header)) {
                in.skipNBytes(length);
            } else if (length > JournalEventDescriptor.MAX_SIZE) {
                in.skipNBytes(length);
                unreadable++;
            } else {
                give(in.readNBytes(length), length, consumer);
            }
            in.skipNBytes(ChronicleFileDescriptor.pad(length));
            isFirst = false;
        }
    }

    /** The next header; as at the end of a file that has none left. */
    private static int header(final DataInputStream in) throws IOException {
        final byte[] bytes = in.readNBytes(ChronicleFileDescriptor.HEADER_BYTES);
        return bytes.length < ChronicleFileDescriptor.HEADER_BYTES
                ? 0
                : new UnsafeBuffer(bytes).getInt(0, ByteOrder.LITTLE_ENDIAN);
    }

    private void give(final byte[] document, final int length, final Consumer<JournalEvent> consumer)
            throws EOFException {
        if (document.length < length) {
            throw new EOFException();
        }
        final JournalEvent event = JournalEventDescriptor.decode(new UnsafeBuffer(document), 0, length);
        if (event == null) {
            unreadable++;
        } else {
            consumer.accept(event);
            events++;
        }
    }

    /** Documents of the last {@link #forEach} that are no events of a version known here. */
    public long unreadable() {
        return unreadable;
    }

    /** What could not be read at the last {@link #forEach}: a line each, with the file's name. */
    public List<String> problems() {
        return List.copyOf(problems);
    }
}
