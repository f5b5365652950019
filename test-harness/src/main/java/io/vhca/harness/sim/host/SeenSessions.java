package io.vhca.harness.sim.host;

import io.vhca.harness.drill.attack.packet.Knowledge;
import io.vhca.physical.soft.cm.message.CmMessage;
import io.vhca.recovery.wire.ConnectHeader;
import io.vhca.recovery.wire.DecodeResult;
import io.vhca.recovery.wire.ReplyRecord;
import io.vhca.recovery.wire.SessionId;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** The sessions that somebody on the path has seen, and whose numbers are whose. Immutable once made. */
final class SeenSessions {
    private final Map<SessionId, Set<Integer>> qpNums = new LinkedHashMap<>();
    private final Map<SessionId, Long> instances = new HashMap<>();

    SeenSessions(final List<Eavesdropper.Passed> messages) {
        for (final Eavesdropper.Passed one : messages) {
            final CmMessage message = Knowledge.message(one.sighting());
            if (message != null) {
                read(message);
            }
        }
    }

    private void read(final CmMessage message) {
        final byte[] data = message.privateData();
        final UnsafeBuffer buffer = new UnsafeBuffer(data);
        switch (message.type()) {
            case REQ -> {
                if (ConnectHeader.validate(buffer, 0, data.length) == DecodeResult.OK) {
                    final ConnectHeader header = ConnectHeader.decode(buffer, 0);
                    add(header.session(), header.vQpNum());
                }
            }
            case REP -> {
                if (ReplyRecord.validate(buffer, 0, data.length) == DecodeResult.OK) {
                    final ReplyRecord record = ReplyRecord.decode(buffer, 0);
                    add(record.reply().session(), record.reply().vQpNum());
                    instances.put(record.reply().session(), record.instance());
                }
            }
            default -> {
                // Nothing else names queue pairs.
            }
        }
    }

    private void add(final SessionId session, final int qpNum) {
        qpNums.computeIfAbsent(session, unused -> new TreeSet<>()).add(qpNum);
    }

    /**
     * A session with the queue pairs of another, neither of which has the number of one of its own: who is shown it
     * must refuse it. Null where no two such sessions were seen.
     */
    @Nullable Knowledge mixed(final RandomGenerator random) {
        final List<SessionId> sessions = List.copyOf(instances.keySet().stream()
                .filter(qpNums::containsKey)
                .sorted((one, other) -> Long.compare(one.lo(), other.lo()))
                .toList());
        if (sessions.isEmpty()) {
            return null;
        }
        final SessionId session = sessions.get(random.nextInt(sessions.size()));
        final Set<Integer> own = Objects.requireNonNull(qpNums.get(session));
        final List<Integer> others = qpNums.values().stream()
                .flatMap(Set::stream)
                .distinct()
                .filter(qpNum -> !own.contains(qpNum))
                .toList();
        if (others.isEmpty()) {
            return null;
        }
        final Knowledge guessed = Knowledge.guessed(random);
        return new Knowledge(
                session, others.get(random.nextInt(others.size())), others.get(random.nextInt(others.size())),
                Objects.requireNonNull(instances.get(session)), guessed.clientComm(), guessed.serverComm(),
                guessed.clientPhysical(), List.of());
    }
}
