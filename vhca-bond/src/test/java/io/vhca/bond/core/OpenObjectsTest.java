package io.vhca.bond.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Errno;
import io.vhca.api.VerbsException;
import org.junit.jupiter.api.Test;

class OpenObjectsTest {
    @Test
    void whatIsOpenKeepsTheBondBusyAndIsNamed() {
        final OpenObjects objects = new OpenObjects();
        assertThatCode(() -> objects.requireNone("bond0")).doesNotThrowAnyException();
        final String one = objects.add("one");
        objects.add(2);
        assertThatThrownBy(() -> objects.requireNone("bond0"))
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EBUSY))
                .hasMessageContainingAll("bond0", "2 objects", "String");
        objects.remove(one);
        objects.remove(2);
        assertThatCode(() -> objects.requireNone("bond0")).doesNotThrowAnyException();
    }
}
