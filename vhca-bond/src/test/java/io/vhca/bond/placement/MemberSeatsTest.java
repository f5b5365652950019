package io.vhca.bond.placement;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.api.DeviceAttributes;
import io.vhca.api.Errno;
import io.vhca.api.SrqAttributes;
import io.vhca.api.VerbsException;
import io.vhca.bond.core.MemberStatus;
import io.vhca.bond.fake.FakeContext;
import io.vhca.bond.fake.FakeDevice;
import io.vhca.bond.fake.TwoBonds;
import io.vhca.bond.member.Member;
import io.vhca.bond.member.MemberObserver;
import io.vhca.bond.member.MemberPart;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Devices that an operator adds and removes. */
class MemberSeatsTest {
    private final TwoBonds bonds = new TwoBonds();

    @AfterEach
    void close() {
        bonds.close();
    }

    private static void assertErrno(final int errno, final ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(errno));
    }

    private List<String> names() {
        return bonds.a.context().admin().members().stream().map(MemberStatus::name).toList();
    }

    /** As virtual functions may have none. */
    @Test
    void devicesWithoutANodeGuidAreDifferentDevices() {
        for (final String name : List.of("a2", "a3")) {
            final FakeDevice device = bonds.spare(name, "10.1.0.3" + name.charAt(1));
            final DeviceAttributes of = device.attributes();
            device.attributes(new DeviceAttributes(
                    of.fwVer(), 0, of.maxMrSize(), of.maxQp(), of.maxQpWr(), of.maxSge(), of.maxCq(), of.maxCqe(),
                    of.maxMr(), of.maxPd(), of.maxQpRdAtom(), of.maxQpInitRdAtom(), of.atomicCap(), of.maxAh(),
                    of.maxSrq(), of.maxSrqWr(), of.maxSrqSge(), of.maxInlineData(), 1));
            bonds.a.context().admin().add(name);
        }
        assertThat(names()).containsExactly("a0", "a1", "a2", "a3");
    }

    @Test
    void aDeviceThatIsAddedTakesItsShareAtOnce() {
        final TwoBonds.Connection pair = bonds.connect();
        bonds.spare("a2", "10.1.0.33");
        bonds.a.context().admin().add("a2");
        bonds.settle();
        assertThat(names()).containsExactly("a0", "a1", "a2");
        assertThat(bonds.a.context().admin().config().members()).containsExactly("a0", "a1", "a2");
        bonds.a.context().admin().activate("a2");
        bonds.advance(100 * MS);
        assertThat(pair.active().recovery().attachment().describe()).isEqualTo("a2 -> 10.1.0.2");
        pair.passive().receives(1);
        pair.active().send(1, "one");
        bonds.settle();
        assertThat(pair.active().polled()).containsExactly("1 SUCCESS");
    }

    /** A queue pair knew ten addresses of its peer. */
    @Test
    void theTwelfthPairOfMembersCarriesWhereAllOthersAreDown() {
        final List<FakeDevice> others = new ArrayList<>(List.of(bonds.a.device(1)));
        for (int i = 2; i < 12; i++) {
            others.add(bonds.spare("a" + i, "10." + (i + 1) + ".0.1"));
            bonds.spare("b" + i, "10." + (i + 1) + ".0.2");
            bonds.a.context().admin().add("a" + i);
            bonds.b.context().admin().add("b" + i);
        }
        final TwoBonds.Connection pair = bonds.connect();
        bonds.advance(500 * MS);
        others.removeLast();
        others.forEach(device -> device.port(false));
        bonds.a.device(0).port(false);
        bonds.advance(1_000 * MS);
        assertThat(pair.active().recovery().attachment().describe()).isEqualTo("a11 -> 10.12.0.2");
        pair.passive().receives(1);
        pair.active().send(1, "one");
        bonds.settle();
        assertThat(pair.active().polled()).containsExactly("1 SUCCESS");
    }

    @Test
    void aMemberThatIsRemovedGoesWhenTheLastQueuePairHasLeftIt() {
        final TwoBonds.Connection pair = bonds.connect();
        bonds.a.context().admin().remove("a0");
        assertThat(bonds.a.context().admin().members().getFirst().leaving()).isTrue();
        bonds.advance(1_000 * MS);
        assertThat(names()).containsExactly("a1");
        assertThat(bonds.a.device(0).context()).isNull();
        assertThat(pair.active().recovery().attachment().describe()).startsWith("a1");
        assertThat(bonds.a.context().admin().config().members()).containsExactly("a1");
        assertThat(bonds.a.journal()).contains("a0 is being removed", "a0 was removed");
        pair.passive().receives(1);
        pair.active().send(1, "one");
        bonds.settle();
        assertThat(pair.active().polled()).containsExactly("1 SUCCESS");
    }

    /** The queue pair is gone there for its shared receives; neither side has ended the connection. */
    @Test
    void aConnectionOfAFailedQueuePairKeepsItsMember() {
        final TwoBonds.Connection pair =
                bonds.connect(bonds.closing(bonds.b.pd().createSrq(new SrqAttributes(4, 1, 0))));
        bonds.b.locked(() -> pair.passive().recovery().onApplicationError(bonds.nowNs()));
        bonds.b.context().admin().remove("b0");
        bonds.advance(500 * MS);
        assertThat(bonds.b.context().admin().members()).extracting(MemberStatus::name).containsExactly("b0", "b1");
        assertThat(pair.passive().cmEvents()).isEmpty();
        pair.active().id().disconnect();
        pair.active().close();
        pair.passive().close();
        bonds.advance(5_000 * MS);
        assertThat(bonds.b.context().admin().members()).extracting(MemberStatus::name).containsExactly("b1");
    }

    @Test
    void aRemovalThatIsTakenBackKeepsTheMember() {
        bonds.connect();
        bonds.fabric.cut(bonds.a.device(1), bonds.b.device(1));
        bonds.a.context().admin().remove("a0");
        bonds.advance(100 * MS);
        assertThat(names()).containsExactly("a0", "a1");
        bonds.a.context().admin().resume("a0");
        bonds.fabric.heal();
        bonds.advance(5_000 * MS);
        assertThat(names()).containsExactly("a0", "a1");
        assertThat(bonds.a.context().admin().members().getFirst().drained()).isFalse();
    }

    @Test
    void aDeviceThatComesAgainGetsItsIndexWithAnotherGenerationAndAnotherOneANewIndex() {
        final FakeDevice spare = bonds.spare("a2", "10.1.0.33");
        bonds.a.context().admin().add("a2");
        bonds.a.context().admin().remove("a2");
        bonds.advance(500 * MS);
        assertThat(names()).containsExactly("a0", "a1");
        assertThat(spare.context()).isNull();
        bonds.spare("a3", "10.1.0.34");
        bonds.a.context().admin().add("a3");
        bonds.a.context().admin().add("a2");
        bonds.settle();
        assertThat(bonds.a.context().admin().members())
                .extracting(MemberStatus::name, MemberStatus::index)
                .containsExactly(
                        tuple("a0", 0),
                        tuple("a1", 1),
                        tuple("a2", 2),
                        tuple("a3", 3));
        assertThat(bonds.a.member(2).generation()).isEqualTo(1);
        assertThat(bonds.a.member(3).generation()).isZero();
    }

    @Test
    void whatCannotBecomeAMemberIsRefusedAndClosedAgain() {
        assertErrno(Errno.ENODEV, () -> bonds.a.context().admin().add("nothere"));
        assertErrno(Errno.EEXIST, () -> bonds.a.context().admin().add("a1"));
        final FakeDevice weak = bonds.spare("weak", "10.1.0.44");
        final DeviceAttributes of = weak.attributes();
        weak.attributes(new DeviceAttributes(
                of.fwVer(), of.nodeGuid(), of.maxMrSize(), of.maxQp(), 8, of.maxSge(), of.maxCq(), of.maxCqe(),
                of.maxMr(), of.maxPd(), of.maxQpRdAtom(), of.maxQpInitRdAtom(), of.atomicCap(), of.maxAh(),
                of.maxSrq(), of.maxSrqWr(), of.maxSrqSge(), of.maxInlineData(), 1));
        assertErrno(Errno.EINVAL, () -> bonds.a.context().admin().add("weak"));
        assertThat(weak.context()).isNull();
        final FakeDevice twin = bonds.spare("twin", "10.1.0.45");
        twin.attributes(bonds.a.device(0).attributes());
        assertErrno(Errno.EEXIST, () -> bonds.a.context().admin().add("twin"));
        assertThat(names()).containsExactly("a0", "a1");
    }

    @Test
    void aDeviceWithoutRoomForARegionIsRefusedAndNothingOfItIsLeft() {
        final TwoBonds.Connection pair = bonds.connect();
        final FakeDevice spare = bonds.spare("a2", "10.1.0.33");
        spare.refuseOnce("regMr");
        assertErrno(Errno.ENOMEM, () -> bonds.a.context().admin().add("a2"));
        assertThat(spare.context()).as("it is closed").isNull();
        pair.active().cq().reqNotify(false);
        pair.passive().receives(1);
        pair.active().send(1, "one");
        bonds.settle();
        assertThat(pair.active().polled()).containsExactly("1 SUCCESS");
        bonds.a.context().admin().add("a2");
        assertThat(names()).containsExactly("a0", "a1", "a2");
    }

    @Test
    void anErrorWhileADeviceIsAddedLeavesNothingOfItEither() {
        bonds.connect();
        final FakeDevice spare = bonds.spare("a2", "10.1.0.33");
        spare.failOnce("regMr", new OutOfMemoryError("planted"));
        assertThatThrownBy(() -> bonds.a.context().admin().add("a2")).isInstanceOf(OutOfMemoryError.class);
        assertThat(spare.context()).as("it is closed").isNull();
        bonds.a.context().admin().add("a2");
        assertThat(names()).containsExactly("a0", "a1", "a2");
    }

    @Test
    void anErrorBehindTheLastStepLeavesTheMemberItsDevice() {
        final FakeDevice spare = bonds.spare("a2", "10.1.0.33");
        bonds.a.locked(() -> bonds.a.verbs().members().observe(new MemberObserver() {
            private boolean isFirst = true;

            @Override
            public void onListChanged() {
                if (isFirst) {
                    isFirst = false;
                    throw new OutOfMemoryError("planted");
                }
            }
        }));
        assertThatThrownBy(() -> bonds.a.context().admin().add("a2")).isInstanceOf(OutOfMemoryError.class);
        assertThat(names()).containsExactly("a0", "a1", "a2");
        assertThat(spare.opened().isClosed()).isFalse();
        bonds.advance(100 * MS);
        assertThat(bonds.a.member(2).isUp()).isTrue();
        assertThat(bonds.released).isEmpty();
    }

    @Test
    void whatCannotBeDestroyedHidesNotWhyTheDeviceWasRefused() {
        bonds.spare("a2", "10.1.0.33");
        final OutOfMemoryError why = new OutOfMemoryError("planted");
        final IllegalStateException more = new IllegalStateException("it cannot be destroyed");
        final MemberPart part = new MemberPart() {
            @Override
            public void drop(final Member member) {
                throw more;
            }

            @Override
            public void rebuild(final Member member) {
                throw why;
            }
        };
        bonds.a.locked(() -> bonds.a.verbs().members().addPart(part));
        assertThatThrownBy(() -> bonds.a.context().admin().add("a2")).isSameAs(why).hasSuppressedException(more);
        bonds.a.locked(() -> bonds.a.verbs().members().removePart(part));
        assertThat(bonds.released).containsExactly("a2");
        assertThat(names()).containsExactly("a0", "a1");
    }

    @Test
    void thereAreSixteenMembersAtMost() {
        for (int i = 2; i < 16; i++) {
            bonds.spare("s" + i, "10.1.1." + i);
            bonds.a.context().admin().add("s" + i);
        }
        bonds.spare("s16", "10.1.1.16");
        assertErrno(Errno.ENOSPC, () -> bonds.a.context().admin().add("s16"));
        bonds.a.context().admin().remove("s5");
        bonds.advance(500 * MS);
        bonds.a.context().admin().add("s16");
        assertThat(bonds.a.member(5).name()).as("the index that is free").isEqualTo("s16");
        assertThat(bonds.a.member(5).generation()).isEqualTo(1);
    }

    @Test
    void theLastMemberInUseStays() {
        bonds.a.device(1).port(false);
        bonds.settle();
        assertErrno(Errno.EBUSY, () -> bonds.a.context().admin().remove("a0"));
        assertErrno(Errno.EBUSY, () -> bonds.a.context().admin().drain("a0"));
    }

    @Test
    void aMemberThatDiesOnItsWayOutIsBuriedAndLeaves() {
        bonds.connect();
        bonds.a.context().admin().remove("a0");
        bonds.a.device(0).die();
        bonds.advance(2_000 * MS);
        assertThat(names()).containsExactly("a1");
        bonds.a.device(0).plug();
        bonds.advance(2_000 * MS);
        assertThat(names()).as("nobody looks for it").containsExactly("a1");
    }

    @Test
    void nobodyWaitsForADriverThatIsStillDestroyingWhatWasOnAMember() {
        final FakeContext slow = removeWhatIsDestroyedSlowly();
        bonds.advance(2_000 * MS);
        assertThat(slow.timesWaited()).as("with the control lock held").isZero();
        assertThat(names()).as("it is not gone yet").containsExactly("a0", "a1");
        slow.destroysSlowly(false);
        bonds.advance(500 * MS);
        assertThat(names()).containsExactly("a1");
        assertThat(slow.isClosed()).isTrue();
    }

    @Test
    void aRemovalThatIsTakenBackWhenNothingIsLeftOnTheMemberOpensItAgain() {
        final FakeContext slow = removeWhatIsDestroyedSlowly();
        bonds.advance(1_000 * MS);
        bonds.a.context().admin().resume("a0");
        slow.destroysSlowly(false);
        bonds.advance(2_000 * MS);
        assertThat(slow.isClosed()).isTrue();
        assertThat(names()).containsExactly("a0", "a1");
        assertThat(bonds.a.member(0).isUp()).isTrue();
    }

    private FakeContext removeWhatIsDestroyedSlowly() {
        bonds.connect();
        final FakeContext slow = bonds.a.device(0).opened();
        slow.destroysSlowly(true);
        bonds.a.context().admin().remove("a0");
        return slow;
    }

    @Test
    void aBondThatHasTooFewMembersOnceOneHasLeftSaysSo() {
        try (TwoBonds both = new TwoBonds(options -> options.minLinks(2))) {
            both.a.context().admin().remove("a0");
            both.advance(1_000 * MS);
            assertThat(both.a.events()).extracting(AsyncEvent::type).containsExactly(AsyncEventType.PORT_ERR);
        }
    }
}
