package io.vhca.harness.status;

import io.vhca.api.QpState;
import io.vhca.api.QpType;
import io.vhca.ras.status.BondStatus;
import io.vhca.ras.status.BondStatus.ErrorRow;
import io.vhca.ras.status.BondStatus.FailoverRow;
import io.vhca.ras.status.BondStatus.FaultRow;
import io.vhca.ras.status.BondStatus.MemberRow;
import io.vhca.ras.status.BondStatus.QpRow;
import io.vhca.recovery.RecoveryState;
import java.util.List;
import java.util.Map;

/** A bond with a bit of everything, as its status file would show it. */
public final class SampleBond {
    private SampleBond() {}

    public static BondStatus of(final String name, final long pid, final long minLinks) {
        return new BondStatus(
                name, pid, 0, "app.Main", 1_000, 2_500, "active-backup", "soft0", "always", "soft1", 100, 0, 0,
                minLinks,
                List.of(
                        new MemberRow("soft0", "127.0.0.1", false, true, false, false, 0, 3),
                        new MemberRow("soft1", "127.0.0.2", true, false, false, true, 2, 0)),
                List.of(
                        new QpRow(1, QpType.RC, QpState.RTS, RecoveryState.CONNECTED, 1, "soft1", "127.0.0.3", 9, 8, 7),
                        new QpRow(2, QpType.RC, QpState.RTS, RecoveryState.CONNECTED, 1, "soft1", "127.0.0.3", 9, 8, 7),
                        new QpRow(3, QpType.RC, QpState.RTS, RecoveryState.WAITING, 1, "", "", 9, 8, 7),
                        new QpRow(4, QpType.UD, QpState.RTS, null, 1, "soft1", "", 9, 8, 7)),
                4,
                List.of(
                        new FailoverRow(1, 1, true, "PORT_ERR", "a", "b", 9, 9, 9, 0, 0, "", 0),
                        new FailoverRow(
                                1, 2, true, "PORT_ERR", "a", "b", 1_000_000, 2_500_000_000L, 500_000, 1, 2, "",
                                2_400)),
                2,
                Map.of("failovers", 2L, "replayed", 17L),
                List.of(new FaultRow("soft0", "drop_icrc", 5, "packets that were bent on the way: look at cables")),
                List.of(new ErrorRow(4, 1, 2, "VHCA-0103 x"), new ErrorRow(1, 1, 2, "y")),
                List.of("mode = active-backup", "updelay = 5s"));
    }
}
