package io.vhca.harness.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The command on the host that the tests run on, whatever that has. */
class DoctorCommandTest {
    private final Tool tool = new Tool();

    @Test
    void aHostWithoutAnyDeviceHasAProblem() {
        final String before = System.getProperty("vhca.soft");
        System.setProperty("vhca.soft", "");
        System.setProperty("vhca.bond", "bond-doctor: members=nosuch0,nosuch1");
        try {
            assertThat(tool.run("doctor")).isEqualTo(1);
            assertThat(tool.out())
                    .containsPattern("problem +bond-doctor +member nosuch0, nosuch1: no such device\n +to do: ")
                    .containsPattern("\n[1-9][0-9]* problems?, ")
                    .doesNotContain("\033[");
        } finally {
            System.clearProperty("vhca.bond");
            if (before == null) {
                System.clearProperty("vhca.soft");
            } else {
                System.setProperty("vhca.soft", before);
            }
        }
    }

    @Test
    void helpTeaches() {
        assertThat(tool.run("doctor", "--help")).isZero();
        assertThat(tool.out()).contains("not checked", "Exit codes: 0 nothing is a problem, 1 something is");
        assertThat(tool.run("doctor", "--nosuch")).isEqualTo(2);
    }
}
