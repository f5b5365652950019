package io.vhca.harness.sim;

import io.vhca.api.Context;
import io.vhca.api.Errno;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpState;
import io.vhca.api.QueuePair;
import io.vhca.api.cm.CmId;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A member device on which no fence works: a queue pair that is moved to ERR, disconnected or destroyed goes on as if
 * nothing had been asked, and says that markers cannot be posted. What a bond without the fence step would have below
 * it. The simulator breaks bonds with it, to see that the checkers notice.
 */
final class FenceBreaker extends MemberProxy {
    private static final Set<String> POSTS = Set.of("postSend", "postRecv");

    private final List<CmId> graves = new ArrayList<>();
    private final Map<QueuePair, Boolean> fenced = new IdentityHashMap<>();
    private boolean isOver;

    FenceBreaker(final Context device) {
        super(device);
    }

    /** Really destroys what the bond believes to have destroyed, and breaks nothing from now on. */
    void bury() {
        isOver = true;
        for (final CmId grave : graves) {
            grave.close();
        }
        graves.clear();
    }

    @Override
    boolean isGone(final CmId real) {
        return graves.contains(real);
    }

    @Override
    Object onIdCall(final CmId real, final Method method, final Object[] arguments) throws Throwable {
        return switch (isOver ? "" : method.getName()) {
            case "disconnect", "destroyQp" -> Absent.NOTHING;
            case "close" -> {
                if (!graves.contains(real)) {
                    graves.add(real);
                }
                yield Absent.NOTHING;
            }
            default -> call(real, method, arguments);
        };
    }

    @Override
    Object onQpCall(final QueuePair real, final Method method, final Object[] arguments) throws Throwable {
        if (isOver) {
            return call(real, method, arguments);
        }
        if (method.getName().equals("modify") && ((QpAttributes) arguments[0]).qpState() == QpState.ERR) {
            fenced.put(real, true);
            return Absent.NOTHING;
        }
        if (fenced.containsKey(real) && POSTS.contains(method.getName())) {
            return -Errno.EINVAL;
        }
        return method.getName().equals("close") ? Absent.NOTHING : call(real, method, arguments);
    }
}
