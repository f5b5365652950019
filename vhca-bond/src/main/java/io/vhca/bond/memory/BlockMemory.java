package io.vhca.bond.memory;

import java.util.List;

/** An object whose native memory is one block with markers. */
public interface BlockMemory extends MarkedMemory, GatedMemory {
    @Override
    NativeBlock nativeBlock();

    @Override
    default boolean isWhole() {
        return nativeBlock().isWhole();
    }

    @Override
    default String damage() {
        return nativeBlock().damage();
    }

    @Override
    default List<String> map() {
        return nativeBlock().map();
    }
}
