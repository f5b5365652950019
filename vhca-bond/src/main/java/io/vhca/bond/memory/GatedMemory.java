package io.vhca.bond.memory;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** An object whose native memory is written only by threads inside its gates. Control lock. */
public interface GatedMemory {
    /** Whether its gates are entered before those of queues: who is inside a completion queue enters queues. */
    default boolean isOuter() {
        return false;
    }

    /** Shows its gates: itself, where it is one. */
    default void gates(final Consumer<Gate> to) {
        if (this instanceof final Gate gate) {
            to.accept(gate);
        }
    }

    /** Its memory; null where that has no markers. */
    default @Nullable NativeBlock nativeBlock() {
        return null;
    }

    /** Says where it stands, as it is in its memory. Inside its gates. */
    default void cursors(final CursorSink to) {}

    /** Shows the buffers of the application that requests which are not done name. Inside its gates. */
    default void buffers(final BufferSink to) {}
}
