package io.vhca.physical.verbs.lib;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Errno;
import io.vhca.physical.ffm.Posix;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Descriptors that others read, beside one that the agent reads itself. */
class EventAgentTest {
    private static final int ROUNDS = 5;

    /** The host has no thread more. */
    private static final class Unstartable extends Thread {
        @Override
        public void start() {
            throw new InternalError("planted");
        }
    }

    private final Semaphore rounds = new Semaphore(0);
    private final Semaphore tellings = new Semaphore(0);
    private final AtomicInteger told = new AtomicInteger();

    private void aRoundOfTheAgent(final int fd) throws InterruptedException {
        Posix.signal(fd);
        assertThat(rounds.tryAcquire(20, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void whoReadsADescriptorIsToldOnceUntilHeAsksAgain() throws InterruptedException {
        final int own = Posix.eventFd();
        final int others = Posix.eventFd();
        final EventAgent.Source ownSource = EventAgent.shared().register(own, () -> {
            Posix.drain(own);
            rounds.release();
        });
        final EventAgent.Source source = EventAgent.shared().registerReadByOthers(others, () -> {
            told.incrementAndGet();
            tellings.release();
        });
        try {
            for (int times = 1; times <= 3; times++) {
                Posix.signal(others);
                assertThat(tellings.tryAcquire(20, TimeUnit.SECONDS)).isTrue();
                for (int round = 0; round < ROUNDS; round++) {
                    aRoundOfTheAgent(own);
                }
                assertThat(told).as("nobody has read it yet").hasValue(times);
                Posix.drain(others);
                EventAgent.shared().await(source);
            }
            // What came before he asked is not missed either.
            Posix.signal(others);
            assertThat(tellings.tryAcquire(20, TimeUnit.SECONDS)).isTrue();
            EventAgent.shared().await(source);
            assertThat(tellings.tryAcquire(20, TimeUnit.SECONDS)).isTrue();
        } finally {
            EventAgent.shared().unregister(source);
            EventAgent.shared().unregister(ownSource);
            Posix.close(own);
            Posix.close(others);
        }
    }

    @Test
    void whatAListenerThrowsEndsNeitherTheAgentNorOthers() throws InterruptedException {
        final int own = Posix.eventFd();
        final int failing = Posix.eventFd();
        final EventAgent.Source ownSource = EventAgent.shared().register(own, () -> {
            Posix.drain(own);
            rounds.release();
        });
        final EventAgent.Source source = EventAgent.shared().registerReadByOthers(failing, () -> {
            tellings.release();
            throw new IllegalStateException("planted");
        });
        try {
            Posix.signal(failing);
            assertThat(tellings.tryAcquire(20, TimeUnit.SECONDS)).isTrue();
            aRoundOfTheAgent(own);
        } finally {
            EventAgent.shared().unregister(source);
            EventAgent.shared().unregister(ownSource);
            Posix.close(own);
            Posix.close(failing);
        }
    }

    /** Neither memory that lacks for a moment nor a poll that fails keeps anybody from being told. */
    @Test
    void aTurnThatFailsIsNotTheLastOne() throws InterruptedException {
        final AtomicInteger polls = new AtomicInteger();
        final EventAgent agent = new EventAgent(Thread.ofPlatform().daemon().factory(), polled -> {
            switch (polls.getAndIncrement()) {
                case 0 -> throw new InternalError("planted");
                case 1 -> {
                    return -Errno.ENOMEM;
                }
                default -> {
                    return polled.await(-1);
                }
            }
        });
        final int own = Posix.eventFd();
        final EventAgent.Source source = agent.register(own, () -> {
            Posix.drain(own);
            rounds.release();
        });
        aRoundOfTheAgent(own);
        agent.unregister(source);
        Posix.close(own);
    }

    @Test
    void whatIsRegisteredHasAThreadOrIsNotRegistered() throws InterruptedException {
        final AtomicInteger starts = new AtomicInteger();
        final EventAgent agent = new EventAgent(
                task -> starts.getAndIncrement() == 0 ? new Unstartable() : new Thread(task),
                polled -> polled.await(-1));
        final int failed = Posix.eventFd();
        final int own = Posix.eventFd();
        assertThatThrownBy(() -> agent.register(failed, told::incrementAndGet)).isInstanceOf(InternalError.class);
        Posix.signal(failed);
        final EventAgent.Source source = agent.register(own, () -> {
            Posix.drain(own);
            rounds.release();
        });
        aRoundOfTheAgent(own);
        assertThat(told).hasValue(0);
        agent.unregister(source);
        Posix.close(own);
        Posix.close(failed);
    }
}
