package io.vhca.api;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Directories in which sockets are made before they have their place, each for one socket and of this user alone:
 * {@code .PID~LETTERS} beside the place, with the number of the process in letters too. Any thread.
 */
final class SocketRooms {
    private static final Logger LOGGER = System.getLogger(SocketRooms.class.getName());
    private static final Set<PosixFilePermission> OWN_DIRECTORY = PosixFilePermissions.fromString("rwx------");
    private static final Pattern NAME = Pattern.compile("\\.([0-9a-z]{1,12})~[0-9a-z]+");
    private static final int RADIX = Character.MAX_RADIX;
    private static final String SOCKET = "s";
    /** Far longer than a socket takes to be made. */
    private static final long MADE_WITHIN_MS = 10_000;
    /** Entries of a directory that are looked at for what is left there. */
    private static final int MOST_LOOKED_AT = 10_000;

    /** Those in which this process makes sockets now. */
    private static final Set<Path> OWN = ConcurrentHashMap.newKeySet();

    private SocketRooms() {}

    /** A room that nobody else has. The path of a socket in it is as long as that place: there is a limit for both. */
    static Path make(final Path place) throws IOException {
        final int letters = String.valueOf(place.getFileName()).length() - SOCKET.length() - 1;
        while (true) {
            final Path room = place.resolveSibling(name(ProcessHandle.current().pid(), letters));
            if (!OWN.add(room.toAbsolutePath())) {
                continue;
            }
            boolean isMade = false;
            try {
                Files.createDirectory(room, PosixFilePermissions.asFileAttribute(OWN_DIRECTORY));
                isMade = true;
                return room;
            } catch (final FileAlreadyExistsException e) {
                // Of a process in another container, or of one that was killed.
                assert Files.exists(place.toAbsolutePath().getParent()) : e;
            } finally {
                if (!isMade) {
                    OWN.remove(room.toAbsolutePath());
                }
            }
        }
    }

    /** Of so many letters, or more where they are too few. */
    static String name(final long pid, final int letters) {
        final StringBuilder name = new StringBuilder(".").append(Long.toString(pid, RADIX)).append('~');
        do {
            name.append(Character.forDigit(ThreadLocalRandom.current().nextInt(RADIX), RADIX));
        } while (name.length() < letters);
        return name.toString();
    }

    /** Where in a room the socket is made. */
    static Path socket(final Path room) {
        return room.resolve(SOCKET);
    }

    /** Deletes a room of this process, and what was made in it. */
    static void leave(final Path room) throws IOException {
        try {
            delete(room);
        } finally {
            OWN.remove(room.toAbsolutePath());
        }
    }

    private static void delete(final Path room) throws IOException {
        Files.deleteIfExists(socket(room));
        Files.deleteIfExists(room);
    }

    /** Deletes rooms beside that place whose processes were killed. What cannot be deleted stays. */
    static void sweep(final Path place) {
        final Path directory = place.toAbsolutePath().getParent();
        if (directory == null) {
            return;
        }
        try (Stream<Path> all = Files.list(directory)) {
            all.limit(MOST_LOOKED_AT).filter(SocketRooms::isOfNobody).forEach(SocketRooms::deleteLeft);
        } catch (final IOException | UncheckedIOException e) {
            LOGGER.log(Logger.Level.DEBUG, directory + " was not swept: " + e.getMessage());
        }
    }

    private static void deleteLeft(final Path room) {
        try {
            if (isLeft(room)) {
                delete(room);
            }
        } catch (final IOException e) {
            LOGGER.log(Logger.Level.DEBUG, room + " was not deleted: " + e.getMessage());
        }
    }

    /** Whether its process is gone. That of a process before, in another container, may have had this one's number. */
    private static boolean isOfNobody(final Path room) {
        final Matcher name = NAME.matcher(String.valueOf(room.getFileName()));
        if (!name.matches()) {
            return false;
        }
        final long pid = Long.parseLong(name.group(1), RADIX);
        return pid == ProcessHandle.current().pid() ? !OWN.contains(room) : !ProcessLife.isAlive(pid);
    }

    /** In another container a process may live that this one does not see: it has just made it, or listens there. */
    private static boolean isLeft(final Path room) throws IOException {
        if (!Files.isDirectory(room, LinkOption.NOFOLLOW_LINKS)
                || System.currentTimeMillis() - Files.getLastModifiedTime(room).toMillis() <= MADE_WITHIN_MS) {
            return false;
        }
        final Path socket = socket(room);
        return !Files.exists(socket, LinkOption.NOFOLLOW_LINKS) || UnixSockets.isDeserted(socket);
    }
}
