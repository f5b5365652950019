package io.vhca.harness.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.tool.cli.ExampleCommand;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The examples run on whatever device they are given; here on the one without a wire. */
class ExamplesOnNullDeviceTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @BeforeEach
    void devices() {
        System.setProperty(NullProvider.PROPERTY, "null0=127.0.3.1,null1=127.0.3.2");
    }

    @AfterEach
    void noDevices() {
        System.clearProperty(NullProvider.PROPERTY);
    }

    private int run(final String... args) {
        return new CommandLine(new ExampleCommand())
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(args);
    }

    @Test
    void hello() {
        assertThat(run("hello", "--device", "null0")).as(err.toString()).isZero();
    }

    @Test
    void pingPongVerifiesEveryByte() {
        assertThat(run("rc_pingpong", "-d", "null0", "-n", "50", "-s", "3000", "--chk"))
                .as(err.toString())
                .isZero();
        assertThat(out.toString()).contains("local address:  QPN 0x", "50 iters", "every byte verified");
    }

    @Test
    void pingPongByEvents() {
        assertThat(run("rc_pingpong", "-d", "null0", "-n", "50", "--events")).as(err.toString()).isZero();
    }

    @Test
    void rpingComesBackWhole() {
        assertThat(run("rping", "-d", "null1", "-C", "3", "-S", "100", "-v")).as(err.toString()).isZero();
        assertThat(out.toString()).contains("rdma-ping-2: ", "3 pings of 100 bytes came back whole");
    }

    @Test
    void devinfoShowsPortAndGid() {
        assertThat(run("devinfo", "-d", "null1", "-v")).as(err.toString()).isZero();
        assertThat(out.toString()).contains("hca_id: null1", "PORT_ACTIVE (4)", "::ffff:127.0.3.2", "max_qp_wr");
    }

    @Test
    void anUnknownDeviceIsNamedWithThoseThereAre() {
        assertThat(run("rping", "-d", "nosuch")).isEqualTo(1);
        assertThat(err.toString()).contains("nosuch", "null0, null1");
    }

    @Test
    void wrongArgumentsExitWithTwo() {
        assertThat(run("rping", "--size", "0")).isEqualTo(2);
        assertThat(run("rc_pingpong", "--server", "somewhere")).isEqualTo(2);
        assertThat(err.toString()).contains("--size and --count must be 1 or more", "exclude each other");
    }
}
