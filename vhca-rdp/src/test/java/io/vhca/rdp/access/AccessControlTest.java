package io.vhca.rdp.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.VerbsException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AccessControlTest {
    private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long SOMEBODY = 54_321;
    private static final long SOME_GROUP = 54_322;
    private static final Credentials WHO = new Credentials(1, SOMEBODY, List.of(7L, SOME_GROUP));

    @TempDir
    private Path directory;

    private AccessControl with(final String text) throws IOException {
        final Path file = directory.resolve("access");
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        return new AccessControl(file);
    }

    @Test
    void everybodyMayWhereThereIsNoFile() {
        assertThatCode(() -> new AccessControl(directory.resolve("none")).check(WHO)).doesNotThrowAnyException();
        assertThatCode(() -> AccessControl.NONE.check(WHO)).doesNotThrowAnyException();
        AccessControl.NONE.checkThisProcess();
    }

    @Test
    void whoIsNotNamedMayNot() throws IOException {
        assertThatThrownBy(() -> with("").check(WHO))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("EPERM")
                .hasMessageContaining("user " + SOMEBODY)
                .hasMessageContaining("names neither that user nor one of his groups; add a line there")
                .hasMessageEndingWith("His groups: [7, " + SOME_GROUP + "]");
        assertThatThrownBy(() -> with("user root\ngroup 5\n").check(WHO)).isInstanceOf(VerbsException.class);
        // A user's number is no group's.
        assertThatThrownBy(() -> with("group " + SOMEBODY + "\nuser " + SOME_GROUP).check(WHO))
                .isInstanceOf(VerbsException.class);
    }

    @Test
    void aUserOrAGroupIsEnough() throws IOException {
        with("# ours\n\n user " + SOMEBODY + " # him\n").check(WHO);
        with("group " + SOME_GROUP).check(WHO);
        with("user root").check(new Credentials(1, 0, List.of(9L)));
        with("group root").check(new Credentials(1, SOMEBODY, List.of(9L, 0L)));
    }

    /** As some editors write. */
    @Test
    void aByteOrderMarkIsNoPartOfALine() throws IOException {
        final AccessControl access = with("\uFEFFuser " + SOMEBODY + "\n");
        access.check(WHO);
        assertThat(Objects.requireNonNull(access.list()).wrong()).isEmpty();
    }

    /** The JDK has numbers with a sign. */
    @Test
    void numbersMayBeAsLargeAsTheKernelHasThem() throws IOException {
        final Credentials large = new Credentials(1, 3_000_000_000L, List.of(3_000_000_001L));
        with("user 3000000000").check(large);
        with("group 3000000001").check(large);
        assertThatThrownBy(() -> with("user 3000000001\ngroup 3000000000").check(large))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("names neither");
        assertThat(Objects.requireNonNull(with("user 4294967296").list()).wrong())
                .containsExactly("line 1, \"user 4294967296\": this host has no such user");
    }

    @Test
    void whatChangesInTheFileHoldsForTheNextSocket() throws IOException {
        final AccessControl access = with("user " + SOMEBODY);
        access.check(WHO);
        with("user root");
        assertThatThrownBy(() -> access.check(WHO)).isInstanceOf(VerbsException.class);
    }

    /** Whoever is refused asks as often as he likes, on the thread that serves all. */
    @Test
    void theFileIsReadAgainWhereItChangedOrASecondLater() throws IOException {
        final AccessControl access = with("user " + SOMEBODY);
        final AccessVerdicts first = Objects.requireNonNull(access.verdicts(0));
        assertThat(first.has(WHO)).isTrue();
        assertThat(access.verdicts(SECOND_NS - 1)).isSameAs(first);
        with("user nobody");
        final AccessVerdicts second = Objects.requireNonNull(access.verdicts(SECOND_NS - 1));
        assertThat(second).isNotSameAs(first);
        assertThat(second.has(WHO)).isFalse();
        assertThat(access.verdicts(2 * SECOND_NS - 2)).isSameAs(second);
        assertThat(access.verdicts(2 * SECOND_NS - 1)).as("a user may have come since").isNotSameAs(second);
    }

    /** Names are looked up once, for all processes of a user. */
    @Test
    void whatWasFoundOfAUserHoldsAsLongAsWhatWasRead() throws IOException {
        final AccessVerdicts verdicts = Objects.requireNonNull(with("user " + SOMEBODY).verdicts(0));
        assertThat(verdicts.has(WHO)).isTrue();
        verdicts.verdicts().replaceAll((who, isIn) -> false);
        assertThat(verdicts.has(new Credentials(2, WHO.user(), WHO.groups()))).as("it is not looked up").isFalse();
        assertThat(verdicts.has(new Credentials(3, 0, WHO.groups()))).as("another user").isFalse();
        assertThat(verdicts.verdicts()).hasSize(2);
    }

    @Test
    void wrongLinesAreNamedAndLetNobodyIn() throws IOException {
        final AccessControl access = with("user\nusr " + SOMEBODY
                + "\nuser no-such-user\nuser a b\ngroup no-such-group\nuser root\n");
        assertThat(Objects.requireNonNull(access.list()).wrong())
                .containsExactly(
                        "line 1, \"user\": it may be user NAME or group NAME",
                        "line 2, \"usr " + SOMEBODY + "\": it may be user NAME or group NAME",
                        "line 3, \"user no-such-user\": this host has no such user",
                        "line 4, \"user a b\": it may be user NAME or group NAME",
                        "line 5, \"group no-such-group\": this host has no such group");
        assertThatThrownBy(() -> access.check(WHO))
                .hasMessageContaining("passed over: line 1")
                .hasMessageContaining("line 5");
        access.check(new Credentials(1, 0, List.of(9L)));
    }

    @Test
    void aFileThatOthersMayWriteOrThatIsNoneLetsNobodyIn() throws IOException {
        final AccessControl access = with("user " + SOMEBODY);
        Files.setPosixFilePermissions(directory.resolve("access"), PosixFilePermissions.fromString("rw-rw-r--"));
        assertThatThrownBy(() -> access.check(WHO))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("may be written by others");
        Files.setPosixFilePermissions(directory.resolve("access"), PosixFilePermissions.fromString("rw-r--r--"));
        access.check(WHO);
        Files.createSymbolicLink(directory.resolve("link"), directory.resolve("access"));
        assertThatThrownBy(() -> new AccessControl(directory.resolve("link")).check(WHO))
                .hasMessageContaining("is a symbolic link");
        assertThatThrownBy(() -> new AccessControl(directory).check(WHO))
                .hasMessageContaining("is no file of users and groups");
        Files.write(directory.resolve("access"), new byte[] {-1, -2});
        assertThatThrownBy(access::list).hasMessage(directory.resolve("access") + " is no text in UTF-8");
        assertThatThrownBy(() -> access.check(WHO))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("who may is not known: " + directory.resolve("access") + " is no text in UTF-8");
    }

    @Test
    void aProcessIsWhoseTheKernelSays() throws IOException {
        final Credentials who = Credentials.parse(
                9, List.of("Name:\tjava", "Uid:\t1\t2\t3\t4", "Gid:\t5\t6\t7\t8", "Groups:\t20 30 "));
        assertThat(who).isEqualTo(new Credentials(9, 2, List.of(6L, 20L, 30L)));
        assertThat(Credentials.ofThisProcess().pid()).isEqualTo(ProcessHandle.current().pid());
        assertThatThrownBy(() -> Credentials.parse(9, List.of("Name:\tjava"))).isInstanceOf(IOException.class);
    }

    @Test
    void theGroupsOfAnotherProcessCountWhileItIsThatUsers() throws IOException {
        final Credentials own = Credentials.ofThisProcess();
        final long group = own.groups().getFirst();
        assertThat(Credentials.ofPeer(own.pid(), own.user(), group)).isEqualTo(own);
        assertThat(Credentials.ofPeer(own.pid(), SOMEBODY, group))
                .as("another one has its number now")
                .isEqualTo(new Credentials(own.pid(), SOMEBODY, List.of(group)));
        assertThat(Credentials.ofPeer(own.pid(), own.user(), SOME_GROUP).groups()).containsExactly(SOME_GROUP);
        assertThat(Credentials.ofPeer(0, SOMEBODY, SOME_GROUP).groups())
                .as("a process of another namespace")
                .containsExactly(SOME_GROUP);
    }
}
