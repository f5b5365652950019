package io.vhca.ras.journal;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChronicleJournalProviderTest {
    @Test
    void aJournalWithoutTheJarsOfChronicleIsOneErrorThatNamesThem(@TempDir final Path directory) throws Exception {
        final List<URL> jars = new ArrayList<>();
        for (final String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            if (!Path.of(entry).getFileName().toString().startsWith("chronicle-")) {
                jars.add(Path.of(entry).toUri().toURL());
            }
        }
        try (URLClassLoader without =
                new URLClassLoader(jars.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            final Method open = without.loadClass(ChronicleJournalProvider.class.getName())
                    .getDeclaredMethod("open", String.class, Path.class, without.loadClass(
                            JournalLosses.class.getName()));
            open.setAccessible(true);
            assertThatThrownBy(() -> open.invoke(null, "bond0", directory, null))
                    .cause()
                    .hasMessageContainingAll(
                            "bond0", "EOPNOTSUPP", "journal=" + directory, "net.openhft:chronicle-queue", "class path")
                    .hasCauseInstanceOf(LinkageError.class);
        }
    }
}
