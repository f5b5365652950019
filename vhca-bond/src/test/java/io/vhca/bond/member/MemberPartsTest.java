package io.vhca.bond.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import io.vhca.bond.fake.HandDriver;
import io.vhca.bond.fake.MemberBench;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MemberPartsTest {
    private final MemberBench bench = new MemberBench(2, options -> options);
    private final Member member = bench.member(0);
    private final List<String> made = new ArrayList<>();
    private long at;

    /** Notes when it is made. */
    private final class Part implements MemberPart {
        private final String name;
        private final boolean isMadeAhead;
        private boolean isRefused;

        Part(final String name, final boolean isMadeAhead) {
            this.name = name;
            this.isMadeAhead = isMadeAhead;
            bench.members.addPart(this);
        }

        @Override
        public boolean isMadeAhead() {
            return isMadeAhead;
        }

        @Override
        public void drop(final Member on) {
            made.remove(name);
        }

        @Override
        public void rebuild(final Member on) {
            if (isRefused) {
                throw new VerbsException("regMr", Errno.ENOMEM, name, "there is no room");
            }
            made.add(name);
        }
    }

    @AfterEach
    void close() {
        bench.close();
    }

    /** The device is back, and nothing is made on it yet. */
    private void begin() {
        member.died();
        member.plug(bench.device(0).open());
    }

    /** Makes the next piece; whether that was the last. */
    private boolean goOn() {
        at = bench.members.rebuildPiece(member, at);
        return at == Members.ALL;
    }

    private List<Part> parts(final int count) {
        return IntStream.range(0, count).mapToObj(i -> new Part("part " + i, true)).toList();
    }

    @Test
    void aPieceIsBoundedByCountAndAllAreMadeInTheEnd() {
        parts(150);
        begin();
        assertThat(goOn()).isFalse();
        assertThat(made).hasSize(64);
        assertThat(goOn()).isFalse();
        assertThat(made).hasSize(128);
        assertThat(goOn()).isTrue();
        assertThat(made).hasSize(150).startsWith("part 0", "part 1").endsWith("part 149").doesNotHaveDuplicates();
    }

    @Test
    void aPieceEndsOnceAMillisecondIsOver() {
        parts(10);
        final long[] nowNs = {Long.MAX_VALUE - 700_000};
        bench.core.drivenBy(new HandDriver(), () -> nowNs[0] += 400_000);
        begin();
        assertThat(goOn()).isFalse();
        assertThat(made).hasSize(3);
    }

    @Test
    void whatComesOrGoesBetweenTwoPiecesIsMadeOnceOrNotAtAll() {
        final List<Part> all = parts(100);
        begin();
        goOn();
        bench.members.removePart(all.get(10));
        bench.members.removePart(all.get(63));
        bench.members.removePart(all.get(90));
        new Part("new", true);
        assertThat(goOn()).isTrue();
        assertThat(made).hasSize(100).endsWith("part 99", "new").doesNotContain("part 90").doesNotHaveDuplicates();
    }

    /** A listener may be asked to listen, and a completion queue be resized, while others are made. */
    @Test
    void whatMayChangeIsMadeWithTheLastPiece() {
        new Part("listener", false);
        parts(70);
        new Part("queue", false);
        begin();
        goOn();
        assertThat(made).hasSize(64).doesNotContain("listener");
        assertThat(goOn()).isTrue();
        assertThat(made).hasSize(72).endsWith("part 69", "listener", "queue");
        bench.members.dropParts(member);
        assertThat(made).isEmpty();
    }

    @Test
    void aPieceThatIsDestroyedIsBoundedTooAndTheNewestGoFirst() {
        parts(150);
        new Part("listener", false);
        begin();
        while (!goOn()) {
            assertThat(made).doesNotContain("listener");
        }
        long left = bench.members.dropPiece(member, Members.ALL);
        assertThat(made).hasSize(86).endsWith("part 85");
        left = bench.members.dropPiece(member, left);
        assertThat(made).hasSize(22).endsWith("part 21");
        assertThat(bench.members.dropPiece(member, left)).isEqualTo(Members.NONE);
        assertThat(made).isEmpty();
    }

    @Test
    void whatCannotBeMadeIsTheCallers() {
        parts(70).get(65).isRefused = true;
        begin();
        goOn();
        assertThatThrownBy(this::goOn).isInstanceOf(VerbsException.class);
    }
}
