package io.vhca.physical.soft.engine.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.AccessFlags;
import io.vhca.api.Errno;
import io.vhca.api.NativeMemory;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.SgeDescriptor;
import io.vhca.api.VerbsException;
import io.vhca.physical.soft.engine.core.FakeCore;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Proxy;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a key allows, and what a scatter/gather list is copied to and from. */
class MemoryDomainTest {
    private final Arena arena = Arena.ofConfined();
    private final FakeCore core = new FakeCore();
    private final KeyTable keys = new KeyTable(core, new SplittableRandom(5));
    private final MemoryDomain domain = domain();

    private MemoryDomain domain() {
        return new MemoryDomain(core, keys, (ProtectionDomain) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {ProtectionDomain.class}, (proxy, method, arguments) -> {
                    throw new AssertionError(method + " is not for the engine");
                }));
    }

    @AfterEach
    void close() {
        arena.close();
    }

    @Test
    void aKeyAllowsItsRangeItsDomainAndItsAccessOnly() {
        final MemorySegment memory = arena.allocate(100);
        final SoftMr region = domain.register(memory, AccessFlags.LOCAL_WRITE);
        final int key = region.lkey();
        final long addr = memory.address();

        assertThat(domain.allows(key, addr, 100, AccessFlags.LOCAL_WRITE)).isTrue();
        assertThat(domain.allows(key, addr + 99, 1, 0)).isTrue();
        assertThat(domain.allows(key, addr + 99, 2, 0)).isFalse();
        assertThat(domain.allows(key, addr - 1, 1, 0)).isFalse();
        assertThat(domain.allows(key, addr, 101, 0)).isFalse();
        assertThat(domain.allows(key, addr, 1, AccessFlags.REMOTE_READ)).isFalse();
        assertThat(domain.allows(key + 1, addr, 1, 0)).as("another generation").isFalse();
        assertThat(domain().allows(key, addr, 1, 0)).as("another domain").isFalse();
        region.close();
        assertThat(domain.allows(key, addr, 1, 0)).as("closed").isFalse();
        assertThat(domain.users()).isZero();
    }

    @Test
    void aKeyComesBackLate() {
        final MemorySegment memory = arena.allocate(8);
        final Set<Integer> seen = new HashSet<>();
        for (int i = 0; i < 4_096; i++) {
            final SoftMr region = domain.register(memory, 0);
            assertThat(seen.add(region.lkey())).as("key %x", region.lkey()).isTrue();
            region.close();
        }
    }

    @Test
    void aDeviceHasSoManyRegionsAtMost() {
        core.config().maxMr(2);
        final MemoryDomain small = new MemoryDomain(core, new KeyTable(core, new SplittableRandom(1)), domain.pd());
        final MemorySegment memory = arena.allocate(8);
        final SoftMr first = small.register(memory, 0);
        small.register(memory, 0);
        assertThatThrownBy(() -> small.register(memory, 0))
                .isInstanceOfSatisfying(VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENOMEM));
        first.close();
        small.register(memory, 0);
        assertThat(small.users()).isEqualTo(2);
    }

    @Test
    void aListIsReadAndWrittenAcrossItsElements() {
        final MemorySegment memory = arena.allocate(64);
        for (int i = 0; i < 64; i++) {
            memory.set(ValueLayout.JAVA_BYTE, i, (byte) i);
        }
        final int key = domain.register(memory, AccessFlags.LOCAL_WRITE).lkey();
        final long sges = arena.allocate(3L * SgeDescriptor.SIZE, 8).address();
        final int[] offsets = {40, 0, 20};
        final int[] lengths = {5, 0, 10};
        for (int i = 0; i < 3; i++) {
            final long sge = sges + (long) i * SgeDescriptor.SIZE;
            NativeMemory.putLong(sge + SgeDescriptor.ADDR_OFFSET, memory.address() + offsets[i]);
            NativeMemory.putInt(sge + SgeDescriptor.LENGTH_OFFSET, lengths[i]);
            NativeMemory.putInt(sge + SgeDescriptor.LKEY_OFFSET, key);
        }
        final MemorySegment flat = arena.allocate(16);

        assertThat(domain.copy(sges, 3, 3, flat.address(), 6, 0, false)).isTrue();
        assertThat(flat.asSlice(0, 6).toArray(ValueLayout.JAVA_BYTE)).containsExactly(43, 44, 20, 21, 22, 23);
        assertThat(domain.copy(sges, 3, 0, flat.address(), 16, 0, false)).as("longer than the list").isFalse();
        flat.fill((byte) 77);
        assertThat(domain.copy(sges, 3, 4, flat.address(), 2, AccessFlags.LOCAL_WRITE, true)).isTrue();
        assertThat(memory.get(ValueLayout.JAVA_BYTE, 44)).isEqualTo((byte) 77);
        assertThat(memory.get(ValueLayout.JAVA_BYTE, 20)).isEqualTo((byte) 77);
        assertThat(memory.get(ValueLayout.JAVA_BYTE, 21)).isEqualTo((byte) 21);
        assertThat(domain.allowsAll(sges, 3, AccessFlags.LOCAL_WRITE)).isTrue();
        assertThat(domain.allowsAll(sges, 3, AccessFlags.REMOTE_WRITE)).isFalse();
    }
}
