package io.vhca.harness.lab;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/**
 * How a machine's CLOCK_MONOTONIC, which is nanoTime of a JVM there, differs from nanoTime here. Immutable.
 *
 * @param offsetNs  to be added to a time there
 * @param unsureNs  half of the best round trip: how wrong the offset may be
 */
record GuestClock(long offsetNs, long unsureNs) {
    private static final int ROUNDS = 20;

    /** Asks for the time some times over and believes the fastest answer. */
    static GuestClock measure(final Machine machine) throws IOException {
        GuestClock best = new GuestClock(0, Long.MAX_VALUE);
        try (GuestCommand command = machine.command("while read -r _; do clock; done", GuestCommand.NOBODY)) {
            final BufferedReader reader =
                    new BufferedReader(new InputStreamReader(command.output(), StandardCharsets.UTF_8));
            for (int round = 0; round < ROUNDS; round++) {
                final long askedNs = System.nanoTime();
                command.input().write('\n');
                command.input().flush();
                final String answer = reader.readLine();
                final long heardNs = System.nanoTime();
                if (answer == null) {
                    throw new IOException("machine " + machine.id() + " does not tell the time");
                }
                final long halfNs = (heardNs - askedNs) / 2;
                if (halfNs < best.unsureNs()) {
                    best = new GuestClock(askedNs + halfNs - Long.parseLong(answer.strip()), halfNs);
                }
            }
        }
        return best;
    }

    /** A time there as a time here. */
    long here(final long thereNs) {
        return thereNs + offsetNs;
    }
}
