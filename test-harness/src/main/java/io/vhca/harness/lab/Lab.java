package io.vhca.harness.lab;

import io.vhca.tool.console.EnvironmentException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Reader;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Two running machines and the links between them. Whoever boots them ends them by {@link #close}; a shutdown hook does
 * it after Ctrl-C, and the kernel when this process is killed. Only {@link #leave} lets them live on; then
 * {@link #find} finds them again.
 *
 * <p>Commands and cuts: any thread. Boot, leave and close: one thread, that must live as long as the lab.
 */
public final class Lab implements AutoCloseable {
    /** The machines are numbered from 1 to this. */
    public static final int MACHINES = 2;

    private static final int LINKS = 2;
    private static final int START_TRIES = 5;
    private static final long BOOT_NS = TimeUnit.SECONDS.toNanos(300);
    private static final String NOTE = "up.properties";
    private static final String READ = "read";

    private final LabConfig config;
    private final Path directory;
    private final List<Machine> machines = new ArrayList<>();
    private volatile List<GuestClock> clocks = List.of();
    private volatile List<GuestShell> shells = List.of();
    private final boolean isOwner;
    private boolean isEnded;
    private @Nullable Thread hook;

    private Lab(final LabConfig config, final Path directory, final boolean isOwner) {
        this.config = config;
        this.directory = directory;
        this.isOwner = isOwner;
    }

    /** The machine on the other side. */
    static int peer(final int machine) {
        return MACHINES + 1 - machine;
    }

    /** The machines that {@code lab up} left running, else two that are booted now and end with {@link #close}. */
    public static Lab findOrBoot(final LabConfig config, final PrintWriter progress)
            throws IOException, InterruptedException {
        final Lab found = find(config);
        if (found != null) {
            progress.println("lab: using the machines that are up");
            found.readAnew();
            return found;
        }
        return boot(config, progress, false);
    }

    /**
     * Boots two machines and waits until both take commands.
     *
     * @param outlives they are to be left running by {@link #leave}
     * @throws EnvironmentException when something is missing here
     * @throws IOException          when a machine does not come up
     */
    public static Lab boot(final LabConfig config, final PrintWriter progress, final boolean outlives)
            throws IOException, InterruptedException {
        final LabKit kit = LabKit.prepare(config, progress);
        // Not in the lab's own directory: a socket's path must be short.
        final Lab lab = new Lab(config, Files.createTempDirectory("vhca-lab"), true);
        final Thread hook = new Thread(lab::end, "lab-cleanup");
        lab.hook = hook;
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            progress.println("lab: booting two machines ...");
            progress.flush();
            final long startNs = System.nanoTime();
            for (int id = 1; id <= MACHINES; id++) {
                lab.start(kit, id, outlives);
            }
            for (final Machine machine : lab.machines) {
                machine.awaitReady(BOOT_NS);
            }
            progress.printf(Locale.ROOT, "lab: up after %.1f s%n", (System.nanoTime() - startNs) / 1e9);
            progress.flush();
            return lab;
        } catch (final IOException | InterruptedException | RuntimeException e) {
            lab.close();
            throw e;
        }
    }

    private void start(final LabKit kit, final int id, final boolean outlives)
            throws IOException, InterruptedException {
        for (int tries = 1; ; tries++) {
            final Machine machine = begin(kit, id, outlives);
            final String refusal = machine.refusal();
            if (refusal == null) {
                return;
            }
            remove(machine);
            if (!Machine.isPortTaken(refusal) || tries == START_TRIES) {
                throw new EnvironmentException("QEMU does not start: " + refusal);
            }
        }
    }

    /** A machine that has begun is one that {@link #end} ends, whenever it comes. */
    private synchronized Machine begin(final LabKit kit, final int id, final boolean outlives) throws IOException {
        if (isEnded) {
            throw new IOException("the lab was ended while it booted");
        }
        final Machine machine = Machine.start(config, kit, directory, id, outlives);
        machines.add(machine);
        return machine;
    }

    private synchronized void add(final Machine machine) {
        machines.add(machine);
    }

    private synchronized void remove(final Machine machine) {
        machines.remove(machine);
    }

    /** The machines that were left running in that directory, or null. */
    public static @Nullable Lab find(final LabConfig config) throws IOException {
        final Path note = config.directory().resolve(NOTE);
        if (Files.notExists(note)) {
            return null;
        }
        final Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(note)) {
            properties.load(reader);
        }
        final Lab lab = new Lab(config, Path.of(properties.getProperty("directory")), false);
        for (int id = 1; id <= MACHINES; id++) {
            final ProcessHandle process = ProcessHandle.of(Long.parseLong(properties.getProperty("pid" + id)))
                    .filter(handle -> isQemu(handle, lab.directory))
                    .orElse(null);
            if (process == null) {
                continue;
            }
            lab.add(new Machine(
                    id,
                    process,
                    lab.directory.resolve("monitor" + id),
                    lab.directory.resolve("console" + id),
                    QemuCommand.log(lab.directory, id),
                    Integer.parseInt(properties.getProperty("port" + id))));
        }
        if (lab.machines.size() < MACHINES) {
            // One ended by itself: the other is of no use alone.
            lab.end();
            Files.deleteIfExists(note);
            return null;
        }
        return lab;
    }

    /** Files that were built anew are read anew: the machines do not look how old theirs are. */
    private void readAnew() throws IOException {
        final Path read = directory.resolve(READ);
        if (Files.notExists(read)
                || ClassPathTime.newest(System.getProperty("java.class.path"))
                        .compareTo(Files.getLastModifiedTime(read)) > 0) {
            must("echo 3 > /proc/sys/vm/drop_caches");
            Files.writeString(read, "");
        }
    }

    /** A process id may have been given to another process meanwhile. */
    private static boolean isQemu(final ProcessHandle process, final Path directory) {
        try {
            return Files.readString(Path.of("/proc", String.valueOf(process.pid()), "cmdline"))
                    .contains(directory.toString());
        } catch (final IOException e) {
            return false;
        }
    }

    /** Lets the machines live on after this process; they must have been booted for that. */
    public void leave() throws IOException {
        final Properties properties = new Properties();
        properties.setProperty("directory", directory.toString());
        for (final Machine machine : machines) {
            properties.setProperty("pid" + machine.id(), String.valueOf(machine.process().pid()));
            properties.setProperty("port" + machine.id(), String.valueOf(machine.agentPort()));
        }
        try (Writer writer = Files.newBufferedWriter(config.directory().resolve(NOTE))) {
            properties.store(writer, "the machines of 'vhca lab up'; 'vhca lab down' ends them");
        }
        forgetHook();
    }

    /**
     * Runs a script that must succeed.
     *
     * @return nanoTime, of this process, of the moment just before it ran
     */
    long timed(final int machine, final String script) throws IOException {
        if (clocks.isEmpty()) {
            measureClocks();
        }
        return clocks.get(machine - 1).here(shells.get(machine - 1).run(script).beganNs());
    }

    /** How long both machines' processors have worked since they booted, interrupts and packets included. */
    long busyNs() throws IOException {
        if (shells.isEmpty()) {
            measureClocks();
        }
        long busyNs = 0;
        for (final GuestShell shell : shells) {
            busyNs += ProcessorTime.busyNs(shell.run(ProcessorTime.ASK).output());
        }
        return busyNs;
    }

    /** Compares the machines' clocks with this process' own again, and has a shell at hand in each. */
    void measureClocks() throws IOException {
        final List<GuestClock> measured = new ArrayList<>();
        for (final Machine machine : machines) {
            machine.requireAlive();
            measured.add(GuestClock.measure(machine));
        }
        clocks = List.copyOf(measured);
        if (shells.isEmpty()) {
            final List<GuestShell> opened = new ArrayList<>();
            for (final Machine machine : machines) {
                opened.add(new GuestShell(machine));
            }
            shells = List.copyOf(opened);
        }
    }

    /** How a machine's clock differs from this process' own, as of the last measurement. */
    GuestClock clock(final int machine) {
        return clocks.get(machine - 1);
    }

    /** Runs a script in each machine, one after the other; it must succeed. */
    void must(final String script) throws IOException {
        for (final Machine machine : machines) {
            machine.must(script);
        }
    }

    /** Loads a module of the distribution's kernel, with those that it needs, in each machine. */
    void loadModule(final String module) throws IOException {
        must("modprobe -d " + config.directory().resolve(LabKit.KERNEL) + ' ' + module);
    }

    /** Ends what JVMs an earlier job left in the machines. */
    void endJvms() {
        machines.forEach(machine -> machine.exec("/run/lab/busybox killall -9 java"));
    }

    /** Heals everything: machines run, cables are in, links are up, nothing is lost, the rxe devices are new. */
    void mend() throws IOException {
        mend(config.withRxe() ? MemberKinds.RXE : MemberKinds.SOFT);
    }

    /** The same, with an rxe device at the ends that are to have one, and none where a soft device is to be. */
    void mend(final MemberKinds kinds) throws IOException {
        for (final Machine machine : machines) {
            if (machine.process().isAlive()) {
                machine.pause(false);
                for (int link = 0; link < LINKS; link++) {
                    machine.carrier(link, true);
                }
                machine.must("mend_links " + String.join(" ", kinds.words(machine.id())));
            }
        }
    }

    /** What is to be said of machines that ended by themselves; empty when all run. */
    public String lost() {
        final StringBuilder text = new StringBuilder();
        for (final Machine machine : machines) {
            if (!machine.process().isAlive()) {
                text.append("machine ").append(machine.id()).append(" is gone; it printed last:\n")
                        .append(machine.tail()).append('\n');
            }
        }
        return text.toString();
    }

    /** Whether a machine ended because its kernel crashed. */
    public boolean hasCrashed() {
        return machines.stream().anyMatch(machine -> !machine.process().isAlive() && machine.hasCrashed());
    }

    /** @param id from 1 */
    public Machine machine(final int id) {
        return machines.get(id - 1);
    }

    /** Ends machines that were left running. */
    public void down() throws IOException {
        end();
        Files.deleteIfExists(config.directory().resolve(NOTE));
    }

    private synchronized void end() {
        isEnded = true;
        shells.forEach(GuestShell::close);
        machines.forEach(machine -> machine.process().destroyForcibly());
        machines.forEach(Machine::kill);
        machines.clear();
        try {
            LabKit.deleteTree(directory);
        } catch (final IOException e) {
            System.err.println("lab: " + directory + " is left: " + e.getMessage());
        }
    }

    private void forgetHook() {
        final Thread thread = hook;
        if (thread != null) {
            hook = null;
            try {
                Runtime.getRuntime().removeShutdownHook(thread);
            } catch (final IllegalStateException e) {
                // It is running already, and does the same.
            }
        }
    }

    /** Ends the machines that were booted by this process; those that were found stay. Idempotent. */
    @Override
    public void close() {
        shells.forEach(GuestShell::close);
        if (isOwner) {
            end();
            forgetHook();
        }
    }
}
