package io.vhca.harness.tidy;

import java.util.ArrayList;
import java.util.List;

/** What the tidy test needs to know of a Java file: its lines, and where methods begin and end. Knows no grammar. */
final class JavaSource {
    private static final int MEMBER_DEPTH = 1;

    private final List<String> lines;
    private final List<String> code = new ArrayList<>();

    /** A method, constructor or initializer. */
    record Method(String name, int firstLine, int lines) {}

    JavaSource(final String text) {
        lines = text.lines().toList();
        strip();
    }

    List<String> lines() {
        return lines;
    }

    /** Lines without comments and without the insides of strings and characters. */
    List<String> code() {
        return code;
    }

    private void strip() {
        boolean inComment = false;
        boolean inBlock = false;
        for (final String line : lines) {
            final StringBuilder kept = new StringBuilder();
            int i = 0;
            while (i < line.length()) {
                final String rest = line.substring(i);
                if (inComment) {
                    final int end = rest.indexOf("*/");
                    inComment = end < 0;
                    i = end < 0 ? line.length() : i + end + 2;
                } else if (inBlock) {
                    final int end = rest.indexOf("\"\"\"");
                    inBlock = end < 0;
                    i = end < 0 ? line.length() : i + end + 3;
                } else if (rest.startsWith("//")) {
                    i = line.length();
                } else if (rest.startsWith("/*")) {
                    inComment = true;
                    i += 2;
                } else if (rest.startsWith("\"\"\"")) {
                    inBlock = true;
                    i += 3;
                } else if (rest.charAt(0) == '"' || rest.charAt(0) == '\'') {
                    i = skipLiteral(line, i);
                } else {
                    kept.append(line.charAt(i++));
                }
            }
            code.add(kept.toString());
        }
    }

    private static int skipLiteral(final String line, final int start) {
        final char quote = line.charAt(start);
        int i = start + 1;
        while (i < line.length() && line.charAt(i) != quote) {
            i += line.charAt(i) == '\\' ? 2 : 1;
        }
        return i + 1;
    }

    /** Every block that opens after a closing parenthesis inside a type body, at any depth of nested types. */
    List<Method> methods() {
        final List<Method> found = new ArrayList<>();
        final List<Boolean> typeBodies = new ArrayList<>();
        final StringBuilder head = new StringBuilder();
        String name = "";
        int start = -1;
        int methodDepth = -1;
        int headLine = 0;
        for (int number = 0; number < code.size(); number++) {
            for (final char c : code.get(number).toCharArray()) {
                if (head.toString().isBlank()) {
                    headLine = number;
                }
                if (c == '{') {
                    final boolean type = isType(head.toString());
                    if (!type && start < 0 && typeBodies.size() >= MEMBER_DEPTH && typeBodies.getLast()) {
                        name = nameOf(head.toString());
                        start = headLine;
                        methodDepth = typeBodies.size();
                    }
                    typeBodies.add(type);
                    head.setLength(0);
                } else if (c == '}') {
                    typeBodies.removeLast();
                    if (start >= 0 && typeBodies.size() == methodDepth) {
                        found.add(new Method(name, start + 1, number - start + 1));
                        start = -1;
                    }
                    head.setLength(0);
                } else if (c == ';') {
                    head.setLength(0);
                } else {
                    head.append(c);
                }
            }
            head.append(' ');
        }
        return found;
    }

    private static boolean isType(final String head) {
        return head.matches("(?s).*\\b(class|interface|enum|record)\\s+\\w+.*") && !head.contains("->")
                || head.contains("@interface");
    }

    private static String nameOf(final String head) {
        final int parenthesis = head.indexOf('(');
        final String before = (parenthesis < 0 ? head : head.substring(0, parenthesis)).strip();
        return before.substring(before.lastIndexOf(' ') + 1);
    }
}
