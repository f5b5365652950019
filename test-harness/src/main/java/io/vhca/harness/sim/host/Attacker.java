package io.vhca.harness.sim.host;

import io.vhca.api.CompletionQueue;
import io.vhca.api.Gid;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.cm.CmEvent;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.harness.sim.core.Deadlines;
import io.vhca.harness.sim.core.Violations;
import io.vhca.harness.sim.scenario.Network;
import io.vhca.physical.soft.SoftContext;
import io.vhca.physical.soft.SoftDevice;
import io.vhca.physical.soft.cm.CmConfig;
import io.vhca.physical.soft.engine.core.SoftNicConfig;
import io.vhca.physical.soft.fabric.SimFabric;
import io.vhca.recovery.wire.ConnectHeader;
import io.vhca.recovery.wire.FailureReason;
import io.vhca.recovery.wire.MemberId;
import io.vhca.recovery.wire.OutOfBandRecord;
import io.vhca.recovery.wire.ReceiverCounts;
import io.vhca.recovery.wire.RecordType;
import io.vhca.recovery.wire.RecoveryRequest;
import io.vhca.recovery.wire.SessionId;
import io.vhca.recovery.wire.SessionRecord;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A host that belongs to nobody: one soft RNIC, from which it sends bonds requests that it makes up, and a
 * {@link Spoofer} on the same port. It knows where bonds listen and how they number queue pairs, as anybody may, and
 * guesses the rest. No bond may take it in.
 *
 * <p>The simulator's thread.
 */
final class Attacker implements AutoCloseable {
    private static final int SUBNET = 66;
    private static final long GUID = 0x6600;
    private static final int BASE_PORT = 27_648;
    private static final int MOST_QPS = 12;
    private static final int FEWEST_REQUESTS = 4;
    private static final int MOST_REQUESTS = 32;
    private static final int TIMEOUT_MS = 1_000;

    private final SplittableRandom random;
    private final Violations violations;
    private final SoftContext context;
    private final CmEventChannel channel;
    private final ProtectionDomain pd;
    private final CompletionQueue cq;
    private final Map<CmId, byte[]> asking = new LinkedHashMap<>();
    private final Spoofer spoofer;

    Attacker(
            final SimFabric fabric, final long startNs, final SplittableRandom random, final Violations violations,
            final Eavesdropper seen) {
        this.random = random;
        this.violations = violations;
        final var port = fabric.addPort(
                Gid.of(SoftMember.address(SUBNET, 0)), Network.LEAST_MTU + SoftMember.HEADER_ROOM);
        final SoftNicConfig config = new SoftNicConfig().seed(random.nextLong()).portCheckIntervalNs(0);
        context = SoftDevice.driven("attacker", GUID, () -> port, config, CmConfig.DEFAULT, random.split()).open();
        context.doWork(startNs);
        channel = context.createEventChannel();
        pd = context.allocPd();
        cq = context.createCq(MOST_REQUESTS, null, null);
        spoofer = new Spoofer(port, BASE_PORT, random.split(), seen);
    }

    /** Who sends from the same port under other addresses. */
    Spoofer spoofer() {
        return spoofer;
    }

    /** Asks the bond that has these addresses for whatever a bond might ask. */
    void attack(final List<InetAddress> members) {
        final int count = random.nextInt(FEWEST_REQUESTS, MOST_REQUESTS + 1);
        for (int i = 0; i < count; i++) {
            final CmId id = channel.createId(CmPortSpace.TCP, null);
            asking.put(id, request());
            final InetAddress to = members.get(random.nextInt(members.size()));
            id.resolveAddr(null, new InetSocketAddress(to, BASE_PORT), TIMEOUT_MS);
        }
    }

    private byte[] request() {
        final MemberId sender = new MemberId(random.nextInt(2), 0);
        final SessionId guess = new SessionId(random.nextLong(), random.nextLong());
        final RecordType[] types = {
            RecordType.RECOVER, RecordType.RECOVER, RecordType.CLOSE, RecordType.OOB, RecordType.CONTROL,
            RecordType.PROBE
        };
        final RecordType type = types[random.nextInt(types.length)];
        if (type == RecordType.CONTROL || type == RecordType.PROBE) {
            return new ConnectHeader(type, guess, sender, qpNum()).encode(new byte[0]);
        }
        final RecoveryRequest said = new RecoveryRequest(
                type, FailureReason.RETRY_EXC, guess, qpNum(), qpNum(), random.nextInt(8), 0,
                new ReceiverCounts(random.nextInt(8), 0));
        final byte[] record = type == RecordType.OOB
                ? new OutOfBandRecord(sender, random.nextLong(), said).encode()
                : new SessionRecord(sender, said).encode();
        if (random.nextInt(8) == 0) {
            record[random.nextInt(record.length)] ^= (byte) (1 + random.nextInt(255));
        }
        return record;
    }

    /** As bonds number them: from 1 on, or from 0. */
    private int qpNum() {
        return random.nextInt(MOST_QPS);
    }

    int doWork(final long nowNs) {
        int work = context.doWork(nowNs) + spoofer.doWork(nowNs);
        for (CmEvent event = channel.getEvent(0); event != null; event = channel.getEvent(0)) {
            work++;
            final CmId id = event.id();
            final byte @Nullable [] request = asking.get(id);
            event.ack();
            if (request == null) {
                continue;
            }
            switch (event.type()) {
                case ADDR_RESOLVED -> id.resolveRoute(TIMEOUT_MS);
                case ROUTE_RESOLVED -> {
                    id.createQp(pd, QpInitAttributes.rc(cq, cq, new QpCapabilities(1, 1, 1, 1, 0)));
                    id.connect(ConnectParameters.of(request));
                }
                case ESTABLISHED -> {
                    violations.report(
                            "nobody gets in", "attacker", RecordType.fromCode(request[3]) + " was accepted");
                    end(id);
                }
                default -> end(id);
            }
        }
        return work;
    }

    private void end(final CmId id) {
        if (asking.remove(id) != null) {
            id.destroyQp();
            id.close();
        }
    }

    long nextDeadlineNs() {
        return Deadlines.earlier(context.nextDeadlineNs(), spoofer.nextDeadlineNs());
    }

    @Override
    public void close() {
        spoofer.close();
        List.copyOf(asking.keySet()).forEach(this::end);
        cq.close();
        pd.close();
        channel.close();
        context.close();
    }
}
