package io.vhca.harness.lab;

import io.vhca.tool.console.EnvironmentException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.GZIPOutputStream;

/**
 * What the machines boot from: the distribution's own kernel, unpacked but not installed, and an initramfs made of
 * busybox, the kernel's modules and this package's scripts. Fetched and built once.
 *
 * @param kernel    the kernel's image
 * @param initramfs what it unpacks at first
 */
record LabKit(Path kernel, Path initramfs) {
    private static final List<String> MODULES = List.of(
            "virtio_pci", "virtio_net", "9p", "9pnet_virtio", "overlay", "crc32_generic", "crc32c_generic", "rdma_rxe",
            "ib_uverbs", "rdma_ucm", "sch_netem");
    private static final List<String> SCRIPTS = List.of("guest.sh", "agent.sh", "job.sh");
    /** Below the lab's directory: the kernel's package, unpacked. */
    static final String KERNEL = "kernel";

    /** The kit of that directory; what is missing of it is fetched and built first. */
    static LabKit prepare(final LabConfig config, final PrintWriter progress) throws IOException, InterruptedException {
        final String arch = System.getProperty("os.arch");
        if (!System.getProperty("os.name").equals("Linux") || !arch.equals("amd64")) {
            throw new EnvironmentException("the lab needs Linux on x86-64, this is "
                    + System.getProperty("os.name") + " on " + arch);
        }
        Files.createDirectories(config.directory());
        try (FileChannel channel = FileChannel.open(
                        config.directory().resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock lock = channel.lock()) {
            Objects.requireNonNull(lock);
            final LabPackages packages = new LabPackages(config.directory(), progress);
            packages.installTools();
            final Path tree = config.directory().resolve(KERNEL);
            final String version = packages.kernel(tree);
            return new LabKit(tree.resolve("boot/vmlinuz-" + version), initramfs(config.directory(), tree, version));
        }
    }

    private static Path initramfs(final Path directory, final Path tree, final String version)
            throws IOException, InterruptedException {
        final List<Path> modules = modules(tree, version);
        final CRC32 checksum = new CRC32();
        checksum.update((version + modules).getBytes(StandardCharsets.UTF_8));
        for (final String script : SCRIPTS) {
            checksum.update(resource(script));
        }
        checksum.update(resource("init.sh"));
        final Path target = directory.resolve("initramfs-" + Long.toHexString(checksum.getValue()) + ".gz");
        if (Files.exists(target)) {
            return target;
        }
        final CpioArchive archive = new CpioArchive();
        for (final String name : List.of("bin", "dev", "proc", "sys", "top", "lower", "merged", "modules", "lab")) {
            archive.directory(name);
        }
        archive.file("init", resource("init.sh"));
        archive.file("bin/busybox", Files.readAllBytes(busybox()));
        for (final String script : SCRIPTS) {
            archive.file("lab/" + script, resource(script));
        }
        final StringBuilder order = new StringBuilder();
        for (final Path module : modules) {
            final String name = module.getFileName().toString().replaceFirst("\\.xz$", "");
            archive.file("modules/" + name, content(module));
            order.append(name).append('\n');
        }
        archive.file("modules/order", order.toString().getBytes(StandardCharsets.UTF_8));
        final Path part = directory.resolve("initramfs.part");
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(part))) {
            out.write(archive.finish());
        }
        return Files.move(part, target, StandardCopyOption.ATOMIC_MOVE);
    }

    /** The wanted modules and those that they need, in an order in which they can be loaded. */
    private static List<Path> modules(final Path tree, final String version) throws IOException, InterruptedException {
        final List<Path> found = new ArrayList<>();
        for (final String module : MODULES) {
            final HostCommand.Outcome outcome = HostCommand.run(
                    tree, "/sbin/modprobe", "-d", tree.toString(), "-S", version, "--show-depends", module);
            if (outcome.code() != 0) {
                throw new EnvironmentException("kernel " + version + " has no module " + module + ": "
                        + outcome.lastLine() + "; remove " + tree + " to fetch another");
            }
            outcome.output()
                    .lines()
                    .filter(line -> line.startsWith("insmod "))
                    .map(line -> Path.of(line.split(" ", -1)[1]))
                    .filter(path -> !found.contains(path))
                    .forEach(found::add);
        }
        return found;
    }

    private static byte[] content(final Path module) throws IOException {
        if (!module.toString().endsWith(".xz")) {
            return Files.readAllBytes(module);
        }
        final Process xz = new ProcessBuilder("xz", "-dc", module.toString()).start();
        try (InputStream in = xz.getInputStream()) {
            return in.readAllBytes();
        }
    }

    private static Path busybox() {
        return Stream.of("/bin/busybox", "/usr/bin/busybox")
                .map(Path::of)
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow(() -> new EnvironmentException("there is no busybox; install the package busybox-static"));
    }

    static byte[] resource(final String name) throws IOException {
        try (InputStream in = Objects.requireNonNull(LabKit.class.getResourceAsStream(name), name)) {
            return in.readAllBytes();
        }
    }

    static void deleteTree(final Path tree) throws IOException {
        if (Files.notExists(tree)) {
            return;
        }
        try (Stream<Path> paths = Files.walk(tree)) {
            for (final Path path : paths.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.deleteIfExists(path);
            }
        }
    }
}
