package io.vhca.ras.journal;

import io.vhca.recovery.JournalEvent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.function.Consumer;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;
import net.openhft.chronicle.wire.DocumentContext;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Reads a {@link ChronicleJournal} from its beginning, while it is written, after it was closed, or after its writer
 * crashed.
 */
public final class JournalReader {
    private final Path directory;
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
        if (!Files.exists(directory.resolve("metadata.cq4t"))) {
            throw new IllegalArgumentException("no journal at " + journal
                    + ": give the directory that holds metadata.cq4t and the .cq4 files");
        }
    }

    /** Every complete event in order; returns their number. What a crash left incomplete is left out. */
    public long forEach(final Consumer<JournalEvent> consumer) {
        long events = 0;
        unreadable = 0;
        try (ChronicleQueue queue = SingleChronicleQueueBuilder.binary(directory).readOnly(true).build();
                ExcerptTailer tailer = queue.createTailer()) {
            while (true) {
                try (DocumentContext document = tailer.readingDocument()) {
                    if (!document.isPresent()) {
                        return events;
                    }
                    final JournalEvent event = decode(Objects.requireNonNull(document.wire()).bytes());
                    if (event == null) {
                        unreadable++;
                    } else {
                        consumer.accept(event);
                        events++;
                    }
                }
            }
        }
    }

    /** Documents of the last {@link #forEach} that are no events of a version known here. */
    public long unreadable() {
        return unreadable;
    }

    private static @Nullable JournalEvent decode(final Bytes<?> bytes) {
        final long length = bytes.readRemaining();
        if (length > JournalEventDescriptor.MAX_SIZE) {
            return null;
        }
        final byte[] copy = new byte[(int) length];
        bytes.read(copy);
        return JournalEventDescriptor.decode(new UnsafeBuffer(copy), 0, copy.length);
    }
}
