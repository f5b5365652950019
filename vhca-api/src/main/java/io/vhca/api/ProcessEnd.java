package io.vhca.api;

import java.lang.System.Logger;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What an open device says to its peers when the process ends without having closed it: {@link System#exit}, the end of
 * main, SIGTERM. For providers. Any thread.
 *
 * <p>One shutdown hook runs all goodbyes, those of virtual devices first, for what they say goes over physical ones.
 * The hook is there from the first registration to the last close. The JVM runs it beside the application's own hooks:
 * a goodbye excludes a close of the same device by itself, and all of them have {@link #MOST} together: a thread that
 * is stuck in a device keeps no process from its end. An application whose own hook goes on with its connections sets
 * {@link #PROPERTY} to {@code off}, and closes what it opened.
 */
public final class ProcessEnd implements AutoCloseable {
    /**
     * System property: {@code off} for no hook. What is not closed is left then as by a process that is killed: peers
     * find out by themselves, and files are deleted by who opens such a device next.
     */
    public static final String PROPERTY = "vhca.goodbye";

    /** For how long a process that ends waits for its goodbyes. */
    static final Duration MOST = Duration.ofSeconds(10);

    private static final String OFF = "off";
    private static final Logger LOGGER = System.getLogger(ProcessEnd.class.getName());
    /** Guards what is registered, never held while a goodbye runs. */
    private static final Object LOCK = new Object();

    private static final Set<ProcessEnd> REGISTERED = new LinkedHashSet<>();
    private static @Nullable Thread hook;

    private final Layer layer;
    private final Runnable goodbye;

    /** Whose goodbyes come first. */
    public enum Layer {
        /** Devices over other devices. */
        VIRTUAL,
        /** Devices that packets leave from. */
        PHYSICAL,
        /** What says on this host that they are open. It goes whatever became of the goodbyes. */
        FILES
    }

    private ProcessEnd(final Layer layer, final Runnable goodbye) {
        this.layer = layer;
        this.goodbye = goodbye;
    }

    /** Runs the goodbye when the process ends, unless it is closed before. Does nothing in a process that is ending. */
    public static ProcessEnd register(final Layer layer, final Runnable goodbye) {
        final ProcessEnd end = new ProcessEnd(layer, goodbye);
        if (OFF.equals(System.getProperty(PROPERTY))) {
            return end;
        }
        synchronized (LOCK) {
            if (hook == null) {
                final Thread made = new Thread(() -> sayGoodbyes(MOST), "vhca-goodbye");
                made.setContextClassLoader(null);
                try {
                    Runtime.getRuntime().addShutdownHook(made);
                } catch (final IllegalStateException e) {
                    return end; // the process is ending
                }
                hook = made;
            }
            REGISTERED.add(end);
        }
        return end;
    }

    /**
     * What the hook does. Goodbyes are said by a thread that ends with the process, whatever it waits for.
     *
     * @return that thread, which runs still where they took longer
     */
    static Thread sayGoodbyes(final Duration most) {
        final Thread speaker = Thread.ofPlatform().daemon().name("vhca-goodbyes").start(ProcessEnd::sayGoodbyes);
        try {
            if (!speaker.join(most)) {
                LOGGER.log(
                        Logger.Level.WARNING,
                        "the process ends before all devices have said goodbye to their peers: one took more than {0}",
                        most);
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            say(Layer.FILES);
        }
        return speaker;
    }

    private static void sayGoodbyes() {
        say(Layer.VIRTUAL);
        say(Layer.PHYSICAL);
    }

    private static void say(final Layer turn) {
        for (final ProcessEnd end : registered()) {
            if (end.layer == turn) {
                end.say();
            }
        }
    }

    private static List<ProcessEnd> registered() {
        synchronized (LOCK) {
            return List.copyOf(REGISTERED);
        }
    }

    /** True while the process has the hook. */
    static boolean isHooked() {
        synchronized (LOCK) {
            return hook != null;
        }
    }

    private void say() {
        try {
            goodbye.run();
        } catch (final RuntimeException | Error e) {
            LOGGER.log(Logger.Level.WARNING, "what a device does when its process ends has failed", e);
        }
    }

    /** The device is closed: it has nothing to say any more. Idempotent. */
    @Override
    public void close() {
        synchronized (LOCK) {
            final Thread made = hook;
            if (REGISTERED.remove(this) && REGISTERED.isEmpty() && made != null) {
                hook = null;
                try {
                    Runtime.getRuntime().removeShutdownHook(made);
                } catch (final IllegalStateException e) {
                    hook = made; // it runs
                }
            }
        }
    }
}
