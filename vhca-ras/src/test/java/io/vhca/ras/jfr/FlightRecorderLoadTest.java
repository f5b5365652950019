package io.vhca.ras.jfr;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.bond.core.MemberChange;
import io.vhca.recovery.wire.FailureReason;
import java.nio.charset.StandardCharsets;
import jdk.jfr.EventType;
import jdk.jfr.Recording;
import org.junit.jupiter.api.Test;

/** What it costs where nobody records: not even that the events are loaded. */
class FlightRecorderLoadTest {
    private final FlightRecorder recorder = new FlightRecorder("bond0");

    private static void tell(final FlightRecorder recorder) {
        recorder.onActive("one", "other");
        recorder.onMember("one", MemberChange.DOWN, FailureReason.PORT_ERR, 1);
        recorder.onDatagramMove(1, "one", "other");
    }

    private static boolean isLoaded() {
        return jdk.jfr.FlightRecorder.getFlightRecorder().getEventTypes().stream()
                .map(EventType::getName)
                .anyMatch(name -> name.startsWith("io.vhca."));
    }

    @Test
    void noEventIsLoadedBeforeThereIsARecording() {
        assertThat(jdk.jfr.FlightRecorder.isInitialized()).as("another test records").isFalse();
        tell(recorder);
        assertThat(isLoaded()).isFalse();
        try (Recording recording = new Recording()) {
            recording.start();
            tell(recorder);
            assertThat(isLoaded()).isTrue();
        }
    }

    /** A JVM that jlink made. */
    @Test
    void aJvmWithoutTheRecorderRecordsNothing() throws Exception {
        final Process process = new ProcessBuilder(
                        "sh", "-c", "unset JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS _JAVA_OPTIONS; exec \"$@\"", "sh",
                        ProcessHandle.current().info().command().orElse("java"), "--limit-modules=java.base",
                        "-cp", System.getProperty("java.class.path"), WithoutRecorder.class.getName())
                .redirectErrorStream(true)
                .start();
        final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        assertThat(output).isEqualTo("told\n");
    }

    /** A program without the module jdk.jfr. */
    static final class WithoutRecorder {
        private WithoutRecorder() {}

        public static void main(final String[] args) {
            tell(new FlightRecorder("bond0"));
            new HealthRecorder("bond0").error("journal", 1);
            System.out.println("told");
        }
    }
}
