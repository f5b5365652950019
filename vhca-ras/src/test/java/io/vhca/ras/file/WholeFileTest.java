package io.vhca.ras.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WholeFileTest {
    private static final Path NAME = Path.of("bond0.1.dump");
    private static final Set<PosixFilePermission> MODE = PosixFilePermissions.fromString("rw-------");

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path parent;

    private interface Use {
        void with(PrivateDirectory directory) throws IOException;
    }

    private void opened(final Use use) throws IOException {
        try (PrivateDirectory directory =
                PrivateDirectory.create(parent.resolve("own"), PosixFilePermissions.fromString("rwx------"))) {
            use.with(directory);
        }
    }

    private static WholeFile.Content text(final String text) {
        return to -> WholeTransfer.write(to, ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
    }

    private static String read(final PrivateDirectory directory) throws IOException {
        return Files.readString(directory.path().resolve(NAME));
    }

    @Test
    void whoeverLooksSeesTheOneBeforeUntilItIsWhole() throws IOException {
        opened(directory -> {
            WholeFile.write(directory, NAME, MODE, text("before"));
            WholeFile.write(directory, NAME, MODE, to -> {
                text("a half ").write(to);
                assertThat(read(directory)).isEqualTo("before");
                text("and a half").write(to);
            });
            assertThat(read(directory)).isEqualTo("a half and a half");
            assertThat(directory.names()).containsExactly(NAME);
            assertThat(Files.getPosixFilePermissions(directory.path().resolve(NAME))).isEqualTo(MODE);
        });
    }

    @Test
    void ofTwoThatAreWrittenAtOnceEachIsWholeAndTheLastIsThere() throws IOException {
        opened(directory -> {
            WholeFile.write(directory, NAME, MODE, to -> {
                text("the first").write(to);
                WholeFile.write(directory, NAME, MODE, text("the second"));
                assertThat(read(directory)).isEqualTo("the second");
            });
            assertThat(read(directory)).isEqualTo("the first");
            assertThat(directory.names()).containsExactly(NAME);
        });
    }

    @Test
    void oneThatFailsLeavesTheOtherAndNothingOfItsOwn() throws IOException {
        opened(directory -> {
            WholeFile.write(directory, NAME, MODE, text("before"));
            assertThatThrownBy(() -> WholeFile.write(directory, NAME, MODE, to -> {
                throw new IOException("planted");
            })).hasMessage("planted");
            assertThat(read(directory)).isEqualTo("before");
            assertThat(directory.names()).containsExactly(NAME);
        });
    }

    /** Containers that share a directory have processes of the same numbers, now or one after the other. */
    @Test
    void whatAnotherProcessOfTheSameNumberWritesStaysAsItIs() throws IOException {
        opened(directory -> {
            final String[] part = new String[1];
            WholeFile.write(directory, NAME, MODE, to -> part[0] = directory.names().getFirst().toString());
            final Matcher matcher = Pattern.compile("(.+\\.)([0-9]+)\\.part").matcher(part[0]);
            assertThat(matcher.matches()).isTrue();
            final Path next = Path.of(matcher.group(1) + (Long.parseLong(matcher.group(2)) + 1) + ".part");
            directory.createFile(next, MODE).close();
            WholeFile.write(directory, NAME, MODE, text("whole"));
            assertThat(read(directory)).isEqualTo("whole");
            assertThat(directory.names()).containsExactlyInAnyOrder(NAME, next);
        });
    }

    @Test
    void whoWritesIsInItsNameUntilItIsWhole() {
        assertThat(WholeFile.writer("bond0.1.dump.4711.3.part")).isEqualTo("4711");
        assertThat(WholeFile.writer("bond0.1.dump")).isEmpty();
        assertThat(WholeFile.writer("bond0.1.part")).isEmpty();
    }
}
