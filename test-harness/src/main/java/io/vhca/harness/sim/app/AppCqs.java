package io.vhca.harness.sim.app;

import io.vhca.api.CompletionQueue;
import io.vhca.api.Context;
import io.vhca.api.CqInitAttributes;
import io.vhca.harness.sim.check.LeakChecker;
import io.vhca.harness.sim.scenario.QpScenario;
import io.vhca.harness.sim.scenario.Scenario;
import io.vhca.harness.sim.scenario.Trait;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The completion queues of one simulated application: one for all, or two a connection, with a channel or without. */
final class AppCqs {
    private final CompletionQueue[] sends;
    private final CompletionQueue[] recvs;
    private final List<CompletionQueue> all = new ArrayList<>();
    private final @Nullable CompletionQueue datagramSends;
    private final @Nullable CompletionQueue datagramRecvs;
    private final @Nullable Wakeups wakeups;

    /**
     * @param sharedDepth    receives of the side's SRQ, any of which may complete on any queue; 0 for no SRQ
     * @param datagramsDepth requests of each kind that all UD queue pairs of the side hold; 0 where there are none
     */
    AppCqs(
            final Context context, final Scenario scenario, final int sharedDepth, final int datagramsDepth,
            final LeakChecker resources) {
        wakeups = scenario.has(Trait.EVENTS) ? new Wakeups(resources.opened(context.createCompChannel())) : null;
        final int count = scenario.qps().size();
        sends = new CompletionQueue[count];
        recvs = new CompletionQueue[count];
        int depth = sharedDepth + 2 * datagramsDepth;
        for (int i = 0; i < count; i++) {
            final QpScenario qp = scenario.roomOf(i);
            depth += qp.sendDepth() + qp.recvDepth();
        }
        final CompletionQueue shared = scenario.has(Trait.ONE_CQ) ? create(context, depth, false, resources) : null;
        for (int i = 0; i < count; i++) {
            final QpScenario qp = scenario.roomOf(i);
            sends[i] = shared != null ? shared : create(context, qp.sendDepth(), false, resources);
            recvs[i] = shared != null
                    ? shared
                    : create(context, qp.recvDepth() + sharedDepth, scenario.isSolicited(), resources);
        }
        final boolean isOwn = shared == null && datagramsDepth > 0;
        datagramSends = isOwn ? create(context, datagramsDepth, false, resources) : shared;
        datagramRecvs = isOwn ? create(context, datagramsDepth, scenario.isSolicited(), resources) : shared;
    }

    private CompletionQueue create(
            final Context context, final int cqe, final boolean isSolicitedOnly, final LeakChecker resources) {
        final CompletionQueue cq =
                resources.opened(context.createCq(new CqInitAttributes(
                        cqe, null, wakeups == null ? null : wakeups.channel(), all.size() % 3 != 0)));
        all.add(cq);
        if (wakeups != null) {
            wakeups.add(cq, isSolicitedOnly);
        }
        return cq;
    }

    CompletionQueue sends(final int connection) {
        return sends[connection];
    }

    CompletionQueue recvs(final int connection) {
        return recvs[connection];
    }

    CompletionQueue datagramSends() {
        return Objects.requireNonNull(datagramSends, "no datagrams were announced");
    }

    CompletionQueue datagramRecvs() {
        return Objects.requireNonNull(datagramRecvs, "no datagrams were announced");
    }

    /** Every queue once, in the order in which they were made. */
    List<CompletionQueue> all() {
        return all;
    }

    /** Takes what the channel says, where there is one. Returns how many wake-ups there were. */
    int takeWakeups() {
        return wakeups == null ? 0 : wakeups.take();
    }

    /** Whether the application looks into a queue now. */
    boolean isAwake(final CompletionQueue cq) {
        return wakeups == null || wakeups.isAwake(cq);
    }

    /** A queue had nothing more. */
    void onEmpty(final CompletionQueue cq) {
        if (wakeups != null) {
            wakeups.onEmpty(cq);
        }
    }
}
