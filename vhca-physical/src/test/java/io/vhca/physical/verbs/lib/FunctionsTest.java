package io.vhca.physical.verbs.lib;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The C functions as they are written down, against what jextract read in the headers; needs neither library. */
class FunctionsTest {
    private static final Pattern WRITTEN = Pattern.compile("Libraries\\.function\\(\"(\\w+)\", (\\d+)\\)");

    private static Map<String, Method> generated() throws ClassNotFoundException {
        // Not initialised, which would load the libraries.
        final Class<?> bindings = Class.forName(
                "io.vhca.physical.rdmacore.RdmaCore", false, FunctionsTest.class.getClassLoader());
        return Arrays.stream(bindings.getDeclaredMethods())
                .filter(method -> method.getName().matches("_?(ibv|rdma)_\\w+"))
                .collect(Collectors.toMap(Method::getName, Function.identity(), (first, second) -> first));
    }

    @ParameterizedTest
    @ValueSource(strings = {"Ibv", "RdmaCm"})
    void eachTakesAsManyArgumentsAsInItsHeaderAndNoneIsANumberThatIsNotWhole(final String name)
            throws IOException, ClassNotFoundException {
        final Map<String, Method> generated = generated();
        final List<String> seen = new ArrayList<>();
        final Matcher written = WRITTEN.matcher(
                Files.readString(Path.of("src/main/java/io/vhca/physical/verbs/lib/" + name + ".java")));
        while (written.find()) {
            assertThat(generated).containsKey(written.group(1));
            final Method method = Objects.requireNonNull(generated.get(written.group(1)));
            assertThat(method.getParameterCount()).as(written.group(1)).isEqualTo(Integer.parseInt(written.group(2)));
            assertThat(method.getParameterTypes())
                    .as(written.group(1))
                    .allMatch(type -> List.of(MemorySegment.class, long.class, int.class, short.class, byte.class)
                            .contains(type));
            seen.add(written.group(1));
        }
        assertThat(seen).hasSizeGreaterThan(15).doesNotHaveDuplicates();
    }
}
