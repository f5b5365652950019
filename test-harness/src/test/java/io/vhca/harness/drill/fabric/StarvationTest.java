package io.vhca.harness.drill.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The rhythm in which a process is stopped and goes on, with nobody really stopped; and that all go on in the end. */
@Timeout(600)
class StarvationTest {
    private static final long PID = 4_711;

    private final List<String> sent = new ArrayList<>();
    private boolean isGone;

    private Starvation.Cycle cycle(final int share) {
        return new Starvation.Cycle(PID, share, new SplittableRandom(3), pid -> send("stop " + pid),
                pid -> send("go on " + pid));
    }

    private boolean send(final String signal) {
        sent.add(signal);
        return !isGone;
    }

    @Test
    void itRunsForOnePartInSoManyOfTheTime() {
        final Starvation.Cycle cycle = cycle(10);
        long stoppedNs = 0;
        long awakeNs = 0;
        for (int i = 0; i < 1_000; i++) {
            final long stopNs = cycle.step();
            final long runNs = cycle.step();
            assertThat(stopNs + runNs).isBetween(Starvation.LEAST_PERIOD_NS, Starvation.MOST_PERIOD_NS);
            stoppedNs += stopNs;
            awakeNs += runNs;
        }
        assertThat((double) awakeNs / (awakeNs + stoppedNs)).isBetween(0.0999, 0.1001);
        assertThat(sent.subList(0, 4))
                .containsExactly("stop 4711", "go on 4711", "stop 4711", "go on 4711");
    }

    @Test
    void whoeverEndsItLetsTheProcessGoOnAndNothingStopsItAgain() {
        final Starvation.Cycle cycle = cycle(2);
        cycle.step();
        cycle.end();
        cycle.end();
        assertThat(cycle.step()).isZero();
        assertThat(sent).containsExactly("stop 4711", "go on 4711");
    }

    @Test
    void aProcessThatRunsIsLeftAlone() {
        final Starvation.Cycle cycle = cycle(2);
        cycle.step();
        cycle.step();
        cycle.end();
        assertThat(sent).containsExactly("stop 4711", "go on 4711");
    }

    @Test
    void aProcessThatIsGoneNeedsNoMoreSignals() {
        final Starvation.Cycle cycle = cycle(2);
        isGone = true;
        assertThat(cycle.step()).isZero();
    }

    @Test
    void aShareThatIsNoneIsRefused() {
        assertThatThrownBy(() -> new Starvation(0, List.of())).hasMessageContaining("allowed is 1 to 50");
        assertThatThrownBy(() -> new Starvation(51, List.of())).hasMessageContaining("one in 51");
        new Starvation(1, List.of(ProcessHandle.current())).close();
    }

    private static Process idle() throws IOException {
        return new ProcessBuilder("/bin/sh", "-c", "read -r line").start();
    }

    /** As the kernel says: T is stopped. */
    private static char state(final Process process) throws IOException {
        final String stat = Files.readString(Path.of("/proc", String.valueOf(process.pid()), "stat"));
        return stat.charAt(stat.lastIndexOf(')') + 2);
    }

    private static void awaitStop(final Process process) throws IOException {
        while (state(process) != 'T') {
            Thread.onSpinWait();
        }
    }

    @Test
    void whoWasStoppedGoesOnWhenItEnds() throws IOException {
        final Process child = idle();
        try {
            try (Starvation starvation = new Starvation(Starvation.MOST, List.of(child.toHandle()))) {
                assertThat(starvation).isNotNull();
                awaitStop(child);
            }
            assertThat(state(child)).isNotEqualTo('T');
        } finally {
            child.destroyForcibly();
        }
    }

    @Test
    void whoWasStoppedGoesOnWhenItsGuardLosesItsInput() throws IOException {
        final Process child = idle();
        try {
            final ProcessHandle shell;
            try (StopGuard guard = new StopGuard(List.of(child.pid()))) {
                shell = guard.shell();
                assertThat(Signals.stop(child.pid())).isTrue();
                awaitStop(child);
            }
            shell.onExit().join();
            assertThat(state(child)).isNotEqualTo('T');
        } finally {
            child.destroyForcibly();
        }
    }

    @Test
    void whoWasStoppedGoesOnWhenTheToolIsKilledWithoutAWord() throws IOException {
        final Process child = idle();
        final Process tool = new ProcessBuilder(
                        ChildProcess.command(List.of(), Tool.class, List.of(String.valueOf(child.pid()))))
                .start();
        try (BufferedReader output = tool.inputReader()) {
            assertThat(output.readLine()).isEqualTo("begun");
            awaitStop(child);
            final ProcessHandle guard = tool.children().findFirst().orElseThrow();
            tool.destroyForcibly();
            guard.onExit().join();
            assertThat(state(child)).isNotEqualTo('T');
        } finally {
            tool.destroyForcibly();
            child.destroyForcibly();
        }
    }

    /** Starves a process until it is killed. */
    static final class Tool {
        private Tool() {}

        public static void main(final String[] args) throws IOException {
            final ProcessHandle child = ProcessHandle.of(Long.parseLong(args[0])).orElseThrow();
            try (Starvation starvation = new Starvation(Starvation.MOST, List.of(child))) {
                System.out.println("begun");
                assertThat(starvation).isNotNull();
                System.exit(System.in.read());
            }
        }
    }
}
