package io.vhca.harness.drill.protocol;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** The words that start a JVM with this one's flags and class path. Any thread. */
public final class JvmCommand {
    private JvmCommand() {}

    /**
     * The whole command.
     *
     * @param options    before the properties
     * @param properties {@code key=value}, set in the child
     */
    public static List<String> of(
            final List<String> options, final List<String> properties, final String main, final List<String> args) {
        final List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command().orElse("java"));
        command.addAll(flags(ManagementFactory.getRuntimeMXBean().getInputArguments()));
        command.addAll(options);
        properties.forEach(property -> command.add("-D" + property));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main));
        command.addAll(args);
        return command;
    }

    /** This JVM's flags less those that only one JVM can have: a debugger, and sizes of the heap. */
    public static List<String> flags(final Collection<String> all) {
        return all.stream()
                .filter(flag -> !flag.startsWith("-agentlib:")
                        && !flag.startsWith("-javaagent:")
                        && !flag.startsWith("-Xm")
                        && !flag.startsWith("-XX:+Use")
                        && !flag.startsWith("-Dvhca."))
                .toList();
    }
}
