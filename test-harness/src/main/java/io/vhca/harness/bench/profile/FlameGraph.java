package io.vhca.harness.bench.profile;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import jdk.jfr.FlightRecorder;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordingFile;

/** Stacks that were sampled, put together: how often each frame was there under those that called it. One thread. */
final class FlameGraph {
    /** By the processor time of a thread, system calls included: an event that JVMs have on Linux. */
    static final String CPU_SAMPLE = "jdk.CPUTimeSample";

    static final boolean CAN_SAMPLE_CPU = FlightRecorder.getFlightRecorder().getEventTypes().stream()
            .anyMatch(type -> type.getName().equals(CPU_SAMPLE));

    /** Of threads that are in Java code. */
    private static final String JAVA_SAMPLE = "jdk.ExecutionSample";

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

    /**
     * Adds the samples in a file of the JVM's flight recorder: those by processor time where it has some, else those of
     * Java code.
     */
    void addAll(final Path recording) throws IOException {
        if (addAll(recording, CPU_SAMPLE) == 0) {
            addAll(recording, JAVA_SAMPLE);
        }
    }

    private int addAll(final Path recording, final String sample) throws IOException {
        int count = 0;
        try (RecordingFile file = new RecordingFile(recording)) {
            while (file.hasMoreEvents()) {
                final RecordedEvent event = file.readEvent();
                final RecordedStackTrace trace = event.getStackTrace();
                if (event.getEventType().getName().equals(sample) && trace != null) {
                    add(stack(trace));
                    count++;
                }
            }
        }
        return count;
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
