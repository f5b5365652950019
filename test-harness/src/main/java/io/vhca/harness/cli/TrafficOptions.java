package io.vhca.harness.cli;

import io.vhca.bond.config.BondMode;
import io.vhca.harness.drill.protocol.SideTraffic;
import io.vhca.tool.console.EnvironmentException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What every drill sends over which bonds, on one machine or between two. */
final class TrafficOptions {
    @Option(
            names = {"-i", "--input"},
            paramLabel = "FILE",
            description = "the file to send (default: the running JDK's lib/modules)")
    private Path input = Path.of(System.getProperty("java.home"), "lib", "modules");

    @Option(names = "--seed", paramLabel = "S", description = "of moments, sides and sizes (default: random, printed)")
    private @Nullable Long seed;

    @Option(
            names = "--with",
            paramLabel = "bank|srq|ud|exs|rdp",
            split = ",",
            description = "besides the file, over queue pairs of their own, unless the receiver dies: bank: money moved"
                    + " by atomics, no cent may be lost or made; srq: messages over three queue pairs with one shared"
                    + " receive queue; ud: datagrams there and back, of which some may be lost and none may come"
                    + " twice; exs: a stream over an extended socket there and back, every byte once and in order;"
                    + " rdp: reliable datagrams of many sockets there and back, of two processes a host over one"
                    + " driver, one receiver slow, each once and in order")
    private List<SideTraffic> side = List.of();

    @Option(
            names = "--mode",
            paramLabel = "MODE",
            defaultValue = "active-backup",
            converter = ModeConverter.class,
            description = "of the bonds: active-backup, balance-rr, balance-xor or balance-tlb; in the last three the"
                    + " connection goes home after each cut (default: ${DEFAULT-VALUE})")
    private BondMode mode = BondMode.ACTIVE_BACKUP;

    /** @throws EnvironmentException when there is no such file */
    Path input() {
        if (!Files.isReadable(input) || Files.isDirectory(input)) {
            throw new EnvironmentException(
                    "the input " + input + " is no readable file; name another by --input FILE");
        }
        return input;
    }

    /** The one given, or a random one, the same at each call. */
    long seed() {
        if (seed == null) {
            seed = System.nanoTime() & 0xffff_ffffL;
        }
        return seed;
    }

    List<SideTraffic> side() {
        return side;
    }

    BondMode mode() {
        return mode;
    }
}
