package io.vhca.harness.drill.attack.kind;

import io.vhca.harness.drill.attack.packet.Shot;
import io.vhca.physical.soft.wire.BthDescriptor;
import java.util.Arrays;
import java.util.List;

/** Packets that are no good: random bytes, and good packets that are cut off or changed. */
final class Noise {
    private static final int MOST_BYTES = 1024;
    private static final int MOST_CHANGES = 8;

    private Noise() {}

    /** Random bytes, every second time with a right ICRC. */
    static ShotSource random(final AttackScene scene) {
        return () -> {
            final AttackScene.Aim aim = scene.aim();
            final byte[] bytes = new byte[scene.random().nextInt(MOST_BYTES) & ~3];
            scene.random().nextBytes(bytes);
            return new Shot(aim.from(), aim.to(), bytes, scene.random().nextBoolean());
        };
    }

    /** Good packets that end too early; the ICRC is right for what is left. */
    static ShotSource truncated(final AttackScene scene) {
        final ShotSource good = good(scene);
        return () -> {
            final Shot shot = good.next();
            final int most = shot.packet().length / Integer.BYTES;
            final int length = scene.random().nextInt(most) * Integer.BYTES;
            return new Shot(shot.from(), shot.to(), Arrays.copyOf(shot.packet(), length), length >= BthDescriptor.SIZE);
        };
    }

    /** Good packets with some bytes changed; the ICRC is right, or nobody would look further. */
    static ShotSource mutated(final AttackScene scene) {
        final ShotSource good = good(scene);
        return () -> {
            final Shot shot = good.next();
            final byte[] packet = shot.packet();
            for (int change = scene.random().nextInt(MOST_CHANGES); change >= 0; change--) {
                packet[scene.random().nextInt(packet.length)] = (byte) scene.random().nextInt();
            }
            return new Shot(shot.from(), shot.to(), packet, true);
        };
    }

    /** Each message of the table in turn, and packets of connections. */
    private static ShotSource good(final AttackScene scene) {
        final List<ShotSource> all = AttackTable.forgeries(scene);
        return () -> all.get(scene.random().nextInt(all.size())).next();
    }
}
