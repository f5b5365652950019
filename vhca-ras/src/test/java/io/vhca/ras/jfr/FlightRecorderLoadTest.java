package io.vhca.ras.jfr;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.bond.core.MemberChange;
import io.vhca.recovery.wire.FailureReason;
import jdk.jfr.EventType;
import jdk.jfr.Recording;
import org.junit.jupiter.api.Test;

/** What it costs where nobody records: not even that the events are loaded. */
class FlightRecorderLoadTest {
    private final FlightRecorder recorder = new FlightRecorder("bond0");

    private void tell() {
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
        tell();
        assertThat(isLoaded()).isFalse();
        try (Recording recording = new Recording()) {
            recording.start();
            tell();
            assertThat(isLoaded()).isTrue();
        }
    }
}
