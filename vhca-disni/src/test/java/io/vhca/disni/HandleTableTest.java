package io.vhca.disni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.VerbsException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.junit.jupiter.api.Test;

class HandleTableTest {
    private final HandleTable table = new HandleTable();

    @Test
    void everyObjectIsFoundByItsOwnNumberHoweverManyThereAre() {
        final List<Long> handles = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            handles.add(table.put("object " + i));
        }
        assertThat(handles).doesNotHaveDuplicates().allMatch(handle -> handle > 0);
        for (int i = 0; i < 1_000; i++) {
            assertThat(table.get(handles.get(i), String.class)).isEqualTo("object " + i);
        }
    }

    @Test
    void aNumberThatWasGivenBackFindsNothingThoughItsPlaceIsUsedAgain() {
        final long first = table.put("one");
        assertThat(table.remove(first)).isTrue();
        assertThat(table.remove(first)).isFalse();
        final long second = table.put("two");
        assertThat(second).isNotEqualTo(first);
        assertThat(table.get(first, String.class)).isNull();
        assertThat(table.remove(first)).isFalse();
        assertThat(table.get(second, String.class)).isEqualTo("two");
        assertThat(table.size()).isOne();
    }

    /** Each later one had found no place, though there was memory again. */
    @Test
    void whereThereIsNoMemoryForMorePlacesTheNextOneHasOne() {
        final List<Integer> made = new ArrayList<>();
        final HandleTable growing = new HandleTable(places -> {
            made.add(places);
            if (made.size() == 2) {
                throw new OutOfMemoryError("a test's");
            }
            return new AtomicReferenceArray<>(places);
        });
        final List<Long> handles = new ArrayList<>();
        for (int i = 0; i < made.getFirst(); i++) {
            handles.add(growing.put("object"));
        }
        assertThatThrownBy(() -> growing.put("refused")).isInstanceOf(OutOfMemoryError.class);
        assertThat(growing.size()).isEqualTo(made.getFirst());
        assertThat(growing.get(growing.put("next"), String.class)).isEqualTo("next");
        assertThat(growing.remove(handles.getFirst())).isTrue();
        growing.put("in the place of another one");
        assertThat(growing.size()).isEqualTo(made.getFirst() + 1);
    }

    @Test
    void anObjectOfAnotherKindIsNoneOfThisKind() {
        final long text = table.put("text");
        assertThat(table.get(text, Integer.class)).isNull();
        assertThatThrownBy(() -> table.require("postSend", text, Integer.class))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("postSend on Integer 0x")
                .hasMessageContaining("EINVAL");
    }

    @Test
    void numbersThatNobodyGaveOutFindNothing() {
        table.put("text");
        for (final long handle : new long[] {0, -1, 1, Long.MAX_VALUE, Long.MIN_VALUE}) {
            assertThat(table.get(handle, String.class)).isNull();
            assertThat(table.remove(handle)).isFalse();
        }
    }
}
