package io.vhca.bond.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Context;
import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.bond.core.BondCounters.Counter;
import io.vhca.bond.core.MemberChange;
import io.vhca.bond.fake.MemberBench;
import io.vhca.recovery.wire.FailureReason;
import io.vhca.recovery.wire.MemberAddress;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MemberTest {
    private final MemberBench bench = new MemberBench(2, options -> options.alias(InetAddress.ofLiteral("10.9.0.9")));
    private final Member member = bench.member(0);

    @AfterEach
    void close() {
        bench.close();
    }

    @Test
    void itIsUpWhileTheDeviceLivesAndThePortIsActiveAndEligibleUnlessDrained() {
        assertThat(member.isUp()).isFalse();
        member.portActive(true);
        assertThat(member.isUp()).isTrue();
        member.drained(true);
        assertThat(member.isUp()).isTrue();
        assertThat(member.isEligible()).isFalse();
        member.drained(false);
        assertThat(member.isEligible()).isTrue();
        member.died();
        assertThat(member.isUp()).isFalse();
        assertThat(member.isAlive()).isFalse();
    }

    @Test
    void aDeviceThatCameBackIsAnotherOccupantWhosePortIsToBeLookedAt() {
        final int before = member.generation();
        member.portActive(true);
        member.died();
        bench.device(0).address("10.0.0.5");
        member.plug(bench.device(0).open());
        assertThat(member.isAlive()).as("nothing is made on it yet").isFalse();
        assertThat(member.generation()).isEqualTo(before);
        member.arrived();
        assertThat(member.isAlive()).isTrue();
        assertThat(member.isUp()).isFalse();
        assertThat(member.generation()).isEqualTo(before + 1);
        assertThat(member.id().generation()).isEqualTo(before + 1);
        assertThat(member.address()).isEqualTo(InetAddress.ofLiteral("10.0.0.5"));
    }

    @Test
    void aDeviceThatDiesWhileItIsPluggedLeavesTheMemberAsItWas() {
        member.died();
        final Context opened = bench.device(0).open();
        bench.device(0).die();
        assertThatThrownBy(() -> member.plug(opened)).isInstanceOf(VerbsException.class);
        assertThat(member.isAlive()).isFalse();
        assertThat(member.generation()).isZero();
    }

    @Test
    void aPartOfADeadDeviceIsNoneAndOtherErrorsAreTheCallers() {
        assertThat(member.part(bench.core.counters(), () -> "made")).isEqualTo("made");
        for (final int errno : new int[] {Errno.EIO, Errno.ENODEV}) {
            final String none = member.part(bench.core.counters(), () -> {
                throw new VerbsException("verb", errno, "m0", "the word of its death is on the way");
            });
            assertThat(none).isNull();
        }
        assertThat(bench.core.counters().get(Counter.MEMBER_ERRORS_IGNORED)).isEqualTo(2);
        assertThatThrownBy(() -> member.part(bench.core.counters(), () -> {
                    throw new VerbsException("verb", Errno.ENOMEM, "m0", "no room");
                }))
                .isInstanceOf(VerbsException.class);
        member.died();
        final String none = member.part(bench.core.counters(), () -> {
            throw new AssertionError("a dead device is not asked");
        });
        assertThat(none).isNull();
    }

    @Test
    void theTimeThatItsPortIsDownCountsFromTheFirstWordOfIt() {
        assertThat(member.goingDownFor(100)).isZero();
        assertThat(member.goingDownFor(130)).isEqualTo(30);
        member.settled();
        assertThat(member.goingDownFor(200)).isZero();
    }

    @Test
    void aMemberIsFoundByItsNameWhileItIsOne() {
        assertThat(bench.members.named("m1")).isSameAs(bench.member(1));
        assertThat(bench.members.named("m7")).isNull();
        bench.member(1).died();
        bench.member(1).left();
        assertThat(bench.members.named("m1")).isNull();
        assertThat(bench.members.isOwnAddress(InetAddress.ofLiteral("10.1.0.1"))).isFalse();
    }

    @Test
    void theBondsOwnAddressesAreTheAliasAndThoseOfItsMembers() {
        for (final String own : List.of("10.9.0.9", "10.0.0.1", "10.1.0.1")) {
            assertThat(bench.members.isOwnAddress(InetAddress.ofLiteral(own))).isTrue();
        }
        assertThat(bench.members.isOwnAddress(InetAddress.ofLiteral("10.1.0.2"))).isFalse();
        assertThat(bench.members.addresses(one -> one.index() == 1))
                .containsExactly(new MemberAddress(1, new byte[] {10, 1, 0, 1}));
    }

    @Test
    void partsAreRebuiltOldestFirstAndDroppedNewestFirst() {
        final List<String> done = new ArrayList<>();
        final class Part implements MemberPart {
            private final String name;

            Part(final String name) {
                this.name = name;
            }

            @Override
            public void drop(final Member on) {
                done.add("drop " + name);
            }

            @Override
            public void rebuild(final Member on) {
                done.add("rebuild " + name);
            }
        }

        final Part two = new Part("two");
        bench.members.addPart(new Part("one"));
        bench.members.addPart(two);
        bench.members.dropParts(member);
        member.died();
        assertThat(bench.members.rebuildPiece(member, Members.NONE)).isEqualTo(Members.ALL);
        bench.members.removePart(two);
        bench.members.dropParts(member);
        assertThat(done).containsExactly("drop two", "drop one", "rebuild one", "rebuild two", "drop one");
    }

    @Test
    void aMemberIsPutAtItsIndexOrBehindTheLastOne() {
        final Member again = new Member(1, 1, bench.device(1).open());
        bench.members.put(again);
        assertThat(bench.members.all()).containsExactly(member, again);
        final Member third = new Member(2, 0, bench.fabric.device("m2", "10.2.0.1").open());
        bench.members.put(third);
        assertThat(bench.members.all()).containsExactly(member, again, third);
        assertThatThrownBy(() -> bench.members.put(new Member(9, 0, bench.device(1).open())))
                .isInstanceOf(AssertionError.class);
    }

    @Test
    void everyChangeOfAMemberHasItsSentence() {
        for (final MemberChange change : MemberChange.values()) {
            bench.members.tell(member, change, FailureReason.NONE, 0);
        }
        assertThat(bench.notes()).hasSize(MemberChange.values().length).doesNotHaveDuplicates()
                .contains("member m0 has died", "member m0 was removed");
    }
}
