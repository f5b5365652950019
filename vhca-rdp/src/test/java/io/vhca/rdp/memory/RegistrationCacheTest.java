package io.vhca.rdp.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.rdp.common.RdpCounters;
import io.vhca.rdp.common.RdpCounters.Counter;
import io.vhca.rdp.memory.RegistrationCache.Entry;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What a registration that has no room costs the others: nothing. */
class RegistrationCacheTest {
    private static final int LIMIT = 100;

    private final RdpCounters counters = new RdpCounters();
    private final RegistrationCache cache = new RegistrationCache(RegistrationCacheTest::register, counters, LIMIT);
    private final RegistrationCache other = cache.writable();

    private static Registrar.Registered register(
            final long address, final long lengthBytes, final boolean isWritable) {
        return new Registrar.Registered() {
            @Override
            public int lkey() {
                return 1;
            }

            @Override
            public int rkey() {
                return 2;
            }

            @Override
            public void close() {
                // Nothing is registered.
            }
        };
    }

    private long registeredBytes() {
        return counters.get(Counter.REGISTERED_MEMORY);
    }

    private static Entry keep(final RegistrationCache by, final long address, final long lengthBytes) {
        return Objects.requireNonNull(by.acquire(address, lengthBytes));
    }

    private static void use(final RegistrationCache by, final long address, final long lengthBytes) {
        by.release(keep(by, address, lengthBytes));
    }

    @Test
    void whatCanHaveNoRoomTakesNobodysPlace() {
        use(cache, 0, 20);
        use(other, 100, 20);
        final Entry kept = keep(cache, 200, 40);
        assertThat(cache.acquire(300, 61)).isNull();
        assertThat(other.acquire(300, 61)).isNull();
        assertThat(registeredBytes()).isEqualTo(80);
        use(cache, 300, 60);
        assertThat(registeredBytes()).isEqualTo(LIMIT);
        cache.release(kept);
        cache.close();
        other.close();
        assertThat(registeredBytes()).isZero();
    }

    @Test
    void whatOverlapsStaysWhereAllOfItTogetherHasNoRoom() {
        final Entry kept = keep(cache, 200, 30);
        use(cache, 0, 20);
        use(cache, 30, 20);
        // With both: from 0 to 71.
        assertThat(cache.acquire(10, 61)).isNull();
        assertThat(registeredBytes()).isEqualTo(70);
        use(cache, 10, 60);
        assertThat(registeredBytes()).isEqualTo(LIMIT);
        // The one that is used goes with its last use, and is in the way of nothing that has room beside it.
        assertThat(cache.acquire(190, 71)).isNull();
        use(cache, 190, 70);
        assertThat(registeredBytes()).isEqualTo(LIMIT);
        cache.release(kept);
        assertThat(registeredBytes()).isEqualTo(70);
        cache.close();
        other.close();
        assertThat(registeredBytes()).isZero();
    }
}
