package io.vhca.physical.soft.engine.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One thread owns the engine, as often as it likes, and counts what refers to an object. */
@Timeout(600)
class OwnershipTest {
    private static boolean takenByAnother(final Ownership ownership) throws InterruptedException {
        final AtomicBoolean taken = new AtomicBoolean();
        final Thread other = Thread.ofPlatform().start(() -> {
            if (ownership.tryTake()) {
                taken.set(true);
                ownership.release();
            }
        });
        other.join();
        return taken.get();
    }

    @Test
    void theOwnerTakesItAgainAndOthersDoNot() throws InterruptedException {
        final Ownership ownership = new Ownership();
        assertThat(ownership.isMine()).isFalse();
        ownership.take();
        ownership.take();
        assertThat(ownership.isMine()).isTrue();
        assertThat(ownership.tryTake()).as("for the first time").isFalse();
        ownership.release();
        assertThat(takenByAnother(ownership)).isFalse();
        ownership.release();
        assertThat(ownership.isMine()).isFalse();
        assertThat(takenByAnother(ownership)).isTrue();
    }

    @Test
    void onlyTheOwnerReleases() {
        assertThatThrownBy(new Ownership()::release).isInstanceOf(AssertionError.class);
    }

    @Test
    void aCountIsTheOwnersAndHasALimit() {
        final FakeCore core = new FakeCore();
        final UseCount count = new UseCount(core);
        count.added();
        count.requireBelow("createCq", 2);
        count.added();
        assertThatThrownBy(() -> count.requireBelow("createCq", 2))
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENOMEM));
        count.removed();
        count.removed();
        assertThat(count.get()).isZero();
        assertThatThrownBy(count::removed).isInstanceOf(AssertionError.class);
        core.isOwner = false;
        assertThatThrownBy(count::added).isInstanceOf(AssertionError.class);
    }
}
