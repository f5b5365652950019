package io.vhca.harness.drill;

import java.nio.file.Path;

/** Main class of the drill's child processes: {@code sender|receiver DEVICE WINDOW MAX_PAYLOAD [SEED RATE FILE]}. */
public final class DrillChild {
    private static final int FAILED = 1;

    private DrillChild() {}

    public static void main(final String[] args) {
        try {
            final int window = Integer.parseInt(args[2]);
            final int payload = Integer.parseInt(args[3]);
            if (args[0].equals("sender")) {
                final DrillTraffic traffic =
                        new DrillTraffic(Long.parseLong(args[4]), window, payload, Long.parseLong(args[5]));
                DrillSender.run(args[1], traffic, Path.of(args[6]));
            } else {
                DrillReceiver.run(args[1], window, new DrillTraffic(0, window, payload, 0).slotBytes());
            }
        } catch (final Exception e) {
            e.printStackTrace();
            System.out.println(DrillLine.of("died", "why", String.valueOf(e.getMessage())).encode());
            System.out.flush();
            Runtime.getRuntime().halt(FAILED);
        }
    }
}
