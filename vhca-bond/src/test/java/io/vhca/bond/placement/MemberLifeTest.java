package io.vhca.bond.placement;

import static io.vhca.bond.fake.TwoBonds.MS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.AsyncEvent;
import io.vhca.api.AsyncEventType;
import io.vhca.api.DeviceAttributes;
import io.vhca.bond.config.BondOption;
import io.vhca.bond.config.ServiceMode.Standby;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.core.BondObserver;
import io.vhca.bond.fake.AppEnd;
import io.vhca.bond.fake.FakeContext;
import io.vhca.bond.fake.FakeDevice;
import io.vhca.bond.fake.RawPeer;
import io.vhca.bond.fake.Records;
import io.vhca.bond.fake.TwoBonds;
import io.vhca.recovery.wire.MemberId;
import io.vhca.recovery.wire.RecordType;
import io.vhca.recovery.wire.SessionId;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Devices that die and come back. */
class MemberLifeTest {
    private final TwoBonds bonds = new TwoBonds();

    @AfterEach
    void close() {
        bonds.close();
    }

    @Test
    void theContextOfADeadDeviceIsClosedAndEverythingIsMadeAnewOnItsReturn() {
        final TwoBonds.Connection pair = bonds.connect();
        pair.passive().receives(4);
        final FakeContext dead = bonds.a.device(0).opened();
        bonds.a.device(0).die();
        bonds.advance(1_000 * MS);
        assertThat(dead.isClosed()).isTrue();
        assertThat(bonds.a.member(0).isAlive()).isFalse();
        final int generation = bonds.a.member(0).generation();
        bonds.a.device(0).plug();
        bonds.advance(2_000 * MS);
        assertThat(bonds.a.member(0).isUp()).isTrue();
        assertThat(bonds.a.member(0).generation()).isEqualTo(generation + 1);
        assertThat(bonds.a.journal()).contains("a0 has died", "a0 is back", "a0 is up");
        bonds.a.device(1).port(false);
        bonds.advance(500 * MS);
        assertThat(pair.active().recovery().attachment().describe()).startsWith("a0");
        pair.active().send(1, "one");
        bonds.settle();
        assertThat(pair.active().polled()).containsExactly("1 SUCCESS");
    }

    @Test
    void anOperatorNeedNotWaitForTheNextLook() {
        bonds.a.device(0).die();
        bonds.advance(1_010 * MS);
        bonds.a.device(0).plug();
        bonds.settle();
        assertThat(bonds.a.member(0).isAlive()).isFalse();
        bonds.a.context().admin().lookAgain();
        bonds.settle();
        assertThat(bonds.a.member(0).isUp()).as("its port too").isTrue();
    }

    @Test
    void aShorterMiimonCountsAtOnce() {
        bonds.a.context().admin().set(List.of("miimon=60s"));
        bonds.a.device(0).die();
        bonds.advance(1_000 * MS);
        bonds.a.device(0).plug();
        bonds.settle();
        assertThat(bonds.a.member(0).isAlive()).isFalse();
        bonds.a.context().admin().set(List.of("miimon=100ms"));
        bonds.settle();
        assertThat(bonds.a.member(0).isUp()).isTrue();
    }

    @Test
    void aDeviceMayComeBackWithAnotherAddress() {
        final TwoBonds.Connection pair = bonds.connect();
        bonds.advance(100 * MS);
        bonds.b.device(0).die();
        bonds.advance(1_000 * MS);
        bonds.b.device(0).address("10.1.0.22");
        bonds.b.device(0).plug();
        bonds.advance(2_000 * MS);
        assertThat(bonds.b.member(0).address()).isEqualTo(InetAddress.ofLiteral("10.1.0.22"));
        bonds.b.device(1).port(false);
        bonds.advance(2_000 * MS);
        assertThat(pair.active().recovery().attachment().describe()).isEqualTo("a0 -> 10.1.0.22");
    }

    /** REQs come to the new address, and a listener is found by its own. */
    @Test
    void aDeviceThatLivesMayGetAnotherAddressAndIsReachedThere() {
        final TwoBonds.Connection pair = bonds.connect();
        bonds.advance(100 * MS);
        bonds.b.device(0).address("10.1.0.22");
        bonds.advance(2_000 * MS);
        assertThat(bonds.b.member(0).address()).isEqualTo(InetAddress.ofLiteral("10.1.0.22"));
        bonds.b.device(1).port(false);
        bonds.advance(2_000 * MS);
        assertThat(pair.active().recovery().attachment().describe()).isEqualTo("a0 -> 10.1.0.22");
        try (RawPeer raw = new RawPeer(bonds, "10.1.0.99")) {
            raw.ask(
                    "10.1.0.22", bonds.b.verbs().core().config().basePort(),
                    Records.session(RecordType.RECOVER, new SessionId(1, 2), 3, 4, 1));
            bonds.settle();
            assertThat(raw.rejection()).as("the bond's word, not the connection manager's").isNotNull();
        }
    }

