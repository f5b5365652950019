package io.vhca.bond.cm;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmEventChannel;
import io.vhca.api.cm.CmEventType;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.fake.AppEnd;
import io.vhca.bond.fake.HandBond;
import io.vhca.bond.fake.TwoBonds;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which addresses and ports the ids of a bond show. */
class AddressesTest {
    private static final InetSocketAddress TO = new InetSocketAddress(InetAddress.ofLiteral("10.1.0.2"), 7_471);
    private final TwoBonds bonds = new TwoBonds();

    @AfterEach
    void close() {
        bonds.close();
    }

    private CmId resolved(final @Nullable InetSocketAddress source) {
        final CmId id = bonds.closing(bonds.a.channel().createId(CmPortSpace.TCP, null));
        id.resolveAddr(source, TO, 1_000);
        TwoBonds.next(bonds.a, CmEventType.ADDR_RESOLVED);
        return id;
    }

    private static InetSocketAddress own(final CmId id) {
        return Objects.requireNonNull(id.localAddress());
    }

    /** Connects a resolved id; the passive one. */
    private CmId connected(final CmId active) {
        return connected(active, bonds.b);
    }

    private CmId connected(final CmId active, final HandBond to) {
        active.resolveRoute(1_000);
        TwoBonds.next(bonds.a, CmEventType.ROUTE_RESOLVED);
        bonds.closing(new AppEnd(bonds.a)).on(active);
        active.connect(ConnectParameters.of(new byte[0]));
        bonds.settle();
        final CmId passive = TwoBonds.next(to, CmEventType.CONNECT_REQUEST).id();
        bonds.closing(new AppEnd(to)).on(passive);
        passive.accept(ConnectParameters.of(new byte[0]));
        bonds.settle();
        TwoBonds.next(bonds.a, CmEventType.ESTABLISHED);
        TwoBonds.next(to, CmEventType.ESTABLISHED);
        return passive;
    }

    private static void assertRefused(final ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
    }

    @Test
    void aHostNameThatWasNotResolvedIsNoAddress() {
        final InetSocketAddress unknown = InetSocketAddress.createUnresolved("nobody.invalid", 7_471);
        final CmId id = bonds.closing(bonds.a.channel().createId(CmPortSpace.TCP, null));
        assertRefused(() -> id.bindAddr(unknown));
        assertRefused(() -> id.resolveAddr(unknown, TO, 1_000));
        assertRefused(() -> id.resolveAddr(null, unknown, 1_000));
    }

    /** As in C; to ask for it as for another host had taken until recovery_timeout. */
    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "::"})
    void whoConnectsToAWildcardAddressConnectsToTheBondItself(final String wildcard) {
        final CmId listener = bonds.closing(bonds.a.channel().createId(CmPortSpace.TCP, null));
        listener.bindAddr(new InetSocketAddress(TO.getPort()));
        listener.listen(1);
        final CmId active = bonds.closing(bonds.a.channel().createId(CmPortSpace.TCP, null));
        active.resolveAddr(null, new InetSocketAddress(InetAddress.ofLiteral(wildcard), TO.getPort()), 1_000);
        assertThat(active.peerAddress()).isEqualTo(new InetSocketAddress("10.1.0.1", TO.getPort()));
        TwoBonds.next(bonds.a, CmEventType.ADDR_RESOLVED);
        connected(active, bonds.a);
    }

    @Test
    void aClosedChannelHasNoIds() {
        final CmEventChannel channel = bonds.a.context().createEventChannel();
        channel.close();
        assertRefused(() -> channel.createId(CmPortSpace.TCP, null));
    }

    @Test
    void bothSidesShowTheSamePortWhichIsNoOtherConnections() {
        bonds.closing(bonds.listen());
        final Set<InetSocketAddress> locals = new HashSet<>();
        for (int i = 0; i < 6; i++) {
            final CmId active = resolved(null);
            final InetSocketAddress own = own(active);
            assertThat(own.getAddress().getHostAddress()).isEqualTo("10.1.0.1");
            final CmId passive = connected(active);
            assertThat(passive.peerAddress()).isEqualTo(own);
            assertThat(active.localAddress()).isEqualTo(own);
            assertThat(passive.localAddress()).isEqualTo(active.peerAddress()).isEqualTo(TO);
            assertThat(locals.add(own)).as("%s is new", own).isTrue();
        }
    }

    @Test
    void aPortThatAMemberHasGivenAwayBelongsToItsConnectionStill() {
        bonds.closing(bonds.listen());
        final CmId active = resolved(null);
        final InetSocketAddress own = own(active);
        final CmId passive = connected(active);
        bonds.a.device(0).port(false);
        bonds.advance(2_000 * MS);
        assertThat(active.localAddress()).isEqualTo(own);
        assertThat(passive.peerAddress()).isEqualTo(own);
        assertThatThrownBy(() -> resolved(own))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EADDRINUSE))
                .hasMessageContaining("has another id");
    }

    @Test
    void twoProgramsThatShareADeviceAndAPortAreToldApart() {
        bonds.closing(bonds.listen());
        final CmId active = resolved(null);
        final InetSocketAddress own = own(active);
        final AddressBook book = bonds.b.cm().addresses();
        bonds.b.cm().core().lock();
        try {
            assertThat(book.exact(CmPortSpace.TCP, own.getAddress(), own.getPort())).as("the other's").isNotNull();
        } finally {
            bonds.b.cm().core().unlock();
        }
        final InetSocketAddress shown = Objects.requireNonNull(connected(active).peerAddress());
        assertThat(shown.getAddress()).isEqualTo(own.getAddress());
        assertThat(shown.getPort()).isNotZero().isNotEqualTo(own.getPort());
    }

    @Test
    void aPortOfOnesOwnChoiceIsKeptAndComesBackWithTheId() {
        bonds.closing(bonds.listen());
        final InetSocketAddress wanted = new InetSocketAddress(InetAddress.ofLiteral("10.2.0.1"), 9_999);
        final CmId bound = bonds.closing(bonds.a.channel().createId(CmPortSpace.TCP, null));
        bound.bindAddr(wanted);
        bound.resolveAddr(null, TO, 1_000);
        TwoBonds.next(bonds.a, CmEventType.ADDR_RESOLVED);
        assertThat(bound.localAddress()).isEqualTo(wanted);
        assertThat(connected(bound).peerAddress())
                .as("its member's address, for the peer knows no other, and the port")
                .isEqualTo(new InetSocketAddress("10.1.0.1", 9_999));
        bound.close();
        assertThat(resolved(wanted).localAddress()).isEqualTo(wanted);
    }

    @Test
    void anAddressOfAnotherHostIsRefused() {
        assertThatThrownBy(() -> resolved(new InetSocketAddress("192.0.2.1", 0)))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EADDRNOTAVAIL));
    }

    @Test
    void closedIdsLeaveNoPortBehind() {
        bonds.closing(bonds.listen());
        final CmId active = resolved(null);
        final CmId passive = connected(active);
        active.close();
        bonds.advance(2_000 * MS);
        passive.close();
        for (final CmScope scope : List.of(bonds.a.cm(), bonds.b.cm())) {
            scope.core().lock();
            try {
                assertThat(scope.addresses().size()).isZero();
            } finally {
                scope.core().unlock();
            }
        }
    }
}
