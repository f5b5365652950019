package io.vhca.bond;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.vhca.api.Context;
import io.vhca.api.Errno;
import io.vhca.api.NodeType;
import io.vhca.api.VerbsException;
import io.vhca.bond.config.BondConfig;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.core.BondObserver;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class BondDeviceTest {
    @BeforeEach
    void forget() {
        FakeProvider.LOG.clear();
        FakeProvider.rename("able9", "able2");
    }

    private static BondDevice bond(final String name, final String... members) {
        return new BondDevice(BondConfig.builder(name).members(List.of(members)).build());
    }

    @Test
    void aMissingMemberIsNamedWithTheDevicesThereAreAndTheOthersAreClosed() {
        assertThatThrownBy(() -> bond("bond0", "fake0", "fake1", "nothere").open())
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENODEV))
                .hasMessageContainingAll("bond0", "nothere", "fake0", "fake1");
        assertThat(FakeProvider.LOG).containsExactly("open fake0", "open fake1", "close fake0", "close fake1");
    }

    @Test
    void aMemberThatCannotBeOpenedPassesItsErrnoOn() {
        assertThatThrownBy(() -> bond("bond0", "fake0", "fakebad").open())
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EIO))
                .hasMessageContainingAll("bond0", "fakebad", "it is broken");
        assertThat(FakeProvider.LOG).containsExactly("open fake0", "close fake0");
    }

    @Test
    void membersAreClosedWhereOpeningEndsInAnError() {
        assertThatThrownBy(() -> bond("bond0", "fake0", "fakeerror").open()).isInstanceOf(InternalError.class);
        assertThat(FakeProvider.LOG).containsExactly("open fake0", "close fake0");
    }

    @Test
    void membersAreClosedWhenTheBondCannotBeBuiltOverThem() {
        final BondDevice bond = bond("bond0", "fake0", "fake1");
        for (int attempt = 0; attempt < 2; attempt++) {
            FakeProvider.LOG.clear();
            // The second attempt fails alike, not with EBUSY: the bond does not count as open.
            assertThatThrownBy(bond::open)
                    .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EIO));
            assertThat(FakeProvider.LOG).containsExactly("open fake0", "open fake1", "close fake0", "close fake1");
        }
    }

    @Test
    void aMemberThatCannotBeClosedHidesNeitherTheFirstErrorNorTheOthers() {
        assertThatThrownBy(() -> bond("bond0", "fake0", "fakebusy", "fake1", "nothere").open())
                .isInstanceOfSatisfying(VerbsException.class, e -> {
                    assertThat(e.errno()).isEqualTo(Errno.ENODEV);
                    assertThat(e.getSuppressed()).hasSize(1);
                    assertThat(e.getSuppressed()[0]).hasMessageContainingAll("EBUSY", "fakebusy");
                });
        assertThat(FakeProvider.LOG).endsWith("close fake0", "close fakebusy", "close fake1");
    }

    @Test
    void aJournalThatNoJarCanWriteIsOneErrorBeforeAnythingIsOpened() {
        final BondDevice bond = new BondDevice(BondConfig.builder("bond0")
                .members(List.of("fake0", "fake1"))
                .journal("/var/lib/app/journal")
                .build());
        assertThatThrownBy(bond::open)
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EOPNOTSUPP))
                .hasMessageContainingAll("bond0", "journal=/var/lib/app/journal", "io.vhca:vhca-ras", "class path");
        assertThat(FakeProvider.LOG).isEmpty();
    }

    @Test
    void aDeviceThatWasAddedIsFreeForOthersOnceTheBondIsOpenedAnewWithoutIt() {
        final BondDevice bond = bond("bond0", "able0");
        try (BondContext first = (BondContext) bond.open()) {
            first.admin().add("able1");
            assertThatThrownBy(bond("bond1", "able1")::open)
                    .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EBUSY))
                    .hasMessageContainingAll("bond1", "able1", "belongs to bond0");
        }
        try (Context again = bond.open(); Context other = bond("bond1", "able1").open()) {
            assertThat(List.of(again, other)).extracting(one -> one.device().name()).containsExactly("bond0", "bond1");
        }
    }

    /** By whatever name it came back: who holds a device was noted by its name. */
    @Test
    void aDeviceWithAnotherNameByNowStillServesTheBondThatHasIt() {
        try (BondContext first = (BondContext) bond("bond0", "able0").open();
                BondContext second = (BondContext) bond("bond1", "able1").open()) {
            first.admin().add("able2");
            FakeProvider.rename("able2", "able9");
            assertBusy(() -> second.admin().add("able9"));
            assertBusy(bond("bond2", "able9")::open);
            assertThatThrownBy(() -> first.admin().add("able9"))
                    .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EEXIST))
                    .hasMessageContainingAll("able9", "it is the device of member able2");
            assertBusy(() -> second.admin().add("able9"));
        }
        try (Context other = bond("bond2", "able9").open()) {
            assertThat(other.device().name()).isEqualTo("bond2");
        }
    }

    /** As rxe over a network interface and over a VLAN of it: the second bond was refused. */
    @Test
    void twoDevicesOfOneNodeGuidMayServeTwoBonds() {
        try (Context first = bond("bond0", "abletwin0").open(); Context second = bond("bond1", "abletwin1").open()) {
            assertThat(List.of(first, second)).extracting(one -> one.device().name()).containsExactly("bond0", "bond1");
            assertBusy("abletwin0", "bond0", bond("bond2", "abletwin0")::open);
            assertBusy("abletwin1", "bond1", bond("bond2", "abletwin1")::open);
        }
    }

    @Test
    void aDeviceThatIsRefusedBesideItsSiblingIsNotHeld() {
        try (BondContext first = (BondContext) bond("bond0", "abletwin0").open()) {
            assertThatThrownBy(() -> first.admin().add("abletwin1"))
                    .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EEXIST));
            assertBusy("abletwin0", "bond0", bond("bond1", "abletwin0")::open);
            try (Context other = bond("bond1", "abletwin1").open()) {
                assertThat(other.device().name()).isEqualTo("bond1");
            }
        }
    }

    /** It was anybody's, though its sibling was still a member. */
    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aDeviceLeavesWithoutItsSiblingOfOneNodeGuid() {
        final BondDevice bond = bond("bond0", "abletwin0", "abletwin1");
        try (BondContext first = (BondContext) bond.open()) {
            first.admin().remove("abletwin1");
            while (first.admin().members().size() > 1) {
                Thread.yield();
            }
            assertBusy("abletwin0", "bond0", bond("bond1", "abletwin0")::open);
            try (Context other = bond("bond1", "abletwin1").open()) {
                assertThat(other.device().name()).isEqualTo("bond1");
            }
        }
    }

    /** Who opened it meanwhile had its control socket deleted; who closed it too went on while all was still there. */
    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void itIsOpenUntilAllOfItIsClosedAndWhoClosesItTooWaits() throws InterruptedException {
        final BondDevice bond = bond("bond0", "able0");
        final BondContext context = (BondContext) bond.open();
        final Thread other = Thread.ofPlatform().daemon().unstarted(context::close);
        final List<Object> seen = new ArrayList<>();
        context.admin().observe(new BondObserver() {
            @Override
            public void close() {
                seen.add(catchThrowableOfType(VerbsException.class, bond::open).errno());
                other.start();
                Thread.State state = other.getState();
                while (state != Thread.State.BLOCKED
                        && state != Thread.State.TERMINATED
                        && !Thread.currentThread().isInterrupted()) {
                    Thread.yield();
                    state = other.getState();
                }
                seen.add(state);
            }
        });
        context.close();
        assertThat(seen).containsExactly(Errno.EBUSY, Thread.State.BLOCKED);
        other.join();
        bond.open().close();
    }

    private static void assertBusy(final ThrowingCallable call) {
        assertBusy("able9", "bond0", call);
    }

    private static void assertBusy(final String device, final String holder, final ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EBUSY))
                .hasMessageContainingAll(device, "belongs to " + holder);
    }

    /** As one of the common pool, in an application whose jars are on another class path than the JVM's. */
    @Test
    void aBondHasItsObserversWhicheverThreadOpensIt() {
        final ClassLoader own = Thread.currentThread().getContextClassLoader();
        FakeObservers.BONDS.clear();
        Thread.currentThread().setContextClassLoader(ClassLoader.getPlatformClassLoader());
        try (Context bond = bond("bond0", "able0").open()) {
            assertThat(FakeObservers.BONDS).containsExactly(bond.device().name());
        } finally {
            Thread.currentThread().setContextClassLoader(own);
        }
    }

    /** As where a line of the log needs a file descriptor, and none is left. */
    @Test
    void aBondOpensThoughWhatIsToObserveItFails() {
        FakeObservers.BONDS.clear();
        try (BondContext bond = (BondContext) bond("bonderror", "able0").open()) {
            assertThat(FakeObservers.BONDS).containsExactly("bonderror");
            assertThat(bond.counters().get(Counter.DUTY_CYCLE_ERRORS)).isEqualTo(1);
        }
    }

    /** As where two jars on the class path are of different versions. */
    @Test
    void aBondOpensThoughAnObserverCannotBeLoaded(@TempDir final Path classes) throws IOException {
        final Path services = Files.createDirectories(classes.resolve("META-INF/services"));
        Files.writeString(services.resolve(BondObserverProvider.class.getName()), "nobody.has.this.Class");
        final Thread self = Thread.currentThread();
        final ClassLoader own = self.getContextClassLoader();
        FakeObservers.BONDS.clear();
        try (URLClassLoader loader = new URLClassLoader(new URL[] {classes.toUri().toURL()}, own)) {
            self.setContextClassLoader(loader);
            try (BondContext bond = (BondContext) bond("bond0", "able0").open()) {
                assertThat(FakeObservers.BONDS).containsExactly("bond0");
                assertThat(bond.counters().get(Counter.DUTY_CYCLE_ERRORS)).isEqualTo(1);
            }
        } finally {
            self.setContextClassLoader(own);
        }
    }

    @Test
    void aDeviceIsFoundAgainWhateverIsConfiguredByNow() {
        assertThat(foundAgain("fake1", "bond0: members=fake0 retry_cnt=8")).isEqualTo("fake1");
    }

    @Test
    void aDeviceWithoutANodeGuidIsNotTakenForAnother() {
        assertThat(foundAgain("fakevf1", "")).isEqualTo("fakevf1");
    }

    /** As rxe over a network interface and over a VLAN of it: the lost one came back as the living one. */
    @Test
    void ofTwoDevicesOfOneNodeGuidTheOneOfThatNameIsFoundAndNeverAnotherMembers() {
        assertThat(foundAgain("faketwin0", "", "faketwin1")).isEqualTo("faketwin0");
        assertThat(foundAgain("faketwin1", "")).isEqualTo("faketwin1");
        for (final String[] siblings : new String[][] {{}, {"faketwin0"}, {"faketwin0", "faketwin1"}}) {
            assertThatThrownBy(() -> foundAgain("faketwin2", "", siblings)).as("with another name by now")
                    .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENODEV));
        }
    }

    private static String foundAgain(final String lost, final String configured, final String... siblings) {
        System.setProperty(BondProvider.PROPERTY, configured);
        try {
            return DeviceHolders.find(new FakeProvider.FakeDevice(lost), Set.of(siblings)).name();
        } finally {
            System.clearProperty(BondProvider.PROPERTY);
        }
    }

    @Test
    void theGuidIsStableLocallyAdministeredAndOfNameAndMembers() {
        final long guid = bond("bond0", "fake0", "fake1").nodeGuid();
        assertThat(bond("bond0", "fake0", "fake1").nodeGuid()).isEqualTo(guid);
        assertThat(bond("bond1", "fake0", "fake1").nodeGuid()).isNotEqualTo(guid);
        assertThat(bond("bond0", "fake1", "fake0").nodeGuid()).isNotEqualTo(guid);
        assertThat(guid >>> 56 & 3).isEqualTo(2);
        assertThat(bond("bond0", "fake0", "fake1").nodeType()).isEqualTo(NodeType.CA);
    }
}
