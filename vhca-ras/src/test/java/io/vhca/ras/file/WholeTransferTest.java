package io.vhca.ras.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WholeTransferTest {
    /** Takes a part at a time, as a channel may. */
    private static final class SlowChannel implements WritableByteChannel {
        private final ByteArrayOutputStream taken = new ByteArrayOutputStream();

        @Override
        public int write(final ByteBuffer from) {
            final int part = Math.min(from.remaining(), 40_000);
            for (int i = 0; i < part; i++) {
                taken.write(from.get());
            }
            return part;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 64 << 10, (64 << 10) + 1, 200_000})
    void asManyZerosAreWrittenAsAreAskedFor(final int lengthBytes) throws IOException {
        final SlowChannel channel = new SlowChannel();
        WholeTransfer.writeZeros(channel, lengthBytes);
        assertThat(channel.taken.toByteArray()).isEqualTo(new byte[lengthBytes]);
    }
}
