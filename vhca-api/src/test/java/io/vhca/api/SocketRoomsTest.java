package io.vhca.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a killed process has left of a socket that it made goes with the next one, and nothing else does. */
class SocketRoomsTest {
    private static final long GONE = Integer.MAX_VALUE;
    private static final long LIVING = 1;
    private static final String PLACE = "bond0.1.socket";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    private Path directory(final String name) throws IOException {
        return Files.createDirectory(directory.resolve(name));
    }

    private static ServerSocketChannel listens(final Path at) throws IOException {
        final ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(at));
        return server;
    }

    private static void age(final Path... rooms) throws IOException {
        for (final Path room : rooms) {
            Files.setLastModifiedTime(room, FileTime.fromMillis(0));
        }
    }

    /** What is in the directory when the next socket is made there. */
    private List<Path> listen() throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            UnixSockets.listen(server, directory.resolve(PLACE), PosixFilePermissions.fromString("rw-------"));
        }
        try (Stream<Path> all = Files.list(directory)) {
            return all.filter(path -> !path.endsWith(PLACE)).toList();
        }
    }

    @Test
    void ofAProcessThatIsGone() throws IOException {
        final Path empty = directory(SocketRooms.name(GONE, 12));
        final Path made = directory(SocketRooms.name(GONE, 12));
        listens(SocketRooms.socket(made)).close();
        // Of a process that had the same number, as each first one of a container has.
        final Path before = directory(SocketRooms.name(ProcessHandle.current().pid(), 12));
        // It is no obstacle to those behind it.
        final Path full = directory(SocketRooms.name(GONE, 12));
        Files.createFile(full.resolve("kept"));
        age(empty, made, before, full);
        assertThat(listen()).containsExactly(full);
    }

    @Test
    void whoLivesKeepsHis() throws IOException {
        final Path own = SocketRooms.make(directory.resolve(PLACE));
        final Path others = directory(SocketRooms.name(LIVING, 12));
        final Path justMade = directory(SocketRooms.name(GONE, 12));
        final Path unseen = directory(SocketRooms.name(GONE, 12));
        try (ServerSocketChannel _ = listens(SocketRooms.socket(unseen))) {
            age(own, others, unseen);
            // However long the test takes from here, and whatever becomes of the clock.
            Files.setLastModifiedTime(justMade, FileTime.from(Instant.now().plus(1, ChronoUnit.HOURS)));
            assertThat(listen()).containsExactlyInAnyOrder(own, others, justMade, unseen);
        }
        SocketRooms.leave(own);
        assertThat(own).doesNotExist();
    }

    @Test
    void whatIsNoRoomStays() throws IOException {
        final String room = SocketRooms.name(GONE, 12);
        final Path[] all = {
            directory(room.substring(1)), directory(".vhca"), Files.createFile(directory.resolve(room))
        };
        age(all);
        assertThat(listen()).containsExactlyInAnyOrderElementsOf(Arrays.asList(all));
    }

    @Test
    void theSocketInARoomHasAPathAsLongAsItsPlace() throws IOException {
        for (final String name : List.of(PLACE, "rxe0.soft1.4194303.rdpctl")) {
            final Path room = SocketRooms.make(directory.resolve(name));
            assertThat(SocketRooms.socket(room).toString()).hasSameSizeAs(directory.resolve(name).toString());
            SocketRooms.leave(room);
        }
        assertThat(SocketRooms.name(4_194_303, 0)).hasSize(".2hwcf~x".length());
    }
}
