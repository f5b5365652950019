package io.vhca.exs;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.Errno;
import io.vhca.api.NativeMemory;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.RecvWorkRequest;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.WcDescriptor;
import io.vhca.api.WcStatus;
import io.vhca.api.WorkCompletion;
import io.vhca.exs.engine.Call;
import io.vhca.exs.engine.CallSink;
import io.vhca.exs.engine.EngineSizes;
import io.vhca.exs.engine.PortTap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What completes before it is known who the peer is. */
class ConnectionTest {
    private static final EngineSizes SIZES = ExsOptions.DEFAULT.sizes();
    private static final long RECEIVE = 1L << 63;

    private final ExsWorld world = new ExsWorld("soft0", "soft2");
    private final ProtectionDomain pd = world.left.context.allocPd();
    private final SlotPool pool = new SlotPool(pd);
    private final Connection connection = new Connection(
            SIZES, pool, SendWorkRequest.allocate(world.arena, 1), RecvWorkRequest.allocate(world.arena, 1), 0, 0);

    @AfterEach
    void close() {
        pool.close();
        pd.close();
        world.close();
    }

    private void failed(final WcStatus status) {
        final WorkCompletion wc = WorkCompletion.allocate(world.arena, 1);
        NativeMemory.putLong(wc.address() + WcDescriptor.WR_ID_OFFSET, RECEIVE);
        NativeMemory.putInt(wc.address() + WcDescriptor.STATUS_OFFSET, status.code());
        connection.completed(wc);
    }

    private void begin() {
        connection.begin(false, SIZES.greeting(SocketType.STREAM.code()), PortTap.NONE, new CallSink() {
            @Override
            public void sent(final Call call) {
                throw new AssertionError("nothing was sent");
            }

            @Override
            public void received(final Call call) {
                throw new AssertionError("nothing was received");
            }
        });
    }

    @Test
    void aFailureBeforeTheBeginningIsOneOfTheConnection() {
        failed(WcStatus.WR_FLUSH_ERR);
        failed(WcStatus.LOC_LEN_ERR);
        failed(WcStatus.WR_FLUSH_ERR);
        begin();
        assertThat(connection.engine().errno()).isEqualTo(Errno.EPROTO);
        assertThat(connection.engine().failure()).contains("longer than it may be");
    }

    @Test
    void aFlushBeforeTheBeginningIsHeardOfInTime() {
        failed(WcStatus.WR_FLUSH_ERR);
        begin();
        assertThat(connection.engine().errno()).isZero();
        for (int look = 0; look < 10; look++) {
            connection.engine().look(look * SIZES.keepAliveNs());
        }
        assertThat(connection.engine().errno()).isEqualTo(Errno.ECONNRESET);
    }
}
