package io.vhca.harness.sim.defect;

import io.vhca.api.Context;
import io.vhca.api.Errno;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpState;
import io.vhca.api.QueuePair;
import io.vhca.api.cm.CmId;
import io.vhca.harness.sim.proxy.MemberProxy;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/**
 * The old queue pair is neither moved to ERR nor drained before the counts are frozen: on every member, one that is
 * moved to ERR, disconnected or destroyed goes on as if nothing had been asked, and says that markers cannot be posted.
 */
final class FenceSkipped implements Defect {
    private static final Set<String> POSTS = Set.of("postSend", "postRecv");

    private final List<CmId> unclosed = new ArrayList<>();
    private boolean isOver;

    @Override
    public Context member(final Context device) {
        return new UnfencedMember(device).context();
    }

    @Override
    public void beforeClose() {
        isOver = true;
        unclosed.forEach(CmId::close);
        unclosed.clear();
    }

    private final class UnfencedMember extends MemberProxy {
        private final Set<QueuePair> fenced = Collections.newSetFromMap(new IdentityHashMap<>());

        UnfencedMember(final Context device) {
            super(device);
        }

        @Override
        protected boolean isGone(final CmId real) {
            return unclosed.contains(real);
        }

        @Override
        protected Object onIdCall(final CmId real, final Method method, final Object[] arguments) throws Throwable {
            return switch (isOver ? "" : method.getName()) {
                case "disconnect", "destroyQp" -> Absent.NOTHING;
                case "close" -> {
                    if (!unclosed.contains(real)) {
                        unclosed.add(real);
                    }
                    yield Absent.NOTHING;
                }
                default -> call(real, method, arguments);
            };
        }

        @Override
        protected Object onQpCall(final QueuePair real, final Method method, final Object[] arguments)
                throws Throwable {
            if (isOver) {
                return call(real, method, arguments);
            }
            if (method.getName().equals("modify") && ((QpAttributes) arguments[0]).qpState() == QpState.ERR) {
                fenced.add(real);
                return Absent.NOTHING;
            }
            if (fenced.contains(real) && POSTS.contains(method.getName())) {
                return -Errno.EINVAL;
            }
            return method.getName().equals("close") ? Absent.NOTHING : call(real, method, arguments);
        }
    }
}
