package io.vhca.harness.lab;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * Writes a cpio archive in the format "newc", which the kernel unpacks as its initramfs. Not thread-safe.
 *
 * <pre>
 *   magic | 13 fields of 8 hex digits | name NUL | to 4 | content | to 4 | ... | TRAILER!!! | to 512
 * </pre>
 *
 * Source: Linux Documentation/driver-api/early-userspace/buffer-format.rst.
 */
final class CpioArchive {
    private static final int DIRECTORY = 0040755;
    private static final int PROGRAM = 0100755;
    private static final int BLOCK = 512;
    private static final int ALIGNMENT = 4;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private int inode = 1;

    CpioArchive directory(final String path) {
        entry(path, DIRECTORY, new byte[0]);
        return this;
    }

    /** A file that may be executed; its directory must have been written before. */
    CpioArchive file(final String path, final byte[] content) {
        entry(path, PROGRAM, content);
        return this;
    }

    /** The whole archive; nothing can be added afterwards. */
    byte[] finish() {
        entry("TRAILER!!!", 0, new byte[0]);
        pad(BLOCK);
        return out.toByteArray();
    }

    private void entry(final String path, final int mode, final byte[] content) {
        final byte[] name = (path + '\0').getBytes(StandardCharsets.UTF_8);
        final int links = 1;
        final int[] fields = {inode++, mode, 0, 0, links, 0, content.length, 0, 0, 0, 0, name.length, 0};
        final StringBuilder head = new StringBuilder("070701");
        for (final int field : fields) {
            head.append(String.format(Locale.ROOT, "%08X", field));
        }
        out.writeBytes(head.toString().getBytes(StandardCharsets.US_ASCII));
        out.writeBytes(name);
        pad(ALIGNMENT);
        out.writeBytes(content);
        pad(ALIGNMENT);
    }

    private void pad(final int multiple) {
        while (out.size() % multiple != 0) {
            out.write(0);
        }
    }
}
