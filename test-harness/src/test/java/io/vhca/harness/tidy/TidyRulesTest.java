package io.vhca.harness.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** The gate itself must be able to fail. */
class TidyRulesTest {
    private static JavaSource source(final String text) {
        return new JavaSource(text);
    }

    @Test
    void seesWhatIsPlainlyWrong() {
        final String text = "import java.util.*;\n\tint tab;\nint space; \n// TO" + "DO later\n";
        assertThat(TidyRules.violations("A.java", source(text)))
                .containsExactly(
                        "A.java:1: a wildcard import",
                        "A.java:2: a tab",
                        "A.java:3: space at the end of the line",
                        "A.java:4: a note of unfinished work; finish it or write it into an issue");
        assertThat(TidyRules.violations("A.java", source("class A {}\n"))).isEmpty();
    }

    @Test
    void measuresMethodsAndNotTheirLookalikes() {
        final String body = "        call();\n".repeat(70);
        final String text = "class A {\n    static {\n    }\n\n    @Override\n"
                + "    public int big(final int a,\n            final int b) {\n"
                + body + "    }\n\n    // void no() {\n    String s = \"} {\";\n    char c = '{';\n"
                + "    record R(int x) {\n        R {\n            if (x > 0) {\n            }\n        }\n    }\n}\n";
        final JavaSource source = source(text);
        assertThat(source.methods()).extracting(JavaSource.Method::name).contains("big", "R");
        assertThat(TidyRules.oversized("A.java", source)).containsExactly(Map.entry("method-lines A.java big", 74));
    }

    @Test
    void measuresClassesAndColumns() {
        final String text = "class A {\n" + "int a;\n".repeat(600) + "// " + "x".repeat(118) + "\n}\n";
        assertThat(TidyRules.oversized("A.java", source(text)))
                .containsExactly(Map.entry("class-lines A.java", 603), Map.entry("wide-lines A.java", 1));
    }

    @Test
    void theRatchetTurnsOneWay() {
        final Map<String, Integer> ratchet = Map.of("class-lines A.java", 700);
        assertThat(TidyRules.compare(ratchet, Map.of("class-lines A.java", 700))).isEmpty();
        assertThat(TidyRules.compare(ratchet, Map.of("class-lines A.java", 701))).hasSize(1);
        assertThat(TidyRules.compare(ratchet, Map.of("class-lines A.java", 699)))
                .containsExactly("class-lines A.java got better: write \"699 class-lines A.java\" into the ratchet");
        assertThat(TidyRules.compare(ratchet, Map.of())).hasSize(1);
        assertThat(TidyRules.compare(Map.of(), Map.of("class-lines B.java", 601))).hasSize(1);
    }
}
