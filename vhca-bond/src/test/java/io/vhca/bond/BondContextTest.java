package io.vhca.bond;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.AccessFlags;
import io.vhca.api.AddressHandle;
import io.vhca.api.AhAttributes;
import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.api.CompletionChannel;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.api.Device;
import io.vhca.api.Errno;
import io.vhca.api.Gid;
import io.vhca.api.PortState;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.QpCapabilities;
import io.vhca.api.QpInitAttributes;
import io.vhca.api.QpType;
import io.vhca.api.VerbsException;
import io.vhca.bond.config.BondConfig;
import io.vhca.bond.fake.AppEnd;
import io.vhca.bond.fake.FakeContext;
import io.vhca.bond.fake.TwoBonds;
import io.vhca.bond.member.MemberSource;
import io.vhca.bond.verbs.BondCompletionQueue;
import io.vhca.recovery.MemoryJournal;
import io.vhca.recovery.RewindPlan;
import java.net.InetAddress;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An open bond as its application has it, and what its members say. */
class BondContextTest {
    private final TwoBonds bonds = new TwoBonds();
    private final BondContext context = bonds.a.context();

    @AfterEach
    void close() {
        bonds.close();
    }

    private static void assertErrno(final int errno, final ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(errno));
    }

    @Test
    void theDeviceHasOnePortWithAGid() {
        assertThat(context.device().name()).isEqualTo("bonda");
        assertThat(context.queryDevice().physPortCount()).isEqualTo(1);
        assertThat(context.queryPort(1).state()).isEqualTo(PortState.ACTIVE);
        assertThat(context.queryGid(1, 0)).isEqualTo(Gid.of(InetAddress.ofLiteral("10.1.0.1")));
        assertThat(context.queryPkey(1, 0)).isEqualTo(0xFFFF);
        assertThat(context.allocateMemory(100).byteSize()).isEqualTo(100);
    }

    @Test
    void whatIsOpenKeepsItBusy() {
        assertErrno(Errno.EBUSY, context::close);
        final ProtectionDomain pd = context.allocPd();
        final CompletionQueue cq = context.createCq(16, this, null);
        final AppEnd end = new AppEnd(bonds.a);
        end.alone();
        assertErrno(Errno.EBUSY, () -> end.cq().close());
        assertErrno(Errno.EBUSY, () -> bonds.a.pd().close());
        assertThat(cq.cqContext()).isSameAs(this);
        end.close();
        cq.close();
        pd.close();
        pd.close();
        assertErrno(Errno.EINVAL, () -> pd.createAh(AhAttributes.to(Gid.of(InetAddress.ofLiteral("10.1.0.2")))));
    }

    /** Ids that stayed bound kept the members busy for ever, and hid why. */
    @Test
    void aBondThatCannotListenLeavesMembersThatCanBeClosed() {
        final FakeContext member = (FakeContext) bonds.fabric.device("c0", "10.3.0.1").open();
        member.refusesToListen(true);
        final BondConfig config = BondConfig.builder("bondc").members(List.of("c0")).build();
        final MemberSource source = new MemberSource() {
            @Override
            public Context open(final Device lost, final Set<String> siblings) {
                throw new AssertionError("nothing was lost");
            }

            @Override
            public Context open(final String device) {
                throw new AssertionError("nothing is added");
            }

            @Override
            public void released(final Device device) {}
        };
        assertErrno(Errno.ENOMEM, () -> new BondContext(
                new BondDevice(config), config, List.of(member), source, new MemoryJournal(10),
                new SplittableRandom(3), RewindPlan::of));
        member.close();
        assertThat(member.isClosed()).isTrue();
    }

    @Test
    void aClosedBondMakesNothing() {
        bonds.close();
        assertErrno(Errno.EINVAL, context::allocPd);
        assertErrno(Errno.EINVAL, () -> context.createCq(4, null, null));
        assertErrno(Errno.EINVAL, context::createCompChannel);
        assertErrno(Errno.EINVAL, context::createEventChannel);
        assertThat(context.doWork(5)).isZero();
        assertThat(context.getAsyncEvent(Long.MAX_VALUE)).isNull();
        context.close();
    }

    @Test
    void objectsOfAnotherContextAreRefused() {
        final CompletionChannel channel = bonds.closing(bonds.b.context().createCompChannel());
        assertErrno(Errno.EINVAL, () -> context.createCq(4, null, channel));
        final AppEnd other = bonds.closing(new AppEnd(bonds.b));
        assertErrno(
                Errno.EINVAL,
                () -> bonds.a.pd()
                        .createQp(QpInitAttributes.rc(other.cq(), other.cq(), new QpCapabilities(1, 1, 1, 1, 0))));
    }

    @Test
    void queuePairsOfOtherTypesAreNotCarried() {
        final AppEnd own = bonds.closing(new AppEnd(bonds.a));
        assertErrno(
                Errno.EOPNOTSUPP,
                () -> bonds.a.pd().createQp(new QpInitAttributes(
                        own.cq(), own.cq(), null, new QpCapabilities(1, 1, 1, 1, 0), QpType.UC, false)));
    }

    @Test
    void regionsThatNoBondCarriesAreRefused() {
        for (final int access : new int[] {AccessFlags.MW_BIND, AccessFlags.ZERO_BASED, AccessFlags.ON_DEMAND}) {
            assertErrno(Errno.EOPNOTSUPP, () -> bonds.a.pd().regMr(context.allocateMemory(64), access));
        }
    }

    @Test
    void addressHandlesAreCheckedAndFindTheirWay() {
        for (final String multicast : new String[] {"224.0.0.1", "ff02::1"}) {
            assertErrno(
                    Errno.EOPNOTSUPP,
                    () -> bonds.a.pd().createAh(AhAttributes.to(Gid.of(InetAddress.ofLiteral(multicast)))));
        }
        assertErrno(Errno.EINVAL, () -> bonds.a.pd().createAh(AhAttributes.to(new Gid(0, 0))));
        final AddressHandle ah = bonds.a.pd().createAh(AhAttributes.to(Gid.of(InetAddress.ofLiteral("10.1.0.2"))));
        assertThat(ah.handle()).isNotZero();
        assertErrno(Errno.EBUSY, () -> bonds.a.pd().close());
        ah.close();
        ah.close();
    }

    @Test
    void aCompletionQueueIsResizedWithinItsLimits() {
        final CompletionQueue cq = bonds.closing(context.createCq(16, null, null));
        cq.resize(64);
        assertThat(cq.cqe()).isEqualTo(64);
        assertErrno(Errno.EINVAL, () -> cq.resize(0));
    }

    @Test
    void aDeviceThatCannotResizeCarriesTheQueuePairsThatItsQueueWasMadeFor() {
        bonds.a.device(0).cannotResize();
        bonds.a.device(1).cannotResize();
        final CompletionQueue cq = bonds.closing(context.createCq(16, null, null));
        bonds.a.device(0).die();
        bonds.advance(1_000 * TwoBonds.MS);
        bonds.a.device(0).plug();
        bonds.advance(2_000 * TwoBonds.MS);
        bonds.closing(bonds.a.pd().createQp(QpInitAttributes.rc(cq, cq, new QpCapabilities(8, 8, 1, 1, 0))));
        assertThatThrownBy(() -> bonds.a.pd()
                        .createQp(QpInitAttributes.rc(cq, cq, new QpCapabilities(64, 64, 1, 1, 0))))
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENOMEM))
                .hasMessageStartingWith("createQp on ")
                .hasMessageContaining("cannot make its completion queue larger than 64; create it with as many");
        assertThatThrownBy(() -> cq.resize(128))
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENOMEM))
                .hasMessageStartingWith("resizeCq on ")
                .hasMessageContaining("cannot make its completion queue larger than 64; ask for fewer entries");
        assertThat(cq.cqe()).isEqualTo(16);
    }

    @Test
    void aCompletionQueueIsNotMadeSmallerThanWhatWaitsInIt() {
        final TwoBonds.Connection pair = bonds.connect();
        final CompletionQueue cq = pair.active().qp().sendCq();
        pair.passive().receives(3);
        for (int i = 1; i <= 3; i++) {
            pair.active().send(i, "message");
        }
        bonds.settle();
        assertErrno(Errno.EINVAL, () -> cq.resize(2));
        assertThat(cq.cqe()).isEqualTo(64);
        cq.resize(3);
        assertThat(pair.active().polled()).containsExactly("1 SUCCESS", "2 SUCCESS", "3 SUCCESS");
        cq.resize(2);
        assertThat(cq.cqe()).isEqualTo(2);
    }

    @Test
    void anErrorOfAMembersCompletionQueueIsThatOfTheVirtualOne() {
        final TwoBonds.Connection pair = bonds.connect();
        bonds.a.device(0).say(AsyncEvent.ofCq(AsyncEventType.CQ_ERR, pair.active().physical().sendCq()));
        bonds.settle();
        final AsyncEvent event = bonds.a.events().getFirst();
        assertThat(event.type()).isEqualTo(AsyncEventType.CQ_ERR);
        assertThat(event.cq()).isSameAs(pair.active().cq());
    }

    @Test
    void eventsOfACompletionQueueThatIsGoneAreDropped() {
        final CompletionQueue told = context.createCq(16, null, null);
        final CompletionQueue later = context.createCq(16, null, null);
        bonds.a.device(0).say(errorOf(told));
        bonds.settle();
        bonds.a.device(0).say(errorOf(later));
        told.close();
        later.close();
        bonds.settle();
        assertThat(bonds.a.events()).isEmpty();
    }

    private AsyncEvent errorOf(final CompletionQueue cq) {
        return AsyncEvent.ofCq(AsyncEventType.CQ_ERR, ((BondCompletionQueue) cq).on(bonds.a.member(0)));
    }

    @Test
    void whatConcernsAMembersOwnObjectsIsNotTheApplications() {
        bonds.a.device(0).say(AsyncEvent.ofPort(AsyncEventType.LID_CHANGE, 1));
        bonds.a.device(0).say(AsyncEvent.ofDevice(AsyncEventType.UNKNOWN));
        bonds.settle();
        assertThat(bonds.a.events()).isEmpty();
    }

    @Test
    void anEventIsHeardOnTheChannelOncePerRequest() {
        final CompletionChannel channel = context.createCompChannel();
        final CompletionQueue cq = context.createCq(16, null, channel);
        assertErrno(Errno.EBUSY, channel::close);
        cq.reqNotify(false);
        assertThat(channel.getCqEvent(0)).isNull();
        cq.close();
        channel.close();
    }

    @Test
    void aMemberThatCannotBeClosedYetKeepsNothingElseOpen() {
        final FakeContext dead = bonds.a.device(0).opened();
        final FakeContext other = bonds.a.device(1).opened();
        dead.destroysSlowly(true);
        bonds.a.device(0).die();
        bonds.advance(1_000 * TwoBonds.MS);
        assertErrno(Errno.EBUSY, bonds.a::close);
        assertThat(dead.timesWaited()).as("its application may wait").isEqualTo(1);
        assertThat(other.isClosed()).isTrue();
        assertErrno(Errno.EINVAL, context::allocPd);
        dead.destroysSlowly(false);
        context.close();
        assertThat(dead.isClosed()).isTrue();
    }

    @Test
    void whoWaitsForAMemberToBeClosedKeepsNobodyFromTheBond() {
        final FakeContext slow = bonds.a.device(0).opened();
        slow.onClose(() -> assertThat(context.lockHolder()).as("of the control lock").isNull());
        bonds.a.close();
        assertThat(slow.isClosed()).isTrue();
    }
}
