package io.vhca.harness.drill.protocol;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/** The first bytes of a drill's input, for a short one. */
public final class InputHead {
    private InputHead() {}

    /** A new file, the caller's to delete, with so many bytes of the input, or all where it has no more. */
    public static Path copy(final Path input, final long bytes) throws IOException {
        final Path file = Files.createTempFile("vhca-drill", ".bin");
        try (FileChannel in = FileChannel.open(input);
                OutputStream out = Files.newOutputStream(file)) {
            in.transferTo(0, Math.min(bytes, in.size()), Channels.newChannel(out));
        }
        return file;
    }
}
