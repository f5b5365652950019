package io.vhca.harness.drill.fabric;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;

/** Two ends and an attacker: where they run, and what addresses they have. One thread. */
public interface AttackFabric extends AutoCloseable {
    /** The name of the attacker's process, as in {@link ChildProcess.Said}. */
    String ATTACKER = "attacker";

    /** Heap of each process. */
    int HEAP_MB = 128;

    /** Makes what is needed. */
    void setUp() throws IOException, InterruptedException;

    /** The members of one end with their addresses: {@code soft0=ADDRESS,soft1=ADDRESS}. */
    String devices(boolean ofReceiver);

    /** The first of the addresses that are the attacker's own; thousands follow. */
    String strangers();

    /** What goes before the java command of that process. */
    List<String> prefix(String name);

    /** One sentence for the report. */
    String describe();

    /** The addresses of one end. */
    default List<String> addresses(final boolean ofReceiver) {
        return Arrays.stream(devices(ofReceiver).split(",", -1))
                .map(device -> device.substring(device.indexOf('=') + 1))
                .toList();
    }

    /**
     * Starts an end.
     *
     * @param portOptions of each soft port
     * @param bond        its configuration without its members
     * @param property    that the devices' provider reads
     */
    default ChildProcess startEnd(
            final boolean isReceiver,
            final Class<?> main,
            final String property,
            final String portOptions,
            final String bond,
            final List<String> args,
            final BlockingQueue<ChildProcess.Said> said)
            throws IOException {
        final String devices = String.join(
                ",", Arrays.stream(devices(isReceiver).split(",", -1)).map(one -> one + portOptions).toList());
        final List<String> words = new ArrayList<>(args);
        words.addFirst(Fabric.name(isReceiver));
        return ChildProcess.startTouched(
                Fabric.name(isReceiver),
                prefix(Fabric.name(isReceiver)),
                HEAP_MB,
                List.of(
                        "vhca.soft=",
                        property + "=" + devices,
                        "vhca.bond=bond0: " + bond + " members=" + String.join(",", LoopbackFabric.MEMBERS)),
                main,
                words,
                said);
    }

    /** Starts the attacker. */
    default ChildProcess startAttacker(final Class<?> main, final BlockingQueue<ChildProcess.Said> said)
            throws IOException {
        return ChildProcess.startTouched(
                ATTACKER,
                prefix(ATTACKER),
                HEAP_MB,
                List.of("vhca.soft="),
                main,
                List.of(String.join(",", addresses(true)), String.join(",", addresses(false)), strangers()),
                said);
    }

    /** Removes what was made. Idempotent, and safe from a shutdown hook. */
    @Override
    void close();
}
