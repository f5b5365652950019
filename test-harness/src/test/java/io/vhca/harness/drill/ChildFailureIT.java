package io.vhca.harness.drill;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.harness.drill.child.ShareChild;
import io.vhca.harness.drill.fabric.ChildProcess;
import io.vhca.harness.drill.fabric.LoopbackFabric;
import io.vhca.harness.drill.protocol.DrillLine;
import io.vhca.harness.drill.protocol.DrillScenario;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A child that cannot do as it is told says why and ends; nobody waits for it. */
class ChildFailureIT {
    private static final long PATIENCE_SECONDS = 300;

    @Test
    void aCommandThatFailsEndsTheProcess() throws Exception {
        final LinkedBlockingQueue<ChildProcess.Said> said = new LinkedBlockingQueue<>();
        try (ChildProcess child = ChildProcess.start(
                "child",
                List.of(),
                List.of("vhca.soft=" + LoopbackFabric.devices(true, ""), "vhca.bond=bond0: members=soft0,soft1"),
                ShareChild.class,
                List.of("receiver"),
                said)) {
            assertThat(next(said).kind()).isEqualTo("listening");
            child.tell(DrillScenario.CUT.command("soft7", false));
            assertThat(next(said).kind()).isEqualTo("plugged");
            final DrillLine died = next(said);
            assertThat(died.kind()).isEqualTo("died");
            assertThat(died.text("why")).contains("soft7");
            assertThat(next(said)).isEqualTo(DrillLine.of("exited", "code", 1));
        }
    }

    private static DrillLine next(final LinkedBlockingQueue<ChildProcess.Said> said) throws InterruptedException {
        final ChildProcess.Said next = said.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertThat(next).as("what the child says").isNotNull();
        return next == null ? DrillLine.of("nothing") : next.line();
    }
}
