package io.vhca.api;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.agrona.UnsafeApi;

/**
 * The flags of the JVM that vHCA runs with, one row each: its text, when it is needed and what needs it. The build, the
 * launchers and docs/USING.md have the same rows. Any thread.
 */
public enum JvmFlag {
    /** Agrona reaches memory through a class of the JDK that is not exported. */
    AGRONA(
            "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED",
            Need.ALWAYS,
            "Agrona, through which vHCA reads and writes native memory"),
    /** FFM: foreign memory, and functions of libibverbs, librdmacm and libc. */
    FOREIGN(
            "--enable-native-access=ALL-UNNAMED",
            Need.NO_WARNING,
            "FFM, through which vHCA calls libibverbs, librdmacm and libc"),
    /** Chronicle maps files through sun.nio.ch. */
    CHRONICLE_FILES(
            "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED",
            Need.JOURNAL,
            "Chronicle Queue, which maps the journal's files"),
    /** Chronicle makes methods accessible by reflection. */
    CHRONICLE_REFLECTION(
            "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED",
            Need.JOURNAL,
            "Chronicle Queue, which calls methods of the JDK by reflection"),
    /** Chronicle frees direct buffers through jdk.internal.ref. */
    CHRONICLE_CLEANER(
            "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED",
            Need.NO_WARNING,
            "Chronicle Queue, which frees its buffers (with a journal only)"),
    /** Chronicle and JNR still use sun.misc.Unsafe. */
    UNSAFE(
            "--sun-misc-unsafe-memory-access=allow",
            Need.NO_WARNING,
            "Chronicle Queue, which uses sun.misc.Unsafe (with a journal only)"),
    /** Keeps Chronicle's usage reports off, also where another dependency brings that library. */
    ANALYTICS(
            "-Dchronicle.analytics.disable=true",
            Need.NOTHING_UNASKED,
            "Chronicle Queue, which reports its use to a server where chronicle-analytics is on the class path"),
    /** Keeps Chronicle's watch of the disk off, a thread of its own. */
    DISK_MONITOR(
            "-Dchronicle.disk.monitor.disable=true",
            Need.NOTHING_UNASKED,
            "Chronicle Queue, which starts a thread that watches the disk's room"),
    /** Keeps SLF4J, which Chronicle logs through, from telling that no logger is there. */
    SLF4J(
            "-Dslf4j.internal.verbosity=ERROR",
            Need.NO_WARNING,
            "SLF4J, which Chronicle Queue logs through, where the application has no logger for it");

    /** When a flag is needed. */
    public enum Need {
        /** No device opens without it. */
        ALWAYS("always"),
        /** A bond's journal is not written without it; everything else works. */
        JOURNAL("with a journal"),
        /** Everything works without it; a warning is printed. */
        NO_WARNING("against a warning"),
        /** Everything works without it; a library does something that nobody asked for. */
        NOTHING_UNASKED("for quiet");

        private final String text;

        Need(final String text) {
            this.text = text;
        }

        /** The need in words, as the table of docs/USING.md has it. */
        public String text() {
            return text;
        }
    }

    /** All that is on the class path. */
    private static final String UNNAMED = "ALL-UNNAMED";

    private final String text;
    private final Need need;
    private final String neededBy;

    JvmFlag(final String text, final Need need, final String neededBy) {
        this.text = text;
        this.need = need;
        this.neededBy = neededBy;
    }

    /** The flag as it is given to {@code java}. */
    public String text() {
        return text;
    }

    /** When it is needed. */
    public Need need() {
        return need;
    }

    /** What needs it, and for what. */
    public String neededBy() {
        return neededBy;
    }

    /**
     * Whether this JVM lets a library do what the flag is for. Flags that only keep something quiet are never missing.
     *
     * @param library the module of the library that needs it, as it is loaded: the unnamed one on the class path
     */
    public boolean isMissingFor(final Module library) {
        final Module base = Object.class.getModule();
        return switch (this) {
            case AGRONA -> !base.isExported("jdk.internal.misc", library);
            case CHRONICLE_FILES -> !base.isExported("sun.nio.ch", library);
            case CHRONICLE_REFLECTION -> !base.isOpen("java.lang.reflect", library);
            case FOREIGN, CHRONICLE_CLEANER, UNSAFE, ANALYTICS, DISK_MONITOR, SLF4J -> false;
        };
    }

    /** The flags of that need that this JVM was started without, as they are to be added for those libraries. */
    public static List<String> missing(final Need need, final Module... libraries) {
        final List<String> missing = new ArrayList<>();
        for (final JvmFlag flag : values()) {
            final String modules = Arrays.stream(libraries)
                    .filter(library -> flag.need == need && flag.isMissingFor(library))
                    .map(library -> library.isNamed() ? library.getName() : UNNAMED)
                    .distinct()
                    .collect(Collectors.joining(","));
            if (!modules.isEmpty()) {
                missing.add(flag.text.replace(UNNAMED, modules));
            }
        }
        return missing;
    }

    /**
     * Checks that this JVM has the flags that every device needs. {@link Devices} does so at its first use.
     *
     * @throws VerbsException EOPNOTSUPP, one sentence that names the flags to add; without a stack trace, as the place
     *     of the call says nothing about the flags of the JVM
     */
    public static void check() {
        // The class is named, not initialized: without the flag it cannot be.
        final List<String> missing = missing(Need.ALWAYS, UnsafeApi.class.getModule());
        if (!missing.isEmpty()) {
            final VerbsException failure = new VerbsException(
                    "getDeviceList",
                    Errno.EOPNOTSUPP,
                    "this JVM",
                    "vHCA needs the flag " + String.join(" and ", missing) + ": add it to the command line of java"
                            + " (it is for " + AGRONA.neededBy + "); docs/USING.md lists all flags");
            failure.setStackTrace(new StackTraceElement[0]);
            throw failure;
        }
    }
}
