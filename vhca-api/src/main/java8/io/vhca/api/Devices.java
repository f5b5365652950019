package io.vhca.api;

import java.util.List;

/**
 * What a Java older than 25 loads from the jar in the place of Devices, whose class file it cannot read: the same
 * methods, each of which says in one sentence what is missing. Any thread.
 */
public final class Devices {
    private Devices() {}

    public static List<DeviceProvider> providers() {
        throw tooOld();
    }

    public static List<Device> list() {
        throw tooOld();
    }

    public static Device byName(final String name) {
        throw tooOld();
    }

    public static Context open(final String name) {
        throw tooOld();
    }

    /** Without a stack trace: the place of the call says nothing about the Java it runs on. */
    private static UnsupportedOperationException tooOld() {
        final UnsupportedOperationException failure = new UnsupportedOperationException(
                "vHCA needs Java 25 or newer; this is Java " + System.getProperty("java.version") + " in "
                        + System.getProperty("java.home"));
        failure.setStackTrace(new StackTraceElement[0]);
        return failure;
    }
}
