package io.vhca.harness.status;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.ras.status.BondStatus;
import io.vhca.tool.status.StatusText;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

/** What people read of a bond that is made up. */
class StatusTextTest {
    private final BondStatus bond = SampleBond.of("bond0", 77, 2);

    @Test
    void theBondAndItsMembersLookAsUnderProcNetBonding() {
        assertThat(StatusText.status(bond, true, ZoneOffset.UTC, 32))
                .startsWith("vHCA bond bond0, process 77, open since 1970-01-01 00:00:01\nSeen: 1970-01-01 00:00:02\n")
                .contains("Bonding Mode: fault-tolerance (active-backup)\n")
                .contains("Primary Slave: soft0 (primary_reselect always)\nCurrently Active Slave: soft1\n")
                .contains("Currently Active Slave: soft1\nMII Status: down\n", "Min links: 2\n")
                .contains("Slave Interface: soft0\nMII Status: down (drained)\nLink Failure Count: 3\n")
                .contains("Slave Interface: soft1\nMII Status: up\nLink Failure Count: 0\n")
                .contains("Queue pairs: 4\n", "Failovers: 2\n")
                .containsPattern("- +1 +1 +PORT_ERR +a +b ")
                .containsPattern("1970-01-01 00:00:02 +1 +2 +PORT_ERR +a +b ")
                .containsPattern("3 +RC +RTS +WAITING +1 +- +9 +8 +7\n")
                .doesNotContain(" more\n", "which has ended");
        assertThat(StatusText.status(SampleBond.of("bond0", 77, 1), false, ZoneOffset.UTC, 32))
                .contains("process 77, which has ended without closing it, open since")
                .contains("Currently Active Slave: soft1\nMII Status: up\n");
    }

    @Test
    void noMoreQueuePairsAreListedThanWanted() {
        assertThat(StatusText.status(bond, true, ZoneOffset.UTC, 3))
                .contains("soft1 -> 127.0.0.3", "\nand 1 more\n");
        assertThat(StatusText.status(bond, true, ZoneOffset.UTC, 0))
                .contains("Queue pairs: 4\n\nFailovers: 2\n");
    }

    @Test
    void optionsLookAsInAConfiguration() {
        assertThat(StatusText.options(bond)).isEqualTo("[bond0]\nmode = active-backup\nupdelay = 5s\n");
    }

    @Test
    void errorsSayHowOftenAndWhen() {
        assertThat(StatusText.errors(bond, ZoneOffset.UTC, false)).isEqualTo("""
                bond0, process 77 (app.Main): 4 times from 1970-01-01 00:00:00 to 1970-01-01 00:00:00
                  VHCA-0103 x
                  VHCA-0103: The journal could not be written
                  why, probably: the disk is full, the directory cannot be written, or a flag of the JVM is missing
                  what to do: make room or name another directory by `journal`; writing is tried again every second
                bond0, process 77 (app.Main): once, at 1970-01-01 00:00:00
                  y
                  VHCA-0100: Something failed that has no code of its own
                  why, probably: the text says it
                  what to do: report it with the text and its stack: `vhca errors --stacks`
                bond0: soft0 counts drop_icrc 5
                  packets that were bent on the way: look at cables
                """);
        assertThat(StatusText.counters(bond)).containsPattern("replayed +17\n");
    }
}
