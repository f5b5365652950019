package io.vhca.harness.sim.host;

import io.vhca.api.Gid;
import io.vhca.harness.drill.attack.packet.Forgery;
import io.vhca.harness.drill.attack.packet.Knowledge;
import io.vhca.harness.drill.attack.packet.PacketForge;
import io.vhca.harness.drill.attack.packet.Shot;
import io.vhca.harness.sim.core.Deadlines;
import io.vhca.harness.sim.core.Draws;
import io.vhca.harness.sim.core.Feature;
import io.vhca.physical.soft.fabric.FabricPort;
import io.vhca.physical.soft.wire.Opcodes;
import io.vhca.physical.soft.wire.Wire;
import io.vhca.recovery.wire.RecordType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Sends packets under the addresses of others, from a port whose own address it hides, and hears no answer: messages
 * that are guessed, and what somebody on the path has seen, a while later. It sends what must be refused without a key,
 * and nothing else: never a session that lives with its own queue pairs and an epoch to come.
 *
 * <p>The simulator's thread.
 */
final class Spoofer implements AutoCloseable {
    private static final int FEWEST_SHOTS = 4;
    private static final int MOST_SHOTS = 32;
    private static final long SOONEST_NS = 10_000;
    private static final long LATEST_NS = 300_000_000;
    /** What is replayed is at least so old. */
    private static final long PAST_NS = 1_000_000;

    private static final int NO_APPLICATION_PORT = 1;
    private static final int MANY_BYTES = 64;

    private final FabricPort port;
    private final int bondPort;
    private final SplittableRandom random;
    private final Eavesdropper seen;
    private final PacketForge forge = new PacketForge();
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment buffer = arena.allocate(PacketForge.MOST_BYTES, Long.BYTES);
    private final List<Pending> pending = new ArrayList<>();
    private final Map<Feature, Integer> sent = new EnumMap<>(Feature.class);

    /** Makes a packet when it is due; null for none. */
    @FunctionalInterface
    private interface Maker {
        @Nullable Shot make(long nowNs);
    }

    private record Pending(long atNs, Feature kind, Maker maker) {}

    Spoofer(final FabricPort port, final int bondPort, final SplittableRandom random, final Eavesdropper seen) {
        this.port = port;
        this.bondPort = bondPort;
        this.random = random;
        this.seen = seen;
    }

    /**
     * Messages that it makes up, from now on for a while.
     *
     * @param asked  the members that are sent to
     * @param peers  the members that they seem to come from
     * @param isToServer whether those that are sent to were connected to
     */
    void forge(final List<Gid> asked, final List<Gid> peers, final boolean isToServer, final long nowNs) {
        shoot(nowNs, Feature.FORGED, atNs -> forged(any(peers), any(asked), isToServer));
    }

    /** What those members were sent, once more; and in the names of other sessions. */
    void replay(final List<Gid> asked, final boolean isToServer, final long nowNs) {
        shoot(nowNs, Feature.REPLAYED, atNs -> again(seen.packets(), asked, atNs));
        shoot(nowNs, Feature.REPLAYED, atNs -> again(seen.messages(), asked, atNs));
        shoot(nowNs, Feature.MIXED, atNs -> inOthersName(asked, isToServer, atNs));
    }

    private void shoot(final long nowNs, final Feature kind, final Maker maker) {
        final int count = random.nextInt(FEWEST_SHOTS, MOST_SHOTS + 1);
        for (int i = 0; i < count; i++) {
            pending.add(new Pending(nowNs + Draws.logUniform(random, SOONEST_NS, LATEST_NS), kind, maker));
        }
    }

    private Gid any(final List<Gid> of) {
        return of.get(random.nextInt(of.size()));
    }

    private Shot management(final Gid from, final Gid to, final byte[] mad) {
        return new Shot(from, to, forge.management(mad, random.nextInt() & Wire.MASK_24), true);
    }

    private Forgery forgery(final Knowledge known, final boolean isToServer) {
        return new Forgery(random, known, NO_APPLICATION_PORT, bondPort, isToServer);
    }

    private Shot forged(final Gid from, final Gid to, final boolean isToServer) {
        final Knowledge guessed = Knowledge.guessed(random);
        final Forgery by = forgery(guessed, isToServer);
        return switch (random.nextInt(18)) {
            case 0 -> management(from, to, by.first(from, to));
            case 1 -> management(from, to, by.header(RecordType.CONTROL, from, to));
            case 2 -> management(from, to, by.header(RecordType.PROBE, from, to));
            case 3, 4 -> management(from, to, by.session(RecordType.RECOVER, from, to));
            case 5 -> management(from, to, by.session(RecordType.CLOSE, from, to));
            case 6 -> management(from, to, by.outOfBand(from, to));
            case 7, 16, 17 -> leftover(guessed, isToServer, from, to);
            case 8 -> management(from, to, by.rep(from));
            case 9 -> management(from, to, by.rtu());
            case 10 -> management(from, to, random.nextBoolean() ? by.rej() : by.rejTimeout());
            case 11 -> management(from, to, by.dreq());
            case 12 -> management(from, to, random.nextBoolean() ? by.drep() : by.mra());
            case 13 -> management(from, to, random.nextBoolean() ? by.sidrReq(from, to) : by.sidrRep());
            case 14 -> noise(from, to);
            default -> data(from, to);
        };
    }

