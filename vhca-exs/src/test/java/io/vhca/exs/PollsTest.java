package io.vhca.exs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who waits until a socket is ready, over real devices driven by the test. */
class PollsTest {
    private static final int LONG = 3_000_000;
    private static final int TURNS = 100;

    private final ExsWorld world = new ExsWorld("soft0", "soft2");
    private final ExsQueue queue = world.right.exs.qcreate(8);
    private final ExsEvent[] event = {new ExsEvent()};

    @AfterEach
    void close() {
        world.close();
    }

    private void nothingComes() {
        for (int i = 0; i < TURNS; i++) {
            world.left.turn();
            assertThat(queue.qdequeue(event, 0)).isZero();
        }
    }

    /** The next event, which must be a poll's of that socket. */
    private void comes(final ExsSocket of, final Object cookie, final int ready, final int errno) {
        world.left.awaitThat("an event", () -> queue.qdequeue(event, 0) > 0);
        assertThat(event[0].kind()).isEqualTo(EventKind.POLL);
        assertThat(event[0].socket()).isSameAs(of);
        assertThat(event[0].cookie()).isEqualTo(cookie);
        assertThat(event[0].ready()).isEqualTo(ready);
        assertThat(event[0].errno()).isEqualTo(errno);
    }

    private static void assertErrno(final int errno, final ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(errno));
    }

    @Test
    void whoWaitsForDataHearsOfItOnce() {
        final ExsSocket[] pair = world.connect(SocketType.STREAM);
        assertThat(pair[1].poll(ExsSocket.READABLE, queue, "a")).isZero();
        nothingComes();
        pair[0].send(world.filled(5), 0, world.left.queue, null);
        comes(pair[1], "a", ExsSocket.READABLE, 0);
        nothingComes();
        assertThat(pair[1].poll(ExsSocket.READABLE, queue, "again")).isZero();
        comes(pair[1], "again", ExsSocket.READABLE, 0);
        pair[1].recv(world.arena.allocate(5), 0, queue, "r");
        world.left.awaitThat("the data", () -> queue.qdequeue(event, 0) > 0);
        assertThat(event[0].kind()).isEqualTo(EventKind.RECV);
        assertThat(event[0].ready()).isZero();
    }

    @Test
    void whoeverOfTwoWaitsForWhatIsThereHearsOfIt() {
        final ExsSocket[] pair = world.connect(SocketType.STREAM);
        pair[1].poll(ExsSocket.READABLE, queue, "read");
        pair[1].poll(ExsSocket.WRITABLE, queue, "write");
        comes(pair[1], "write", ExsSocket.WRITABLE, 0);
        pair[1].poll(ExsSocket.WRITABLE | ExsSocket.READABLE, queue, "both");
        comes(pair[1], "both", ExsSocket.WRITABLE, 0);
        pair[0].shutdown();
        comes(pair[1], "read", ExsSocket.READABLE, 0);
    }

    @Test
    void whoHasToWaitBeforeASendHearsWhenThereIsRoom() {
        final ExsSocket[] pair = world.connect(SocketType.STREAM);
        final ExsQueue sends = world.right.exs.qcreate(128);
        final ExsMemory memory = world.right.exs.mregister(world.filled(LONG));
        int sent = 0;
        while (pair[1].send(memory, 0, LONG, 0, sends, null) >= 0) {
            sent++;
        }
        assertThat(pair[1].poll(ExsSocket.WRITABLE, queue, "w")).isZero();
        nothingComes();
        final ExsMemory into = world.left.exs.mregister(world.arena.allocate(LONG));
        for (int i = 0; i < sent; i++) {
            pair[0].recv(into, 0, LONG, MessageFlags.MSG_WAITALL, world.left.queue, null);
        }
        comes(pair[1], "w", ExsSocket.WRITABLE, 0);
        assertThat(pair[1].send(memory, 0, LONG, 0, sends, null)).isNotNegative();
    }

    @Test
    void aListenerIsReadableWhereAnAcceptEndsAtOnce() {
        final ExsSocket listener = world.listen(SocketType.STREAM);
        assertThat(listener.poll()).isZero();
        assertThat(listener.poll(ExsSocket.READABLE, queue, "l")).isZero();
        nothingComes();
        world.left.exs.socket(SocketType.STREAM).connect(ExsWorld.address(listener), world.left.queue, null);
        comes(listener, "l", ExsSocket.READABLE, 0);
        assertThat(listener.poll()).isEqualTo(ExsSocket.READABLE);
        listener.accept(queue, "accept");
        assertThat(queue.qdequeue(event, 0)).isOne();
        assertThat(event[0].accepted()).isNotNull();
        assertThat(listener.poll()).isZero();
    }

    @Test
    void whatIsOverIsReady() {
        final ExsSocket[] pair = world.connect(SocketType.STREAM);
        pair[1].poll(ExsSocket.READABLE, queue, "r");
        pair[0].close();
        comes(pair[1], "r", ExsSocket.READABLE, 0);
        world.left.awaitThat("it is over", () -> queue.qdequeue(event, 0) == 0 && !pair[1].failure().isEmpty());
        pair[1].poll(ExsSocket.WRITABLE, queue, "w");
        comes(pair[1], "w", ExsSocket.WRITABLE, 0);
    }

    @Test
    void aListenerWhoseDeviceWentAwayIsReady() {
        final ExsSocket listener = world.listen(SocketType.STREAM);
        listener.poll(ExsSocket.READABLE, queue, "l");
        ExsWorld.kill("soft2");
        comes(listener, "l", ExsSocket.READABLE, 0);
        assertErrno(Errno.ENODEV, () -> listener.accept(queue, null));
    }

    @Test
    void whatIsCancelledOrClosedEndsOnce() {
        final ExsSocket[] pair = world.connect(SocketType.STREAM);
        assertThat(pair[1].cancelPoll()).isFalse();
        pair[1].poll(ExsSocket.READABLE, queue, "a");
        pair[1].poll(ExsSocket.READABLE, queue, "b");
        assertThat(pair[1].cancelPoll()).isTrue();
        assertThat(pair[1].cancelPoll()).isFalse();
        comes(pair[1], "a", 0, Errno.ECANCELED);
        comes(pair[1], "b", 0, Errno.ECANCELED);
        pair[1].poll(ExsSocket.READABLE, queue, "c");
        pair[1].close();
        comes(pair[1], "c", 0, Errno.ECANCELED);
        assertErrno(Errno.EINVAL, () -> pair[1].poll(ExsSocket.READABLE, queue, "closed"));
        final ExsSocket listener = world.listen(SocketType.STREAM);
        listener.poll(ExsSocket.READABLE, queue, "l");
        listener.close();
        comes(listener, "l", 0, Errno.ECANCELED);
        queue.qdelete();
    }

    @Test
    void whatCannotBeAskedIsRefused() {
        final ExsSocket[] pair = world.connect(SocketType.STREAM);
        assertErrno(Errno.EINVAL, () -> pair[1].poll(0, queue, null));
        assertErrno(Errno.EINVAL, () -> pair[1].poll(ExsSocket.READABLE | 4, queue, null));
        assertErrno(Errno.EINVAL, () -> pair[1].poll(ExsSocket.READABLE, world.left.queue, null));
        final ExsSocket unconnected = world.right.exs.socket(SocketType.STREAM);
        assertErrno(Errno.ENOTCONN, () -> unconnected.poll(ExsSocket.READABLE, queue, null));
        final ExsQueue one = world.right.exs.qcreate(1);
        assertThat(pair[1].poll(ExsSocket.READABLE, one, "first")).isZero();
        assertThat(pair[1].poll(ExsSocket.READABLE, one, "second")).isEqualTo(-Errno.ENOBUFS);
    }
}
