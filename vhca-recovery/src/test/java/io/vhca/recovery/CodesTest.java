package io.vhca.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.recovery.wire.FailureReason;
import io.vhca.recovery.wire.RecordType;
import io.vhca.recovery.wire.RejectCode;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Codes that stand on the wire or in a journal: each comes back, and an unknown one is no constant. */
class CodesTest {
    private static <E extends Enum<E>> void check(
            final E[] values, final ToIntFunction<E> code, final IntFunction<@Nullable E> fromCode,
            final @Nullable E unknown) {
        int last = -1;
        for (final E value : values) {
            assertThat(fromCode.apply(code.applyAsInt(value))).isEqualTo(value);
            last = Math.max(last, code.applyAsInt(value));
        }
        for (final int none : List.of(-1, last + 1, 255, Integer.MAX_VALUE, Integer.MIN_VALUE)) {
            assertThat(fromCode.apply(none)).as(values[0].getDeclaringClass() + " " + none).isEqualTo(unknown);
        }
    }

    @Test
    void everyCodeComesBack() {
        check(RecordType.values(), RecordType::code, RecordType::fromCode, null);
        check(RejectCode.values(), RejectCode::code, RejectCode::fromCode, null);
        check(RecoveryState.values(), RecoveryState::code, RecoveryState::fromCode, null);
        check(JournalKind.values(), JournalKind::code, JournalKind::fromCode, null);
        check(BondError.values(), BondError::code, BondError::fromCode, null);
        check(FailureReason.values(), FailureReason::code, FailureReason::fromCode, FailureReason.UNKNOWN);
    }

    @Test
    void everyErrorSaysWhatToDo() {
        for (final BondError error : BondError.values()) {
            assertThat(error.meaning()).as(error.toString()).hasSizeGreaterThan(20).containsAnyOf(";", ",");
        }
    }
}
