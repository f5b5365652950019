package io.vhca.harness.drill.versions;

import io.vhca.harness.drill.protocol.DrillLine;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What the processes say of their messages, and the verdict on it. Of each life of a sender, what its peer has received
 * in one life after the other must begin at 0, leave no gap, and reach whatever has completed; it may begin again with
 * what had not completed when the peer was restarted. Only a restart may end a connection.
 */
final class Ledger {
    private final List<String> faults = new ArrayList<>();
    private final Map<Sender, List<Part>> heard = new TreeMap<>();
    private final Map<Sender, Long> completed = new TreeMap<>();
    /** Stopped since all were connected last. */
    private final Set<Integer> stopped = new HashSet<>();
    private long received;
    private long recovered;
    private long older;
    private long newer;

    /** One life of a sender, and whom it sends to. */
    private record Sender(int process, int life, int to) implements Comparable<Sender> {
        @Override
        public int compareTo(final Sender other) {
            return toString().compareTo(other.toString());
        }
    }

    /** What one life of a receiver has of it. */
    private record Part(int life, long first, long end) {}

    /** The process's connections end with it, and not before; its peers say so when they come to it. */
    void stops(final int process) {
        stopped.add(process);
    }

    /** All are connected again, and whatever ended before that was heard: no connection ends any more. */
    void isWhole() {
        stopped.clear();
    }

    void over(final int process, final int peer) {
        if (!stopped.contains(process) && !stopped.contains(peer)) {
            faults.add("process " + process + " lost its connection with " + peer + ", and neither was restarted");
        }
    }

    void on(final int process, final int life, final DrillLine line) {
        switch (line.kind()) {
            case "heard" -> {
                final Part part = new Part(life, line.number("first"), line.number("end"));
                received += part.end - part.first;
                heard.computeIfAbsent(
                                new Sender((int) line.number("peer"), (int) line.number("life"), process),
                                unused -> new ArrayList<>())
                        .add(part);
            }
            case "sent" -> completed.put(
                    new Sender(process, life, (int) line.number("peer")), line.number("completed"));
            case "counts" -> {
                recovered += line.number("recovered");
                older += line.number("older");
                newer += line.number("newer");
                if (line.number("garbage") + line.number("unprotected") > 0) {
                    faults.add("process " + process + ": " + line);
                }
            }
            case "error" -> {
                if (!stopped.contains((int) line.number("peer")) && !stopped.contains(process)) {
                    faults.add("process " + process + ": " + line);
                }
            }
            case "fault" -> faults.add("process " + process + ": " + line.text("what"));
            default -> {
                // ready
            }
        }
    }

    List<String> judge(final int processes) {
        final List<String> all = new ArrayList<>(faults);
        for (int from = 0; from < processes; from++) {
            for (int to = 0; to < processes; to++) {
                for (int life = 0; life < 2 && from != to; life++) {
                    judge(new Sender(from, life, to), all);
                }
            }
        }
        if (recovered == 0 || older == 0) {
            all.add("it showed nothing: failovers " + recovered + ", connections with an older bond " + older);
        }
        return all;
    }

    private void judge(final Sender sender, final List<String> all) {
        final long done = completed.getOrDefault(sender, -1L);
        long end = 0;
        for (final Part part : heard.getOrDefault(sender, List.of())) {
            if (part.first > end) {
                all.add(sender + ": messages " + end + " to " + (part.first - 1) + " were lost");
            }
            end = Math.max(end, part.end);
        }
        if (done <= 0) {
            all.add(sender + ": it has sent nothing");
        } else if (end < done) {
            all.add(sender + ": messages " + end + " to " + (done - 1) + " completed and were not received");
        }
    }

    long received() {
        return received;
    }

    long recovered() {
        return recovered;
    }

    long older() {
        return older;
    }

    long newer() {
        return newer;
    }
}
