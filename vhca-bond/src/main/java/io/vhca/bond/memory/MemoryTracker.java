package io.vhca.bond.memory;

import io.vhca.api.MemoryRegion;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;

/**
 * Knows every object of a bond that uses memory: what it is, how large, since when, whose, and, where that is asked
 * for, which line made it. What members' devices have for the bond is counted by kind. Any thread; never on the data
 * path.
 */
public final class MemoryTracker {
    /** Owner of what the application has made. */
    public static final String APPLICATION = "application";

    /** Owner of what the bond has made for itself. */
    public static final String BOND = "bond";

    private static final List<String> NO_SITES = List.of("io.vhca.bond.", "io.vhca.api.", "java.");
    private static final StackWalker STACK = StackWalker.getInstance();

    private final EpochClock clock;
    private final Map<Object, Entry> open = new IdentityHashMap<>();
    private final Map<Place, Sum> ofMembers = new HashMap<>();
    private Map<Place, Sum> mark = Map.of();
    private long markedMs;
    private volatile boolean keepsSites;

    /** An object that is there. */
    private static final class Entry {
        private final long sinceMs;
        private final String site;
        private String owner;
        private long nativeBytes;

        private Entry(final long sinceMs, final String owner, final String site) {
            this.sinceMs = sinceMs;
            this.owner = owner;
            this.site = site;
        }
    }

    /** What is told as one. */
    private record Place(MemoryKind kind, String owner, String site) {}

    /** Of all at one place. */
    private static final class Sum {
        private long count;
        private long nativeBytes;
        private long registeredBytes;
        private long oldestMs = Long.MAX_VALUE;
    }

    /** An object that is there, for people. */
    public record Open(Object object, MemoryKind kind, String site, long sinceMs) {
        /** What it is, and the line that made it where that is known. */
        @Override
        public String toString() {
            return kind.text() + " " + object + (site.isEmpty() ? "" : " made at " + site);
        }
    }

    /** @param clock by which the age of objects is told */
    public MemoryTracker(final EpochClock clock) {
        this.clock = clock;
    }

    /** Whether the line that makes an object is kept from now on. */
    public void keepSites(final boolean value) {
        keepsSites = value;
    }

    // ---- objects that come and go -----------------------------------------------------------------------------------

    /** An object begins, of whoever owns another one; of the bond until it is known that somebody else does. */
    public void beginIn(final Object object, final Object parent) {
        final String owner;
        synchronized (this) {
            final Entry known = open.get(parent);
            owner = known == null ? BOND : known.owner;
        }
        begin(object, owner);
    }

    /** The application owns an object. */
    public void beginOfApplication(final Object object) {
        begin(object, APPLICATION);
    }

    private void begin(final Object object, final String owner) {
        final String site = keepsSites ? site() : "";
        synchronized (this) {
            open.computeIfAbsent(object, key -> new Entry(clock.time(), owner, site)).owner = owner;
        }
    }

    /** So many bytes were allocated for an object outside of the heap, in place of what it had before. */
    public void holds(final Object object, final long nativeBytes) {
        final String site = keepsSites ? site() : "";
        synchronized (this) {
            open.computeIfAbsent(object, key -> new Entry(clock.time(), BOND, site)).nativeBytes = nativeBytes;
        }
    }

    /** An object is no more, and nothing that was allocated for it. Idempotent. */
    public synchronized void end(final Object object) {
        open.remove(object);
    }

    /** A member's device has one more (+1) or one less (-1) of such objects. */
    public synchronized void onMember(final String member, final Object object, final int change) {
        final Sum sum = ofMembers.computeIfAbsent(
                new Place(MemoryKind.of(object), member, ""), key -> new Sum());
        sum.count += change;
        sum.registeredBytes += change * registered(object);
    }

    private static long registered(final Object object) {
        return object instanceof MemoryRegion region ? region.lengthBytes() : 0;
    }

    /** The line that asked for what is being made: the first one outside of the bond. */
    private static String site() {
        return STACK.walk(frames -> frames.filter(
                        frame -> NO_SITES.stream().noneMatch(frame.getClassName()::startsWith))
                .findFirst()
                .map(frame -> frame.getClassName() + "." + frame.getMethodName() + ":" + frame.getLineNumber())
                .orElse(""));
    }

    // ---- what there is ----------------------------------------------------------------------------------------------

