package io.vhca.tool.doctor;

import io.vhca.api.Device;
import io.vhca.api.DeviceProvider;
import io.vhca.api.Devices;
import io.vhca.api.FailureText;
import io.vhca.api.UntrustedFileException;
import io.vhca.api.VerbsException;
import io.vhca.bond.BondDevice;
import io.vhca.bond.config.BondConfig;
import io.vhca.ras.file.PrivateDirectory;
import io.vhca.ras.status.StatusDirectory;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The host that this runs on. */
public final class ThisHost implements Host {
    /** Of a file of the kernel's, more than any that is asked for. */
    private static final int MOST_BYTES = 1 << 20;
    /** That a program may take, on a host that has no processor for it. */
    private static final int MOST_SECONDS = 60;

    private static final File NOTHING = new File("/dev/null");

    private final String assumed;
    private final int mostSeconds;

    /** @param assumed the configuration of bonds that is taken where there is none; empty where there is one */
    public ThisHost(final String assumed) {
        this(assumed, MOST_SECONDS);
    }

    /** The same that gives a program so many seconds. */
    ThisHost(final String assumed, final int mostSeconds) {
        this.assumed = assumed;
        this.mostSeconds = mostSeconds;
    }

    @Override
    public @Nullable String read(final Path file) {
        // Not Files.readString: of a file whose size is 0, as below /proc, it asks for one byte first, and what stands
        // below /proc/sys gives no more after that.
        try (InputStream in = Files.newInputStream(file)) {
            return new String(in.readNBytes(MOST_BYTES), StandardCharsets.UTF_8);
        } catch (final IOException e) {
            return null;
        }
    }

    @Override
    public @Nullable String run(final List<String> command) throws TimeoutException {
        final AtomicBoolean isLate = new AtomicBoolean();
        try {
            final Process process = new ProcessBuilder(command)
                    .redirectInput(ProcessBuilder.Redirect.from(NOTHING))
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            try (InputStream out = process.getInputStream()) {
                process.onExit().orTimeout(mostSeconds, TimeUnit.SECONDS).exceptionally(late -> {
                    isLate.set(true);
                    process.destroyForcibly();
                    return process;
                });
                final String text = text(out);
                final int code = process.waitFor();
                if (isLate.get() && (code != 0 || text == null)) {
                    throw new TimeoutException(
                            "`" + String.join(" ", command) + "` did not answer within " + mostSeconds + " s");
                }
                return code == 0 ? text : null;
            }
        } catch (final IOException e) {
            return null;
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    /** What a program printed; null where it was ended meanwhile, which closes that. */
    private static @Nullable String text(final InputStream out) {
        try {
            return new String(out.readNBytes(MOST_BYTES), StandardCharsets.UTF_8);
        } catch (final IOException e) {
            return null;
        }
    }

    @Override
    public List<String> list(final Path directory) {
        try (Stream<Path> all = Files.list(directory)) {
            return all.map(file -> file.getFileName().toString()).sorted().toList();
        } catch (final IOException e) {
            return List.of();
        }
    }

    @Override
    public Access access(final Path file) {
        return new Access(Files.exists(file), Files.isReadable(file), Files.isWritable(file));
    }

    @Override
    public Path real(final Path directory) {
        final Path named = directory.toAbsolutePath();
        for (@Nullable Path there = named; there != null; there = there.getParent()) {
            try {
                return there.toRealPath().resolve(there.relativize(named));
            } catch (final IOException e) {
                // It is not there: what is above may be.
            }
        }
        return named;
    }

    @Override
    public long usableBytes(final Path directory) {
        try {
            return Files.getFileStore(directory).getUsableSpace();
        } catch (final IOException e) {
            // Behind chroot the mount point may be none of those that /proc/mounts lists.
            return -1;
        }
    }

    @Override
    public boolean loads(final String library) {
        try (Arena arena = Arena.ofConfined()) {
            SymbolLookup.libraryLookup(library, arena);
            return true;
        } catch (final IllegalArgumentException e) {
            return false;
        }
    }

    @Override
    public List<Netdev> netdevs() {
        final List<Netdev> netdevs = new ArrayList<>();
        try (Stream<NetworkInterface> all = NetworkInterface.networkInterfaces()) {
            for (final NetworkInterface one : all.toList()) {
                netdevs.add(new Netdev(
                        one.getName(),
                        one.getMTU(),
                        one.getInterfaceAddresses().stream()
                                .map(address ->
                                        new Netdev.Network(address.getAddress(), address.getNetworkPrefixLength()))
                                .toList()));
            }
        } catch (final SocketException e) {
            // None can be told apart then, and the checks say so.
            return List.of();
        }
        netdevs.sort(Comparator.comparing(Netdev::name));
        return netdevs;
    }

    private static Listing listing(final String name) {
        for (final DeviceProvider provider : Devices.providers()) {
            if (provider.name().equals(name)) {
                try {
                    return new Listing(
                            provider.devices().stream().map(Adapter::of).toList(), provider.unavailableReason());
                } catch (final VerbsException e) {
                    return new Listing(List.of(), String.valueOf(e.getMessage()));
                }
            }
        }
        return new Listing(List.of(), "the provider " + name + " is not on the class path; add vhca-physical to it");
    }

    @Override
    public Listing verbs() {
        return listing("verbs");
    }

    @Override
    public Listing soft() {
        return listing("soft");
    }

    @Override
    public Bonds bonds() {
        final List<BondConfig> configs = new ArrayList<>();
        for (final DeviceProvider provider : Devices.providers()) {
            if (provider.name().equals("bond")) {
                try {
                    for (final Device device : provider.devices()) {
                        if (device instanceof BondDevice bond) {
                            configs.add(bond.config());
                        }
                    }
                } catch (final VerbsException e) {
                    return new Bonds(List.of(), String.valueOf(e.getMessage()).lines().toList(), assumed);
                }
            }
        }
        return new Bonds(configs, List.of(), assumed);
    }

    @Override
    public Path statusDirectory() {
        return StatusDirectory.path();
    }

    @Override
    public String distrust(final Path directory) {
        try {
            PrivateDirectory.check(directory);
            return "";
        } catch (final UntrustedFileException e) {
            return String.valueOf(e.getMessage());
        } catch (final IOException e) {
            return directory + " cannot be looked into: " + FailureText.of(e);
        }
    }

    @Override
    public Runtime.Version java() {
        return Runtime.version();
    }

    @Override
    public boolean isNativeAccessEnabled() {
        return ThisHost.class.getModule().isNativeAccessEnabled();
    }
}
