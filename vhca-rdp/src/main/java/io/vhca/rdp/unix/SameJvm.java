package io.vhca.rdp.unix;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** How another process is started that runs as this one does: its class path, its module flags, vHCA's properties. */
public final class SameJvm {
    private static final String OWN = "vhca.";

    private SameJvm() {}

    /** The words that start it. */
    public static List<String> command(final Class<?> main, final List<String> arguments) {
        final List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        for (final String flag : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
            if (flag.startsWith("--")) {
                command.add(flag);
            }
        }
        for (final String name : System.getProperties().stringPropertyNames()) {
            if (name.startsWith(OWN)) {
                command.add("-D" + name + "=" + System.getProperty(name));
            }
        }
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(arguments);
        return command;
    }
}
