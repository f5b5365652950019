package io.vhca.tool.doctor;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The JVM, the limits of a process of this user, and where bonds leave their status. */
final class ProcessChecks {
    private static final Path LIMITS = Path.of("/proc/self/limits");
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final Path USERS = Path.of("/proc/self/uid_map");
    private static final Pattern ALL_USERS = Pattern.compile("\\s*0\\s+0\\s+4294967295\\s*");
    private static final int LEAST_JAVA = 25;
    private static final long LEAST_LOCKED_BYTES = 1L << 30;
    private static final long LEAST_FILES = 1_024;
    private static final long LEAST_STATUS_BYTES = 16L << 20;
    private static final long WANTED_SOCKET_BYTES = 8L << 20;
    /** {@code sockaddr_un.sun_path} holds 108 bytes with the zero at the end; unix(7). */
    private static final int LONGEST_SOCKET_PATH = 107;
    private static final String BEHIND_BOND = ".4194304.socket";
    private static final int CAP_NET_ADMIN = 12;
    private static final int CAP_IPC_LOCK = 14;
    private static final int RADIX_HEX = 16;

    private final Seen seen;
    private final Host host;

    ProcessChecks(final Seen seen) {
        this.seen = seen;
        host = seen.host();
    }

    List<Finding> run() {
        final List<Finding> findings = new ArrayList<>();
        findings.add(java());
        findings.add(nativeAccess());
        findings.add(statusDirectory());
        findings.add(openFiles());
        findings.add(lockedMemory());
        findings.add(socketBuffers());
        return findings;
    }

    private Finding java() {
        final int feature = host.java().feature();
        return feature >= LEAST_JAVA
                ? Finding.ok("Java", host.java() + " runs this tool; applications need " + LEAST_JAVA + " or newer too")
                : Finding.problem(
                        "Java", host.java() + " is too old", "install a JDK " + LEAST_JAVA + " and set JAVA_HOME");
    }

    private Finding nativeAccess() {
        return host.isNativeAccessEnabled()
                ? Finding.ok(
                        "native access",
                        "enabled for this tool; start applications with --enable-native-access=ALL-UNNAMED too")
                : Finding.warning(
                        "native access",
                        "not enabled: this Java warns, a later one refuses",
                        "start the JVM with --enable-native-access=ALL-UNNAMED");
    }

    private Finding statusDirectory() {
        final Path directory = host.statusDirectory();
        final boolean isThere = host.access(directory).exists();
        final Path checked = isThere ? directory : above(directory);
        final String subject = "status directory";
        if (!host.access(checked).writable()) {
            return Finding.problem(
                    subject,
                    checked + " cannot be written: `vhca status` will show no bond",
                    "make it writable for this user, or name another by VHCA_STATUS_DIR or -Dvhca.status.dir");
        }
        final String distrust = host.distrust(directory);
        if (!distrust.isEmpty()) {
            return Finding.problem(
                    subject,
                    "bonds will not use it: " + distrust,
                    "see to it, or name another by VHCA_STATUS_DIR or -Dvhca.status.dir");
        }
        // The bond binds where the directory is, and who tells it something connects to it as it is named.
        final Path real = host.real(directory);
        final Path longer = socketPathBytes(real) > socketPathBytes(directory) ? real : directory;
        if (socketPathBytes(longer) > LONGEST_SOCKET_PATH) {
            return Finding.problem(
                    subject,
                    longer + " is too long a name for a socket in it: `vhca bond` will not reach a bond",
                    "name a shorter one by VHCA_STATUS_DIR or -Dvhca.status.dir");
        }
        final long usableBytes = host.usableBytes(checked);
        if (usableBytes < 0) {
            return Finding.notChecked(subject, "how much room " + checked + " has; `df " + checked + "` tells");
        }
        if (usableBytes < LEAST_STATUS_BYTES) {
            return Finding.warning(
                    subject,
                    checked + " is all but full: bonds run without status and trace where there is no room for them",
                    "free 16 MiB there (containers: --shm-size), or name another by VHCA_STATUS_DIR");
        }
        return Finding.ok(subject, directory + (isThere ? " can be written" : " can be made"));
    }

    /** The lowest directory above one that is there; a bond makes what is missing between. */
    private Path above(final Path directory) {
        Path there = directory.toAbsolutePath();
        while (!host.access(there).exists() && there.getParent() != null) {
            there = there.getParent();
        }
        return there;
    }

