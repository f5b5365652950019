package io.vhca.harness.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The command that a report says does the same again has all that was given, and the seed. */
class GivenOptionsTest {
    private static String again(final String... given) {
        final CommandLine drill = new CommandLine(new DrillCommand());
        drill.setCaseInsensitiveEnumValuesAllowed(true).parseArgs(given);
        return GivenOptions.again(drill.getCommandSpec(), "./vhca drill", 7);
    }

    /** Without --short the cuts are drawn for a longer file, and come at other moments. */
    @Test
    void whatTheDrillWasLikeIsGivenAgain() {
        assertThat(again("--short", "--window", "8", "--recovery-timeout=500", "--report", "out", "--seed", "3"))
                .isEqualTo("./vhca drill --seed 7 --short --window 8 --recovery-timeout 500");
        assertThat(again()).isEqualTo("./vhca drill --seed 7");
        assertThat(again("--attack", "--fabric", "netns", "--rate", "0", "--only", "flood|req", "--json", "x"))
                .isEqualTo("./vhca drill --seed 7 --attack --fabric netns --rate 0 --only 'flood|req'");
    }

    @Test
    void aShellReadsWhatWasWritten() {
        assertThat(again("--hosts", "a,b", "--members", "mlx5_0,mlx5_1", "--cut", "ip link set {device} down; 'x'"))
                .isEqualTo("./vhca drill --seed 7 --hosts a,b --members mlx5_0,mlx5_1"
                        + " --cut 'ip link set {device} down; '\\''x'\\'''");
        assertThat(again("--with", "bank,srq", "--heal", ""))
                .isEqualTo("./vhca drill --seed 7 --with bank,srq --heal ''");
    }

    @Test
    void whatWasGivenTwiceIsSaidOnceAndWhatWasSwitchedOffIsNot() {
        assertThat(again("--with", "bank", "--with", "srq", "--short=false"))
                .isEqualTo("./vhca drill --seed 7 --with bank,srq");
    }

    /** The page of each kind of fault does that one again. */
    @Test
    void aLabIsLikeItWas() {
        final CommandLine drill = new CommandLine(new LabDrillCommand());
        drill.setCaseInsensitiveEnumValuesAllowed(true)
                .parseArgs("-k", "carrier", "--starve", "4", "--memory", "300", "--input", "a file");
        assertThat(GivenOptions.again(drill.getCommandSpec(), "./vhca lab drill --kind carrier", 7, "--kind"))
                .isEqualTo("./vhca lab drill --kind carrier --seed 7 --starve 4 --memory 300 --input 'a file'");
    }
}
