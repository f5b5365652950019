package io.vhca.disni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LastUserTest {
    private final AtomicInteger closed = new AtomicInteger();
    private final LastUser use = new LastUser("channel", closed::incrementAndGet);

    @Test
    void aChannelWithoutUsersIsClosedAtOnceAndOnce() {
        assertThat(use.close()).isTrue();
        assertThat(use.close()).isTrue();
        assertThat(closed).hasValue(1);
    }

    @Test
    void aChannelWithUsersIsClosedByTheLastOfThem() {
        use.enter("createCq");
        use.enter("createCq");
        assertThat(use.close()).isFalse();
        use.leave();
        assertThat(closed).hasValue(0);
        use.leave();
        assertThat(closed).hasValue(1);
    }

    @Test
    void usersThatGoLeaveAChannelOpenThatNobodyClosed() {
        use.enter("createCq");
        use.leave();
        assertThat(closed).hasValue(0);
    }

    @Test
    void nobodyComesOnceItIsToBeClosed() {
        use.enter("createCq");
        use.close();
        assertThatThrownBy(() -> use.enter("createCq"))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("createCq on channel failed (EINVAL)");
        use.leave();
        assertThat(closed).hasValue(1);
    }

    @Test
    void whatRefusesToBeClosedIsClosedByTheNextAttempt() {
        final AtomicInteger attempts = new AtomicInteger();
        final LastUser refused = new LastUser("channel", () -> {
            if (attempts.incrementAndGet() == 1) {
                throw new VerbsException("destroy", Errno.EBUSY, "channel", "something is open");
            }
        });
        assertThat(refused.closeIfUnused()).as("nobody asked for it").isFalse();
        assertThat(attempts).hasValue(0);
        assertThatThrownBy(refused::close).isInstanceOf(VerbsException.class);
        assertThat(refused.closeIfUnused()).isTrue();
        assertThat(refused.close()).isTrue();
        assertThat(attempts).hasValue(2);
    }
}
