package io.vhca.tool.rdp;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** The options of {@code vhca rdp stress}. */
public final class StressOptions {
    @Option(names = {"-t", "--tasks"}, paramLabel = "N", defaultValue = "1",
            description = "threads of a process, among which its sockets are divided (default: ${DEFAULT-VALUE})")
    private int tasks = 1;

    @Option(names = "--sockets", paramLabel = "N",
            description = "sockets of this end in all (default: one a task)")
    private int sockets;

    @Option(names = "--processes", paramLabel = "N", defaultValue = "1",
            description = "of the end that sends, each with --tasks; more than 1 need --shared and HOST"
                    + " (default: ${DEFAULT-VALUE})")
    private int processes = 1;

    @Option(names = {"-D", "--depth"}, paramLabel = "N", defaultValue = "1",
            description = "requests on their way a socket (default: ${DEFAULT-VALUE})")
    private int depth = 1;

    @Option(names = {"-q", "--request-bytes"}, paramLabel = "BYTES", defaultValue = "1024",
            description = "length of a request (default: ${DEFAULT-VALUE})")
    private int requestBytes = 1_024;

    @Option(names = {"-a", "--ack-bytes"}, paramLabel = "BYTES", defaultValue = "32",
            description = "length of an acknowledgement (default: ${DEFAULT-VALUE})")
    private int ackBytes = 32;

    @Option(names = {"-p", "--port"}, paramLabel = "PORT", defaultValue = "4000",
            description = "of the first socket; the others count up (default: ${DEFAULT-VALUE})")
    private int port = 4_000;

    @Option(names = {"-T", "--time"}, paramLabel = "SECONDS", defaultValue = "5",
            description = "how long (default: ${DEFAULT-VALUE})")
    private int seconds = 5;

    @Option(names = "--part", hidden = true, description = "obey the process that has started this one")
    private boolean isPart;

    public StressPlan plan() {
        // What is beyond an int is beyond what a plan may have, and is to be found so.
        final long all = sockets == 0 ? Math.min((long) tasks * processes, Integer.MAX_VALUE) : sockets;
        return new StressPlan(tasks, (int) all, depth, requestBytes, ackBytes, port, seconds);
    }

    public int processes() {
        return processes;
    }

    /** This process was started by another one for a part of its sockets. */
    public boolean isPart() {
        return isPart;
    }

    /** What cannot be in one sentence, or an empty string. */
    public String wrong(final boolean isShared, final boolean hasHost) {
        if (processes < 1 || processes > 1 && !(isShared && hasHost)) {
            return "--processes must be at least 1, and more need --shared and HOST,"
                    + " for a driver of one's own is of one process";
        }
        return sockets < 0 || sockets > 0 && sockets < (long) processes * tasks
                ? "--sockets must be at least --processes times --tasks, so that each task has one"
                : "";
    }

    /** The words by which another process has its part. */
    public List<String> partArguments(final String device, final String host, final int process) {
        final StressPlan part = plan().part(process, processes);
        final List<String> words = new ArrayList<>(List.of("rdp", "stress", host, "--shared", "--device", device));
        words.addAll(List.of("--part", "-t", "" + part.tasks(), "--sockets", "" + part.sockets()));
        words.addAll(List.of("-D", "" + part.depth(), "-q", "" + part.requestBytes(), "-a", "" + part.ackBytes()));
        words.addAll(List.of("-p", "" + part.port(), "-T", "" + part.seconds()));
        return words;
    }
}
