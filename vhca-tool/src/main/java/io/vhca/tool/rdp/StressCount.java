package io.vhca.tool.rdp;

import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * What a socket has done, or several together.
 *
 * @param tries       sends, also those that were refused
 * @param sendNs      time spent in sends
 * @param roundTripNs of all that came back, together
 */
record StressCount(long sent, long received, long tries, long sendNs, long roundTripNs) {
    static final StressCount NONE = new StressCount(0, 0, 0, 0, 0);

    private static final int WORDS = 5;

    StressCount plus(final StressCount other) {
        return new StressCount(
                sent + other.sent, received + other.received, tries + other.tries, sendNs + other.sendNs,
                roundTripNs + other.roundTripNs);
    }

    StressCount less(final StressCount before) {
        return new StressCount(
                sent - before.sent, received - before.received, tries - before.tries, sendNs - before.sendNs,
                roundTripNs - before.roundTripNs);
    }

    static StressCount sum(final List<StressCount> each) {
        return each.stream().reduce(NONE, StressCount::plus);
    }

    /** What each has done since then; since the beginning where nothing was counted before. */
    static List<StressCount> less(final List<StressCount> each, final List<StressCount> before) {
        return before.isEmpty()
                ? each
                : IntStream.range(0, each.size()).mapToObj(i -> each.get(i).less(before.get(i))).toList();
    }

    /** Whether each has got something back. */
    static boolean allAreServed(final List<StressCount> each) {
        return each.stream().allMatch(count -> count.received > 0);
    }

    /** Of what the most served got back, what the least served did: 1 is equal, 0 where one got nothing. */
    static double served(final List<StressCount> each) {
        return leastOfMost(each, StressCount::received);
    }

    /** The same of the share of their sends that was taken: who had no processor to try has lost nothing by that. */
    static double taken(final List<StressCount> each) {
        return leastOfMost(each, count -> count.tries == 0 ? 1 : (double) count.sent / count.tries);
    }

    private static double leastOfMost(final List<StressCount> each, final ToDoubleFunction<StressCount> measure) {
        final double most = each.stream().mapToDouble(measure).max().orElse(0);
        final double least = each.stream().mapToDouble(measure).min().orElse(0);
        return most == 0 ? 0 : least / most;
    }

    /** As words that {@link #decode} reads. */
    void encode(final StringBuilder into) {
        into.append(' ').append(sent).append(' ').append(received).append(' ').append(tries).append(' ').append(sendNs)
                .append(' ').append(roundTripNs);
    }

    /** What stands in these words from the first on, one after another. */
    static List<StressCount> decode(final List<Long> words) {
        assert words.size() % WORDS == 0 : words;
        return IntStream.range(0, words.size() / WORDS)
                .mapToObj(i -> new StressCount(
                        words.get(i * WORDS), words.get(i * WORDS + 1), words.get(i * WORDS + 2),
                        words.get(i * WORDS + 3), words.get(i * WORDS + 4)))
                .toList();
    }
}
