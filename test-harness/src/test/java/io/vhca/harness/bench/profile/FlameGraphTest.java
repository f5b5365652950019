package io.vhca.harness.bench.profile;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import jdk.jfr.Event;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

class FlameGraphTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    private static List<Element> bars(final FlameGraph graph) throws Exception {
        final String page = FlamePage.of("a <b> & \"c\"", graph);
        assertThat(page).contains("<script>").doesNotContain("src=", "href=", "@import", "url(");
        final NodeList all = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new InputSource(new StringReader(page)))
                .getElementsByTagName("div");
        final List<Element> bars = new ArrayList<>();
        for (int i = 0; i < all.getLength(); i++) {
            final Element element = (Element) all.item(i);
            if (element.hasAttribute("title")) {
                bars.add(element);
            }
        }
        return bars;
    }

    private static FlameGraph graph() {
        final FlameGraph graph = new FlameGraph();
        graph.add(List.of("Main.main", "Queue.post"));
        graph.add(List.of("Main.main", "Queue.post", "Gate.<init>"));
        graph.add(List.of("Main.main", "Queue.poll"));
        graph.add(List.of("Agent.run"));
        return graph;
    }

    @Test
    void samplesOfOneStackAreOneBarAsWideAsTheirShare() throws Exception {
        assertThat(bars(graph())).extracting(bar -> bar.getAttribute("title")).containsExactly(
                "all: 4 samples, 100.0 %",
                "Agent.run: 1 samples, 25.0 %",
                "Main.main: 3 samples, 75.0 %",
                "Queue.poll: 1 samples, 25.0 %",
                "Queue.post: 2 samples, 50.0 %",
                "Gate.<init>: 1 samples, 25.0 %");
    }

    @Test
    void aBarStandsUnderItsCaller() throws Exception {
        assertThat(bars(graph())).extracting(bar -> bar.getAttribute("style").replaceFirst(";background.*", ""))
                .containsExactly(
                        "left:0.0000%;width:100.0000%;top:0px",
                        "left:0.0000%;width:25.0000%;top:18px",
                        "left:25.0000%;width:75.0000%;top:18px",
                        "left:25.0000%;width:25.0000%;top:36px",
                        "left:50.0000%;width:50.0000%;top:36px",
                        "left:50.0000%;width:25.0000%;top:54px");
    }

    @Test
    void whatIsNoWiderThanAHairIsLeftOutAndNothingIsAPageToo() throws Exception {
        final FlameGraph graph = new FlameGraph();
        graph.add(List.of("Rare.one"));
        for (int i = 0; i < 2_000; i++) {
            graph.add(List.of("Main.main"));
        }
        assertThat(bars(graph)).hasSize(2).noneMatch(bar -> bar.getTextContent().equals("Rare.one"));
        assertThat(bars(new FlameGraph())).isEmpty();
    }

    @Test
    void aFrameIsNamedByItsClassAndMethod() {
        assertThat(FlameGraph.name("io.vhca.bond.queue.SpinGate", "enter")).isEqualTo("SpinGate.enter");
        assertThat(FlameGraph.name("io.vhca.Keyed$$Lambda.0x000000001b1960b8", "run")).isEqualTo("Keyed$$Lambda.run");
    }

    /** Something else that has a stack. */
    private static final class Other extends Event {}

    @Test
    void onlySamplesOfARecordingCount() throws IOException {
        final Path file = directory.resolve("x.jfr");
        try (Recording recording = new Recording()) {
            recording.enable(Other.class).withStackTrace();
            recording.disable("jdk.ExecutionSample");
            recording.start();
            new Other().commit();
            recording.stop();
            recording.dump(file);
        }
        assertThat(RecordingFile.readAllEvents(file)).isNotEmpty();
        final FlameGraph graph = new FlameGraph();
        graph.addAll(file);
        assertThat(graph.root().samples()).isZero();
    }
}
