package io.vhca.tool.guard;

import io.vhca.tool.users.DeviceHolders;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.LongFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Watches devices that are being removed, and the processes that keep the kernel waiting: says who they are, and ends
 * those that the configuration names once their time is over. One thread; owns nothing.
 */
public final class Guard {
    private final GuardConfig config;
    private final LongFunction<Optional<Target>> processes;
    private final Log log;
    private final Map<Long, Holder> holders = new TreeMap<>();
    private final Map<String, String> names = new HashMap<>();

    /** @param log takes what happened */
    public Guard(final GuardConfig config, final Log log) {
        this(config, Target::of, log);
    }

    Guard(final GuardConfig config, final LongFunction<Optional<Target>> processes, final Log log) {
        this.config = config;
        this.processes = processes;
        this.log = log;
    }

    /** Where it is said what happens. */
    public interface Log {
        /** Writes a line; false where it is not written: nobody is ended then. */
        boolean say(String line);
    }

    /** How far one process is. */
    private enum Stage { ASKED_BY_KERNEL, TERMINATED, KILLED, LEFT_ALONE }

    private static final class Holder {
        private final String who;
        private final String program;
        private final Set<String> nodes;
        private final long sinceMs;
        private final @Nullable Target target;
        private Stage stage = Stage.ASKED_BY_KERNEL;
        private long terminatedMs;

        Holder(final DeviceHolders.Process process, final @Nullable Target target, final long nowMs) {
            who = "process " + process.pid() + " (" + process.program() + ")";
            program = process.program();
            nodes = new TreeSet<>(process.nodes());
            sinceMs = nowMs;
            this.target = target;
        }
    }

    /**
     * Looks once.
     *
     * @param nowMs   ms, by a clock that only goes on
     * @param devices that are there, by their files; looked for before {@code removed}, so that one which goes in
     *                between has its name
     * @param removed who has devices open that are being removed
     */
    public void turn(
            final long nowMs, final Map<String, String> devices, final List<DeviceHolders.Process> removed) {
        names.putAll(devices);
        final Map<Long, DeviceHolders.Process> now =
                removed.stream().collect(Collectors.toMap(DeviceHolders.Process::pid, process -> process));
        holders.entrySet().removeIf(one -> !now.containsKey(one.getKey()) && gone(one.getValue(), nowMs));
        for (final DeviceHolders.Process process : now.values()) {
            final Holder known = holders.get(process.pid());
            if (known != null && known.program.equals(process.program())) {
                watch(known, nowMs);
            } else {
                found(process, nowMs);
            }
        }
    }

    private void found(final DeviceHolders.Process process, final long nowMs) {
        final Holder holder =
                new Holder(process, processes.apply(process.pid()).orElse(null), nowMs);
        holders.put(process.pid(), holder);
        log.say(what(holder) + " is being removed and waits for " + holder.who + ", which has "
                + config.graceMs() + " ms");
    }

    private void watch(final Holder holder, final long nowMs) {
        switch (holder.stage) {
            case ASKED_BY_KERNEL -> {
                if (nowMs - holder.sinceMs >= config.graceMs()) {
                    over(holder, nowMs);
                }
            }
            case TERMINATED -> {
                if (nowMs - holder.terminatedMs >= config.killAfterMs()) {
                    holder.stage = Stage.KILLED;
                    if (!signal(holder.who + " did not end: SIGKILL", Objects.requireNonNull(holder.target)::kill)) {
                        log.say(holder.who + " did not get it");
                    }
                }
            }
            default -> {
                // Nothing else can be done.
            }
        }
    }

    private void over(final Holder holder, final long nowMs) {
        if (!config.programs().contains(holder.program)) {
            holder.stage = Stage.LEFT_ALONE;
            log.say(holder.who + " still has " + what(holder) + "; it is left alone: `end` does not name "
                    + holder.program);
        } else if (config.isDryRun()) {
            holder.stage = Stage.LEFT_ALONE;
            log.say(holder.who + " still has " + what(holder) + "; it would be ended, but for dry_run");
        } else if (holder.target != null
                && signal(holder.who + " still has " + what(holder) + ": SIGTERM", holder.target::terminate)) {
            holder.stage = Stage.TERMINATED;
            holder.terminatedMs = nowMs;
        } else {
            holder.stage = Stage.LEFT_ALONE;
            log.say(holder.who + " still has " + what(holder) + "; this user may not end it");
        }
    }

    /** Sends a signal once the line is written: nobody is ended where that cannot be said. False: it was not sent. */
    private boolean signal(final String line, final BooleanSupplier signal) {
        return log.say(line) && signal.getAsBoolean();
    }

    private boolean gone(final Holder holder, final long nowMs) {
        log.say(holder.who + " let go of " + what(holder) + " after " + (nowMs - holder.sinceMs) + " ms");
        return true;
    }

    /** The devices that it keeps, by name where they were seen while they were there. */
    private String what(final Holder holder) {
        return holder.nodes.stream()
                .map(node -> names.containsKey(node) ? names.get(node) + " (" + node + ")" : node)
                .collect(Collectors.joining(", "));
    }
}
