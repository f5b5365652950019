package io.vhca.physical.ffm;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.Errno;
import org.junit.jupiter.api.Test;

class PosixTest {
    @Test
    void whoHasNoDescriptorLeftIsToldWhatToRaise() {
        assertThat(Errno.name(24) + Posix.descriptorHint(24)).startsWith("EMFILE: ").contains("`ulimit -n`");
        assertThat(Errno.name(23) + Posix.descriptorHint(23)).startsWith("ENFILE: ").contains("fs.file-max");
        assertThat(Posix.descriptorHint(Errno.ENOMEM)).isEmpty();
    }
}
