package io.vhca.rdp;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.rdp.common.RdpConfig;
import io.vhca.rdp.common.RdpConfigParser;
import io.vhca.rdp.common.SessionEnd;
import io.vhca.rdp.engine.SendResult;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A device whose completion queue cannot grow: nodes that there is no room for are refused, and nobody else is. */
@Timeout(60)
class DriverRoomTest {
    private final Drivers drivers = new Drivers();
    private final List<Integer> sizes = new ArrayList<>();

    @AfterEach
    void close() {
        drivers.close();
    }

    /** It says that its queues hold nothing, and refuses to make them larger. */
    private Context full(final Context context) {
        return (Context) Proxy.newProxyInstance(
                Context.class.getClassLoader(), new Class<?>[] {Context.class}, (proxy, method, arguments) ->
                        method.getName().equals("createCq")
                                ? full((CompletionQueue) method.invoke(context, arguments))
                                : method.invoke(context, arguments));
    }

    private CompletionQueue full(final CompletionQueue cq) {
        return (CompletionQueue) Proxy.newProxyInstance(
                CompletionQueue.class.getClassLoader(), new Class<?>[] {CompletionQueue.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("resize")) {
                        sizes.add((Integer) arguments[0]);
                        throw new VerbsException("resize", Errno.EINVAL, "cq", "it is as large as it may be");
                    }
                    return method.getName().equals("cqe") ? 0 : method.invoke(cq, arguments);
                });
    }

    private RdpDriver driven(final Context context, final RdpConfig config) {
        return RdpDriver.driven(context, config, new SplittableRandom(1), 0);
    }

    @Test
    void whoCallsADriverWithoutRoomHearsThatThereIsNoPath() {
        try (RdpDriver near = driven(full(drivers.context(1)), RdpConfig.DEFAULT);
                RdpDriver far = driven(drivers.context(2), RdpConfig.DEFAULT)) {
            final RdpSocket to = near.bind(0);
            final RdpSocket from = far.bind(0);
            while (from.send(ByteBuffer.allocate(8), to.localAddress()) != SendResult.UNREACHABLE) {
                far.doWork(0);
                near.doWork(0);
                Thread.onSpinWait();
            }
            assertThat(sizes).isNotEmpty();
        }
    }

    @Test
    void whoHasNoRoomHearsThatThereIsNoPathAndNeverAsksForMoreThanTheDeviceHas() {
        final RdpConfig large = RdpConfigParser.parse(Map.of(
                "SizeClasses", "256,512,1024,2048,4096,8192,16384,32768,65536,131072,262144,524288,1048576",
                "MaxDataRecvBuffers", "4096", "MaxCtrlRecvBuffers", "4096"));
        final Context device = drivers.context(3);
        try (RdpDriver near = driven(full(device), large)) {
            final RdpSocket from = near.bind(0);
            for (int last = 11; last < 16; last++) {
                final InetSocketAddress to = new InetSocketAddress(Drivers.own(last), 1);
                assertThat(from.send(ByteBuffer.allocate(8), to)).isEqualTo(SendResult.WOULD_BLOCK);
            }
            assertThat(sizes).hasSize(5).allMatch(cqe -> cqe <= device.queryDevice().maxCqe());
            near.doWork(0);
            assertThat(from.send(ByteBuffer.allocate(8), new InetSocketAddress(Drivers.own(11), 1)))
                    .isEqualTo(SendResult.UNREACHABLE);
            assertThat(near.status().nodes())
                    .filteredOn(node -> !node.address().equals(near.address()))
                    .hasSize(5)
                    .allMatch(node -> node.lastEnd() == SessionEnd.NO_COMPLETIONS);
        }
    }
}
