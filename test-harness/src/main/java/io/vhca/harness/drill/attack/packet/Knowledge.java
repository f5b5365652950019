package io.vhca.harness.drill.attack.packet;

import io.vhca.physical.soft.cm.message.CmMessage;
import io.vhca.physical.soft.cm.message.ConnInput;
import io.vhca.physical.soft.wire.Opcodes;
import io.vhca.physical.soft.wire.Wire;
import io.vhca.recovery.wire.ConnectHeader;
import io.vhca.recovery.wire.DecodeResult;
import io.vhca.recovery.wire.ReplyRecord;
import io.vhca.recovery.wire.SealedRecord;
import io.vhca.recovery.wire.SessionId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What can be read from packets that were seen, or guessed by who saw none. Immutable.
 *
 * @param session     of the vQP
 * @param clientQpNum vQPN of who connected
 * @param serverQpNum vQPN of who was connected to
 * @param instance    id of the server's bond
 * @param clientComm  communication id that the client's device gave the vQP's first connection
 * @param serverComm  the server's device's
 * @param clientPhysical the client's physical queue pair at first
 * @param seen        all that was seen, management datagrams and packets of connections
 */
public record Knowledge(
        SessionId session,
        int clientQpNum,
        int serverQpNum,
        long instance,
        int clientComm,
        int serverComm,
        int clientPhysical,
        List<Sighting> seen) {
    /** Guesses: sessions and ids are drawn, numbers of queue pairs are those that a first bond would have. */
    public static Knowledge guessed(final RandomGenerator random) {
        return new Knowledge(
                new SessionId(random.nextLong(), random.nextLong()),
                1 + random.nextInt(4),
                1 + random.nextInt(4),
                random.nextLong(),
                random.nextInt(),
                random.nextInt(),
                random.nextInt() & Wire.MASK_24,
                List.of());
    }

    /** What the packets say of the vQP's connection: the first REQ with a bond's FIRST in it, and its REP. */
    public static Knowledge of(final List<Sighting> seen, final RandomGenerator random) {
        final Knowledge nothing = guessed(random).withSeen(seen);
        Knowledge known = nothing;
        for (final Sighting one : nothing.management()) {
            final CmMessage message = message(one);
            if (message != null
                    && message.type() == ConnInput.REQ
                    && (known.session.equals(nothing.session) || known.session.equals(name(message)))) {
                known = known.withRequest(message);
            } else if (message != null
                    && message.type() == ConnInput.REP
                    && message.remoteCommId() == known.clientComm) {
                known = known.withReply(message);
            }
        }
        return known;
    }

    /** What a FIRST shows as its session; with a key a REQ that is repeated with a nonce has the same name. */
    private static SessionId name(final CmMessage request) {
        final byte[] data = plain(request.privateData());
        return ConnectHeader.validate(new UnsafeBuffer(data), 0, data.length) == DecodeResult.OK
                ? ConnectHeader.name(data)
                : SessionId.NONE;
    }

    /** Whether the bonds have a key: records that were seen carry proofs. */
    boolean hasProofs() {
        return management().stream()
                .map(Knowledge::message)
                .anyMatch(message -> message != null && SealedRecord.type(message.privateData()) != null);
    }

    /** A record as far as who has no key can read it. */
    private static byte[] plain(final byte[] record) {
        final byte[] data = record.clone();
        if (SealedRecord.type(data) != null) {
            SealedRecord.unmark(data);
        }
        return data;
    }

    private Knowledge withSeen(final List<Sighting> sightings) {
        return new Knowledge(
                session, clientQpNum, serverQpNum, instance, clientComm, serverComm, clientPhysical,
                List.copyOf(sightings));
    }

    private Knowledge withRequest(final CmMessage request) {
        final byte[] data = plain(request.privateData());
        final UnsafeBuffer buffer = new UnsafeBuffer(data);
        if (ConnectHeader.validate(buffer, 0, data.length) != DecodeResult.OK) {
            return this;
        }
        final ConnectHeader header = ConnectHeader.decode(buffer, 0);
        return switch (header.type()) {
            case FIRST -> new Knowledge(
                    header.session(), header.vQpNum(), serverQpNum, instance, request.localCommId(), serverComm,
                    request.qpNum(), seen);
            default -> this;
        };
    }

    private Knowledge withReply(final CmMessage reply) {
        final byte[] data = plain(reply.privateData());
        final UnsafeBuffer buffer = new UnsafeBuffer(data);
        if (ReplyRecord.validate(buffer, 0, data.length) != DecodeResult.OK) {
            return this;
        }
        final ReplyRecord record = ReplyRecord.decode(buffer, 0);
        return new Knowledge(
                session, clientQpNum, record.reply().vQpNum(), record.instance(), clientComm, reply.localCommId(),
                clientPhysical, seen);
    }

    /** The management datagrams among what was seen. */
    public List<Sighting> management() {
        return pick(true);
    }

    /** The packets of connections among what was seen, the latest last. */
    public List<Sighting> data() {
        return pick(false);
    }

    private List<Sighting> pick(final boolean isManagement) {
        final List<Sighting> picked = new ArrayList<>();
        for (final Sighting one : seen) {
            final PacketForge.Header header = PacketForge.header(one.packet());
            if (header != null
                    && isManagement == (header.destQp() == Wire.GSI_QPN && header.opcode() == Opcodes.UD_SEND_ONLY)) {
                picked.add(one);
            }
        }
        return picked;
    }

    /** The message of the connection manager in a management datagram, null where it is none. */
    public static @Nullable CmMessage message(final Sighting one) {
        final int from = Opcodes.headerBytes(Opcodes.UD_SEND_ONLY);
        return one.packet().length < from + Wire.MAD_BYTES
                ? null
                : CmMessage.read(Arrays.copyOfRange(one.packet(), from, from + Wire.MAD_BYTES));
    }
}
