package io.vhca.physical.verbs.lib;

import io.vhca.api.Errno;
import io.vhca.physical.ffm.CFunction;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Whether libibverbs and librdmacm are on this host, and their functions. Asked before anything else of this package:
 * who takes a function where a library is missing is not told what to install.
 */
public final class Libraries {
    /** The libraries, and the package of each as Debian and Ubuntu name it. */
    private static final Map<String, String> PACKAGES =
            new TreeMap<>(Map.of("libibverbs.so.1", "libibverbs1", "librdmacm.so.1", "librdmacm1"));

    /** For as long as this process lives, once they were found: what was missing may have been a descriptor. */
    private static @Nullable SymbolLookup loaded;

    /** Where the kernel lists what libibverbs can open; there once ib_uverbs is loaded. */
    private static final Path VERBS_CLASS = Path.of("/sys/class/infiniband_verbs");

    private static final String MODULES =
            "`modprobe -a rdma_rxe ib_uverbs rdma_ucm`, then `rdma link add rxe0 type rxe netdev eth0`";

    private Libraries() {}

    /** @throws IllegalArgumentException where one of the libraries cannot be loaded */
    private static synchronized SymbolLookup symbols() {
        SymbolLookup symbols = loaded;
        if (symbols == null) {
            symbols = PACKAGES.keySet().stream()
                    .map(library -> SymbolLookup.libraryLookup(library, Arena.global()))
                    .reduce(SymbolLookup::or)
                    .orElseThrow();
            loaded = symbols;
        }
        return symbols;
    }

    /**
     * A function of either library.
     *
     * @param arguments how many it takes
     * @throws NoSuchElementException when neither has it
     */
    static CFunction function(final String name, final int arguments) {
        return CFunction.of(symbols().findOrThrow(name), arguments);
    }

    /**
     * What of these libraries this process cannot load, as a sentence; empty when nothing.
     *
     * @param packages name of the library to name of its package
     */
    public static String missing(final Map<String, String> packages) {
        final List<String> absent = new ArrayList<>();
        packages.forEach((library, packageName) -> {
            try (Arena arena = Arena.ofConfined()) {
                SymbolLookup.libraryLookup(library, arena);
            } catch (final IllegalArgumentException e) {
                absent.add(library + " (package " + packageName + ")");
            }
        });
        return absent.isEmpty()
                ? ""
                : String.join(" and ", absent) + " cannot be loaded: install the packages libibverbs1, librdmacm1 and"
                        + " ibverbs-providers (rdma-core on other distributions than Debian and Ubuntu)";
    }

    public static boolean areThere() {
        try {
            symbols();
            return true;
        } catch (final IllegalArgumentException e) {
            return false;
        }
    }

    /** What is missing for there to be devices, in one sentence; empty when there are some. */
    public static String whatIsMissing() {
        if (!areThere()) {
            return missing(PACKAGES);
        }
        if (!Files.isDirectory(VERBS_CLASS)) {
            // Known without linking a single function, which costs a program that wants another device its start.
            return "the kernel's RDMA modules are not loaded: for soft RoCE " + MODULES;
        }
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment count = arena.allocate(ValueLayout.JAVA_INT);
            final long list = Ibv.GET_DEVICE_LIST.pointer(count.address());
            if (list <= 0) {
                return "libibverbs cannot list devices here (" + Errno.name((int) list)
                        + "): load the kernel's RDMA modules, for soft RoCE " + MODULES;
            }
            Ibv.FREE_DEVICE_LIST.value(list);
            return count.get(ValueLayout.JAVA_INT, 0) > 0
                    ? ""
                    : "this host has no RDMA device: for soft RoCE over an interface run `rdma link add rxe0 type rxe"
                            + " netdev eth0` as root, for an adapter load its driver and install ibverbs-providers";
        } catch (final ExceptionInInitializerError | NoClassDefFoundError | NoSuchElementException e) {
            return "libibverbs or librdmacm lacks a function: install rdma-core 33 or newer (packages libibverbs1,"
                    + " librdmacm1 and ibverbs-providers)";
        }
    }
}