    @Test
    void aDeviceThatComesBackWithoutItsAddressIsUpOnceItHasOne() {
        bonds.a.device(0).die();
        bonds.advance(1_000 * MS);
        bonds.a.device(0).address("fe80::1");
        bonds.a.device(0).plug();
        bonds.advance(2_000 * MS);
        assertThat(bonds.a.member(0).isAlive()).isTrue();
        assertThat(bonds.a.member(0).isUp()).isFalse();
        assertThat(bonds.a.member(0).address()).isEqualTo(InetAddress.ofLiteral("10.1.0.1"));
        bonds.a.device(0).address("10.1.0.1");
        bonds.settle();
        assertThat(bonds.a.member(0).isUp()).isTrue();
    }

    @Test
    void aDeviceThatDiesAgainWhileItIsRebuiltIsLookedForAgain() {
        bonds.a.device(0).die();
        bonds.advance(500 * MS);
        bonds.a.device(0).plug();
        bonds.advance(500 * MS);
        bonds.a.device(0).die();
        bonds.advance(500 * MS);
        assertThat(bonds.a.member(0).isUp()).isFalse();
        bonds.a.device(0).plug();
        bonds.advance(500 * MS);
        assertThat(bonds.a.member(0).isUp()).isTrue();
    }

    /** An application has made its queue pairs by what the bond said, and may make more. */
    @Test
    void aDeviceThatHoldsLessThanTheBondPromisedHasNotCome() {
        final FakeDevice device = bonds.a.device(0);
        final DeviceAttributes before = device.attributes();
        final List<Throwable> told = new ArrayList<>();
        bonds.a.context().admin().observe(new BondObserver() {
            @Override
            public void onError(final Counter kind, final Throwable error) {
                told.add(error);
            }
        });
        device.die();
        bonds.advance(1_000 * MS);
        told.clear();
        device.attributes(withRing(before, before.maxQpWr() / 2));
        device.plug();
        bonds.a.context().admin().lookAgain();
        bonds.settle();
        assertThat(bonds.a.member(0).isAlive()).isFalse();
        assertThat(device.context()).as("it is closed").isNull();
        assertThat(bonds.a.member(0).attributes()).as("what is promised does not depend on it").isEqualTo(before);
        assertThat(told).singleElement().asString()
                .contains("openDevice", "EINVAL", "bonda member a0", "max_qp_wr is ", "promised", "open the bond anew");
        device.attributes(before);
        bonds.advance(1_000 * MS);
        assertThat(bonds.a.member(0).isUp()).isTrue();
    }

    private static DeviceAttributes withRing(final DeviceAttributes of, final int maxQpWr) {
        return new DeviceAttributes(
                of.fwVer(), of.nodeGuid(), of.maxMrSize(), of.maxQp(), maxQpWr, of.maxSge(), of.maxCq(), of.maxCqe(),
                of.maxMr(), of.maxPd(), of.maxQpRdAtom(), of.maxQpInitRdAtom(), of.atomicCap(), of.maxAh(),
                of.maxSrq(), of.maxSrqWr(), of.maxSrqSge(), of.maxInlineData(), of.physPortCount());
    }

    /** It is looked for by its node GUID, which another member's device may share. */
    @Test
    void whoLooksForALostDeviceIsToldWhichOfThatNodeGuidOthersHave() {
        final FakeDevice device = bonds.a.device(0);
        device.die();
        bonds.advance(1_000 * MS);
        assertThat(bonds.siblingsNamed).isEmpty();
        bonds.a.device(1).attributes(device.attributes());
        device.plug();
        bonds.advance(1_000 * MS);
        assertThat(bonds.a.member(0).isUp()).isTrue();
        assertThat(bonds.siblingsNamed).containsExactly("a1");
    }

    /** It may be listed under another name: the bond holds that once it has the device. */
    @Test
    void whoHoldsDevicesIsToldOfOneThatCameBackOnceItCanBeUsed() {
        final FakeDevice device = bonds.a.device(0);
        device.die();
        bonds.advance(1_000 * MS);
        device.refuse("queryDevice");
        device.plug();
        bonds.advance(1_000 * MS);
        assertThat(bonds.cameBack).isEmpty();
        device.refuse(null);
        bonds.advance(60_000 * MS);
        assertThat(bonds.a.member(0).isUp()).isTrue();
        assertThat(bonds.cameBack).containsExactly("a0");
    }

    /** Each try had a number of its own, and sixteen of them had come round. */
    @Test
    void aDeviceOnWhichNothingCanBeMadeHasNotCome() {
        bonds.a.device(0).die();
        bonds.advance(1_000 * MS);
        final int generation = bonds.a.member(0).generation();
        bonds.a.device(0).plug();
        for (int i = 0; i < 20; i++) {
            bonds.a.device(0).refuseOnce("allocPd");
            bonds.a.context().admin().lookAgain();
            bonds.settle();
            assertThat(bonds.a.member(0).generation()).isEqualTo(generation);
        }
        bonds.a.context().admin().lookAgain();
        bonds.settle();
        assertThat(bonds.a.member(0).isUp()).isTrue();
        assertThat(bonds.a.member(0).generation()).isEqualTo(generation + 1);
    }

