package io.vhca.harness.bench.profile;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringReader;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
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

    /** A thread that is in native code is in no Java code. */
    @Test
    void whatAThreadSpendsInSystemCallsAndOtherNativeCodeIsThere() throws Throwable {
        assertThat(FlameGraph.CAN_SAMPLE_CPU).as("on Linux").isTrue();
        final Path file = directory.resolve("native.jfr");
        try (Recording recording = new Recording()) {
            recording.enable(FlameGraph.CPU_SAMPLE).with("throttle", "10 ms").withStackTrace();
            recording.start();
            measureStrings();
            recording.stop();
            recording.dump(file);
        }
        final FlameGraph graph = new FlameGraph();
        graph.addAll(file);
        assertThat(names(graph.root())).contains("FlameGraphTest.measureStrings");
    }

    /** A second of processor time in a library of C. */
    private static void measureStrings() throws Throwable {
        final Linker linker = Linker.nativeLinker();
        final MethodHandle strlen = linker.downcallHandle(
                linker.defaultLookup().findOrThrow("strlen"),
                FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.ADDRESS));
        final ThreadMXBean thread = ManagementFactory.getThreadMXBean();
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment text = arena.allocate(1 << 24);
            text.asSlice(0, text.byteSize() - 1).fill((byte) 'x');
            final long untilNs = thread.getCurrentThreadCpuTime() + TimeUnit.SECONDS.toNanos(1);
            while (thread.getCurrentThreadCpuTime() < untilNs) {
                assertThat((long) strlen.invokeExact(text)).isEqualTo(text.byteSize() - 1);
            }
        }
    }

    private static Set<String> names(final FlameGraph.Frame frame) {
        final Set<String> names = new HashSet<>(Set.of(frame.name()));
        frame.callees().forEach(callee -> names.addAll(names(callee)));
        return names;
    }

    @Test
    void onlySamplesOfARecordingCount() throws IOException {
        final Path file = directory.resolve("x.jfr");
        try (Recording recording = new Recording()) {
            recording.enable(Other.class).withStackTrace();
            recording.disable("jdk.ExecutionSample");
            recording.disable(FlameGraph.CPU_SAMPLE);
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
