package io.vhca.harness.bench.profile;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordingFile;

/** Stacks that were sampled, put together: how often each frame was there under those that called it. One thread. */
final class FlameGraph {
    private static final String SAMPLE = "jdk.ExecutionSample";

    private final Frame root = new Frame("all");

    /** A method under those that called it, and how many samples have it there. */
    static final class Frame {
        private final String name;
        private final Map<String, Frame> callees = new TreeMap<>();
        private long samples;

        private Frame(final String name) {
            this.name = name;
        }

        String name() {
            return name;
        }

        long samples() {
            return samples;
        }

        /** By name, so that two graphs of the same code are drawn alike. */
        List<Frame> callees() {
            return List.copyOf(callees.values());
        }
    }

    Frame root() {
        return root;
    }

    /** Adds a sample: its thread's frames, the outermost first. */
    void add(final List<String> stack) {
        Frame at = root;
        at.samples++;
        for (final String name : stack) {
            at = at.callees.computeIfAbsent(name, Frame::new);
            at.samples++;
        }
    }

    /** Adds the samples of Java code in a file of the JVM's flight recorder. */
    void addAll(final Path recording) throws IOException {
        try (RecordingFile file = new RecordingFile(recording)) {
            while (file.hasMoreEvents()) {
                final RecordedEvent event = file.readEvent();
                final RecordedStackTrace trace = event.getStackTrace();
                if (event.getEventType().getName().equals(SAMPLE) && trace != null) {
                    add(stack(trace));
                }
            }
        }
    }

    private static List<String> stack(final RecordedStackTrace trace) {
        final List<String> names = new ArrayList<>();
        for (final RecordedFrame frame : trace.getFrames().reversed()) {
            final RecordedMethod method = frame.getMethod();
            names.add(name(method.getType().getName(), method.getName()));
        }
        return names;
    }

    /** A method's name without the package; the number of a lambda's class says nothing. */
    static String name(final String type, final String method) {
        final int lambda = type.indexOf("$$Lambda");
        final String named = lambda < 0 ? type : type.substring(0, lambda) + "$$Lambda";
        return named.substring(named.lastIndexOf('.') + 1) + "." + method;
    }
}
