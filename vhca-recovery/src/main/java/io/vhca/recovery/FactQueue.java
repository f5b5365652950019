package io.vhca.recovery;

import java.util.ArrayDeque;
import java.util.function.Consumer;

/** Facts in the order in which they were told: one told while another is handled waits until that is done. */
final class FactQueue {
    private final ArrayDeque<ToldFact> waiting = new ArrayDeque<>();
    private final Consumer<ToldFact> handler;
    private boolean isHandling;

    FactQueue(final Consumer<ToldFact> handler) {
        this.handler = handler;
    }

    /** True within a call of the handler. */
    boolean isHandling() {
        return isHandling;
    }

    /** Handles the fact, now or behind the one that is being handled. */
    void tell(final ToldFact fact) {
        waiting.addLast(fact);
        if (isHandling) {
            return;
        }
        isHandling = true;
        try {
            for (ToldFact next = waiting.pollFirst(); next != null; next = waiting.pollFirst()) {
                handler.accept(next);
            }
        } finally {
            isHandling = false;
        }
    }
}
