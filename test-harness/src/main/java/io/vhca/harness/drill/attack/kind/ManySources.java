package io.vhca.harness.drill.attack.kind;

import io.vhca.harness.drill.attack.packet.Shot;
import io.vhca.recovery.wire.RecordType;

/** Requests that want an answer, each from another address of the stranger's: more than a device has routes. */
final class ManySources implements ShotSource {
    /** A soft device keeps 4,096 routes. */
    static final int ADDRESSES = 6_000;

    private final AttackScene scene;
    private int count;

    ManySources(final AttackScene scene) {
        this.scene = scene;
    }

    @Override
    public Shot next() {
        final AttackScene.Aim drawn = scene.aim();
        final AttackScene.Aim aim =
                new AttackScene.Aim(scene.stranger(count % ADDRESSES), drawn.to(), drawn.isToServer());
        count++;
        return scene.management(aim, scene.forgery(aim).header(RecordType.CONTROL, aim.from(), aim.to()));
    }
}
