package io.vhca.bond.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.CmPortSpace;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.fake.MemberBench;
import io.vhca.bond.member.Member;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MemberListenersTest {
    private static final int PORT = 9_000;
    private static final MemberListeners.Target NOBODY = (link, data, parameters, nowNs) -> { };
    private final MemberBench bench = new MemberBench(2, options -> options);

    @AfterEach
    void close() {
        bench.close();
    }

    private MemberListeners bind(final int port) {
        return MemberListeners.bind(bench.core, bench.members, NOBODY, CmPortSpace.TCP, port);
    }

    /** Whether a REQ to that member's port arrives. */
    private boolean answers(final int member, final int port) {
        return answers(member, "10." + member + ".0.1", port);
    }

    private boolean answers(final int member, final String address, final int port) {
        final CmId asker = bench.fabric.device("asker", "10." + member + ".0.9").open().createEventChannel()
                .createId(CmPortSpace.TCP, null);
        asker.resolveAddr(null, new InetSocketAddress(InetAddress.ofLiteral(address), port), 1);
        asker.resolveRoute(1);
        asker.connect(ConnectParameters.of(new byte[0]));
        return bench.member(member).cm().getEvent(0) != null;
    }

    private CmId occupy(final int member, final int port) {
        final CmId id = bench.member(member).cm().createId(CmPortSpace.TCP, null);
        id.bindAddr(new InetSocketAddress(bench.member(member).address(), port));
        return id;
    }

    @Test
    void itListensAtOnePortOnEveryMember() {
        final MemberListeners listeners = bind(PORT);
        assertThat(listeners.port()).isEqualTo(PORT);
        assertThat(answers(0, PORT)).as("before listen").isFalse();
        listeners.listen(4);
        assertThat(answers(0, PORT)).isTrue();
        assertThat(answers(1, PORT)).isTrue();
        listeners.close();
        assertThat(answers(0, PORT)).isFalse();
    }

    @Test
    void aPortThatOneMemberHasTakenIsRefusedAndLeavesNothingBehind() {
        occupy(1, PORT);
        assertThatThrownBy(() -> bind(PORT))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EADDRINUSE));
        occupy(0, PORT);
    }

    @Test
    void anyPortIsOneThatIsFreeOnAll() {
        // Each device would give the first free one of its own.
        occupy(1, 40_000);
        final MemberListeners listeners = bind(0);
        assertThat(listeners.port()).isEqualTo(40_000 + 1).isNotEqualTo(40_000);
        listeners.close();
    }

    @Test
    void aMemberThatCameBackListensLikeTheOthers() {
        final MemberListeners listeners = bind(PORT);
        listeners.listen(4);
        listeners.drop(bench.member(0));
        assertThat(answers(0, PORT)).isFalse();
        listeners.rebuild(bench.member(0));
        assertThat(answers(0, PORT)).isTrue();
        listeners.close();
    }

    /** Devices take a backlog below zero for the most they have. */
    @Test
    void soItDoesWithABacklogBelowZero() {
        final MemberListeners listeners = bind(PORT);
        listeners.listen(-1);
        listeners.drop(bench.member(0));
        listeners.rebuild(bench.member(0));
        assertThat(answers(0, PORT)).isTrue();
        listeners.close();
    }

    @Test
    void aMemberThatIsUpWithAnotherAddressListensThere() {
        final MemberListeners listeners = bind(PORT);
        listeners.listen(4);
        bench.device(0).address("10.0.0.22");
        bench.member(0).address(InetAddress.ofLiteral("10.0.0.22"));
        assertThat(answers(0, "10.0.0.22", PORT)).isFalse();
        bench.members.partsUp(bench.member(0));
        assertThat(answers(0, "10.0.0.22", PORT)).isTrue();
        listeners.close();
    }

    /** Nothing is lost for good: it is tried again when the member is up again. */
    @Test
    void aPortThatIsTakenAtTheNewAddressIsTriedAgain() {
        final MemberListeners listeners = bind(PORT);
        listeners.listen(4);
        listeners.drop(bench.member(0));
        final CmId other = occupy(0, PORT);
        bench.members.partsUp(bench.member(0));
        assertThat(answers(0, PORT)).isFalse();
        other.close();
        bench.members.partsUp(bench.member(0));
        assertThat(answers(0, PORT)).isTrue();
        listeners.close();
    }

    @Test
    void aMemberThatHasNoMemoryToListenIsTriedAgain() {
        final MemberListeners listeners = bind(PORT);
        listeners.listen(4);
        listeners.drop(bench.member(0));
        bench.device(0).opened().refusesToListen(true);
        bench.members.partsUp(bench.member(0));
        assertThat(answers(0, PORT)).isFalse();
        bench.device(0).opened().refusesToListen(false);
        bench.members.partsUp(bench.member(0));
        assertThat(answers(0, PORT)).isTrue();
        listeners.close();
    }

    /** Else requests came to an id that does not listen, and the members that do would refuse to for ever. */
    @Test
    void whereOneMemberCannotListenNoneDoesAndItMayBeTriedAgain() {
        final MemberListeners listeners = bind(PORT);
        bench.device(1).opened().refusesToListen(true);
        assertThatThrownBy(() -> listeners.listen(4))
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENOMEM));
        assertThat(answers(0, PORT)).isFalse();
        bench.device(1).opened().refusesToListen(false);
        listeners.listen(4);
        assertThat(answers(0, PORT)).isTrue();
        assertThat(answers(1, PORT)).isTrue();
        listeners.close();
    }

    /** As where its port was taken for a moment, when it gave way to one that is only bound. */
    @Test
    void aMemberThatWasNotBoundAnewIsBoundByTheNextListen() {
        final MemberListeners listeners = bind(PORT);
        listeners.drop(bench.member(0));
        listeners.listen(4);
        assertThat(answers(0, PORT)).isTrue();
        listeners.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"fe80::1", "::"})
    void aMemberWithoutAnAddressIsLeftOutUntilItHasOne(final String none) {
        address(1, none);
        final MemberListeners listeners = bind(PORT);
        listeners.listen(4);
        assertThat(answers(0, PORT)).isTrue();
        assertThat(bench.member(1).hasLostAddress()).isTrue();
        assertThat(bench.members.addresses(Member::isPresent)).as("peers would ask there").hasSize(1);
        address(1, "10.1.0.1");
        bench.members.partsUp(bench.member(1));
        assertThat(answers(1, PORT)).isTrue();
        assertThat(bench.members.addresses(Member::isPresent)).hasSize(2);
        listeners.close();
    }

    @Test
    void aMemberThatLostItsAddressIsLeftOutToo() {
        bench.device(1).address("fe80::1");
        bench.member(1).lostAddress();
        final MemberListeners listeners = bind(PORT);
        listeners.listen(4);
        assertThat(answers(0, PORT)).isTrue();
        listeners.close();
    }

    @Test
    void withoutAnAddressAnywhereThereIsNoListenerAndNobodyIsBlamed() {
        address(0, "fe80::1");
        address(1, "::");
        assertThatThrownBy(() -> bind(PORT))
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
        assertThat(bench.member(0).hasLostAddress()).isFalse();
    }

    /** Its address is another one by now, and the word of that is on the way. */
    @Test
    void whatAMemberWithAnAddressRefusesIsTheCallers() {
        bench.device(1).address("10.1.0.22");
        assertThatThrownBy(() -> bind(PORT))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EADDRNOTAVAIL));
    }

    private void address(final int member, final String address) {
        bench.device(member).address(address);
        bench.member(member).address(InetAddress.ofLiteral(address));
    }

    @Test
    void aDeadMemberIsLeftOutAndWithoutALivingOneThereIsNoListener() {
        bench.device(0).die();
        final MemberListeners listeners = bind(PORT);
        listeners.listen(4);
        assertThat(answers(1, PORT)).isTrue();
        listeners.close();
        bench.device(1).die();
        assertThatThrownBy(() -> bind(PORT))
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EIO));
    }
}
