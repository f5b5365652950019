package io.vhca.tool;

/**
 * A command that another jar adds to the tool. The class carries picocli's {@code @Command} annotation, has a public
 * constructor without parameters, and a line in {@code META-INF/services/io.vhca.tool.ToolCommand}; the help lists
 * commands in the order of the lines.
 */
public interface ToolCommand {
    /** A command line and what it does, for the examples of {@code vhca --help}; empty for none. */
    default String example() {
        return "";
    }
}
