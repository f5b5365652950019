package io.vhca.physical.soft;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.MethodModel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Methods of the transport engine stay within the size up to which HotSpot inlines what is called often
 * (FreqInlineSize, 325 bytes of bytecode). All of them, but what only control calls run.
 */
class HotPathTest {
    private static final int FREQ_INLINE_SIZE = 325;
    private static final Path CLASSES = Path.of("target", "classes", "io", "vhca", "physical", "soft");
    /** Attributes of a queue pair: modifyQp alone judges and applies them. */
    private static final Set<String> CONTROL = Set.of("QpSettings.judge", "QpSettings.apply");

    private static List<String> largerThan(final int most) throws IOException {
        final List<String> large = new ArrayList<>();
        for (final String part : List.of("engine", "wire", "carrier")) {
            try (Stream<Path> files = Files.walk(CLASSES.resolve(part))) {
                for (final Path file : files.filter(path -> path.toString().endsWith(".class")).toList()) {
                    collect(ClassFile.of().parse(file), most, large);
                }
            }
        }
        return large;
    }

    private static void collect(final ClassModel type, final int most, final List<String> large) {
        final String name = type.thisClass().asSymbol().displayName();
        for (final MethodModel method : type.methods()) {
            final String full = name + "." + method.methodName().stringValue();
            final boolean isHot = !method.methodName().stringValue().startsWith("<") && !CONTROL.contains(full);
            method.findAttribute(Attributes.code())
                    .filter(code -> isHot && code.codeLength() > most)
                    .ifPresent(code -> large.add(full));
        }
    }

    @Test
    void methodsAreSmallEnoughToBeInlined() throws IOException {
        assertThat(largerThan(FREQ_INLINE_SIZE)).isEmpty();
        assertThat(largerThan(200)).as("what the test must see").contains("RequestWriter.sendData", "SoftCq.push");
    }
}
