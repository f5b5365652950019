package io.vhca.harness.tidy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** The rules: some are absolute, some are sizes that a ratchet holds. Pure. */
final class TidyRules {
    static final int MAX_CLASS_LINES = 600;
    static final int MAX_METHOD_LINES = 60;
    static final int MAX_COLUMNS = 120;

    private static final Pattern UNFINISHED = Pattern.compile("\\b(TO" + "DO|FIX" + "ME|XX" + "X)\\b");
    private static final Pattern WILDCARD = Pattern.compile("^import .*\\*;");

    private TidyRules() {}

    /** What is plainly wrong in a file, one sentence each. */
    static List<String> violations(final String path, final JavaSource source) {
        final List<String> found = new ArrayList<>();
        int number = 0;
        for (final String line : source.lines()) {
            number++;
            final String where = path + ":" + number + ": ";
            if (line.indexOf('\t') >= 0) {
                found.add(where + "a tab");
            }
            if (!line.equals(line.stripTrailing())) {
                found.add(where + "space at the end of the line");
            }
            if (UNFINISHED.matcher(line).find()) {
                found.add(where + "a note of unfinished work; finish it or write it into an issue");
            }
            if (WILDCARD.matcher(line).find()) {
                found.add(where + "a wildcard import");
            }
        }
        return found;
    }

    /** Sizes above their limit: what to hold, and the present number. */
    static Map<String, Integer> oversized(final String path, final JavaSource source) {
        final Map<String, Integer> sizes = new TreeMap<>();
        if (source.lines().size() > MAX_CLASS_LINES) {
            sizes.put("class-lines " + path, source.lines().size());
        }
        for (final JavaSource.Method method : source.methods()) {
            if (method.lines() > MAX_METHOD_LINES) {
                sizes.merge("method-lines " + path + " " + method.name(), method.lines(), Math::max);
            }
        }
        final long wide = source.lines().stream()
                .filter(line -> line.length() > MAX_COLUMNS)
                .count();
        if (wide > 0) {
            sizes.put("wide-lines " + path, (int) wide);
        }
        return sizes;
    }

    /** Compares with the ratchet: worse fails, better must be written down. */
    static List<String> compare(final Map<String, Integer> ratchet, final Map<String, Integer> now) {
        final List<String> found = new ArrayList<>();
        now.forEach((what, size) -> {
            final Integer allowed = ratchet.get(what);
            if (allowed == null) {
                found.add(what + " is " + size + ", over the limit: make it smaller");
            } else if (size > allowed) {
                found.add(what + " is " + size + ", was " + allowed + ": make it smaller");
            } else if (size < allowed) {
                found.add(what + " got better: write \"" + size + " " + what + "\" into the ratchet");
            }
        });
        ratchet.forEach((what, size) -> {
            if (!now.containsKey(what)) {
                found.add(what + " is within the limit now: remove its line from the ratchet");
            }
        });
        return found;
    }
}