    /** Of the bond with the longest name. */
    private int socketPathBytes(final Path directory) {
        final int name = seen.bonds().configs().stream()
                .mapToInt(bond -> bond.name().length())
                .max()
                .orElse("bond0".length());
        return directory.toAbsolutePath().toString().getBytes(StandardCharsets.UTF_8).length
                + "/".length() + name + BEHIND_BOND.length();
    }

    private Finding openFiles() {
        final String limit = limit("Max open files");
        if (limit == null) {
            return Finding.notChecked("open files", LIMITS + " cannot be read here; `ulimit -n` tells");
        }
        return number(limit) >= LEAST_FILES
                ? Finding.ok("open files", "limit " + limit)
                : Finding.warning(
                        "open files",
                        "limit " + limit + ": each channel of completions or connections is one",
                        "`ulimit -n 65536`, or LimitNOFILE=65536 in the service's unit");
    }

    private Finding lockedMemory() {
        if (!seen.needsRdma() && seen.verbs().adapters().isEmpty()) {
            return Finding.ok("locked memory", "soft devices lock none");
        }
        final String limit = limit("Max locked memory");
        if (limit == null) {
            return Finding.notChecked("locked memory", LIMITS + " cannot be read here; `ulimit -l` tells");
        }
        if (number(limit) == Long.MAX_VALUE) {
            return Finding.ok("locked memory", "no limit");
        }
        if (has(CAP_IPC_LOCK)) {
            return Finding.ok(
                    "locked memory", "no limit for this user (CAP_IPC_LOCK); others have " + limit + " bytes");
        }
        return number(limit) >= LEAST_LOCKED_BYTES
                ? Finding.ok("locked memory", "limit " + limit + " bytes")
                : Finding.warning(
                        "locked memory",
                        "limit " + limit + " bytes: all registered memory and every queue counts",
                        "`ulimit -l unlimited` (`* - memlock unlimited` in /etc/security/limits.d/rdma.conf), or"
                                + " LimitMEMLOCK=infinity in the service's unit");
    }

    private Finding socketBuffers() {
        final String subject = "socket buffers";
        if (seen.soft().adapters().isEmpty()) {
            return Finding.ok(subject, "no soft device needs them");
        }
        if (has(CAP_NET_ADMIN)) {
            return Finding.ok(subject, "no limit for this user (CAP_NET_ADMIN)");
        }
        for (final String name : List.of("rmem_max", "wmem_max")) {
            final String text = host.read(Path.of("/proc/sys/net/core", name));
            if (text == null) {
                return Finding.notChecked(subject, "/proc/sys/net/core/" + name + " cannot be read here");
            }
            if (number(text.strip()) < WANTED_SOCKET_BYTES) {
                return Finding.warning(
                        subject,
                        "net.core." + name + " is " + text.strip() + ", a soft device asks for " + WANTED_SOCKET_BYTES
                                + ": bursts lose packets, and retries cost time",
                        "as root: `sysctl -w net.core.rmem_max=8388608 net.core.wmem_max=8388608`");
            }
        }
        return Finding.ok(subject, "net.core.rmem_max and wmem_max are enough for soft devices");
    }

    /** The soft limit of that name as {@code /proc/self/limits} has it, or null. */
    private @Nullable String limit(final String name) {
        final String limits = host.read(LIMITS);
        if (limits == null) {
            return null;
        }
        final Matcher matcher = Pattern.compile(Pattern.quote(name) + " +(\\S+)").matcher(limits);
        return matcher.find() ? matcher.group(1) : null;
    }

    private static long number(final String text) {
        return text.equals("unlimited") ? Long.MAX_VALUE : Long.parseLong(text);
    }

    /** Whether this process has a capability that counts on the whole host; capabilities(7). */
    private boolean has(final int capability) {
        final String status = host.read(STATUS);
        if (status == null || isInUserNamespace()) {
            return false;
        }
        final Matcher matcher = Pattern.compile("CapEff:\\s*([0-9a-f]+)").matcher(status);
        return matcher.find() && (Long.parseUnsignedLong(matcher.group(1), RADIX_HEX) >>> capability & 1) == 1;
    }

    /** Whether the users here are others on the host, as with rootless containers; user_namespaces(7). */
    private boolean isInUserNamespace() {
        final String users = host.read(USERS);
        return users != null && !ALL_USERS.matcher(users).matches(); // a kernel without namespaces has no such file
    }
}
