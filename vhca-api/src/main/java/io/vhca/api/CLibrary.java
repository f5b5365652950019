package io.vhca.api;

import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.util.NoSuchElementException;
import java.util.Optional;

/**
 * Where the functions of the C library are, also in a process that has no file descriptor left: Java's own lookup opens
 * a file at its first use, and where it cannot it finds nothing for as long as the process lives. The C library itself
 * is loaded in every process, and to ask for it by its name opens nothing. Any thread.
 */
public final class CLibrary {
    private static final String NAME = "libc.so.6";
    private static final SymbolLookup FUNCTIONS = lookup();

    private CLibrary() {}

    private static SymbolLookup lookup() {
        try {
            return SymbolLookup.libraryLookup(NAME, Arena.global());
        } catch (final IllegalArgumentException e) {
            // Another system, where it has another name.
            return Linker.nativeLinker().defaultLookup();
        }
    }

    /** The address of a function; nothing where there is no such function. */
    public static Optional<MemorySegment> find(final String name) {
        return FUNCTIONS.find(name);
    }

    /**
     * The address of a function.
     *
     * @throws NoSuchElementException where there is no such function
     */
    public static MemorySegment function(final String name) {
        return FUNCTIONS.findOrThrow(name);
    }
}
