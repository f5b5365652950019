package io.vhca.ras.dump;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.ras.status.StatusDirectory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Of two dumps that are asked for the later one is there, however long the other one takes. */
@Timeout(60)
class AskedDumpTest {
    private static final Path NAME = BondDump.askedName("bond0", 4711);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    @BeforeEach
    void name() {
        System.setProperty(StatusDirectory.PROPERTY, directory.toString());
    }

    @AfterEach
    void forget() {
        System.clearProperty(StatusDirectory.PROPERTY);
    }

    private static void say(final WritableByteChannel to, final String text) throws IOException {
        to.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
    }

    private static void await(final CountDownLatch latch) throws IOException {
        try {
            latch.await();
        } catch (final InterruptedException e) {
            throw new IOException(e);
        }
    }

    @Test
    void oneThatTakesLongerDoesNotReplaceALaterOne() throws Exception {
        final CountDownLatch isBegun = new CountDownLatch(1);
        final CountDownLatch mayEnd = new CountDownLatch(1);
        final Thread slow = Thread.ofPlatform().start(() -> BondDump.writeAsked(NAME, (file, into) -> {
            isBegun.countDown();
            await(mayEnd);
            say(file, "asked for");
        }));
        isBegun.await();
        final Thread later = Thread.ofPlatform()
                .start(() -> BondDump.writeAsked(NAME, (file, into) -> say(file, "left out")));
        while (later.getState() != Thread.State.WAITING && later.isAlive()) {
            Thread.onSpinWait();
        }
        mayEnd.countDown();
        slow.join();
        later.join();
        assertThat(directory.resolve(NAME)).hasContent("left out");
    }
}
