package io.vhca.harness.drill.attack.kind;

/**
 * How much is sent. It ends of itself.
 *
 * @param shots   at most so many packets
 * @param isFlood as fast as the drill's share of the link allows; else evenly over the attack's time
 */
public record Volley(int shots, boolean isFlood) {
    private static final int FEW = 300;
    private static final int FLOOD = 2_000_000;

    /** Some hundred packets over the attack's time. */
    static Volley few() {
        return new Volley(FEW, false);
    }

    /** As many as the attack's time takes at the flood's rate. */
    static Volley flood() {
        return new Volley(FLOOD, true);
    }
}