    /** All that was made before that would be made, and destroyed, five times a second. */
    @Test
    void aDeviceOnWhichOneRegionCannotBeMadeIsTriedLessAndLessOften() {
        bonds.connect();
        final FakeDevice device = bonds.a.device(0);
        device.die();
        bonds.advance(1_000 * MS);
        device.refuse("regMr");
        device.plug();
        bonds.advance(60_000 * MS);
        assertThat(device.refusals()).isBetween(6, 10);
        assertThat(bonds.a.member(0).isAlive()).isFalse();
        device.refuse(null);
        bonds.a.context().admin().lookAgain();
        bonds.settle();
        assertThat(bonds.a.member(0).isUp()).as("an operator need not wait").isTrue();
    }

    @Test
    void byItselfItComesBackWithinHalfAMinute() {
        bonds.connect();
        final FakeDevice device = bonds.a.device(0);
        device.die();
        bonds.advance(1_000 * MS);
        device.refuse("regMr");
        device.plug();
        bonds.advance(120_000 * MS);
        device.refuse(null);
        bonds.advance(31_000 * MS);
        assertThat(bonds.a.member(0).isUp()).isTrue();
    }

    @Test
    void aDeviceThatWasAwayMeanwhileIsTriedAsOftenAsAtFirst() {
        bonds.connect();
        final FakeDevice device = bonds.a.device(0);
        device.die();
        bonds.advance(1_000 * MS);
        device.refuse("regMr");
        device.plug();
        bonds.advance(20_000 * MS);
        device.dieSilently();
        bonds.advance(31_000 * MS);
        device.refuse("regMr");
        device.plug();
        bonds.advance(2_000 * MS);
        assertThat(device.refusals()).isBetween(3, 5);
    }

    @Test
    void anErrorWhileADeviceIsRebuiltLeavesItToBeLookedForAgain() {
        bonds.connect();
        bonds.a.device(0).die();
        bonds.advance(1_000 * MS);
        final int generation = bonds.a.member(0).generation();
        bonds.a.device(0).plug();
        bonds.a.device(0).failOnce("regMr", new OutOfMemoryError("planted"));
        bonds.a.context().admin().lookAgain();
        assertThatThrownBy(bonds::settle).isInstanceOf(OutOfMemoryError.class);
        assertThat(bonds.a.member(0).isAlive()).as("half of its parts are not there").isFalse();
        assertThat(bonds.a.device(0).context()).as("it is closed").isNull();
        bonds.advance(2_000 * MS);
        assertThat(bonds.a.member(0).isUp()).isTrue();
        assertThat(bonds.a.member(0).generation()).isEqualTo(generation + 1);
    }

    /** Its generation has come round, and the peer knows keys of that number. */
    @Test
    void keysOfADeviceThatCameSixteenTimesAreNotThoseOfTheFirst() {
        try (TwoBonds cold = new TwoBonds(options -> options.set(BondOption.STANDBY, Standby.COLD))) {
            final TwoBonds.Connection pair = cold.connect();
            final AppEnd to = pair.passive();
            pair.active().write(1, "one", to.into(8), to.region().rkey());
            cold.settle();
            assertThat(pair.active().polled()).containsExactly("1 SUCCESS");
            for (int i = 0; i < MemberId.GENERATIONS; i++) {
                cold.b.device(1).die();
                cold.advance(1_000 * MS);
                cold.b.device(1).plug();
                cold.advance(2_000 * MS);
            }
            assertThat(cold.b.member(1).generation()).isZero();
            cold.b.device(0).port(false);
            cold.advance(1_000 * MS);
            assertThat(pair.active().recovery().attachment().describe()).contains("10.2.0.2");
            pair.active().write(2, "two", to.into(8), to.region().rkey());
            cold.settle();
            assertThat(pair.active().polled()).containsExactly("2 SUCCESS");
        }
    }

    @Test
    void aRemovalThatOnlyTheConnectionManagerTellsOfIsADeath() {
        final TwoBonds.Connection pair = bonds.connect();
        bonds.a.device(0).say(AsyncEvent.ofPort(AsyncEventType.LID_CHANGE, 1));
        bonds.a.device(0).removeByCm();
        bonds.advance(1_000 * MS);
        assertThat(bonds.a.journal()).contains("a0 has died");
        assertThat(pair.active().recovery().attachment().describe()).startsWith("a1");
    }

    @Test
    void withBothDevicesGoneTheBondsPortIsDownAndItLivesOn() {
        final TwoBonds.Connection pair = bonds.connect();
        bonds.a.device(0).die();
        bonds.a.device(1).die();
        bonds.advance(1_000 * MS);
        assertThat(bonds.a.events()).extracting(AsyncEvent::type).containsExactly(AsyncEventType.PORT_ERR);
        pair.active().send(1, "one");
        pair.passive().receives(1);
        bonds.a.device(1).plug();
        bonds.advance(5_000 * MS);
        assertThat(bonds.a.events()).extracting(AsyncEvent::type).containsExactly(AsyncEventType.PORT_ACTIVE);
        assertThat(pair.active().polled()).containsExactly("1 SUCCESS");
    }
}
