package io.vhca.harness.bond;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.CompletionQueue;
import io.vhca.api.Errno;
import io.vhca.api.NativeMemory;
import io.vhca.api.QpState;
import io.vhca.api.QueuePair;
import io.vhca.api.RecvWorkRequest;
import io.vhca.bond.BondContext;
import io.vhca.bond.config.BondConfig;
import io.vhca.bond.config.BondOption;
import io.vhca.bond.config.ServiceMode.Checks;
import io.vhca.bond.core.Inspection;
import io.vhca.bond.memory.GatedMemory;
import io.vhca.bond.memory.NativeBlock;
import io.vhca.examples.RdmaConnection;
import io.vhca.examples.RdmaListener;
import io.vhca.harness.cli.StatusFiles;
import io.vhca.harness.cli.Tool;
import io.vhca.physical.soft.SoftDevice;
import io.vhca.ras.dump.AutoDump;
import io.vhca.ras.dump.BondDump;
import io.vhca.ras.health.HealthReporters;
import io.vhca.ras.snapshot.SnapshotRecorder;
import io.vhca.ras.snapshot.StateHistory;
import io.vhca.ras.status.StatusPublisher;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.agrona.concurrent.SystemNanoClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Native code of an application that writes beyond its buffer, into the memory of a queue. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BondOverrunTest {
    private static final Pattern PART = Pattern.compile("at 0x([0-9a-f]+), (\\d+) bytes");

    @RegisterExtension
    private final StatusFiles files = new StatusFiles();

    private final Tool tool = new Tool();
    private final SoftDevice first = SoftBonds.soft("overrun-a", 175);
    private final SoftDevice second = SoftBonds.soft("overrun-b", 176);
    private final SoftDevice third = SoftBonds.soft("overrun-c", 177);
    private final SoftDevice fourth = SoftBonds.soft("overrun-d", 178);

    private static BondContext open(
            final String name, final Checks checks, final SoftDevice one, final SoftDevice other) {
        return SoftBonds.open(
                SoftBonds.calm(BondConfig.builder(name))
                        .members(List.of(one.name(), other.name()))
                        .set(BondOption.CHECKS, checks)
                        .build(),
                one,
                other);
    }

    /** Writes one byte more than a part of a queue pair's memory has. */
    private static void overrun(final BondContext bond, final QueuePair qp, final String part) {
        final StringBuilder where = new StringBuilder();
        bond.admin().inspect(qp.qpNum(), new Inspection() {
            @Override
            public void section(final String title) {
                // All are looked at.
            }

            @Override
            public void value(final String name, final Object value) {
                if (name.startsWith(part)) {
                    where.append(value);
                }
            }
        });
        final Matcher place = PART.matcher(where);
        assertThat(place.find()).as(where.toString()).isTrue();
        final long bytes = Long.parseLong(place.group(2));
        MemorySegment.ofAddress(Long.parseUnsignedLong(place.group(1), 16))
                .reinterpret(bytes + 64)
                .asSlice(bytes, 64)
                .fill((byte) 0x41);
    }

    private static void exchange(final RdmaConnection from, final RdmaConnection to, final String text) {
        from.send(text);
        assertThat(to.receiveText()).isEqualTo(text);
    }

    @Test
    void theQueuePairFailsAndTheOtherGoesOn() throws IOException {
        try (BondContext client = open("bond-o", Checks.FAST, first, second);
                BondContext server = open("bond-p", Checks.FAST, third, fourth);
                RdmaListener listener = RdmaListener.listen(server, 0)) {
            SnapshotRecorder.attach(client, StateHistory.attach(client));
            StatusPublisher.attach(client, Map.of("check", () -> String.join("; ", client.admin().check())));
            try (RdmaConnection hit = RdmaConnection.connect(client, listener.address());
                    RdmaConnection _ = listener.accept();
                    RdmaConnection other = RdmaConnection.connect(client, listener.address());
                    RdmaConnection otherHere = listener.accept()) {
                hit.awaitEstablished();
                other.awaitEstablished();
                files.await(status -> status.name().equals("bond-o"));
                assertThat(tool.run("check", "bond-o")).as(tool.all()).isZero();
                assertThat(tool.out()).isEqualTo("bond-o: all markers are whole\n");

                overrun(client, hit.qp(), "vSQ");
                assertThat(tool.run("check", "bond-o")).isOne();
                final String marker = String.format(Locale.ROOT, "the marker behind vSQ %06x", hit.qp().qpNum());
                assertThat(tool.err()).contains(hit.qp() + ": " + marker);
                files.await(status -> status.errors().stream().anyMatch(
                        error -> error.text().startsWith("VHCA-0011") && error.text().contains(marker)));
                while (hit.qp().state() != QpState.ERR) {
                    Thread.yield();
                }
                exchange(other, otherHere, "goes on");
                first.setPortUp(false);
                exchange(other, otherHere, "over the other path too");
            }
        }
        tool.run("snapshot", "list", "bond-o");
        final String named = tool.out().lines()
                .filter(line -> line.contains("VHCA-0011"))
                .findFirst()
                .orElseThrow()
                .split(" ")[0];
        assertThat(tool.run("snapshot", "show", named)).isZero();
        assertThat(tool.out())
                .containsPattern("why +MEMORY_OVERRUN: ")
                .containsPattern("vSQ 0000\\w\\w +at 0x\\w+, \\d+ bytes\n")
                .containsPattern("markers +the marker behind vSQ ");
    }

    /** It failed for good, as by a path that is gone. */
    @Test
    void theBondDumpsItselfAndCountsTheQueuePair() {
        try (BondContext client = open("bond-o", Checks.FAST, first, second);
                BondContext server = open("bond-p", Checks.FAST, third, fourth);
                RdmaListener listener = RdmaListener.listen(server, 0)) {
            AutoDump.attach(client);
            client.admin().set(List.of("dump_on=failed"));
            try (RdmaConnection hit = RdmaConnection.connect(client, listener.address());
                    RdmaConnection _ = listener.accept()) {
                hit.awaitEstablished();
                overrun(client, hit.qp(), "vSQ");
                assertThat(client.admin().check()).isNotEmpty();
                final Path dump = files.directory().resolve(
                        BondDump.name("bond-o", ProcessHandle.current().pid()));
                while (!Files.exists(dump)) {
                    Thread.yield();
                }
                assertThat(tool.run("decode", dump.toString())).as(tool.all()).isZero();
                assertThat(tool.out()).containsPattern("bond +bond-o\n").containsPattern("\n  failed +1\n");
            }
        }
    }

    /** Nothing mends a queue that was overrun: its reporter is well when it is closed, and somebody has looked. */
    @Test
    void theReporterIsWellWhenTheQueuePairIsClosed() throws IOException {
        try (BondContext client = open("bond-o", Checks.FAST, first, second);
                BondContext server = open("bond-p", Checks.FAST, third, fourth);
                RdmaListener listener = RdmaListener.listen(server, 0)) {
            final HealthReporters health = HealthReporters.attach(client);
            StatusPublisher.attach(client, health.commands(), health.counters());
            try (RdmaConnection hit = RdmaConnection.connect(client, listener.address());
                    RdmaConnection _ = listener.accept()) {
                hit.awaitEstablished();
                overrun(client, hit.qp(), "vSQ");
                files.await(status -> status.name().equals("bond-o"));
                assertThat(tool.run("health", "recover", "bond-o", "memory")).isOne();
                assertThat(tool.err()).contains("still open, close it: ", hit.qp() + ": the marker behind vSQ");
                files.await(status -> status.counters().getOrDefault("memory_overruns", 0L) > 0);
                assertThat(tool.run("health", "diagnose", "bond-o")).isOne();
                assertThat(tool.out()).contains("bond-o memory: somebody wrote beyond the memory of ");
            }
            assertThat(tool.run("health", "recover", "bond-o", "memory")).as(tool.all()).isZero();
            files.await(status -> status.counters().getOrDefault("health_memory_healed", 0L) > 0);
            tool.run("health", "diagnose", "bond-o");
            assertThat(tool.out()).doesNotContain("memory: ");
        }
    }

    /** No queue pair is to blame for it: it is told, by its completion queue. */
    @Test
    void aRingOfCompletionsThatIsOverrunIsTold() throws IOException {
        try (BondContext client = open("bond-o", Checks.FAST, first, second);
                CompletionQueue cq = client.createCq(16, null, null)) {
            StatusPublisher.attach(client, Map.of("check", () -> String.join("; ", client.admin().check())));
            files.await(status -> status.name().equals("bond-o"));
            assertThat(tool.run("check", "bond-o")).as(tool.all()).isZero();
            try (Arena arena = Arena.ofShared()) {
                client.admin().still(() -> client.admin().memory().freeze(
                        arena, SystemNanoClock.INSTANCE, BondOverrunTest::overrunCompletions));
            }
            for (int i = 0; i < 2; i++) {
                assertThat(tool.run("check", "bond-o")).isOne();
                assertThat(tool.err()).contains(cq + ": the marker behind vCQ ");
            }
            files.await(status -> status.errors().stream().anyMatch(
                    error -> error.text().startsWith("VHCA-0011")
                            && error.text().contains("its memory was overrun: the marker behind vCQ ")));
        }
    }

    private static void overrunCompletions(final GatedMemory object) {
        final NativeBlock block = object.nativeBlock();
        if (block != null && block.parts().getFirst().tag().equals("vCQ")) {
            NativeMemory.putByte(block.parts().getFirst().marker(true), (byte) 0x41);
        }
    }

    /** A failover looks before it gives the other device what the queue holds. */
    @Test
    void aFailoverGivesTheNextDeviceNothingOfIt() {
        try (BondContext client = open("bond-o", Checks.FAST, first, second);
                BondContext server = open("bond-p", Checks.FAST, third, fourth);
                RdmaListener listener = RdmaListener.listen(server, 0);
                RdmaConnection hit = RdmaConnection.connect(client, listener.address());
                RdmaConnection here = listener.accept()) {
            hit.awaitEstablished();
            exchange(hit, here, "before");
            overrun(client, hit.qp(), "vRQ");
            first.setPortUp(false);
            assertThatThrownBy(() -> {
                for (int i = 0; i < 1_000; i++) {
                    hit.send("after");
                    here.receiveText();
                }
            }).isInstanceOf(RuntimeException.class);
            while (hit.qp().state() != QpState.ERR) {
                Thread.yield();
            }
            assertThat(client.admin().path(hit.qp())).isEmpty();
        }
    }

    @Test
    void withFullChecksTheNextPostIsRefused() {
        try (BondContext client = open("bond-o", Checks.FULL, first, second);
                BondContext server = open("bond-p", Checks.FULL, third, fourth);
                RdmaListener listener = RdmaListener.listen(server, 0);
                RdmaConnection hit = RdmaConnection.connect(client, listener.address());
                RdmaConnection here = listener.accept();
                Arena arena = Arena.ofConfined()) {
            hit.awaitEstablished();
            exchange(hit, here, "all is well, and looked at");
            overrun(client, hit.qp(), "vRQ");
            assertThat(hit.qp().postRecv(RecvWorkRequest.allocate(arena, 1).numSge(0).address()))
                    .isEqualTo(-Errno.EIO);
            while (hit.qp().state() != QpState.ERR) {
                Thread.yield();
            }
        }
    }
}
