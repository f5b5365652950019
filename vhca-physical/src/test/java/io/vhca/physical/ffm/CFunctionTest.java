package io.vhca.physical.ffm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Errno;
import java.lang.foreign.Arena;
import java.util.NoSuchElementException;
import org.junit.jupiter.api.Test;

/** C functions whose arguments and results are shorter than a register. */
class CFunctionTest {
    private static final int EBADF = 9;

    @Test
    void shortArgumentsArriveAndShortResultsAreNarrowed() {
        final CFunction abs = CFunction.ofLibc("abs", 1);
        assertThat(abs.count(-7)).isEqualTo(7);
        assertThat(abs.count(Integer.MIN_VALUE + 1)).isEqualTo(Integer.MAX_VALUE);
        assertThat(CFunction.ofLibc("labs", 1).value(-7L << 40)).isEqualTo(7L << 40);
        final CFunction toUpper = CFunction.ofLibc("toupper", 1);
        assertThat(toUpper.count('v')).isEqualTo('V');
        // uint16_t, by value: what lies above it is not read.
        assertThat((short) CFunction.ofLibc("htons", 1).value(0xabc1234L)).isEqualTo((short) 0x3412);
        assertThat((int) CFunction.ofLibc("htonl", 1).value(0xff00_0000_0102L)).isEqualTo(0x0201_0000);
    }

    @Test
    void eachWayToFailGivesANegatedErrno() {
        final CFunction close = CFunction.ofLibc("close", 1);
        assertThat(close.count(-1)).isEqualTo(-EBADF);
        assertThat(close.status(-1)).isEqualTo(-EBADF);
        // As libibverbs does it: the errno is the result.
        assertThat(CFunction.ofLibc("posix_fadvise", 4).status(-1, 0, 0, 0)).isEqualTo(-EBADF);
        try (Arena arena = Arena.ofConfined()) {
            final long missing = arena.allocateFrom("/no/such/directory").address();
            assertThat(CFunction.ofLibc("opendir", 1).pointer(missing)).isEqualTo(-Errno.ENOENT);
        }
    }

    @Test
    void whatIsNotThereOrCalledWithAnotherNumberOfArgumentsIsRefused() {
        assertThatThrownBy(() -> CFunction.ofLibc("no_such_function", 0)).isInstanceOf(NoSuchElementException.class);
        final CFunction abs = CFunction.ofLibc("abs", 1);
        assertThatThrownBy(() -> abs.count(1, 2)).hasRootCauseInstanceOf(IllegalArgumentException.class);
    }
}
