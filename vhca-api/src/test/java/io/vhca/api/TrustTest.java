package io.vhca.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.Trust.Entry;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** Owners, modes and identities that no test could make without being root, or not in time. */
class TrustTest {
    private static final long ROOT = 0;
    private static final long USER = 1000;
    private static final long OTHER = 1001;
    private static final String ELSEWHERE = "name another directory";

    private static Entry directory(final long uid, final int mode) {
        return new Entry(Path.of("/dev/shm/vhca-me"), true, false, uid, 040000 | mode, "dev=1,ino=2");
    }

    @Test
    void aDirectoryOfThisUserThatOthersMayReadIsItsOwn() {
        for (final int mode : new int[] {0700, 0750, 0755, 01700, 02750}) {
            assertThat(Trust.wrongWith(directory(USER, mode), USER, ELSEWHERE)).isEmpty();
        }
        assertThat(Trust.wrongWith(directory(ROOT, 0700), ROOT, ELSEWHERE)).isEmpty();
    }

    @Test
    void aDirectoryOfAnotherUserIsRefusedWhoeverThatIs() {
        assertThat(Trust.wrongWith(directory(OTHER, 0700), USER, ELSEWHERE))
                .isEqualTo("/dev/shm/vhca-me belongs to user 1001 and not to user 1000, who runs this; have it deleted,"
                        + " or name another directory");
        assertThat(Trust.wrongWith(directory(ROOT, 0700), USER, ELSEWHERE)).contains("belongs to user 0");
        assertThat(Trust.wrongWith(directory(OTHER, 0700), ROOT, ELSEWHERE)).contains("belongs to user 1001");
    }

    @Test
    void aDirectoryThatOthersMayWriteIsRefusedWithTheMode() {
        for (final int mode : new int[] {0770, 0702, 0777, 01777}) {
            assertThat(Trust.wrongWith(directory(USER, mode), USER, ELSEWHERE))
                    .contains(
                            "written by other users (mode " + String.format(Locale.ROOT, "%04o", mode) + ")",
                            "`chmod go-w`");
        }
    }

    @Test
    void aLinkIsRefusedWhereverItPoints() {
        assertThat(Trust.wrongWith(new Entry(Path.of("/l"), false, true, USER, 0777, 1), USER, ELSEWHERE))
                .isEqualTo("/l is a symbolic link; delete it, or name another directory");
        assertThat(Trust.wrongWith(new Entry(Path.of("/f"), false, false, USER, 0600, 1), USER, ELSEWHERE))
                .contains("/f is no directory");
    }

    @Test
    void aboveItNobodyElseMayExchangeIt() {
        assertThat(Trust.wrongAbove(directory(ROOT, 0755), USER, ROOT, ELSEWHERE)).isEmpty();
        assertThat(Trust.wrongAbove(directory(ROOT, 01777), USER, ROOT, ELSEWHERE)).as("sticky").isEmpty();
        assertThat(Trust.wrongAbove(directory(USER, 0700), USER, ROOT, ELSEWHERE)).isEmpty();
        assertThat(Trust.wrongAbove(directory(65534, 01777), USER, 65534, ELSEWHERE)).as("user namespace").isEmpty();
        assertThat(Trust.wrongAbove(directory(ROOT, 0777), USER, ROOT, ELSEWHERE)).contains("mode 0777", "above it");
        assertThat(Trust.wrongAbove(directory(USER, 0775), USER, ROOT, ELSEWHERE)).contains("mode 0775");
        assertThat(Trust.wrongAbove(directory(OTHER, 0755), USER, ROOT, ELSEWHERE)).contains("belongs to user 1001");
        assertThat(Trust.wrongAbove(directory(OTHER, 01777), USER, ROOT, ELSEWHERE)).contains("belongs to user 1001");
    }

    @Test
    void whatWasOpenedIsWhatWasLookedAt() {
        final Entry seen = directory(USER, 0700);
        assertThat(Trust.wrongIdentity(seen, "dev=1,ino=2", ELSEWHERE)).isEmpty();
        assertThat(Trust.wrongIdentity(seen, "dev=1,ino=3", ELSEWHERE)).contains("was exchanged while it was opened");
        assertThat(Trust.wrongIdentity(new Entry(seen.path(), true, false, USER, 0700, null), null, ELSEWHERE))
                .contains("was exchanged");
    }
}
