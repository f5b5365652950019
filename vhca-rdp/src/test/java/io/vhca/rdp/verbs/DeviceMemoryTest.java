package io.vhca.rdp.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.Errno;
import io.vhca.api.MemoryRegion;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.VerbsException;
import io.vhca.rdp.memory.RegisteredMemory;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Memory of a device that locks no more than it may. */
class DeviceMemoryTest {
    private static final int LKEY = 9;

    /** What was ever to be registered. */
    private final List<MemorySegment> asked = new ArrayList<>();
    private int most = 1;
    private int registered;

    private final ProtectionDomain pd = (ProtectionDomain) Proxy.newProxyInstance(
            DeviceMemoryTest.class.getClassLoader(), new Class<?>[] {ProtectionDomain.class},
            (proxy, method, arguments) -> register((MemorySegment) arguments[0]));

    private MemoryRegion register(final MemorySegment memory) {
        asked.add(memory);
        if (registered == most) {
            throw new VerbsException("ibv_reg_mr", Errno.ENOMEM, "stub", "RLIMIT_MEMLOCK");
        }
        registered++;
        return (MemoryRegion) Proxy.newProxyInstance(
                DeviceMemoryTest.class.getClassLoader(), new Class<?>[] {MemoryRegion.class},
                (proxy, method, arguments) -> method.getName().equals("close") ? closed() : LKEY);
    }

    private Object closed() {
        return registered--;
    }

    @Test
    void whereTheHostHasNoMoreThereIsNone() {
        final DeviceMemory memory = new DeviceMemory(pd);
        assertThat(memory.allocate(1L << 50)).isNull();
        assertThat(asked).isEmpty();
        memory.close();
    }

    @Test
    void whatMayNotBeRegisteredIsNoMemoryAndIsGivenBack() {
        final DeviceMemory memory = new DeviceMemory(pd);
        assertThat(memory.allocate(4_096))
                .isEqualTo(new RegisteredMemory.Chunk(asked.getFirst().address(), LKEY));
        assertThat(memory.allocate(4_096)).isNull();
        assertThat(asked.getLast().scope().isAlive()).isFalse();
        most++;
        assertThat(memory.allocate(4_096)).isNotNull();
        assertThat(asked.getFirst().scope().isAlive()).isTrue();
        memory.close();
        assertThat(registered).isZero();
        assertThat(asked).noneMatch(segment -> segment.scope().isAlive());
    }
}
