package io.vhca.harness.drill.attack.kind;

import io.vhca.api.Gid;
import io.vhca.harness.drill.attack.packet.Forgery;
import io.vhca.harness.drill.attack.packet.Knowledge;
import io.vhca.harness.drill.attack.packet.PacketForge;
import io.vhca.harness.drill.attack.packet.Shot;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Who is attacked by whom. One thread.
 *
 * @param attacker  who attacks
 * @param server    the members' addresses of who was connected to
 * @param client    those of who connected, each the peer of the server's at the same place
 * @param strangers the first of the attacker's own addresses; as many follow as the attack wants
 * @param known     what the attacker knows of the session
 * @param appPort   where the server's application listens
 * @param bondPort  where the attacked bonds listen for recoveries
 * @param random    draws everything
 * @param forge     builds packets
 */
public record AttackScene(
        Attacker attacker,
        List<Gid> server,
        List<Gid> client,
        Gid strangers,
        Knowledge known,
        int appPort,
        int bondPort,
        RandomGenerator random,
        PacketForge forge) {
    /** Addresses that most attacks of a stranger come from. */
    private static final int STRANGERS = 40;

    /** An attacked member, and the address to attack it from. */
    record Aim(Gid from, Gid to, boolean isToServer) {}

    /** Draws whom the next packet is for: the server three times of four. */
    Aim aim() {
        final boolean isToServer = random.nextInt(4) != 0;
        final int member = random.nextInt(server.size());
        final Gid peer = (isToServer ? client : server).get(member);
        return new Aim(from(peer), (isToServer ? server : client).get(member), isToServer);
    }

    /** The address to send from instead of that one: itself where the attacker spoofs. */
    Gid from(final Gid peer) {
        return attacker.spoofs() ? peer : stranger(random.nextInt(STRANGERS));
    }

    Gid stranger(final int number) {
        return new Gid(strangers.subnetPrefix(), strangers.interfaceId() + number);
    }

    /** Who has seen the session has its ids; the others guess anew each time. */
    Forgery forgery(final Aim aim) {
        final Knowledge used = attacker.hasSeen() ? known : Knowledge.guessed(random);
        return new Forgery(random, used, appPort, bondPort, aim.isToServer);
    }

    Shot management(final Aim aim, final byte[] mad) {
        return new Shot(aim.from, aim.to, forge.management(mad, random.nextInt()), true);
    }
}
