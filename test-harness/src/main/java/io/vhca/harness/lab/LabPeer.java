package io.vhca.harness.lab;

import io.vhca.harness.drill.fabric.ChildProcess;
import io.vhca.harness.drill.protocol.DrillLine;
import io.vhca.harness.drill.protocol.DrillPeer;
import io.vhca.harness.drill.protocol.LastLines;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.stream.Collectors;

/** A JVM in a machine that takes part in a drill or a benchmark. Its times become this process' own. Any thread. */
final class LabPeer implements DrillPeer {
    private final Lab lab;
    private final int machine;
    private final String name;
    private final boolean isMachineKilled;
    private final GuestCommand command;
    private final BlockingQueue<ChildProcess.Said> said;
    private final LastLines noise = new LastLines();

    private LabPeer(
            final Lab lab,
            final int machine,
            final String name,
            final boolean isMachineKilled,
            final GuestCommand command,
            final BlockingQueue<ChildProcess.Said> said) {
        this.lab = lab;
        this.machine = machine;
        this.name = name;
        this.isMachineKilled = isMachineKilled;
        this.command = command;
        this.said = said;
    }

    /**
     * Starts a JVM in a machine.
     *
     * @param isMachineKilled its death is the machine's
     * @param words           as {@link ChildProcess#command} makes them
     */
    static LabPeer start(
            final Lab lab,
            final int machine,
            final String name,
            final boolean isMachineKilled,
            final List<String> words,
            final BlockingQueue<ChildProcess.Said> said)
            throws IOException {
        final GuestCommand command = lab.machine(machine).command("exec " + quoted(words), GuestCommand.NOBODY);
        final LabPeer peer = new LabPeer(lab, machine, name, isMachineKilled, command, said);
        Thread.ofPlatform().name("lab-" + name).daemon().start(peer::listen);
        return peer;
    }

    /** The words that start a JVM in a machine, which is slow: the first compiler is enough, and it is soon done. */
    static List<String> words(final List<String> properties, final String main, final List<String> args) {
        final List<String> words = new ArrayList<>(ChildProcess.command(properties, main, args));
        words.add(1, "-XX:TieredStopAtLevel=1");
        return words;
    }

    /** Words as bash takes them, each in quotes. */
    static String quoted(final List<String> words) {
        return words.stream()
                .map(word -> "'" + word.replace("'", "'\\''") + "'")
                .collect(Collectors.joining(" "));
    }

    private void listen() {
        DrillLine.readAll(
                command.output(),
                line -> said.add(new ChildProcess.Said(name, line.onClock(there -> lab.clock(machine).here(there)))),
                noise::add);
        said.add(new ChildProcess.Said(name, DrillLine.of("exited", "code", command.exitCode())));
    }

    @Override
    public String noise() {
        return noise.text();
    }

    @Override
    public synchronized void tell(final DrillLine line) {
        try {
            command.input().write((line.encode() + "\n").getBytes(StandardCharsets.UTF_8));
            command.input().flush();
        } catch (final IOException e) {
            noise.add("not told " + line.kind() + ": " + e.getMessage());
        }
    }

    @Override
    public void kill() {
        if (isMachineKilled) {
            lab.machine(machine).kill();
        } else {
            try {
                lab.timed(machine, "kill -9 -- -" + command.pid());
            } catch (final IOException e) {
                noise.add("not killed: " + e.getMessage());
            }
        }
    }

    /** Drops the connection; the JVM halts when its input ends. */
    @Override
    public void close() {
        command.close();
    }
}
