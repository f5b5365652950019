package io.vhca.physical.soft.carrier;

import io.vhca.api.Errno;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.SequencedSet;
import org.jspecify.annotations.Nullable;

/**
 * The destinations of a carrier and their tokens, at most as many as it was made for. A route that somebody uses stays;
 * when a place is needed, the route that nobody has used for the longest time gives up its own.
 *
 * <p>Not thread-safe.
 */
public final class RouteTable {
    private final @Nullable Route[] routes;
    private final Map<Destination, Route> known = new HashMap<>();
    /** Routes that nobody uses, the one that was given back first in front. */
    private final SequencedSet<Route> unused = new LinkedHashSet<>();
    private final Writer writer;
    private int count;

    /** Takes down where a token leads from now on. */
    @FunctionalInterface
    public interface Writer {
        /** A token leads there; where it led to another destination before, nobody uses that route. */
        void write(int token, Destination destination);
    }

    /** A destination, with how often it was taken and not given back. */
    private static final class Route {
        final int token;
        final Destination destination;
        int uses;

        Route(final int token, final Destination destination) {
            this.token = token;
            this.destination = destination;
        }
    }

    /** No route yet, {@code capacity} at most. */
    public RouteTable(final int capacity, final Writer writer) {
        routes = new Route[capacity];
        this.writer = writer;
    }

    /**
     * Takes the route to a destination; {@link #release} gives it back.
     *
     * @return its token, or -ENOMEM when all are in use
     */
    public int take(final Destination destination) {
        Route route = known.get(destination);
        if (route == null) {
            route = add(destination);
            if (route == null) {
                return -Errno.ENOMEM;
            }
        } else if (route.uses == 0) {
            unused.remove(route);
        }
        route.uses++;
        return route.token;
    }

    private @Nullable Route add(final Destination destination) {
        final int token;
        if (count < routes.length) {
            token = count++;
        } else if (unused.isEmpty()) {
            return null;
        } else {
            final Route oldest = unused.removeFirst();
            assert oldest.uses == 0 && routes[oldest.token] == oldest : "a route that is used stays";
            known.remove(oldest.destination);
            token = oldest.token;
        }
        final Route route = new Route(token, destination);
        writer.write(token, destination);
        routes[token] = route;
        known.put(destination, route);
        return route;
    }

    /** Gives a route back that was taken. It stays until its place is needed. */
    public void release(final int token) {
        final Route route = routes[token];
        assert route != null && route.uses > 0 : "the route was not taken";
        if (route != null && --route.uses == 0) {
            unused.add(route);
        }
    }

    /** Forgets all, those in use included. */
    public void clear() {
        known.clear();
        unused.clear();
        count = 0;
    }
}
