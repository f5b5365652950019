package io.vhca.harness.drill.attack.kind;

import java.util.List;
import java.util.function.Function;

/**
 * A row of the table of attacks.
 *
 * @param name     what the attack is called, without who makes it
 * @param attacker who makes it
 * @param defence  what it must come to
 * @param volley   how much is sent
 * @param counters under which of these names the attacked must count it: {@code nic.}, {@code cm.} or {@code bond.} and
 *                 the counter
 * @param isShort  a short drill has it too
 * @param source   makes its packets
 */
public record AttackKind(
        String name,
        Attacker attacker,
        Defence defence,
        Volley volley,
        List<String> counters,
        boolean isShort,
        Function<AttackScene, ShotSource> source) {
    /** One word for it. */
    public String label() {
        return attacker.word() + "-" + name;
    }

    /** The same in a short drill too. */
    AttackKind alsoShort() {
        return new AttackKind(name, attacker, defence, volley, counters, true, source);
    }
}
