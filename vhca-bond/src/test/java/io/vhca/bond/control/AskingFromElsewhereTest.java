package io.vhca.bond.control;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.QpAttributes;
import io.vhca.api.QpState;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.config.AuthKeyFile;
import io.vhca.bond.config.BondOption;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.fake.AppEnd;
import io.vhca.bond.fake.FakeFabric.CmMessage;
import io.vhca.bond.fake.TwoBonds;
import io.vhca.recovery.wire.MemberAddress;
import java.net.InetAddress;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The device of the first connection dies before the bonds have told each other where their members are: who asked
 * first opens the bonds' own connection from a member that the other one has not heard of.
 */
class AskingFromElsewhereTest {
    private static final InetAddress SECOND = InetAddress.ofLiteral("10.1.0.2");

    @TempDir
    private Path directory = Path.of("");

    /** Who proves that it has the key is let in, and is the peer once it shows the session of the queue pair. */
    @Test
    void withAKeyItIsLetInAndShowsWhoItIs() throws FileSystemException {
        final Path key = directory.resolve("key");
        AuthKeyFile.create(key, new SplittableRandom(11));
        try (TwoBonds bonds = TwoBonds.onOneNetwork(
                options -> options.set(BondOption.AUTH_KEY_FILE, Optional.of(key.toString())))) {
            final AppEnd passive = connectAndLoseTheDevice(bonds);
            assertThat(passive.recovery().identity().peer().members())
                    .extracting(MemberAddress::inetAddress)
                    .contains(SECOND);
            assertThat(bonds.b.count(Counter.REQ_STRANGER)).isZero();
        }
    }

    private static AppEnd connectAndLoseTheDevice(final TwoBonds bonds) {
        final AppEnd active = bonds.closing(new AppEnd(bonds.a));
        final AppEnd passive = bonds.closing(new AppEnd(bonds.b));
        bonds.closing(bonds.listen());
        active.on(bonds.routed("10.1.128.1"));
        active.id().connect(ConnectParameters.of(new byte[0]));
        bonds.settle();
        passive.on(TwoBonds.next(bonds.b, CmEventType.CONNECT_REQUEST).id());
        bonds.fabric.lose(CmMessage.REQ);
        passive.id().accept(ConnectParameters.of(new byte[0]));
        bonds.settle();
        assertThat(passive.recovery().identity().peer().members())
                .extracting(MemberAddress::inetAddress)
                .doesNotContain(SECOND);
        active.qp().modify(new QpAttributes().qpState(QpState.ERR)); // only the link recovers now
        bonds.a.device(0).die();
        bonds.fabric.heal();
        bonds.advance(5_000 * MS);
        return passive;
    }
}
