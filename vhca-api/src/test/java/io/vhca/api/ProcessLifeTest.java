package io.vhca.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ProcessLifeTest {
    private static final long SELF = ProcessHandle.current().pid();
    private static final long NOBODY = Integer.MAX_VALUE;

    @Test
    void aProcessIsToldFromAnEarlierOneWithItsNumber() {
        final long start = ProcessLife.start(SELF);
        assertThat(start).isPositive();
        assertThat(ProcessLife.isAlive(SELF, start)).isTrue();
        assertThat(ProcessLife.isAlive(SELF, start - 1)).isFalse();
        assertThat(ProcessLife.isAlive(SELF, ProcessLife.UNKNOWN)).isTrue();
        assertThat(ProcessLife.isAlive(SELF)).isTrue();
    }

    @Test
    void nobodyLivesAndHasNoStart() {
        assertThat(ProcessLife.start(NOBODY)).isEqualTo(ProcessLife.UNKNOWN);
        assertThat(ProcessLife.isAlive(NOBODY)).isFalse();
        assertThat(ProcessLife.isAlive(NOBODY, ProcessLife.UNKNOWN)).isFalse();
    }

    /** As in a container whose first process asks of no child what became of it. */
    @Test
    @Timeout(60)
    void whoHasEndedAndKeepsItsNumberIsNotAlive() throws IOException {
        final Process parent = new ProcessBuilder("sh", "-c", "sleep 60 & echo $!; exec cat").start();
        try (BufferedReader said = parent.inputReader(); BufferedWriter asks = parent.outputWriter()) {
            final long child = Long.parseLong(said.readLine());
            asks.append("are you cat?\n").flush();
            assertThat(said.readLine()).as("a shell would ask").isEqualTo("are you cat?");
            assertThat(ProcessHandle.of(child).orElseThrow().destroyForcibly()).isTrue();
            assertThat(ProcessLife.isAlive(parent.pid())).isTrue();
            while (ProcStatus.of(child).stream().noneMatch(line -> line.startsWith("State:\tZ"))) {
                Thread.onSpinWait();
            }
            assertThat(ProcessHandle.of(child)).isPresent();
            assertThat(ProcessLife.isAlive(child)).isFalse();
            assertThat(ProcessLife.isAlive(child, ProcessLife.start(child))).isFalse();
        } finally {
            parent.destroy();
        }
    }
}
