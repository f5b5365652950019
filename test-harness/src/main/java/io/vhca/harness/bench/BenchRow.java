package io.vhca.harness.bench;

/**
 * One line of the benchmark's table.
 *
 * @param goal what was aimed at, empty for a figure without a goal
 * @param met  whether the goal was met; true without a goal
 */
public record BenchRow(String what, String measured, String goal, boolean met) {
    public static BenchRow figure(final String what, final String measured) {
        return new BenchRow(what, measured, "", true);
    }

    String verdict() {
        return goal.isEmpty() ? "" : met ? "met" : "MISSED";
    }
}
