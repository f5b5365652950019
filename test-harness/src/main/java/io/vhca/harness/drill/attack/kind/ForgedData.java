package io.vhca.harness.drill.attack.kind;

import io.vhca.harness.drill.attack.packet.PacketForge;
import io.vhca.harness.drill.attack.packet.Shot;
import io.vhca.harness.drill.attack.packet.Sighting;
import io.vhca.physical.soft.wire.Opcodes;
import io.vhca.physical.soft.wire.Syndrome;
import io.vhca.physical.soft.wire.Wire;
import java.util.List;

/**
 * Packets of a reliable connection: SENDs, WRITEs, READs, atomics, acknowledgements and refusals. Who has seen none
 * guesses queue pair and number, who has seen some has both.
 */
final class ForgedData implements ShotSource {
    private static final int[] OPCODES = {
        Opcodes.RC_SEND_ONLY, Opcodes.RC_SEND_FIRST, Opcodes.RC_SEND_MIDDLE, Opcodes.RC_SEND_LAST,
        Opcodes.RC_WRITE_ONLY, Opcodes.RC_WRITE_FIRST, Opcodes.RC_READ_REQUEST, Opcodes.RC_FETCH_ADD,
        Opcodes.RC_COMPARE_SWAP, Opcodes.RC_ACKNOWLEDGE, Opcodes.RC_READ_RESPONSE_ONLY
    };
    private static final int[] SYNDROMES = {
        Syndrome.ACK_UNLIMITED, Syndrome.NAK_PSN_SEQUENCE, Syndrome.NAK_REMOTE_ACCESS, Syndrome.RNR_NAK
    };
    private static final int PAYLOAD_BYTES = 64;
    /** How far ahead of the last number that was seen the next ones may be meanwhile. */
    private static final int AHEAD = 1 << 14;

    private final AttackScene scene;
    private final List<Sighting> seen;

    ForgedData(final AttackScene scene) {
        this.scene = scene;
        seen = scene.attacker().hasSeen() ? scene.known().data() : List.of();
    }

    @Override
    public Shot next() {
        if (seen.isEmpty()) {
            final AttackScene.Aim aim = scene.aim();
            return new Shot(aim.from(), aim.to(), packet(1 + below(Wire.MASK_24), below(Wire.MASK_24)), true);
        }
        final Sighting one = seen.get(below(seen.size()));
        final PacketForge.Header header = PacketForge.header(one.packet());
        if (header == null) {
            throw new IllegalStateException("a packet without a header was taken for one of a connection");
        }
        return new Shot(
                scene.from(one.from()),
                one.to(),
                packet(header.destQp(), header.psn() + below(AHEAD) & Wire.MASK_24),
                true);
    }

    private byte[] packet(final int destQp, final int psn) {
        final byte[] payload = new byte[PAYLOAD_BYTES];
        scene.random().nextBytes(payload);
        return scene.forge()
                .reliable(
                        OPCODES[below(OPCODES.length)],
                        destQp,
                        psn,
                        new PacketForge.Extended(
                                scene.random().nextLong(),
                                scene.random().nextInt(),
                                PAYLOAD_BYTES,
                                SYNDROMES[below(SYNDROMES.length)],
                                below(Wire.MASK_24)),
                        payload);
    }

    private int below(final int bound) {
        return scene.random().nextInt(bound);
    }
}
