package io.vhca.physical.soft;

import io.vhca.api.DeviceCounter;
import io.vhca.physical.soft.cm.CmCounter;
import io.vhca.physical.soft.cm.CmCounters;
import io.vhca.physical.soft.engine.core.NicCounter;
import io.vhca.physical.soft.engine.core.NicCounters;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Which counters of a soft device an operator should hear of, what they mean, and what to do. Any thread. */
final class SoftFaults {
    private static final String DEFECT = "a defect of the soft device: report it with the log's stack trace";
    private static final String STRANGERS = "strangers, or a peer that started anew: filter UDP port 4791 if many";

    private static final Map<NicCounter, String> OF_ENGINE = new EnumMap<>(Map.ofEntries(
            Map.entry(NicCounter.PACKET_FAULTS, "packets that the engine failed at; " + DEFECT),
            Map.entry(NicCounter.QP_FAULTS, "queue pairs that the engine failed at; " + DEFECT),
            Map.entry(NicCounter.CQ_OVERRUNS, "completions that did not fit their CQ: make the CQ larger"),
            Map.entry(NicCounter.DROP_MALFORMED, "packets that are none: noise, or another program's; " + STRANGERS),
            Map.entry(NicCounter.DROP_ICRC, "packets that were bent on the way: look at cables and ports"),
            Map.entry(NicCounter.DROP_NO_QP, "packets for a queue pair that is gone: late ones, or " + STRANGERS),
            Map.entry(NicCounter.DROP_WRONG_SOURCE, "packets for a queue pair, not from its peer; " + STRANGERS),
            Map.entry(NicCounter.DROP_QKEY, "datagrams with another Q_Key: a peer is set up wrongly, or " + STRANGERS),
            Map.entry(NicCounter.DROP_NO_ROUTE, "messages that no route was left for: too many peers at a time"),
            Map.entry(
                    NicCounter.RX_PRIO_PAUSE,
                    "pauses of the link (PFC): packets waited, none was lost; a path that failed meanwhile may"
                            + " have been paused and not dead"),
            Map.entry(
                    NicCounter.NP_ECN_MARKED_ROCE_PACKETS,
                    "packets that came marked: peers send more than the way here carries"),
            Map.entry(NicCounter.NP_CNP_SENT, "congestion notifications sent for marked packets: their senders slow"),
            Map.entry(
                    NicCounter.RP_CNP_HANDLED,
                    "congestion notifications from peers: what is sent here meets a full queue, and slows"),
            Map.entry(NicCounter.DROP_CARRIER, "packets that the socket did not take: send less, or raise wmem_max")));

    private static final Map<CmCounter, String> OF_CM = new EnumMap<>(Map.ofEntries(
            Map.entry(CmCounter.FAULTS, "CM messages that the connection manager failed at; " + DEFECT),
            Map.entry(CmCounter.MALFORMED, "CM messages that make no sense; " + STRANGERS),
            Map.entry(CmCounter.NO_CONNECTION, "CM messages for a connection that there is not: late, or " + STRANGERS),
            Map.entry(CmCounter.NO_LISTENER, "requests that nobody listens for: is the application up?"),
            Map.entry(CmCounter.INBOX_FULL, "CM messages lost because too many waited: a flood; " + STRANGERS),
            Map.entry(CmCounter.BACKLOG_FULL, "requests that the application was too slow for: a larger backlog"),
            Map.entry(CmCounter.HALF_OPEN_FULL, "requests not taken, too many are half open: a flood; " + STRANGERS),
            Map.entry(CmCounter.HALF_OPEN_DROPPED, "half open connections given up for others: a flood; " + STRANGERS),
            Map.entry(
                    CmCounter.UNPROVEN_MUTED, "answers not sent to who never answered: lost RTUs, or " + STRANGERS)));

    private SoftFaults() {}

    /** Those that are not zero. */
    static List<DeviceCounter> of(final NicCounters engine, final CmCounters cm) {
        final List<DeviceCounter> found = new ArrayList<>();
        OF_ENGINE.forEach((counter, meaning) -> add(found, counter.name(), engine.get(counter), meaning));
        OF_CM.forEach((counter, meaning) -> add(found, "CM_" + counter.name(), cm.get(counter), meaning));
        return found;
    }

    private static void add(
            final List<DeviceCounter> found, final String name, final long value, final String meaning) {
        if (value > 0) {
            found.add(new DeviceCounter(name, value, meaning));
        }
    }
}
