package io.vhca.ras.thread;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A platform thread that is inside a bond, as its stack says.
 *
 * @param where     the innermost call of the bond's
 * @param state     as Java has it
 * @param isHolder  whether it has the control lock
 * @param stack     innermost first
 */
record InsideThread(String name, String where, Thread.State state, boolean isHolder, List<StackTraceElement> stack) {
    private static final String BOND = "io.vhca.bond.";
    private static final String IDLE = "io.vhca.bond.BondAgent";

    /** All there are, by name. */
    static List<InsideThread> all(final @Nullable Thread holder) {
        final List<InsideThread> inside = new ArrayList<>();
        for (final Map.Entry<Thread, StackTraceElement[]> one : Thread.getAllStackTraces().entrySet()) {
            Arrays.stream(one.getValue())
                    .filter(frame -> frame.getClassName().startsWith(BOND) && !frame.getClassName().equals(IDLE))
                    .findFirst()
                    .ifPresent(frame -> inside.add(new InsideThread(
                            one.getKey().getName(), text(frame), one.getKey().getState(), one.getKey() == holder,
                            List.of(one.getValue()))));
        }
        inside.sort(Comparator.comparing(InsideThread::name).thenComparing(InsideThread::where));
        return inside;
    }

    private static String text(final StackTraceElement frame) {
        final String type = frame.getClassName();
        return type.substring(type.lastIndexOf('.') + 1) + "." + frame.getMethodName() + ":" + frame.getLineNumber();
    }
}
