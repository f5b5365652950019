package io.vhca.harness.lab;

import io.vhca.tool.console.EnvironmentException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Fetches by apt what the lab needs of the distribution, once, and says so. One thread. */
final class LabPackages {
    /** Program and the package that has it. */
    private static final List<List<String>> TOOLS = List.of(
            List.of("qemu-system-x86_64", "qemu-system-x86"),
            List.of("busybox", "busybox-static"),
            List.of("modprobe", "kmod"),
            List.of("ip", "iproute2"),
            List.of("ibv_devinfo", "ibverbs-utils"),
            List.of("rping", "rdmacm-utils"),
            List.of("ib_send_lat", "perftest"),
            List.of("iwpmd", "rdma-core"));

    private static final String KERNEL_PACKAGE = "linux-image-amd64";

    private static final String[] APT = {"apt-get", "-o", "DPkg::Lock::Timeout=120"};

    private final Path directory;
    private final PrintWriter progress;
    private boolean isUpdated;

    LabPackages(final Path directory, final PrintWriter progress) {
        this.directory = directory;
        this.progress = progress;
    }

    /** Installs the programs that are missing, on this machine: QEMU, and what runs inside the machines. */
    void installTools() throws IOException, InterruptedException {
        final List<String> packages = TOOLS.stream()
                .filter(tool -> !HostCommand.exists(tool.getFirst()))
                .map(List::getLast)
                .toList();
        if (packages.isEmpty()) {
            return;
        }
        final List<String> words = new ArrayList<>(List.of("install", "-y", "-qq", "--no-install-recommends"));
        words.addAll(packages);
        say("installing " + String.join(", ", packages) + " by apt-get ...");
        apt(directory, words.toArray(String[]::new));
    }

    /**
     * Unpacks the distribution's kernel below {@code tree}, unless it is there already; nothing is installed.
     *
     * @return the kernel's version
     */
    String kernel(final Path tree) throws IOException, InterruptedException {
        // Written last: without it a tree is half made.
        final Path complete = tree.resolve("complete");
        if (Files.notExists(complete)) {
            LabKit.deleteTree(tree);
            Files.createDirectories(tree);
            say("fetching the kernel of " + KERNEL_PACKAGE + " by apt-get, unpacking it in " + tree
                    + ", not installing it ...");
            Files.writeString(complete, fetch(tree) + "\n");
        }
        return Files.readString(complete).strip();
    }

    private String fetch(final Path tree) throws IOException, InterruptedException {
        update();
        final String name = HostCommand.run(directory, "apt-cache", "depends", KERNEL_PACKAGE)
                .output()
                .lines()
                .map(String::strip)
                .filter(line -> line.matches("Depends: linux-image-[0-9].*"))
                .map(line -> line.substring("Depends: ".length()))
                .findFirst()
                .orElseThrow(() -> new EnvironmentException(
                        "apt knows no package " + KERNEL_PACKAGE + ": the lab runs on Debian's kernel"));
        apt(tree, "download", "-qq", name);
        final Path archive = archive(tree);
        must(name, HostCommand.run(tree, "dpkg-deb", "-x", archive.toString(), tree.toString()));
        Files.delete(archive);
        // Newer distributions have everything below usr.
        if (Files.notExists(tree.resolve("lib")) && Files.isDirectory(tree.resolve("usr/lib/modules"))) {
            Files.createSymbolicLink(tree.resolve("lib"), Path.of("usr/lib"));
        }
        final String version = name.substring("linux-image-".length());
        must(name, HostCommand.run(tree, "/sbin/depmod", "-b", tree.toString(), version));
        return version;
    }

    private static void must(final String name, final HostCommand.Outcome outcome) {
        if (outcome.code() != 0) {
            throw new EnvironmentException(name + " cannot be unpacked: " + outcome.lastLine());
        }
    }

    private void apt(final Path where, final String... words) throws IOException, InterruptedException {
        update();
        final HostCommand.Outcome outcome = HostCommand.run(
                where, Stream.concat(Stream.of(APT), Stream.of(words)).toArray(String[]::new));
        if (outcome.code() != 0) {
            throw new EnvironmentException("'apt-get " + String.join(" ", words) + "' failed, is the network there? "
                    + outcome.lastLine());
        }
    }

    /** Refreshes apt's lists; whether that worked shows when something is fetched. */
    private void update() throws IOException, InterruptedException {
        if (!HostCommand.exists("apt-get")) {
            throw new EnvironmentException("the lab fetches its kernel and QEMU by apt-get, which is not here;"
                    + " run it on Debian, or drill on real devices as docs/REAL-DEVICES.md says");
        }
        if (!"root".equals(System.getProperty("user.name"))) {
            throw new EnvironmentException("the lab fetches packages by apt-get the first time and needs root for"
                    + " that; run 'sudo ./vhca lab up'");
        }
        if (!isUpdated) {
            isUpdated = true;
            final Stream<String> words = Stream.concat(Stream.of(APT), Stream.of("update", "-qq"));
            HostCommand.run(directory, words.toArray(String[]::new));
        }
    }

    private static Path archive(final Path tree) throws IOException {
        try (Stream<Path> files = Files.list(tree)) {
            return files.filter(path -> path.toString().endsWith(".deb"))
                    .findFirst()
                    .orElseThrow(() -> new EnvironmentException("apt-get download left no package in " + tree));
        }
    }

    private void say(final String what) {
        progress.println("lab: " + what);
        progress.flush();
    }
}
