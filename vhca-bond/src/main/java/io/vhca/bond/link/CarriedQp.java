package io.vhca.bond.link;

import io.vhca.api.QueuePair;

/** The physical queue pair of a {@link PathLink}, and what its user has made beside it. Control lock. */
public interface CarriedQp {
    QueuePair queuePair();

    /** Whether its receives come from a shared queue: then no marker can be posted behind them. */
    boolean sharesReceives();

    /** Its device is dead and it is about to be destroyed: takes what came, and posts nothing more. */
    void letGo(PathLink link);

    /** From now on requests may be posted to it; one that stands by was created long before. */
    void beginUse();

    /** The reverse of {@link #beginUse}: the link is about to destroy it, together with its id. */
    void endUse();

    /** It is destroyed. */
    void afterDestroy();
}
