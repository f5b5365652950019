package io.vhca.bond.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ControlLockTest {
    @Test
    void whoHasItIsKnownAndEachTurnCountsOnce() throws InterruptedException {
        final ControlLock lock = new ControlLock();
        assertThat(lock.holder()).isNull();
        lock.lock();
        lock.lock();
        assertThat(lock.holder()).isSameAs(Thread.currentThread());
        assertThat(lock.turns()).isOne();
        lock.unlock();
        assertThat(lock.holder()).isSameAs(Thread.currentThread());
        assertThat(lock.isMine()).isTrue();
        lock.unlock();
        assertThat(lock.holder()).isNull();
        final Thread other = Thread.ofPlatform().start(() -> {
            lock.lock();
            lock.unlock();
        });
        other.join();
        assertThat(lock.turns()).isEqualTo(2);
        assertThat(lock.isMine()).isFalse();
    }
}
