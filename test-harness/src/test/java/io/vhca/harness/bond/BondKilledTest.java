package io.vhca.harness.bond;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.harness.cli.StatusFiles;
import io.vhca.harness.cli.Tool;
import io.vhca.harness.drill.fabric.ChildProcess;
import io.vhca.physical.soft.SoftConfig;
import io.vhca.physical.soft.capture.Capture;
import io.vhca.physical.soft.capture.CapturedPacket;
import io.vhca.ras.status.BondStatus;
import io.vhca.ras.status.StatusDirectory;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** An application is killed under load, ten times: what its bonds left is read each time. */
@Timeout(value = 1_800, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BondKilledTest {
    private static final int KILLS = 10;

    @RegisterExtension
    private final StatusFiles files = new StatusFiles();

    private final Tool tool = new Tool();

    private long killed() throws IOException, InterruptedException {
        final StringBuilder devices = new StringBuilder(SoftConfig.PROPERTY + "=");
        for (int i = 0; i < 4; i++) {
            devices.append(i == 0 ? "" : ",").append("kc").append(i).append('=')
                    .append(SoftBonds.own(201 + i).getHostAddress())
                    .append(";capture=").append(files.directory());
        }
        final List<String> command = ChildProcess.command(
                List.of(
                        devices.toString(),
                        StatusDirectory.PROPERTY + "=" + files.directory()),
                KilledChild.class,
                List.of());
        final Process child = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try {
            assertThat(child.inputReader().readLine()).isEqualTo(KilledChild.LOADED);
        } finally {
            child.destroyForcibly();
            child.waitFor();
        }
        return child.pid();
    }

    @Test
    void whatIsLeftIsReadEachTime() throws Exception {
        for (int kill = 0; kill < KILLS; kill++) {
            final long pid = killed();
            final BondStatus status = files.of("bond-k." + pid);
            assertThat(status.pid()).isEqualTo(pid);
            assertThat(status.isAlive()).isFalse();
            assertThat(status.members()).hasSize(2).allMatch(member -> member.up());
            assertThat(tool.run("trace", "show", "bond-k", "--pid", "" + pid)).as(tool.all()).isZero();
            assertThat(tool.out())
                    .startsWith("bond-k of process " + pid + ": ")
                    .containsPattern("post +detail +qp:0x\\w+ .*posted 1 sends")
                    .containsPattern("poll +detail +qp:0x\\w+ .*completed wr_id=\\w+ SEND SUCCESS");
            final Capture capture = Capture.read(files.directory().resolve("kc0." + pid + ".capture"));
            assertThat(capture.pid()).isEqualTo(pid);
            assertWhole(capture.packets());
        }
    }

    /** One behind the other, but for the one that was being written. */
    private static void assertWhole(final List<CapturedPacket> packets) {
        assertThat(packets).isNotEmpty();
        assertThat(packets.getLast().number() - packets.getFirst().number()).isBetween(
                packets.size() - 1L, packets.size() + 0L);
    }
}
