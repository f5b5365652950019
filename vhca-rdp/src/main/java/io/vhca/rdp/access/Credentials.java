package io.vhca.rdp.access;

import io.vhca.api.ProcStatus;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Whose a process is, as the kernel says it.
 *
 * @param groups its own and all others that it is in
 */
public record Credentials(long pid, long user, List<Long> groups) {
    public Credentials {
        groups = List.copyOf(groups);
    }

    /**
     * Those of this process.
     *
     * @throws IOException where the kernel does not say them
     */
    public static Credentials ofThisProcess() throws IOException {
        return parse(ProcessHandle.current().pid(), ProcStatus.ofThisProcess());
    }

    /**
     * Those of another process, whose own three the kernel has said. The other groups that it is in count as long as it
     * is there and that user's; a process of another namespace has none.
     */
    public static Credentials ofPeer(final long pid, final long user, final long group) {
        if (pid > 0) {
            try {
                final Credentials now = parse(pid, ProcStatus.of(pid));
                if (now.user == user && now.groups.getFirst() == group) {
                    return now;
                }
            } catch (final IOException e) {
                // It is gone, or not to be looked at: what the kernel has said remains.
                assert e.getMessage() != null;
            }
        }
        return new Credentials(pid, user, List.of(group));
    }

    /** What the lines of a status file in proc(5) say: effective user and group, and the others. */
    static Credentials parse(final long pid, final List<String> status) throws IOException {
        long user = -1;
        final List<Long> groups = new ArrayList<>();
        for (final String line : status) {
            final String[] words = line.split("\\s+");
            switch (words[0]) {
                case "Uid:" -> user = Long.parseLong(words[2]);
                case "Gid:" -> groups.addFirst(Long.valueOf(words[2]));
                case "Groups:" -> Arrays.stream(words).skip(1).map(Long::valueOf).forEach(groups::add);
                default -> {
                    // Nothing of whose it is.
                }
            }
        }
        if (user < 0 || groups.isEmpty()) {
            throw new IOException("/proc/self/status does not say whose this process is");
        }
        return new Credentials(pid, user, groups);
    }
}
