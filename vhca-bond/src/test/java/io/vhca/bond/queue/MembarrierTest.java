package io.vhca.bond.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

class MembarrierTest {
    @Test
    void theSystemCallHasANumberOfItsOwnOnEachProcessor() {
        assertThat(Membarrier.numberOf("Linux", "amd64")).isEqualTo(324);
        assertThat(Membarrier.numberOf("Linux", "aarch64")).isEqualTo(283);
        assertThat(Membarrier.numberOf("Linux", "riscv64")).isNegative();
        assertThat(Membarrier.numberOf("Mac OS X", "aarch64")).isNegative();
    }

    @Test
    void itIsNotUsedWhereItIsSwitchedOff() {
        assertThat(Membarrier.isRegistered("off")).isFalse();
    }

    @Test
    void aKernelThatHasItLetsThisProcessUseIt() {
        Assumptions.assumeTrue(Files.exists(Path.of("/proc/self/status")), "no Linux");
        Assumptions.assumeTrue(Membarrier.isRegistered("on"), "no such kernel, or a filter of system calls");
        Membarrier.passedByAll();
        assertThat(Membarrier.IS_AVAILABLE).isTrue();
    }
}
