package io.vhca.harness.drill.attack.kind;

import io.vhca.harness.drill.attack.packet.Shot;
import io.vhca.harness.drill.attack.packet.Sighting;
import java.util.List;

/**
 * What was seen is sent again word for word, one packet after the other and then from the first, from the address that
 * it came from where the attacker can. Only the ICRC is made anew, for the UDP source port is another.
 */
final class Replay implements ShotSource {
    private final AttackScene scene;
    private final List<Sighting> seen;
    private final boolean isElsewhere;
    private int count;

    private Replay(final AttackScene scene, final List<Sighting> seen, final boolean isElsewhere) {
        if (seen.isEmpty()) {
            throw new IllegalStateException("nothing was seen that could be replayed");
        }
        this.scene = scene;
        this.seen = seen;
        this.isElsewhere = isElsewhere;
    }

    /** Messages of the connection manager, to whom they went. */
    static Replay ofMessages(final AttackScene scene) {
        return new Replay(scene, scene.known().management(), false);
    }

    /** The same, from and to the other members and the other way: there they belong to other connections. */
    static Replay elsewhere(final AttackScene scene) {
        return new Replay(scene, scene.known().management(), true);
    }

    /** Packets of connections, to whom they went. */
    static Replay ofData(final AttackScene scene) {
        return new Replay(scene, scene.known().data(), false);
    }

    @Override
    public Shot next() {
        final Sighting one = seen.get(count % seen.size());
        count++;
        if (!isElsewhere) {
            return new Shot(scene.from(one.from()), one.to(), one.packet(), true);
        }
        final AttackScene.Aim aim = scene.aim();
        return aim.to().equals(one.to())
                ? new Shot(scene.from(aim.to()), one.from(), one.packet(), true)
                : new Shot(aim.from(), aim.to(), one.packet(), true);
    }
}
