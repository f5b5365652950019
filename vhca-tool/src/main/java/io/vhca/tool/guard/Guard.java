package io.vhca.tool.guard;

import io.vhca.tool.users.DeviceHolders;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Watches devices that are being removed, and the processes that keep the kernel waiting: says who they are, and ends
 * those that the configuration names once their time is over. One thread; owns nothing.
 */
public final class Guard {
    private final GuardConfig config;
    private final LongFunction<Optional<Target>> processes;
    private final Log log;
    private final Map<Hold, Holder> holders = new LinkedHashMap<>();
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

    /** How far one process is with one device. */
    private enum Stage { ASKED_BY_KERNEL, TERMINATED, KILLED, LEFT_ALONE }

    /** A process and one device's file: it has its time for each, as devices are removed at different times. */
    private record Hold(long pid, String program, String node) {}

    private static final class Holder {
        private final Hold hold;
        private final String who;
        private final long sinceMs;
        private final @Nullable Target target;
        private Stage stage = Stage.ASKED_BY_KERNEL;
        private long terminatedMs;

        Holder(final Hold hold, final @Nullable Target target, final long nowMs) {
            this.hold = hold;
            who = "process " + hold.pid + " (" + hold.program + ")";
            sinceMs = nowMs;
            this.target = target;
        }

        boolean isBeingEnded() {
            return stage == Stage.TERMINATED || stage == Stage.KILLED;
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
        final Set<Hold> now = new LinkedHashSet<>();
        for (final DeviceHolders.Process process : removed) {
            process.nodes().forEach(node -> now.add(new Hold(process.pid(), process.program(), node)));
        }
        holders.entrySet().removeIf(one -> !now.contains(one.getKey()) && gone(one.getValue(), nowMs));
        for (final Hold hold : now) {
            final Holder known = holders.get(hold);
            if (known != null) {
                watch(known, nowMs);
            } else {
                found(hold, nowMs);
            }
        }
    }

    private void found(final Hold hold, final long nowMs) {
        final Holder holder = new Holder(hold, processes.apply(hold.pid).orElse(null), nowMs);
        holders.put(hold, holder);
        log.say(what(holder) + " is being removed and waits for " + holder.who + ", which has "
                + config.graceMs() + " ms");
    }

    private void watch(final Holder holder, final long nowMs) {
        switch (holder.stage) {
            case ASKED_BY_KERNEL -> {
                if (nowMs - holder.sinceMs >= config.graceMs() && !isBeingEnded(holder.hold.pid)) {
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

    /** Who is being ended for one device is not asked again for another one meanwhile. */
    private boolean isBeingEnded(final long pid) {
        return holders.values().stream().anyMatch(holder -> holder.hold.pid == pid && holder.isBeingEnded());
    }

    private void over(final Holder holder, final long nowMs) {
        if (!config.programs().contains(holder.hold.program)) {
            holder.stage = Stage.LEFT_ALONE;
            log.say(holder.who + " still has " + what(holder) + "; it is left alone: `end` does not name "
                    + holder.hold.program);
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

    /** The device that it keeps, by name where it was seen while it was there. */
    private String what(final Holder holder) {
        final String node = holder.hold.node;
        return names.containsKey(node) ? names.get(node) + " (" + node + ")" : node;
    }
}
