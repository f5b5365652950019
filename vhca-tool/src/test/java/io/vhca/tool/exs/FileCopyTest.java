package io.vhca.tool.exs;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** What a sender may not do to who receives. */
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
        assertThatThrownBy(() -> FileCopy.receive(new Said(said), directory))
                .isInstanceOf(IOException.class)
                .hasMessage("a file is not taken under the name n\u00e4me: it has no such letters");
    }
}
