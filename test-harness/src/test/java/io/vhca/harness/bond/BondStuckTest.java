package io.vhca.harness.bond;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.CompletionChannel;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.bond.BondContext;
import io.vhca.bond.core.BondObserver;
import io.vhca.bond.verbs.BondQueuePair;
import io.vhca.examples.RdmaConnection;
import io.vhca.examples.RdmaListener;
import io.vhca.harness.cli.StatusFiles;
import io.vhca.harness.cli.Tool;
import io.vhca.physical.soft.SoftDevice;
import io.vhca.ras.status.StatusPublisher;
import io.vhca.ras.thread.ThreadReport;
import io.vhca.ras.thread.ThreadWatch;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Threads that stay inside a bond are named with their stacks; those that would wait for themselves are refused. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BondStuckTest {
    @RegisterExtension
    private final StatusFiles files = new StatusFiles();

    private final Tool tool = new Tool();
    private final SoftDevice first = SoftBonds.soft("stuck-a", 179);
    private final SoftDevice second = SoftBonds.soft("stuck-b", 180);
    private final SoftDevice third = SoftBonds.soft("stuck-c", 181);
    private final SoftDevice fourth = SoftBonds.soft("stuck-d", 182);

    @Test
    void aThreadThatDoesNotLeaveAQueueIsNamed() throws IOException {
        try (BondContext client = SoftBonds.openCalm("bond-s", first, second);
                BondContext server = SoftBonds.openCalm("bond-t", third, fourth);
                RdmaListener listener = RdmaListener.listen(server, 0)) {
            ThreadWatch.attach(client);
            StatusPublisher.attach(client, Map.of("threads", () -> ThreadReport.write(client)));
            client.admin().set(List.of("stuck_ms=20"));
            try (RdmaConnection there = RdmaConnection.connect(client, listener.address());
                    RdmaConnection here = listener.accept()) {
                there.awaitEstablished();
                files.await(status -> status.name().equals("bond-s"));
                final BondQueuePair qp = (BondQueuePair) there.qp();
                qp.sendQueue().enter();
                try {
                    first.setPortUp(false);
                    files.await(status -> status.errors().stream().anyMatch(
                            error -> error.text().startsWith("VHCA-0123")
                                    && error.text().contains("thread vhca-bond-s has had the control lock")));
                    assertThat(tool.run("threads", "bond-s", "--stacks")).as(tool.all()).isZero();
                    assertThat(tool.out())
                            .containsPattern("\nvhca-bond-s +\\w+ +has it +SpinGate\\.\\w+:\\d+\n")
                            .contains("io.vhca.bond.queue.SpinGate.enter(");
                } finally {
                    qp.sendQueue().leave();
                }
                there.send("over the other one");
                assertThat(here.receiveText()).isEqualTo("over the other one");
                assertThat(tool.run("errors", "bond-s", "--stacks")).isZero();
                assertThat(tool.out()).contains("VHCA-0123", "io.vhca.bond.queue.SpinGate.enter");
            }
        }
    }

    @Test
    void whoIsInsideTheBondIsRefusedWhatWouldWaitForItself() throws InterruptedException {
        try (BondContext bond = SoftBonds.open("bond-s", first, second);
                CmEventChannel events = bond.createEventChannel();
                CompletionChannel completions = bond.createCompChannel()) {
            final CountDownLatch done = new CountDownLatch(1);
            final StringBuilder refusals = new StringBuilder();
            bond.admin().observe(new BondObserver() {
                @Override
                public void onTurn(final long nowNs) {
                    if (done.getCount() > 0) {
                        for (final Runnable call : List.<Runnable>of(
                                bond::close, () -> events.getEvent(1), () -> completions.getCqEvent(1),
                                () -> bond.getAsyncEvent(1))) {
                            assertThatThrownBy(call::run).isInstanceOfSatisfying(
                                    VerbsException.class, e -> refusals.append(e.getMessage()).append('\n'));
                        }
                        assertThat(events.getEvent(0)).isNull();
                        done.countDown();
                    }
                }
            });
            done.await();
            assertThat(refusals.toString().lines()).hasSize(4)
                    .allSatisfy(line -> assertThat(line).contains("EDEADLK", "bond-s", "inside the bond"));
            assertThat(bond.getAsyncEvent(1)).isNull();
        }
    }
}