    /** What grows from now on is told apart. */
    public synchronized void mark() {
        mark = sums();
        markedMs = clock.time();
    }

    /** When it was marked, since 1970; 0 for never. */
    public synchronized long markedMs() {
        return markedMs;
    }

    /** All there is, largest first. */
    public synchronized List<MemoryUse> uses() {
        final Map<Place, Sum> now = sums();
        final List<MemoryUse> uses = new ArrayList<>();
        now.forEach((place, sum) -> uses.add(use(place, sum, mark.get(place))));
        mark.forEach((place, sum) -> {
            if (!now.containsKey(place)) {
                uses.add(use(place, new Sum(), sum));
            }
        });
        uses.sort(Comparator.comparingLong(MemoryUse::bytes)
                .thenComparingLong(MemoryUse::count)
                .reversed()
                .thenComparing(MemoryUse::kind)
                .thenComparing(MemoryUse::owner)
                .thenComparing(MemoryUse::site));
        return uses;
    }

    private static MemoryUse use(final Place place, final Sum sum, final @Nullable Sum before) {
        final Sum from = before == null ? new Sum() : before;
        return new MemoryUse(
                place.kind, place.owner, place.site, sum.count, sum.nativeBytes, sum.registeredBytes,
                sum.count - from.count,
                sum.nativeBytes + sum.registeredBytes - from.nativeBytes - from.registeredBytes,
                sum.oldestMs == Long.MAX_VALUE ? 0 : sum.oldestMs);
    }

    private Map<Place, Sum> sums() {
        final Map<Place, Sum> sums = new HashMap<>();
        open.forEach((object, entry) -> {
            final Sum sum = sums.computeIfAbsent(
                    new Place(MemoryKind.of(object), entry.owner, entry.site), key -> new Sum());
            sum.count++;
            sum.nativeBytes += entry.nativeBytes;
            sum.registeredBytes += registered(object);
            sum.oldestMs = Math.min(sum.oldestMs, entry.sinceMs);
        });
        ofMembers.forEach((place, sum) -> {
            if (sum.count != 0) {
                final Sum copy = new Sum();
                copy.count = sum.count;
                copy.registeredBytes = sum.registeredBytes;
                sums.put(place, copy);
            }
        });
        return sums;
    }

    /**
     * Looks at the markers of everything that has some; who has a broken one is told. Control lock.
     *
     * @return what is broken, a line each
     */
    public List<String> check() {
        final List<MarkedMemory> marked = new ArrayList<>();
        synchronized (this) {
            for (final Object object : open.keySet()) {
                if (object instanceof MarkedMemory memory) {
                    marked.add(memory);
                }
            }
        }
        final List<String> broken = new ArrayList<>();
        for (final MarkedMemory memory : marked) {
            final String damage = memory.damage();
            if (!damage.isEmpty()) {
                broken.add(memory + ": " + damage);
                memory.onOverrun();
            }
        }
        broken.sort(Comparator.naturalOrder());
        return broken;
    }

    /**
     * Stops everybody who posts or polls, copies all native memory that has markers, and lets them go on. Control lock.
     *
     * @param arena    for the copies
     * @param clock    that the pause is measured by
     * @param onlooker is shown each object that has such memory meanwhile
     */
    public FrozenMemory freeze(final Arena arena, final NanoClock clock, final Consumer<GatedMemory> onlooker) {
        final List<GatedMemory> gated = new ArrayList<>();
        synchronized (this) {
            for (final Object object : open.keySet()) {
                if (object instanceof GatedMemory memory) {
                    gated.add(memory);
                }
            }
        }
        gated.sort(Comparator.comparing(Object::toString));
        MemoryFreeze.rehearse(arena, clock);
        return new MemoryFreeze(gated, arena, clock).take(onlooker);
    }

    /** The verbs' objects that the application has open, in the order in which they must be closed. */
    public synchronized List<Open> ofApplication() {
        final List<Open> found = new ArrayList<>();
        open.forEach((object, entry) -> {
            final MemoryKind kind = MemoryKind.of(object);
            if (entry.owner.equals(APPLICATION) && kind != MemoryKind.BUFFER) {
                found.add(new Open(object, kind, entry.site, entry.sinceMs));
            }
        });
        found.sort(Comparator.comparing(Open::kind).thenComparing(Open::sinceMs).thenComparing(Open::site));
        return found;
    }
}
