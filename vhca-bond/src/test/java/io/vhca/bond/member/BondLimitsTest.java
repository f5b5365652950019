package io.vhca.bond.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.AtomicCapability;
import io.vhca.api.DeviceAttributes;
import io.vhca.api.Errno;
import io.vhca.api.QpCapabilities;
import io.vhca.api.SrqAttributes;
import io.vhca.api.VerbsException;
import io.vhca.bond.config.AtomicsMode;
import io.vhca.bond.config.BondConfig;
import io.vhca.bond.config.BondMode;
import io.vhca.bond.config.LedgerMode;
import io.vhca.bond.core.BondRuntime;
import io.vhca.bond.fake.FakeDevice;
import io.vhca.bond.fake.FakeFabric;
import io.vhca.bond.fake.HandCore;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BondLimitsTest {
    private final FakeFabric fabric = new FakeFabric();
    private final List<Member> members = new ArrayList<>();

    private static DeviceAttributes attributes(
            final int maxQpWr, final int maxCqe, final int maxInline, final AtomicCapability atomics) {
        return new DeviceAttributes(
                "1", 5, 1 << 20, 100, maxQpWr, 4, 50, maxCqe, 1_000, 10, 8, 8, atomics, 64, 32, 256, 4, maxInline, 1);
    }

    private static DeviceAttributes attributes(final int maxAh) {
        return new DeviceAttributes(
                "1", 5, 1 << 20, 100, 100, 4, 50, 500, 99, 10, 8, 8, AtomicCapability.GLOB, maxAh, 32, 256, 4, 64, 1);
    }

    private Member member(final DeviceAttributes attributes) {
        final FakeDevice device = fabric.device("m" + members.size(), "10.0.0." + (1 + members.size()));
        final Member member = new Member(members.size(), 0, device.attributes(attributes).open());
        members.add(member);
        return member;
    }

    private BondLimits limits(final BondConfig.Builder options) {
        return new BondLimits(members, 77, options.build());
    }

    private static BondConfig.Builder options() {
        return BondConfig.builder("bond0");
    }

    private static void assertErrno(final int errno, final ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(errno));
    }

    @Test
    void theyAreTheLeastOfTheMembersLessWhatTheBondNeeds() {
        member(attributes(100, 1_000, 64, AtomicCapability.GLOB));
        member(attributes(200, 500, 32, AtomicCapability.HCA));
        final DeviceAttributes least = limits(options()).attributes();
        assertThat(least.maxQpWr()).isEqualTo(100 - BondLimits.OWN_SENDS);
        assertThat(least.maxCqe()).isEqualTo(250);
        assertThat(least.maxInlineData()).isEqualTo(32);
        assertThat(least.maxSrq()).isEqualTo(16);
        assertThat(least.maxAh()).isEqualTo(16);
        assertThat(least.nodeGuid()).isEqualTo(77);
        assertThat(least.physPortCount()).isEqualTo(1);
    }

    /** As many as fit where each address has one of the peer's. */
    @Test
    void whereAMemberHasFewAddressHandlesTheBondHasOneAtLeast() {
        member(attributes(3));
        assertThat(limits(options()).attributes().maxAh()).isEqualTo(1);
    }

    @Test
    void withMarksHalfAsManySendsFit() {
        member(attributes(100, 1_000, 64, AtomicCapability.GLOB));
        assertThat(limits(options().ledger(LedgerMode.EACH)).attributes().maxQpWr()).isEqualTo(48);
        final QueueCapacities room = limits(options().ledger(LedgerMode.EACH))
                .room(new QpCapabilities(48, 10, 0, 0, 0));
        assertThat(room.sends()).isEqualTo(99).isLessThanOrEqualTo(100);
        assertThat(room.recvs()).isEqualTo(11);
        assertThat(room.physical()).isEqualTo(new QpCapabilities(99, 11, 1, 1, 8));
        assertThat(limits(options()).room(new QpCapabilities(48, 10, 2, 3, 5)).physical())
                .isEqualTo(new QpCapabilities(50, 11, 2, 3, 5));
    }

    @Test
    void marksNeedInlineData() {
        member(attributes(100, 1_000, 4, AtomicCapability.GLOB));
        assertErrno(Errno.EOPNOTSUPP, () -> limits(options().ledger(LedgerMode.EACH)));
        assertThatCode(() -> limits(options())).doesNotThrowAnyException();
    }

    @Test
    void atomicsAreGlobalWhenEmulatedAndTheMembersOwnElse() {
        member(attributes(100, 1_000, 64, AtomicCapability.HCA));
        assertThat(limits(options().atomics(AtomicsMode.EMULATED)).attributes().atomicCap())
                .isEqualTo(AtomicCapability.GLOB);
        assertThat(limits(options().atomics(AtomicsMode.NATIVE)).attributes().atomicCap())
                .isEqualTo(AtomicCapability.HCA);
        assertErrno(
                Errno.EOPNOTSUPP,
                () -> limits(options().atomics(AtomicsMode.NATIVE).mode(BondMode.BALANCE_RR)));
    }

    @Test
    void thereIsOneMemberAtLeastAndSixteenAtMost() {
        assertErrno(Errno.ENODEV, () -> limits(options()));
        for (int i = 0; i < 16; i++) {
            member(attributes(100, 1_000, 64, AtomicCapability.GLOB));
        }
        assertThatCode(() -> limits(options())).doesNotThrowAnyException();
        member(attributes(100, 1_000, 64, AtomicCapability.GLOB));
        assertErrno(Errno.EINVAL, () -> limits(options()));
    }

    @Test
    void aLaterMemberMustHoldWhatWasPromised() {
        member(attributes(100, 1_000, 64, AtomicCapability.GLOB));
        final BondLimits limits = limits(options());
        final BondRuntime core = HandCore.of(options());
        assertThatCode(() -> limits.checkFits(
                        "addMember", core, member(attributes(100, 1_000, 64, AtomicCapability.HCA))))
                .as("atomics are emulated").doesNotThrowAnyException();
        assertErrno(
                Errno.EINVAL,
                () -> limits.checkFits("addMember", core, member(attributes(99, 1_000, 64, AtomicCapability.GLOB))));
        assertErrno(
                Errno.EINVAL,
                () -> limits.checkFits("addMember", core, member(attributes(100, 999, 64, AtomicCapability.GLOB))));
        assertErrno(
                Errno.EINVAL,
                () -> limits.checkFits("addMember", core, member(attributes(100, 1_000, 63, AtomicCapability.GLOB))));
        core.close();
    }

    @Test
    void whatAnApplicationAsksForIsCheckedAndNamed() {
        member(attributes(100, 1_000, 64, AtomicCapability.GLOB));
        final BondLimits limits = limits(options());
        assertThatCode(() -> limits.check("x", new QpCapabilities(98, 98, 4, 4, 64))).doesNotThrowAnyException();
        for (final QpCapabilities tooMuch : List.of(
                new QpCapabilities(0, 1, 1, 1, 0), new QpCapabilities(99, 1, 1, 1, 0),
                new QpCapabilities(1, 99, 1, 1, 0), new QpCapabilities(1, 1, 5, 1, 0),
                new QpCapabilities(1, 1, 1, 5, 0), new QpCapabilities(1, 1, 1, 1, 65))) {
            assertErrno(Errno.EINVAL, () -> limits.check("x", tooMuch));
        }
        assertThatCode(() -> limits.check("x", new SrqAttributes(256, 4, 256))).doesNotThrowAnyException();
        for (final SrqAttributes tooMuch : List.of(
                new SrqAttributes(257, 1, 0), new SrqAttributes(0, 1, 0), new SrqAttributes(9, 5, 0),
                new SrqAttributes(9, 1, 10))) {
            assertErrno(Errno.EINVAL, () -> limits.check("x", tooMuch));
        }
        assertErrno(Errno.EINVAL, () -> limits.checkCqe("createCq", "x", 0));
        assertErrno(Errno.EINVAL, () -> limits.checkCqe("createCq", "x", 501));
        assertThatCode(() -> limits.checkCqe("createCq", "x", 500)).doesNotThrowAnyException();
    }

    private static DeviceAttributes attributes(
            final long maxMrSize,
            final int maxSge,
            final int maxQpRdAtom,
            final int maxQpInitRdAtom,
            final int maxSrqWr,
            final int maxSrqSge) {
        return new DeviceAttributes(
                "1", 5, maxMrSize, 100, 100, maxSge, 50, 1_000, 1_000, 10, maxQpRdAtom, maxQpInitRdAtom,
                AtomicCapability.GLOB, 64, 32, maxSrqWr, maxSrqSge, 64, 1);
    }

    @ParameterizedTest
    @CsvSource({
        "max_mr_size, 524288, 4, 8, 8, 256, 4",
        "max_sge, 1048576, 2, 8, 8, 256, 4",
        "max_qp_rd_atom, 1048576, 4, 4, 8, 256, 4",
        "max_qp_init_rd_atom, 1048576, 4, 8, 4, 256, 4",
        "max_srq_wr, 1048576, 4, 8, 8, 128, 4",
        "max_srq_sge, 1048576, 4, 8, 8, 256, 2"
    })
    void aLaterMemberThatHoldsHalfOfOneLimitIsRefusedForThat(
            final String half,
            final long maxMrSize,
            final int maxSge,
            final int maxQpRdAtom,
            final int maxQpInitRdAtom,
            final int maxSrqWr,
            final int maxSrqSge) {
        member(attributes(1 << 20, 4, 8, 8, 256, 4));
        assertRefused(
                options(),
                attributes(maxMrSize, maxSge, maxQpRdAtom, maxQpInitRdAtom, maxSrqWr, maxSrqSge),
                "its " + half + " is ");
    }

    @Test
    void aLaterMemberWhoseAtomicsHoldForItselfAloneIsRefusedWhereMoreWasPromised() {
        member(attributes(100, 1_000, 64, AtomicCapability.GLOB));
        assertRefused(
                options().atomics(AtomicsMode.NATIVE),
                attributes(100, 1_000, 64, AtomicCapability.HCA),
                "its atomic_cap is ");
    }

    private void assertRefused(final BondConfig.Builder options, final DeviceAttributes later, final String why) {
        final BondLimits limits = limits(options);
        final Member member = member(later);
        try (BondRuntime core = HandCore.of(options)) {
            assertThatThrownBy(() -> limits.checkFits("addMember", core, member))
                    .isInstanceOfSatisfying(
                            VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL))
                    .hasMessageContaining(why);
        }
    }
}
