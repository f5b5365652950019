package io.vhca.harness.bond;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.AccessFlags;
import io.vhca.api.AhAttributes;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.api.Devices;
import io.vhca.api.Errno;
import io.vhca.api.MemoryRegion;
import io.vhca.api.PortState;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QpState;
import io.vhca.api.QpType;
import io.vhca.api.QueuePair;
import io.vhca.api.RecvWorkRequest;
import io.vhca.api.SendFlags;
import io.vhca.api.SendWorkRequest;
import io.vhca.api.VerbsException;
import io.vhca.api.WcStatus;
import io.vhca.api.WorkCompletion;
import io.vhca.api.WrOpcode;
import io.vhca.bond.BondContext;
import io.vhca.bond.BondDevice;
import io.vhca.bond.config.BondConfig;
import io.vhca.examples.RdmaConnection;
import io.vhca.examples.RdmaListener;
import io.vhca.harness.cli.Tool;
import io.vhca.harness.conformance.Patience;
import io.vhca.physical.soft.SoftConfig;
import io.vhca.physical.soft.SoftDevice;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** How bonds and their objects end, and what is left for those that come after. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BondLifeTest {
    private static final QpCapabilities CAPABILITIES = new QpCapabilities(8, 8, 1, 1, 16);

    private final SoftDevice first = SoftBonds.soft("life-a", 71);
    private final SoftDevice second = SoftBonds.soft("life-b", 72);
    private final SoftDevice third = SoftBonds.soft("life-c", 73);
    private final SoftDevice fourth = SoftBonds.soft("life-d", 74);
    private final Arena arena = Arena.ofShared();

    @AfterEach
    void close() {
        arena.close();
    }

    private static void refused(final Runnable call, final int errno, final String... words) {
        assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(errno))
                .hasMessageContainingAll(words);
    }

    /** One end of a connection whose numbers are exchanged out of band. */
    private final class End implements AutoCloseable {
        final BondContext context;
        final ProtectionDomain pd;
        final CompletionQueue sendCq;
        final CompletionQueue recvCq;
        final MemoryRegion region;
        final QueuePair qp;
        private final WorkCompletion wc = WorkCompletion.allocate(arena, 1);

        End(final BondContext context) {
            this.context = context;
            pd = context.allocPd();
            sendCq = context.createCq(16, null, null);
            recvCq = context.createCq(16, null, null);
            region = pd.regMr(arena.allocate(4096, 64), AccessFlags.LOCAL_WRITE);
            qp = pd.createQp(new QpInitAttributes(sendCq, recvCq, null, CAPABILITIES, QpType.RC, true));
        }

        void init() {
            qp.modify(new QpAttributes().qpState(QpState.INIT).pkeyIndex(0).portNum(1).accessFlags(0));
            for (int i = 0; i < CAPABILITIES.maxRecvWr(); i++) {
                receive(i);
            }
        }

        void receive(final int wrId) {
            assertThat(qp.postRecv(RecvWorkRequest.allocate(arena, 1)
                            .wrId(wrId)
                            .sge(region.addr(), 64, region.lkey())))
                    .isEqualTo(1);
        }

        void ready(final End other, final int psn) {
            qp.modify(new QpAttributes()
                    .qpState(QpState.RTR)
                    .ah(AhAttributes.to(other.context.queryGid(1, 0)))
                    .pathMtu(context.queryPort(1).activeMtu())
                    .destQpNum(other.qp.qpNum())
                    .rqPsn(psn)
                    .maxDestRdAtomic(1)
                    .minRnrTimer(12));
            qp.modify(new QpAttributes()
                    .qpState(QpState.RTS)
                    .timeout(14)
                    .retryCnt(7)
                    .rnrRetry(7)
                    .sqPsn(psn)
                    .maxRdAtomic(1));
        }

        void send(final int wrId) {
            assertThat(qp.postSend(SendWorkRequest.allocate(arena, 1)
                            .wrId(wrId)
                            .opcode(WrOpcode.SEND)
                            .sendFlags(SendFlags.SIGNALED)
                            .sge(region.addr(), 64, region.lkey())))
                    .isEqualTo(1);
        }

        List<String> await(final CompletionQueue cq, final int count) {
            final List<String> all = new ArrayList<>();
            final long start = System.nanoTime();
            while (all.size() < count && System.nanoTime() - start < Patience.NS) {
                if (cq.poll(wc) == 1) {
                    all.add((wc.statusName() == WcStatus.SUCCESS ? "" : wc.statusName() + " ") + wc.wrId());
                }
            }
            return all;
        }

        @Override
        public void close() {
            qp.close();
            region.close();
            sendCq.close();
            recvCq.close();
            pd.close();
            context.close();
        }
    }

    /** Counts of a life before RESET must not be held against the next one: neither as lost nor as forged messages. */
    @Test
    void aQueuePairThatWasInResetCountsItsMessagesAnew() {
        try (End client = new End(SoftBonds.open("bond-x", first, second));
                End server = new End(SoftBonds.open("bond-y", third, fourth))) {
            client.init();
            server.init();
            client.ready(server, 100);
            server.ready(client, 100);
            for (int i = 0; i < 3; i++) {
                client.send(i);
            }
            assertThat(server.await(server.recvCq, 3)).containsExactly("0", "1", "2");
            assertThat(client.await(client.sendCq, 3)).containsExactly("0", "1", "2");

            client.qp.modify(new QpAttributes().qpState(QpState.RESET));
            server.qp.modify(new QpAttributes().qpState(QpState.RESET));
            client.init();
            server.init();
            client.ready(server, 200);
            server.ready(client, 200);
            client.send(10);
            assertThat(server.await(server.recvCq, 1)).as("nothing of the life before").containsExactly("0");
            assertThat(client.await(client.sendCq, 1)).containsExactly("10");

            // Both asked at once: which path they met on is open.
            (client.context.admin().path(client.qp).startsWith(first.name()) ? first : second).setPortUp(false);
            client.send(11);
            server.send(12);
            assertThat(client.await(client.sendCq, 1)).containsExactly("11");
            assertThat(server.await(server.sendCq, 1)).containsExactly("12");
            assertThat(server.await(server.recvCq, 1)).containsExactly("1");
            assertThat(client.await(client.recvCq, 1)).containsExactly("0");
            // A message may come over the new path before the bond's thread has heard that this stands.
            final long start = System.nanoTime();
            while (client.context.failovers().isEmpty() && System.nanoTime() - start < Patience.NS) {
                Thread.onSpinWait();
            }
            assertThat(client.context.failovers()).isNotEmpty().allMatch(report -> report.error() == null);
        }
    }

    /** Were a completion queue still reserved for it, its close at the end of the block would answer EBUSY. */
    @Test
    void aQueuePairThatCannotBeCreatedLeavesItsCompletionQueuesFree() {
        try (Context bond = SoftBonds.open("bond-x", first, second);
                ProtectionDomain pd = bond.allocPd();
                CompletionQueue small = bond.createCq(8, null, null);
                CompletionQueue whole = bond.createCq(bond.queryDevice().maxCqe(), null, null)) {
            final int most = bond.queryDevice().maxQpWr();
            final QpInitAttributes large = new QpInitAttributes(
                    small, whole, null, new QpCapabilities(1, most, 1, 1, 0), QpType.RC, false);
            final List<QueuePair> made = new ArrayList<>();
            // The members' queues hold twice what the bond's largest does: that much may fail over to one of them.
            for (int i = bond.queryDevice().maxCqe() / (most + 1); i > 0; i--) {
                made.add(pd.createQp(large));
            }
            refused(() -> pd.createQp(large), Errno.ENOMEM, "its limit is", "spread the queue pairs");
            refused(() -> pd.createQp(new QpInitAttributes(
                            whole, small, null, new QpCapabilities(most, 1, 1, 1, 0), QpType.RC, false)),
                    Errno.ENOMEM, "its limit is");
            made.forEach(QueuePair::close);
            pd.createQp(large).close();
        }
        SoftBonds.open("bond-x", first, second).close();
    }

    @Test
    void aBondWithOpenObjectsIsBusyAndClosesOnceTheyAreGone() {
        final BondContext bond = SoftBonds.open("bond-x", first, second);
        final ProtectionDomain pd = bond.allocPd();
        refused(bond::close, Errno.EBUSY, "bond-x", "1 objects are still open", "pd bond-x pd");
        assertThat(bond.queryPort(1).state()).as("still at work").isEqualTo(PortState.ACTIVE);
        pd.close();
        bond.close();
        bond.close();
        refused(bond::allocPd, Errno.EINVAL, "closed");
        refused(() -> bond.createCq(8, null, null), Errno.EINVAL, "closed");
        refused(bond::createEventChannel, Errno.EINVAL, "closed");
        SoftBonds.open("bond-x", first, second).close();
    }

    /** Looks for another path for longer than any test may take. */
    private static BondConfig patient(final String name, final SoftDevice one, final SoftDevice other) {
        return BondConfig.builder(name)
                .members(List.of(one.name(), other.name()))
                .recoveryTimeoutNs(TimeUnit.HOURS.toNanos(1))
                .build();
    }

    /** With every link down the connection is waiting for a path: closing it must not wait for recovery_timeout. */
    @Test
    void aBondCanBeClosedInTheMiddleOfARecovery() {
        final BondContext client = SoftBonds.open(patient("bond-x", first, second), first, second);
        final BondContext server = SoftBonds.open(patient("bond-y", third, fourth), third, fourth);
        try (RdmaListener listener = RdmaListener.listen(server, 0);
                RdmaConnection there = RdmaConnection.connect(client, listener.address());
                RdmaConnection here = listener.accept()) {
            there.send("before");
            assertThat(here.receiveText()).isEqualTo("before");
            for (final SoftDevice device : List.of(first, second, third, fourth)) {
                device.setPortUp(false);
            }
            final long start = System.nanoTime();
            while (client.queryPort(1).state() == PortState.ACTIVE
                    && System.nanoTime() - start < Patience.NS) {
                Thread.onSpinWait();
            }
            assertThat(client.queryPort(1).state()).isEqualTo(PortState.DOWN);
        }
        client.close();
        server.close();
        for (final SoftDevice device : List.of(first, second, third, fourth)) {
            device.setPortUp(true);
        }
        SoftBonds.open("bond-x", first, second).close();
        SoftBonds.open("bond-y", third, fourth).close();
    }

    /** Devices by name, for bonds that are opened by their configuration, as an application does. */
    private static void withDevices(final Runnable test) {
        final String before = System.getProperty(SoftConfig.PROPERTY);
        System.setProperty(
                SoftConfig.PROPERTY,
                "jr0=" + SoftBonds.own(81).getHostAddress() + ",jr1=" + SoftBonds.own(82).getHostAddress() + ",jr2="
                        + SoftBonds.own(83).getHostAddress() + ",jr3=" + SoftBonds.own(84).getHostAddress());
        try {
            test.run();
        } finally {
            if (before == null) {
                System.clearProperty(SoftConfig.PROPERTY);
            } else {
                System.setProperty(SoftConfig.PROPERTY, before);
            }
        }
    }

    private static BondDevice device(final String name, final @Nullable Path journal, final String... members) {
        return new BondDevice(BondConfig.builder(name)
                .members(List.of(members))
                .journal(journal == null ? null : journal.toString())
                .build());
    }

    @Test
    void aMemberBelongsToOneOpenBondOnly() {
        withDevices(() -> {
            final BondDevice second = device("bond-l", null, "jr2", "jr1");
            try (Context holder = device("bond-j", null, "jr0", "jr1").open()) {
                refused(second::open, Errno.EBUSY, "bond-l", "jr1", "belongs to bond-j", "one bond only");
                assertThat(holder.queryPort(1).state()).as("undisturbed").isEqualTo(PortState.ACTIVE);
                device("bond-m", null, "jr2", "jr3").open().close();
            }
            second.open().close();
        });
    }

    @Test
    void aBondWritesItsJournalAndTheToolPrintsIt(@TempDir final Path directory) {
        final Path journal = directory.resolve("journal");
        withDevices(() -> failOver(journal));
        final Tool tool = new Tool();
        assertThat(tool.run("journal", journal.toString())).as(tool.err()).isZero();
        assertThat(tool.out())
                .contains("bond-j", "CONNECTED", "PORT_ERR", "FENCING", "DRAINING", "REPLAYING", "NEGOTIATED");
    }

    private static void failOver(final Path journal) {
        final SoftDevice active = (SoftDevice) Devices.byName("jr0");
        try (Context client = device("bond-j", journal, "jr0", "jr1").open();
                Context server = device("bond-k", null, "jr2", "jr3").open();
                RdmaListener listener = RdmaListener.listen(server, 0);
                RdmaConnection there = RdmaConnection.connect(client, listener.address());
                RdmaConnection here = listener.accept()) {
            there.send("one");
            assertThat(here.receiveText()).isEqualTo("one");
            active.setPortUp(false);
            there.send("two");
            assertThat(here.receiveText()).isEqualTo("two");
            assertThat(((BondContext) client).failovers()).isNotEmpty();
        } finally {
            active.setPortUp(true);
        }
    }
}
