package io.vhca.rdp.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.ProcessUser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whose a process is can be read whatever its name is: that is bytes, of a longer one cut in the middle. */
class CredentialsTest {
    private static final Path NAME = Path.of("/proc/self/comm");
    private static final byte[] NO_TEXT = {'x', (byte) 0xc3};

    private byte[] before;

    @BeforeEach
    void name() throws IOException {
        before = Files.readAllBytes(NAME);
        Files.write(NAME, NO_TEXT);
    }

    @AfterEach
    void nameAsBefore() throws IOException {
        Files.write(NAME, before);
    }

    @Test
    void aProcessWhoseNameIsNoTextKnowsWhoseItIs() throws IOException {
        assertThat(Credentials.ofThisProcess().user()).isEqualTo(ProcessUser.number());
    }
}
