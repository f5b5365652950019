package io.vhca.harness.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code vhca rdp} and the example: what they print, and what they say to wrong options. */
@Timeout(120)
class RdpCommandTest {
    private final Tool tool = new Tool();

    @Test
    void configShowsWhatWasGiven() {
        assertThat(tool.run("rdp", "config", "-o", "Heartbeat=50", "-o", "SizeClasses=1024,4096"))
                .as(tool.all())
                .isZero();
        assertThat(tool.out())
                .containsPattern("Heartbeat +50 ")
                .containsPattern("MinRecovery +100 ")
                .containsPattern("SizeClasses +1024,4096 ");
    }

    @Test
    void interfacesNamesSoftDevices() {
        assertThat(tool.run("rdp", "interfaces")).as(tool.all()).isZero();
        assertThat(tool.out()).containsPattern("soft0 +127\\.0\\.0\\.1");
    }

    @Test
    void pingComesBack() {
        assertThat(tool.run("rdp", "ping", "-c", "3", "--size", "2000", "--stats")).as(tool.all()).isZero();
        assertThat(tool.out()).contains("2000 bytes from ", "seq 2", "3 sent, 3 came back")
                .containsPattern("tx_packets +6");
    }

    @Test
    void stressPrintsTheColumnsOfRdsStress() {
        assertThat(tool.run("rdp", "stress", "--time", "1", "--tasks", "2", "--depth", "4")).as(tool.all()).isZero();
        assertThat(tool.out())
                .contains("tsks   tx/s   rx/s  tx+rx K/s    mbi K/s    mbo K/s tx us/c   rtt us cpu %", "(average)");
    }

    @Test
    void theExampleEchoes() {
        assertThat(tool.run("example", "rdp_echo", "-n", "20", "-S", "9000")).as(tool.all()).isZero();
        assertThat(tool.out()).contains("20 datagrams of 9000 bytes came back in order");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "rdp stress -o Hello=1          | unknown option Hello; there are SizeClasses",
        "rdp ping -o Port=99999         | option Port = 99999: it may be 1 .. 65535",
        "rdp ping --server 10.0.0.1     | --server and HOST exclude each other",
        "rdp ping --count 0             | --count must be at least 1",
        "rdp ping --size 10             | must be 20 .. 262144",
        "rdp stress --tasks 0           | --tasks must be 1 .. 1024",
        "rdp stress -q 300000           | --request-bytes and --ack-bytes must be 20 .. 262144",
        "rdp stress -p 65530 -t 10      | the ports of all tasks must be 1 .. 65535",
        "example rdp_echo -S 2          | --size must be 4 .. 65536"
    })
    void wrongOptionsAreNamed(final String words, final String message) {
        assertThat(tool.run(words.split(" "))).as(tool.all()).isEqualTo(2);
        assertThat(tool.err()).contains(message);
    }
}
