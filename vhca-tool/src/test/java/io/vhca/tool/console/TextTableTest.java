package io.vhca.tool.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TextTableTest {
    @Test
    void numbersStandRightAndTextLeft() {
        final String text = new TextTable("what", "ns", "goal")
                .row("post", "9.5", "at most 25")
                .row("a longer one", "-", "")
                .row("poll", "1,234", "none")
                .render();
        assertThat(text)
                .isEqualTo("""
                        what             ns  goal
                        ------------  -----  ----------
                        post            9.5  at most 25
                        a longer one      -
                        poll          1,234  none
                        """);
    }

    @Test
    void aRowOfAnotherWidthIsRefused() {
        assertThatThrownBy(() -> new TextTable("a", "b").row("1")).hasMessageContaining("1 cells in a table of 2");
    }

    @Test
    void jsonKeepsOrderAndEscapes() {
        final Map<String, Object> map = new LinkedHashMap<>();
        map.put("z", List.of(1, 2.5, true));
        map.put("a\"\n", "x\\y");
        map.put("none", null);
        assertThat(Json.write(map))
                .isEqualTo("{\n  \"z\": [1, 2.5, true],\n  \"a\\\"\\u000a\": \"x\\\\y\",\n  \"none\": null\n}\n");
        assertThat(Json.write("\u00e4 \u007f \ud83d\ude00"))
                .isEqualTo("\"\\u00e4 \\u007f \\ud83d\\ude00\"\n");
        assertThatThrownBy(() -> Json.write(Double.NaN)).hasMessageContaining("NaN");
        assertThatThrownBy(() -> Json.write(new Object())).hasMessageContaining("no JSON");
    }
}
