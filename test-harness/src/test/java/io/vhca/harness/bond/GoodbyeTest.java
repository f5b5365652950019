package io.vhca.harness.bond;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.BondContext;
import io.vhca.harness.bond.GoodbyeChild.End;
import io.vhca.harness.conformance.Patience;
import io.vhca.harness.drill.fabric.ChildProcess;
import io.vhca.physical.soft.SoftConfig;
import java.io.BufferedReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A process that ends without closing tells its peers: they hear DISCONNECTED. Nothing else would tell the peer of a
 * soft device, and the peer of a bond would fail over first.
 */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class GoodbyeTest {
    private static final QpCapabilities CAPABILITIES = new QpCapabilities(16, 16, 1, 1, 0);

    private static CmEvent event(final CmEventChannel channel, final CmEventType type) {
        final CmEvent event = Objects.requireNonNull(channel.getEvent(Patience.NS), () -> "no " + type);
        event.ack();
        assertThat(event.type()).isEqualTo(type);
        return event;
    }

    private static Process start(final String kind, final End end, final InetSocketAddress peer) throws Exception {
        final List<String> command = ChildProcess.command(
                List.of(SoftConfig.PROPERTY + "=gc0=" + SoftBonds.own(93).getHostAddress() + ",gc1="
                        + SoftBonds.own(94).getHostAddress()),
                GoodbyeChild.class,
                List.of(kind, end.name(), peer.getAddress().getHostAddress(), "" + peer.getPort()));
        return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    /** The child connects to the context and ends; its peer is told. */
    private static void tells(final String kind, final End end, final Context context, final InetAddress at)
            throws Exception {
        try (CmEventChannel channel = context.createEventChannel();
                ProtectionDomain pd = context.allocPd();
                CompletionQueue cq = context.createCq(32, null, null);
                CmId listener = channel.createId(CmPortSpace.TCP, null)) {
            listener.bindAddr(new InetSocketAddress(at, 0));
            listener.listen(1);
            final Process child = start(kind, end, Objects.requireNonNull(listener.localAddress()));
            try (CmId passive = event(channel, CmEventType.CONNECT_REQUEST).id()) {
                passive.createQp(pd, QpInitAttributes.rc(cq, cq, CAPABILITIES));
                passive.accept(ConnectParameters.of(new byte[0]));
                event(channel, CmEventType.ESTABLISHED);
                final BufferedReader says = child.inputReader();
                assertThat(says.readLine()).isEqualTo("connected");
                child.getOutputStream().write('\n');
                child.getOutputStream().flush();
                if (end == End.SIGNAL) {
                    child.destroy();
                }
                assertThat(event(channel, CmEventType.DISCONNECTED).id()).isSameAs(passive);
                assertThat(child.waitFor(Patience.NS, TimeUnit.NANOSECONDS)).isTrue();
            } finally {
                child.destroyForcibly();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void thePeerOfASoftDeviceIsTold(final End end) throws Exception {
        try (Context context = SoftBonds.soft("gp0", 91).open()) {
            tells("soft", end, context, SoftBonds.own(91));
        }
    }

    @ParameterizedTest
    @EnumSource
    void thePeerOfABondIsToldAndDoesNotFailOver(final End end) throws Exception {
        try (BondContext context =
                SoftBonds.openCalm("bond-p", SoftBonds.soft("gp0", 91), SoftBonds.soft("gp1", 92))) {
            tells("bond", end, context, SoftBonds.own(91));
            assertThat(context.failovers()).isEmpty();
        }
    }
}
