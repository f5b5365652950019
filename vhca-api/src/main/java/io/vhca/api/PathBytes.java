package io.vhca.api;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * The name of a file as the kernel has it: bytes, which the JDK keeps, and shows by an encoding of its own that need
 * not be UTF-8 and need not have a letter for each. A path's URI has them one by one. Pure.
 */
final class PathBytes {
    private static final Path ROOT = Path.of("/");
    private static final int HEX = 16;
    private static final int ESCAPED = 3;

    private PathBytes() {}

    /** Those of a path, which stays relative where it is. */
    static byte[] of(final Path path) {
        final byte[] absolute = unescaped(ROOT.resolve(path).toUri().getRawPath());
        // A URI says of a directory that it is one, if there is one now.
        final boolean isMarked = absolute.length > 1 && absolute[absolute.length - 1] == '/';
        return Arrays.copyOfRange(
                absolute, path.isAbsolute() ? 0 : 1, isMarked ? absolute.length - 1 : absolute.length);
    }

    private static byte[] unescaped(final String text) {
        final byte[] ascii = text.getBytes(StandardCharsets.US_ASCII);
        int bytes = 0;
        for (int i = 0; i < ascii.length; bytes++) {
            if (ascii[i] == '%') {
                ascii[bytes] = (byte) Integer.parseInt(text, i + 1, i + ESCAPED, HEX);
                i += ESCAPED;
            } else {
                ascii[bytes] = ascii[i++];
            }
        }
        return Arrays.copyOf(ascii, bytes);
    }
}
