package io.vhca.physical.soft.cm;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.Gid;
import org.junit.jupiter.api.Test;

/** How a thread that waits for an event runs the device, and when it blocks. */
class DeviceEventsTest extends HandDrivenHost {
    private static final long POLL_NS = 10_000;
    private static final long STEP_NS = 1_000;
    private static final int NEVER = -1;

    private final DeviceEvents<String> events = new DeviceEvents<>(this, POLL_NS);
    private int drives;
    private int waits;
    /** The drive that brings an event. */
    private int bringsAt = NEVER;

    @Override
    public void drive() {
        nowNs += STEP_NS;
        if (++drives == bringsAt) {
            events.put("event");
        }
    }

    @Override
    public void waiting(final boolean starts) {
        if (starts) {
            waits++;
            nowNs += POLL_NS;
            if (bringsAt == NEVER) {
                events.put("late");
            }
        }
    }

    @Override
    public void sendMad(final Gid destination, final byte[] mad) {
        throw new AssertionError("an event is no message");
    }

    @Test
    void whatComesWithinTheBudgetWakesNobody() {
        bringsAt = 7;
        assertThat(events.take(1_000_000)).isEqualTo("event");
        assertThat(waits).isZero();
        assertThat(drives).isEqualTo(7);
    }

    @Test
    void whatComesLaterIsWaitedFor() {
        assertThat(events.take(1_000_000)).isEqualTo("late");
        assertThat(waits).isEqualTo(1);
        assertThat(drives).isEqualTo(1 + POLL_NS / STEP_NS);
    }

    @Test
    void whoPolledInVainBlocksAtOnceUntilAnEventCame() {
        bringsAt = 1_000;
        assertThat(events.take(POLL_NS)).as("the whole time is spent polling").isNull();
        assertThat(waits).isZero();
        drives = 0;
        assertThat(events.take(1)).isNull();
        assertThat(drives).isEqualTo(1);
        assertThat(waits).isEqualTo(1);

        bringsAt = NEVER;
        assertThat(events.take(1_000_000)).isEqualTo("late");
        drives = 0;
        bringsAt = 3;
        assertThat(events.take(1_000_000)).isEqualTo("event");
        assertThat(drives).isEqualTo(3);
    }

    @Test
    void withoutABudgetNobodyPolls() {
        final DeviceEvents<String> plain = new DeviceEvents<>(this);
        bringsAt = 1_000;
        assertThat(plain.take(1)).isNull();
        assertThat(drives).isEqualTo(1);
    }
}
