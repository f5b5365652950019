package io.vhca.harness.drill.attack.kind;

import io.vhca.api.Gid;
import io.vhca.harness.drill.attack.packet.Forgery;
import io.vhca.harness.drill.attack.packet.Shot;

/** One message of the connection manager, with a record of the bonds in it where it has one, over and over. */
final class ForgedMessage implements ShotSource {
    private final AttackScene scene;
    private final Writer writer;

    /** Writes the message that goes from there to there. */
    @FunctionalInterface
    interface Writer {
        byte[] write(Forgery forgery, Gid from, Gid to);
    }

    ForgedMessage(final AttackScene scene, final Writer writer) {
        this.scene = scene;
        this.writer = writer;
    }

    @Override
    public Shot next() {
        final AttackScene.Aim aim = scene.aim();
        return scene.management(aim, writer.write(scene.forgery(aim), aim.from(), aim.to()));
    }
}
