package io.vhca.harness.drill.child;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Context;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.harness.cli.OwnAddress;
import io.vhca.harness.drill.protocol.CmSteps;
import io.vhca.harness.drill.protocol.DrillMessage;
import io.vhca.physical.soft.SoftConfig;
import io.vhca.physical.soft.SoftDevice;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a drill's receiver counts, and what is one message too many. */
@Timeout(300)
class ReceivedFileTest {
    private static final int SLOTS = 8;
    private static final int BYTES = 64;

    private static SoftDevice soft(final String name, final int last) {
        return SoftDevice.overUdp(new SoftConfig(name, OwnAddress.of(last), 4096));
    }

    private static void send(final DrillEnd from, final long index, final int kind, final long sequence) {
        DrillMessage.write(from.sendSlot(index), kind, sequence);
        from.postSend(index, DrillMessage.HEADER_BYTES + (kind == DrillMessage.DATA ? 1 : 0));
    }

    private static long next(final DrillEnd from, final DrillEnd to, final ReceivedFile file) {
        while (to.poll() == 0) {
            final int unused = from.poll();
            Thread.onSpinWait();
        }
        return file.on(to, to.wc().at(0));
    }

    /** A message that is sent twice may come when all is judged: nobody looks at a count any more. */
    @Test
    void whateverComesBehindTheEndThrows() throws Exception {
        try (Context here = soft("file-a", 19).open();
                Context there = soft("file-b", 20).open();
                CmEventChannel channel = there.createEventChannel();
                CmId listener = CmSteps.listen(there, channel, CmPortSpace.TCP)) {
            final InetSocketAddress address = Objects.requireNonNull(listener.localAddress());
            final CompletableFuture<DrillEnd> accepted = CompletableFuture.supplyAsync(
                    () -> DrillEnd.accept(there, channel, SLOTS, SLOTS, BYTES), Thread::startVirtualThread);
            try (DrillEnd near = DrillEnd.connect(here, address, SLOTS, SLOTS, BYTES);
                    DrillEnd far = accepted.get()) {
                final ReceivedFile file = new ReceivedFile();
                send(near, 0, DrillMessage.DATA, 0);
                assertThat(next(near, far, file)).isEqualTo(ReceivedFile.GOES_ON);
                send(near, 1, DrillMessage.END, 1);
                assertThat(next(near, far, file)).isEqualTo(1);
                file.over();
                assertThat(file.bytes()).isEqualTo(1);
                for (final int kind : new int[] {DrillMessage.END, DrillMessage.DATA}) {
                    send(near, 2, kind, 0);
                    assertThatThrownBy(() -> next(near, far, file)).hasMessageContaining("behind the end of the file");
                }
            }
        }
    }
}