    /**
     * A request that names a queue pair of the peer's, the one that was sent to last: those numbers are in every
     * packet, and may be guessed.
     */
    private Shot leftover(final Knowledge guessed, final boolean isToServer, final Gid from, final Gid to) {
        Gid peer = from;
        int qpNum = guessed.clientPhysical();
        for (final Eavesdropper.Passed one : seen.packets()) {
            final PacketForge.Header header = PacketForge.header(one.sighting().packet());
            if (header != null && one.sighting().from().equals(to)) {
                peer = one.sighting().to();
                qpNum = header.destQp();
            }
        }
        final Knowledge known = new Knowledge(
                guessed.session(), guessed.clientQpNum(), guessed.serverQpNum(), guessed.instance(),
                guessed.clientComm(), guessed.serverComm(), qpNum, List.of());
        return management(peer, to, forgery(known, isToServer).leftover(peer, to));
    }

    private Shot noise(final Gid from, final Gid to) {
        final byte[] packet = new byte[random.nextInt(1, MANY_BYTES)];
        random.nextBytes(packet);
        return new Shot(from, to, packet, random.nextBoolean());
    }

    private Shot data(final Gid from, final Gid to) {
        final byte[] payload = new byte[random.nextInt(MANY_BYTES / 4) * 4];
        random.nextBytes(payload);
        final int[] opcodes = {
            Opcodes.RC_SEND_ONLY, Opcodes.RC_WRITE_ONLY, Opcodes.RC_ACKNOWLEDGE, Opcodes.RC_READ_REQUEST
        };
        return new Shot(
                from, to,
                forge.reliable(
                        opcodes[random.nextInt(opcodes.length)], random.nextInt() & Wire.MASK_24,
                        random.nextInt() & Wire.MASK_24,
                        new PacketForge.Extended(random.nextLong(), random.nextInt(), payload.length, 0, 1), payload),
                true);
    }

    /** Something that came there a while ago. */
    private @Nullable Shot again(final List<Eavesdropper.Passed> passed, final List<Gid> asked, final long nowNs) {
        final List<Eavesdropper.Passed> past = passed.stream()
                .filter(one -> one.isDelivered() && nowNs - one.atNs() >= PAST_NS
                        && asked.contains(one.sighting().to()))
                .toList();
        if (past.isEmpty()) {
            return null;
        }
        final Eavesdropper.Passed one = past.get(random.nextInt(past.size()));
        return new Shot(one.sighting().from(), one.sighting().to(), one.sighting().packet(), true);
    }

    /** A session's message that names another's queue pairs, from where its peer sends. */
    private @Nullable Shot inOthersName(final List<Gid> asked, final boolean isToServer, final long nowNs) {
        final Shot like = again(seen.messages(), asked, nowNs);
        final Knowledge mixed = new SeenSessions(seen.messages()).mixed(random);
        if (like == null || mixed == null) {
            return null;
        }
        final List<Function<Forgery, byte[]>> writers = List.of(
                by -> by.session(RecordType.RECOVER, like.from(), like.to()),
                by -> by.session(RecordType.CLOSE, like.from(), like.to()),
                by -> by.outOfBand(like.from(), like.to()));
        return management(
                like.from(), like.to(),
                writers.get(random.nextInt(writers.size())).apply(forgery(mixed, isToServer)));
    }

    /** Sends what is due; returns how much that was. */
    int doWork(final long nowNs) {
        int work = 0;
        for (int i = 0; i < pending.size(); i++) {
            final Pending one = pending.get(i);
            if (one.atNs - nowNs <= 0) {
                pending.remove(i--);
                work++;
                final Shot shot = one.maker.make(nowNs);
                if (shot != null) {
                    send(shot);
                    sent.merge(one.kind, 1, Integer::sum);
                }
            }
        }
        return work;
    }

    private void send(final Shot shot) {
        final byte[] packet = forge.onTheWire(shot, port.sourcePort());
        MemorySegment.copy(packet, 0, buffer, ValueLayout.JAVA_BYTE, 0, packet.length);
        final int route = port.route(shot.to());
        if (route >= 0) {
            port.sendAs(shot.from(), route, buffer.address(), packet.length);
            port.release(route);
        }
    }

    /** How many packets of each kind were sent. */
    Map<Feature, Integer> sent() {
        return sent;
    }

    long nextDeadlineNs() {
        long next = Deadlines.NONE;
        for (final Pending one : pending) {
            next = Deadlines.earlier(next, one.atNs);
        }
        return next;
    }

    @Override
    public void close() {
        pending.clear();
        arena.close();
    }
}
