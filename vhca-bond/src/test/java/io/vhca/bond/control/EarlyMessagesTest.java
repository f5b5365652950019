package io.vhca.bond.control;

import static org.assertj.core.api.Assertions.assertThat;

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

/** What the peer says over the bonds' own link, with a key, before the connection manager says that the link stands. */
class EarlyMessagesTest {
    @TempDir
    private Path directory = Path.of("");

    @Test
    void whatComesBeforeTheLinkStandsIsHeardWhenItDoes() throws FileSystemException {
        final Path key = directory.resolve("key");
        AuthKeyFile.create(key, new SplittableRandom(11));
        try (TwoBonds bonds =
                new TwoBonds(options -> options.set(BondOption.AUTH_KEY_FILE, Optional.of(key.toString())))) {
            assertHeard(bonds);
        }
    }

    private static void assertHeard(final TwoBonds bonds) {
        final AppEnd active = bonds.closing(new AppEnd(bonds.a));
        final AppEnd passive = bonds.closing(new AppEnd(bonds.b));
        bonds.closing(bonds.listen());
        active.on(bonds.routed("10.1.0.2"));
        active.id().connect(ConnectParameters.of(new byte[0]));
        bonds.settle();
        passive.on(TwoBonds.next(bonds.b, CmEventType.CONNECT_REQUEST).id());
        bonds.fabric.lose(CmMessage.RTU);
        passive.id().accept(ConnectParameters.of(new byte[0]));
        bonds.settle();
        active.write(1, "one", passive.into(0), passive.region().rkey());
        bonds.settle();
        bonds.fabric.heal();
        bonds.fabric.confirm();
        bonds.settle();
        assertThat(bonds.polled(active)).as("the key was asked for once").containsExactly("1 SUCCESS");
        assertThat(passive.text(0, 3)).isEqualTo("one");
        assertThat(passive.recovery().identity().peer().members())
                .extracting(MemberAddress::inetAddress)
                .containsExactlyInAnyOrder(InetAddress.ofLiteral("10.1.0.1"), InetAddress.ofLiteral("10.2.0.1"));
        assertThat(bonds.b.count(Counter.CONTROL_BAD_PROOF)).isZero();
    }
}
