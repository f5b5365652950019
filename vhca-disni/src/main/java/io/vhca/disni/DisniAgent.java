package io.vhca.disni;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.net.URL;
import java.net.URLClassLoader;
import java.security.ProtectionDomain;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The agent that puts this module's classes in the place of DiSNI's native-bound ones, wherever a program has DiSNI
 * from: {@code java -javaagent:vhca-disni.jar -jar PROGRAM.jar}. It also exports the packages of the JDK that vHCA and
 * DiSNI use, so that no flags are needed. It runs once, before the program; then in whatever thread loads a class.
 */
public final class DisniAgent implements ClassFileTransformer {
    /** Packages of java.base that vHCA's libraries and DiSNI reach into. */
    private static final Set<String> EXPORTED = Set.of("jdk.internal.misc", "sun.nio.ch", "jdk.internal.ref");

    private static final Set<String> OPENED = Set.of("java.lang.reflect", "java.nio");
    private static final String DISNI = "com/ibm/disni/";

    private final Instrumentation instrumentation;
    private final Map<String, byte[]> replacements;

    private DisniAgent(final Instrumentation instrumentation, final Map<String, byte[]> replacements) {
        this.instrumentation = instrumentation;
        this.replacements = replacements;
    }

    /** The JVM calls it ({@link java.lang.instrument}). */
    public static void premain(final String options, final Instrumentation instrumentation) {
        requireDevices();
        final DisniAgent agent = new DisniAgent(
                instrumentation,
                Set.of(
                                DISNI + "verbs/impl/NativeDispatcher",
                                DISNI + "rdma/verbs/impl/NativeDispatcher",
                                DISNI + "util/NativeAffinity")
                        .stream()
                        .collect(Collectors.toUnmodifiableMap(name -> name, DisniAgent::ownClass)));
        agent.export(ClassLoader.getSystemClassLoader().getUnnamedModule());
        instrumentation.addTransformer(agent);
    }

    /** @throws IllegalStateException where this jar was taken away from those it needs, as in a Maven repository */
    private static void requireDevices() {
        try {
            Class.forName("io.vhca.api.Devices", false, DisniAgent.class.getClassLoader());
        } catch (final ClassNotFoundException e) {
            throw new IllegalStateException(
                    "vhca-api and the other jars of vHCA are neither beside " + own() + " nor on the class path; "
                            + "name the agent in the directory lib of the distribution",
                    e);
        }
    }

    private static URL own() {
        return DisniAgent.class.getProtectionDomain().getCodeSource().getLocation();
    }

    /** The bytes of a class as this jar has it: another jar with a class of that name may stand before. */
    private static byte[] ownClass(final String name) {
        final URL own = own();
        final String file = name + ".class";
        try (URLClassLoader jar = new URLClassLoader(new URL[] {own}, null);
                InputStream in = jar.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException(own + " lacks " + file + "; it is not whole, install it again");
            }
            return in.readAllBytes();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void export(final Module to) {
        final Set<Module> one = Set.of(to);
        instrumentation.redefineModule(
                Object.class.getModule(),
                Set.of(),
                EXPORTED.stream().collect(Collectors.toMap(name -> name, name -> one)),
                OPENED.stream().collect(Collectors.toMap(name -> name, name -> one)),
                Set.of(),
                Map.of());
    }

    @Override
    public byte @Nullable [] transform(
            final @Nullable ClassLoader loader,
            final @Nullable String className,
            final @Nullable Class<?> redefined,
            final @Nullable ProtectionDomain domain,
            final byte[] bytes) {
        if (className == null || loader == null || !className.startsWith(DISNI)) {
            return null;
        }
        // A launcher's own class loader has an unnamed module of its own.
        export(loader.getUnnamedModule());
        return replacements.get(className);
    }
}
