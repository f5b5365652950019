package io.vhca.tool.console;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** A table in plain text: columns as wide as their widest cell, numbers to the right. Not thread-safe. */
public final class TextTable {
    private static final Pattern NUMBER = Pattern.compile("-?|[-+]?[0-9][0-9.,]*( ?[%A-Za-z/]{1,5})?");

    private final List<String> heads;
    private final List<List<String>> rows = new ArrayList<>();

    public TextTable(final String... heads) {
        this.heads = List.of(heads);
    }

    /** @throws IllegalArgumentException when the row has another number of cells than the head */
    public TextTable row(final String... cells) {
        if (cells.length != heads.size()) {
            throw new IllegalArgumentException(cells.length + " cells in a table of " + heads.size() + " columns");
        }
        rows.add(List.of(cells));
        return this;
    }

    /** Lines without trailing blanks, each ended by a newline; only the head where there are no rows. */
    public String render() {
        final int[] widths = new int[heads.size()];
        final boolean[] areNumeric = new boolean[heads.size()];
        final List<String> rules = new ArrayList<>();
        for (int column = 0; column < heads.size(); column++) {
            widths[column] = width(column);
            areNumeric[column] = isNumeric(column);
            rules.add("-".repeat(widths[column]));
        }
        final StringBuilder text = new StringBuilder();
        line(text, heads, widths, areNumeric);
        line(text, rules, widths, areNumeric);
        rows.forEach(row -> line(text, row, widths, areNumeric));
        return text.toString();
    }

    private static void line(
            final StringBuilder text, final List<String> cells, final int[] widths, final boolean[] areNumeric) {
        final StringBuilder line = new StringBuilder();
        for (int column = 0; column < cells.size(); column++) {
            final String cell = cells.get(column);
            final String blanks = " ".repeat(widths[column] - cell.length());
            line.append(column == 0 ? "" : "  ").append(areNumeric[column] ? blanks + cell : cell + blanks);
        }
        text.append(line.toString().stripTrailing()).append('\n');
    }

    private int width(final int column) {
        int width = heads.get(column).length();
        for (final List<String> row : rows) {
            width = Math.max(width, row.get(column).length());
        }
        return width;
    }

    private boolean isNumeric(final int column) {
        return !rows.isEmpty()
                && rows.stream().allMatch(row -> NUMBER.matcher(row.get(column)).matches());
    }
}
