package io.vhca.harness.sim;

import io.vhca.api.CompletionChannel;
import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.api.MemoryRegion;
import io.vhca.api.ProtectionDomain;
import io.vhca.api.SharedReceiveQueue;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

/**
 * A member device that does not do all that it says: what a bond would have below it that forgets to deregister, to
 * pass a wake-up on, or that it gave a shared receive away already. The simulator breaks bonds with it, to see that the
 * checkers notice.
 */
final class DeviceBreaker extends StandIns {
    private static final int LOST_ONE_IN = 4;
    private static final int DOUBLED_ONE_IN = 8;

    private final Mutation mutation;
    private final List<MemoryRegion> graves = new ArrayList<>();
    private int wakeUps;
    private int receives;
    private boolean isOver;

    DeviceBreaker(final Context device, final Mutation mutation) {
        super(device);
        this.mutation = mutation;
    }

    /** Whether a mutation is one of these. */
    static boolean does(final Mutation mutation) {
        return switch (mutation) {
            case WAKE_UP_LOST, SHARED_RECEIVE_TWICE, REGION_NOT_DEREGISTERED -> true;
            default -> false;
        };
    }

    /** Really deregisters what the bond believes to have deregistered, and breaks nothing from now on. */
    void bury() {
        isOver = true;
        graves.forEach(MemoryRegion::close);
        graves.clear();
    }

    @Override
    Object onContextCall(final Context real, final Method method, final Object[] arguments) throws Throwable {
        final Object result = call(real, method, reals(arguments));
        if (result instanceof ProtectionDomain pd) {
            return stand(ProtectionDomain.class, pd, (called, given) -> onPdCall(pd, called, given));
        }
        return result instanceof CompletionChannel channel && mutation == Mutation.WAKE_UP_LOST
                ? stand(CompletionChannel.class, channel, (called, given) -> onChannelCall(channel, called, given))
                : result;
    }

    private Object onPdCall(final ProtectionDomain pd, final Method method, final Object[] arguments)
            throws Throwable {
        final Object result = call(pd, method, reals(arguments));
        if (result instanceof MemoryRegion region && mutation == Mutation.REGION_NOT_DEREGISTERED) {
            return stand(MemoryRegion.class, region, (called, given) -> onRegionCall(region, called, given));
        }
        return result instanceof SharedReceiveQueue srq && mutation == Mutation.SHARED_RECEIVE_TWICE
                ? stand(SharedReceiveQueue.class, srq, (called, given) -> onSrqCall(srq, called, given))
                : result;
    }

    private Object onRegionCall(final MemoryRegion region, final Method method, final Object[] arguments)
            throws Throwable {
        if (isOver || !method.getName().equals("close")) {
            return call(region, method, arguments);
        }
        graves.add(region);
        return Absent.NOTHING;
    }

    private Object onSrqCall(final SharedReceiveQueue srq, final Method method, final Object[] arguments)
            throws Throwable {
        final Object result = call(srq, method, arguments);
        return method.getName().equals("postRecv") && ++receives % DOUBLED_ONE_IN == 0
                ? call(srq, method, arguments)
                : result;
    }

    private Object onChannelCall(final CompletionChannel channel, final Method method, final Object[] arguments)
            throws Throwable {
        final Object result = call(channel, method, arguments);
        return result instanceof CompletionQueue && ++wakeUps % LOST_ONE_IN == 0 ? Absent.NOTHING : result;
    }
}
