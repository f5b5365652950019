package io.vhca.disni;

import io.vhca.api.Devices;
import io.vhca.physical.soft.SoftDevice;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/**
 * Programs of both versions of DiSNI, each as if in a process of its own: a class loader has this module's classes
 * before DiSNI's jar, as a class path would have them. A process that is over gives its devices back; these do not, so
 * that a program is loaded once and runs again. Bond n has the soft devices 2n and 2n + 1; soft8 is of no bond.
 */
final class DisniWorld {
    private static final int BONDS = 4;
    private static final Path OWN = Path.of("target/classes");
    private static final Path PROGRAMS = Path.of("target/test-classes");
    private static final Path SOURCES = Path.of("src/test/java/io/vhca/disni/program");
    /** Where the build puts jars that cannot be on the class path: another version of one that is. */
    private static final Path JARS = Path.of("target/jars");

    /** Addresses of its own: other tests on this machine have soft devices too. */
    private static final String NET;

    static {
        final SplittableRandom random = new SplittableRandom();
        NET = "127." + random.nextInt(32, 250) + "." + random.nextInt(250) + ".";
        System.setProperty(
                "vhca.soft",
                IntStream.rangeClosed(0, 2 * BONDS)
                        .mapToObj(i -> "soft" + i + "=" + addressOf("soft" + i))
                        .collect(Collectors.joining(",")));
        System.setProperty(
                "vhca.bond",
                IntStream.range(0, BONDS)
                        .mapToObj(i -> String.format(Locale.ROOT, "bond%d: members=soft%d,soft%d", i, 2 * i, 2 * i + 1))
                        .collect(Collectors.joining("; ")));
    }

    private static final Map<String, Program> LOADED = new HashMap<>();

    private DisniWorld() {}

    /** A program and all of DiSNI that it uses, loaded by themselves. */
    static final class Program extends URLClassLoader {
        private final String device;

        Program(final String device, final Path... classPath) {
            super(
                    Stream.concat(Stream.of(OWN), Arrays.stream(classPath))
                            .map(DisniWorld::url)
                            .toArray(URL[]::new),
                    DisniWorld.class.getClassLoader());
            this.device = device;
        }

        @Override
        protected Class<?> loadClass(final String name, final boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith("com.ibm.") && !name.startsWith("io.vhca.disni.")) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                final Class<?> loaded = findLoadedClass(name);
                return loaded != null ? loaded : findClass(name);
            }
        }

        /** Calls a static method; its failure is thrown as it is. */
        Object call(final String program, final String method, final Object... arguments) throws Exception {
            return callClass("io.vhca.disni.program." + program, method, arguments);
        }

        /** Calls main of a class. */
        void main(final String name, final List<String> arguments) throws Exception {
            callClass(name, "main", (Object) arguments.toArray(new String[0]));
        }

        private Object callClass(final String program, final String method, final Object... arguments)
                throws Exception {
            System.setProperty(DeviceChoice.PROPERTY, device);
            for (final Method one : loadClass(program).getMethods()) {
                if (one.getName().equals(method)) {
                    try {
                        return one.invoke(null, arguments);
                    } catch (final InvocationTargetException e) {
                        throw e.getCause() instanceof final Exception cause ? cause : e;
                    }
                }
            }
            throw new NoSuchMethodException(program + "." + method);
        }
    }

    /**
     * The programs on that device.
     *
     * @param version the major version of DiSNI
     */
    static synchronized Program program(final int version, final String device) throws IOException {
        final String name = version + device;
        Program program = LOADED.get(name);
        if (program == null) {
            program = version == 1
                    ? version1(device)
                    : new Program(device, PROGRAMS, jar("disni-2"), jar("darpc"), examples("darpc"));
            LOADED.put(name, program);
        }
        return program;
    }

    /** The same sources, compiled against DiSNI 1.x, which had its classes in another package. */
    private static Program version1(final String device) throws IOException {
        final Path scratch = Path.of("target/version1/" + device);
        final Path sources = Files.createDirectories(scratch.resolve("src"));
        final Path classes = Files.createDirectories(scratch.resolve("classes"));
        for (final String name : List.of("Buffers", "ReadProgram", "EchoProgram")) {
            final String text = Files.readString(SOURCES.resolve(name + ".java"));
            Files.writeString(
                    sources.resolve(name + ".java"), text.replace("com.ibm.disni.", "com.ibm.disni.rdma."));
        }
        final String[] arguments = {
            "-proc:none",
            "-d", classes.toString(),
            "-cp", jar("disni-1").toString(),
            sources.resolve("Buffers.java").toString(),
            sources.resolve("ReadProgram.java").toString(),
            sources.resolve("EchoProgram.java").toString(),
        };
        if (ToolProvider.getSystemJavaCompiler().run(InputStream.nullInputStream(), null, null, arguments) != 0) {
            throw new IOException("the programs do not compile against DiSNI 1.x, see above");
        }
        return new Program(device, classes, jar("disni-1"), examples("disni-1"));
    }

    /** The jar whose name begins so. */
    static Path jar(final String name) {
        return jar(name, false);
    }

    /** The jar with the examples of the one whose name begins so. */
    private static Path examples(final String name) {
        return jar(name, true);
    }

    private static Path jar(final String name, final boolean isExamples) {
        try (Stream<Path> files = Files.list(JARS)) {
            return files.filter(file -> file.getFileName().toString().startsWith(name)
                            && file.getFileName().toString().endsWith("-tests.jar") == isExamples)
                    .findFirst()
                    .orElseThrow(() -> new IllegalStateException("no " + name + " in " + JARS));
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The class path of DaRPC's examples in a process of their own. */
    static String remoteProcedures() {
        return Stream.concat(
                        Stream.of(OWN, jar("disni-2"), jar("darpc"), examples("darpc")).map(Path::toAbsolutePath),
                        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                                .map(Path::of)
                                .filter(entry -> Stream.of("disni", "darpc")
                                        .noneMatch(entry.getFileName().toString()::startsWith)))
                .map(Path::toString)
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** The class path of this test without DiSNI, what it brings along, and this module. */
    static String devicesOnly() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(Path::of)
                .filter(entry -> Stream.of("disni", "darpc", "slf4j")
                                .noneMatch(entry.getFileName().toString()::startsWith)
                        && !entry.toAbsolutePath().startsWith(Path.of("").toAbsolutePath()))
                .map(Path::toString)
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** The address of a soft device in a process of its own. */
    static String addressElsewhere(final int number) {
        return NET + (100 + number);
    }

    /** The address of a soft device. */
    static String addressOf(final String device) {
        return NET + (1 + Character.digit(device.charAt(device.length() - 1), 10));
    }

    /** Pulls the cable of a soft device out, or puts it in. */
    static void port(final String device, final boolean isUp) {
        ((SoftDevice) Devices.byName(device)).setPortUp(isUp);
    }

    /** A soft device is gone, for the rest of the tests. */
    static void kill(final String device) {
        ((SoftDevice) Devices.byName(device)).kill();
    }

    private static URL url(final Path path) {
        try {
            return path.toUri().toURL();
        } catch (final MalformedURLException e) {
            throw new IllegalStateException(e);
        }
    }
}
