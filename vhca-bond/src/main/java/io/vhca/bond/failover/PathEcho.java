package io.vhca.bond.failover;

import io.vhca.bond.core.BondCore;
import io.vhca.bond.echo.Echoes;
import io.vhca.bond.link.Links;
import io.vhca.bond.member.Member;
import java.net.InetSocketAddress;
import java.util.function.LongConsumer;

/**
 * Echoes over one path: whom to ask, how long an answer takes and whether there has been one lately. The number to ask
 * is learned by a {@link PathProbe}, and again when nobody answers there any more. Control lock.
 */
final class PathEcho {
    /** So many that are not answered, one after the other, say that the number may not be right any more. */
    private static final int MOST_MISSED = 3;
    /** So many beats are let pass at most before it is tried again to learn the number: each time twice as many. */
    private static final int MOST_PAUSE = 64;

    /** One answer is such a part of the mean: the first ones wait for code that runs for the first time. */
    private static final int SHARE = 4;

    private final BondCore core;
    private final Links links;
    private final Echoes echoes;
    private final PathInUse path;
    private final Member from;
    private long usualNs;
    private int number;
    private int unanswered;
    private boolean isAnswered;
    private boolean isLearning;
    private int pause;
    private int nextPause = 1;

    PathEcho(final BondCore core, final Links links, final Echoes echoes, final PathInUse path, final Member from) {
        this.core = core;
        this.links = links;
        this.echoes = echoes;
        this.path = path;
        this.from = from;
    }

    /** Whether it asks over that member; another one may have come in its place. */
    boolean isFrom(final Member member) {
        return from == member;
    }

    /** Whether silence would say something: of the last questions one was answered. */
    boolean isLive() {
        return isAnswered && unanswered < MOST_MISSED;
    }

    /** How long an answer takes, as a mean in which the latest count most; 0 before there was any. */
    long usualNs() {
        return usualNs;
    }

    /** Asks once; {@code told} hears when the answer is there, if ever. */
    void ask(final long nowNs, final LongConsumer told) {
        unanswered++;
        final int asked = number;
        echoes.ask(from, path.remote(), path.service(), asked, atNs -> {
            if (asked == number) {
                unanswered = 0;
                isAnswered = true;
                nextPause = 1;
            }
            usualNs += (atNs - nowNs - usualNs) / (usualNs == 0 ? 1 : SHARE);
            told.accept(atNs);
        });
    }

    /**
     * Asks, though nobody waits for the answer, so that it is known how long one takes.
     *
     * @param recovery of a vQP between the same bonds
     */
    void beat(final QpRecovery recovery, final long nowNs) {
        if (number != 0) {
            ask(nowNs, atNs -> { });
        }
        if (isLive() || isLearning || pause-- > 0) {
            return;
        }
        pause = nextPause;
        nextPause = Math.min(2 * nextPause, MOST_PAUSE);
        isLearning = true;
        PathProbe.send(
                core, links, from, new InetSocketAddress(path.remote(), recovery.peerPort()),
                recovery.identity().peerQpNum(), nowNs, this::learned);
    }

    private void learned(final PathProbe.Answer answer, final int echo, final long nowNs) {
        isLearning = false;
        // Who answers that it has none may have one soon: a bond answers nobody whose address it has not heard of yet.
        if (echo != 0 && echoes.admit(from, path.remote()) != 0) {
            isAnswered &= echo == number;
            number = echo;
            ask(nowNs, atNs -> { });
        }
    }
}
