package io.vhca.bond.echo;

import io.vhca.api.ServiceClass;
import io.vhca.api.VerbsException;
import io.vhca.bond.core.BondCore;
import io.vhca.bond.member.Member;
import io.vhca.bond.member.MemberPart;
import io.vhca.bond.member.Members;
import io.vhca.bond.wire.EchoDescriptor;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Asks other bonds by datagrams whether a path carries, and answers them. A datagram may be lost, with what is asked
 * or with the answer, and then nobody is told: who asks, asks again. Its queue pairs are made when first one is needed,
 * and where there is none nobody is asked or answered. Only an address that was admitted is answered, with as many
 * bytes as came. Control lock. Owns its {@link EchoPort}s.
 */
public final class Echoes implements MemberPart, EchoPort.Arrivals, AutoCloseable {
    /** Questions that wait for an answer; of more the oldest has none. */
    private static final int MOST_ASKED = 4_096;
    /** A device that refused is asked for a queue pair again after this. */
    private static final long PAUSE_NS = TimeUnit.SECONDS.toNanos(10);

    private final BondCore core;
    private final Members members;
    private final Map<Member, EchoPort> ports = new HashMap<>();
    /** When a member that had no room may be asked again. */
    private final Map<Member, Long> refused = new HashMap<>();
    private final SequencedMap<Long, Asked> asked = new LinkedHashMap<>();

    /** A question on its way, from that port. */
    private record Asked(EchoPort port, LongConsumer told) {}

    public Echoes(final BondCore core, final Members members) {
        this.core = core;
        this.members = members;
        members.addPart(this);
    }

    /**
     * Whoever is at that address may ask this bond over the member, and be asked.
     *
     * @return the number of the queue pair to ask, or 0 where there is none
     */
    public int admit(final Member member, final InetAddress remote) {
        assert core.holdsLock();
        final EchoPort port = port(member);
        if (port == null) {
            return 0;
        }
        try {
            port.admit(remote);
            return port.number();
        } catch (final VerbsException e) {
            core.counters().ignored(e);
            return 0;
        }
    }

    private @Nullable EchoPort port(final Member member) {
        final EchoPort known = ports.get(member);
        if (known != null || !member.isAlive()) {
            return known;
        }
        final Long again = refused.get(member);
        if (again != null && core.nowNs() - again < 0) {
            return null;
        }
        try {
            final EchoPort port = EchoPort.create(core, members.wakers(), member);
            ports.put(member, port);
            refused.remove(member);
            return port;
        } catch (final VerbsException e) {
            core.counters().ignored(e);
            refused.put(member, core.nowNs() + PAUSE_NS);
            return null;
        }
    }

    /**
     * Asks over one path, to an address that was admitted.
     *
     * @param service of the packets that it is asked for
     * @param qpNum   what the peer's bond said that its number is there
     * @param told    hears when the answer was there, if ever; it is told at most once
     */
    public void ask(
            final Member from, final InetAddress to, final ServiceClass service, final int qpNum,
            final LongConsumer told) {
        assert core.holdsLock();
        final EchoPort port = ports.get(from);
        if (port == null) {
            return;
        }
        final Echo question = new Echo(EchoDescriptor.QUESTION, service, port.nextNonce(to), from.address());
        if (port.send(to, qpNum, question)) {
            asked.put(question.nonce(), new Asked(port, told));
            if (asked.size() > MOST_ASKED) {
                asked.pollFirstEntry();
            }
        }
    }

    @Override
    public void onEcho(final EchoPort port, final Echo echo, final int fromQpn) {
        if (echo.kind() == EchoDescriptor.ANSWER) {
            final Asked question = asked.get(echo.nonce());
            if (question != null && question.port == port) {
                asked.remove(echo.nonce());
                question.told.accept(core.nowNs());
            }
            return;
        }
        port.send(echo.asker(), fromQpn, echo.answer()); // to who was admitted
    }

    /**
     * Tells what was answered, and answers.
     *
     * @return how many members have more than a turn takes; an echo that was taken is done, no further turn finds more
     */
    public int poll() {
        assert core.holdsLock();
        int unfinished = 0;
        if (!ports.isEmpty()) {
            for (final EchoPort port : List.copyOf(ports.values())) {
                final int left = port.isCurrent() ? port.poll(this) : -1;
                if (left < 0) {
                    end(port);
                } else {
                    unfinished += left;
                }
            }
        }
        return unfinished;
    }

    private void end(final EchoPort port) {
        ports.values().remove(port);
        asked.values().removeIf(question -> question.port == port);
        port.close();
    }

    @Override
    public void drop(final Member member) {
        final EchoPort port = ports.get(member);
        if (port != null) {
            end(port);
        }
        refused.remove(member);
    }

    @Override
    public void rebuild(final Member member) {
        // Its queue pair is made when somebody needs it.
    }

    /** Idempotent. */
    @Override
    public void close() {
        assert core.holdsLock();
        members.removePart(this);
        List.copyOf(ports.values()).forEach(this::end);
    }
}
