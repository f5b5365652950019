package io.vhca.rdp.access;

import io.vhca.api.ByteOrderMark;
import io.vhca.api.Errno;
import io.vhca.api.FileOwner;
import io.vhca.api.OpenedFile;
import io.vhca.api.ProcessUser;
import io.vhca.api.VerbsException;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Who may create a socket: everybody as long as there is no file, else whom the file names. It is looked at again for
 * each socket, so what is changed there holds for the next one; read again where it changed, or a second later. Any
 * thread.
 */
public final class AccessControl {
    /** Lets everybody in, and reads no file. */
    public static final AccessControl NONE = new AccessControl(null);

    /** Where the file is; {@code VHCA_RDP_ACCESS} and {@code /etc/vhca/rdp.access} come after it. */
    public static final String PROPERTY = "vhca.rdp.access";

    private static final String DEFAULT = "/etc/vhca/rdp.access";
    private static final int MOST_BYTES = 1 << 20;

    private final @Nullable Path file;
    private volatile @Nullable AccessVerdicts last;

    /** @param file null for none */
    public AccessControl(final @Nullable Path file) {
        this.file = file;
    }

    /** By the file of this host, there or not. */
    public static AccessControl ofThisHost() {
        final String named = System.getProperty(PROPERTY, System.getenv("VHCA_RDP_ACCESS"));
        return new AccessControl(Path.of(named == null || named.isBlank() ? DEFAULT : named));
    }

    /** Where the file is, or would be; null where none counts. */
    public @Nullable Path file() {
        return file;
    }

    /**
     * What the file says; null where there is none.
     *
     * @throws IOException where it cannot be read, or others than root and this process's user may write it
     */
    public @Nullable AccessList list() throws IOException {
        final AccessVerdicts now = verdicts(System.nanoTime());
        return now == null ? null : now.list();
    }

    /** By what the file says at that time; null where there is none. */
    @Nullable AccessVerdicts verdicts(final long nowNs) throws IOException {
        if (file == null) {
            return null;
        }
        try (OpenedFile opened = OpenedFile.open(file)) {
            // By the descriptor: another file that comes in its place now is not the one that was judged.
            final Path same = opened.path();
            judge(file, same);
            final Map<String, Object> facts = Files.readAttributes(same, "unix:fileKey,ctime,size");
            final AccessVerdicts.Version version = new AccessVerdicts.Version(
                    Objects.requireNonNull(facts.get("fileKey")),
                    (FileTime) Objects.requireNonNull(facts.get("ctime")),
                    (Long) Objects.requireNonNull(facts.get("size")));
            final AccessVerdicts before = last;
            if (before != null && before.hold(version, nowNs)) {
                return before;
            }
            final AccessVerdicts read = AccessVerdicts.of(
                    version, nowNs, AccessList.of(ByteOrderMark.strip(Files.readString(same)).lines().toList()));
            last = read;
            return read;
        } catch (final CharacterCodingException e) {
            throw new IOException(file + " is no text in UTF-8", e);
        } catch (final NoSuchFileException e) {
            return null;
        }
    }

    /** Refuses what is no such file, or what others than root and this process's user may write. */
    private static void judge(final Path file, final Path same) throws IOException {
        final Set<PosixFilePermission> open = Files.getPosixFilePermissions(same);
        if (!Files.isRegularFile(same) || Files.size(same) > MOST_BYTES) {
            throw new IOException(file + " is no file of users and groups");
        }
        if (!ProcessUser.isRootOrOwn(FileOwner.number(same))
                || open.contains(PosixFilePermission.GROUP_WRITE)
                || open.contains(PosixFilePermission.OTHERS_WRITE)) {
            throw new IOException(file + " may be written by others; make it root's, and writable by nobody else");
        }
    }

    /** Why a process may have no socket, with all lines that are wrong; empty where it may. */
    public String refusal(final Credentials who) {
        try {
            final AccessVerdicts now = verdicts(System.nanoTime());
            return now == null || now.has(who)
                    ? ""
                    : file + " names neither that user nor one of his groups; add a line there"
                            + said(now.list().wrong()) + ". His groups: " + who.groups();
        } catch (final IOException e) {
            return "nobody can have a socket, for who may is not known: " + e.getMessage();
        }
    }

    /**
     * Lets a process pass that may have a socket.
     *
     * @throws VerbsException EPERM where it may not: its {@link #refusal}
     */
    public void check(final Credentials who) {
        final String why = refusal(who);
        if (!why.isEmpty()) {
            throw new VerbsException("bind", Errno.EPERM, "user " + who.user(), why);
        }
    }

    /** Lets this process pass, or not: as {@link #check(Credentials)}. */
    public void checkThisProcess() {
        if (file == null) {
            return;
        }
        try {
            check(Credentials.ofThisProcess());
        } catch (final IOException e) {
            throw new VerbsException("bind", Errno.EPERM, "this process", String.valueOf(e.getMessage()), e);
        }
    }

    private static String said(final List<String> wrong) {
        return wrong.isEmpty() ? "" : ". Wrong there, and passed over: " + String.join("; ", wrong);
    }
}
