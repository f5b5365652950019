package io.vhca.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import org.junit.jupiter.api.Test;

/** Functions of the C library are found, whatever the process lacks. */
class CLibraryTest {
    @Test
    void aFunctionIsFoundAndWhatIsNoneIsNot() {
        assertThat(CLibrary.function("getpid")).isEqualTo(CLibrary.find("getpid").orElseThrow());
        assertThat(CLibrary.find("no_such_function")).isEmpty();
        assertThatThrownBy(() -> CLibrary.function("no_such_function")).isInstanceOf(NoSuchElementException.class);
    }

    /** One moment without a descriptor made soft devices unusable for as long as the process lived. */
    @Test
    void aFunctionIsFoundWithoutAFileDescriptor() throws Exception {
        final List<String> command = new ArrayList<>(List.of(
                "sh", "-c",
                "unset JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS _JAVA_OPTIONS; ulimit -n 256 && exec \"$@\"", "sh"));
        command.add(ProcessHandle.current().info().command().orElse("java"));
        command.addAll(List.of(
                "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"),
                WithoutDescriptors.class.getName()));
        final Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        assertThat(output).isEqualTo("none is left\nfound\n");
    }

    /** A program that uses the C library first when all descriptors are taken. */
    static final class WithoutDescriptors {
        private WithoutDescriptors() {}

        public static void main(final String[] args) throws Exception {
            // Found on the class path, which takes a descriptor, and not initialized.
            Class.forName(CLibrary.class.getName(), false, WithoutDescriptors.class.getClassLoader());
            final List<InputStream> taken = new ArrayList<>();
            try {
                while (true) {
                    taken.add(new FileInputStream("/dev/null"));
                }
            } catch (final FileNotFoundException e) {
                System.out.println("none is left");
            }
            System.out.println(CLibrary.find("getpid").isPresent() ? "found" : "not found");
        }
    }
}
