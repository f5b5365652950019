package io.vhca.harness.drill.child;

import io.vhca.harness.drill.protocol.ChildFailure;
import io.vhca.harness.drill.protocol.SideTraffic;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * Main class of the drill's child processes: {@code sender|receiver DEVICE WINDOW MAX_PAYLOAD SIDE_TRAFFIC [SEED RATE
 * FILE]}, side traffic being names with commas between, or {@code none}.
 */
public final class DrillChild {
    private static final String NONE = "none";

    private DrillChild() {}

    public static void main(final String[] args) {
        ChildFailure.guard(() -> run(args));
    }

    private static void run(final String[] args) throws Exception {
        final int window = Integer.parseInt(args[2]);
        final int payload = Integer.parseInt(args[3]);
        final List<SideTraffic> side = decode(args[4]);
        if (args[0].equals("sender")) {
            final DrillTraffic traffic =
                    new DrillTraffic(Long.parseLong(args[5]), window, payload, Long.parseLong(args[6]), side);
            DrillSender.run(args[1], traffic, Path.of(args[7]));
        } else {
            DrillReceiver.run(args[1], new DrillTraffic(0, window, payload, 0, side));
        }
    }

    /** One word for {@link #decode}. */
    public static String encode(final List<SideTraffic> side) {
        return side.isEmpty() ? NONE : String.join(",", side.stream().map(Enum::name).toList());
    }

    private static List<SideTraffic> decode(final String word) {
        return word.equals(NONE)
                ? List.of()
                : Arrays.stream(word.split(",", -1)).map(SideTraffic::valueOf).toList();
    }
}
