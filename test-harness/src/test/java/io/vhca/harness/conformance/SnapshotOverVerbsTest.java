package io.vhca.harness.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.Devices;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.WorkCompletion;
import io.vhca.api.WrOpcode;
import io.vhca.bond.BondContext;
import io.vhca.examples.RdmaConnection;
import io.vhca.examples.RdmaListener;
import io.vhca.harness.cli.StatusFiles;
import io.vhca.harness.cli.Tool;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a snapshot has of devices of libibverbs, where there are some: their queue pairs, ports and counters. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@EnabledIfSystemProperty(
        named = BondOverVerbsConformanceTest.PROPERTY,
        matches = ".+,.+",
        disabledReason = "SKIPPED: no RDMA devices were named by -D" + BondOverVerbsConformanceTest.PROPERTY)
class SnapshotOverVerbsTest {
    @RegisterExtension
    private final StatusFiles files = new StatusFiles();

    private final Tool tool = new Tool();

    /** A request with a wrong local key, of a bond that is opened as applications open theirs. */
    @Test
    void itHasTheKernelsCountersAndWhatTheDeviceSaysOfTheQueuePair() {
        final String members = System.getProperty(BondOverVerbsConformanceTest.PROPERTY, "");
        System.setProperty("vhca.bond", "snap0: members=" + members);
        try (BondContext bond = (BondContext) Devices.open("snap0");
                RdmaListener listener = RdmaListener.listen(bond, 0);
                RdmaConnection there = RdmaConnection.connect(bond, listener.address());
                RdmaConnection here = listener.accept();
                Arena arena = Arena.ofConfined()) {
            there.awaitEstablished();
            there.send("good");
            assertThat(here.receiveText()).isEqualTo("good");
            final SendWorkRequest wr = SendWorkRequest.allocate(arena, 1);
            wr.wrId(0xBAD).opcode(WrOpcode.SEND).sendFlags(SendFlags.SIGNALED).sge(4096, 8, 0x7777);
            assertThat(there.qp().postSend(wr)).isOne();
            final WorkCompletion wc = WorkCompletion.allocate(arena, 1);
            while (there.cq().poll(wc) == 0) {
                Thread.yield();
            }
            tool.awaitSnapshot("a send completed with");
            assertThat(tool.out())
                    .containsPattern("SEND wr_id=0xbad, 8 bytes in 1 elements, signaled")
                    .containsPattern("physical qpn +0x\\w+\n  state +ERR\n  sq_psn +\\d+\n  rq_psn +\\d+\n")
                    .containsPattern("port state +ACTIVE\n");
            for (final String member : members.split(",", -1)) {
                assertThat(tool.out())
                        .containsPattern("\ncounters of " + member + "\n(?:  .*\n)*  rcvd_pkts +\\d+\n")
                        .containsPattern("\ncounters of " + member + "\n(?:  .*\n)*  sent_pkts +\\d+\n");
            }
            assertThat(tool.out()).containsPattern("\n  rdma_sends +[1-9]\\d*\n");
        } finally {
            System.clearProperty("vhca.bond");
        }
    }
}
