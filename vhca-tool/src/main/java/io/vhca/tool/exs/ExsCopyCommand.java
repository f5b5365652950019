package io.vhca.tool.exs;

import io.vhca.api.Context;
import io.vhca.api.FailureText;
import io.vhca.exs.Exs;
import io.vhca.exs.ExsByteChannel;
import io.vhca.exs.ExsChannels;
import io.vhca.exs.ExsOptions;
import io.vhca.tool.console.EnvironmentException;
import io.vhca.tool.console.OutputDirectory;
import io.vhca.tool.console.Terminal;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code vhca exs copy}: a file over a socket. */
@Command(
        name = "copy",
        mixinStandardHelpOptions = true,
        description = {
            "Copies a file to the end that listens: vhca exs copy FILE HOST: or, to another port, FILE HOST:PORT.",
            "It has its own name there, in the directory that the end that listens was told by --into.",
            "",
            "What arrives is kept as .NAME.part until all of it is there and its SHA-256 is right. Where either",
            "process is started again, the copy goes on from there, if what is there is the beginning of the file.",
            "The end that listens exits with 1 where a file that was begun did not arrive in the end."
        })
final class ExsCopyCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Mixin
    @SuppressWarnings("NullAway.Init")
    private Ends ends;

    @Option(names = "--file", paramLabel = "FILE", description = "what to copy, where no word names it")
    private @Nullable Path file;

    @Option(
            names = "--into",
            paramLabel = "DIR",
            converter = OutputDirectory.class,
            description = "with --listen: where files go, made where it is not there (default: here)")
    private Path into = Path.of(".");

    @Parameters(index = "0", arity = "0..1", paramLabel = "FILE", description = "what to copy")
    private @Nullable String first;

    @Parameters(index = "1", arity = "0..1", paramLabel = Ends.PEER, description = Ends.PEER_IS)
    private @Nullable String second;

    @Override
    public Integer call() throws IOException {
        final boolean isListening = ends.isListening(first);
        final PrintWriter out = spec.commandLine().getOut();
        final String peer = file == null ? second : first;
        final Path sent = file == null && first != null ? Path.of(first) : file;
        if (isListening) {
            makeDirectory();
        } else if (sent == null || peer == null || file != null && second != null) {
            throw ends.wrong("name one file and the end that listens: FILE " + Ends.PEER);
        } else if (!Files.isRegularFile(sent) || !Files.isReadable(sent)) {
            throw ends.wrong(sent + " is no file, or cannot be read");
        }
        try (Context context = ends.open();
                Exs exs = Exs.init(Exs.VERSION, context, ExsOptions.DEFAULT.drivenByCaller());
                ExsChannels channels = new ExsChannels(exs)) {
            if (sent == null || isListening) {
                return serve(channels, channels.listen(ends.own(context), 16), out);
            }
            final FileCopy.Sent result;
            try (ExsByteChannel channel =
                            channels.connect(ends.peer(peer)).join().blocking();
                    ProgressLine progress = new ProgressLine(out, Terminal.isThere())) {
                result = FileCopy.send(channel, sent, progress);
            }
            out.printf(
                    Locale.ROOT, "%s: %d bytes, %d of them now, SHA-256 %s%n", sent.getFileName(), result.bytes(),
                    result.bytes() - result.from(), result.sha256());
            out.flush();
        }
        return 0;
    }

    private void makeDirectory() {
        try {
            Files.createDirectories(into);
        } catch (final IOException e) {
            throw new EnvironmentException(
                    into + " cannot be made: " + FailureText.of(e) + "; name by --into a directory that can", e);
        }
    }

    private int serve(final ExsChannels channels, final ExsChannels.Listener listener, final PrintWriter out) {
        final Set<String> missing = new HashSet<>();
        boolean isLastLost = false;
        for (int client = 0; client < ends.clients(); client++) {
            try (ExsByteChannel channel = listener.accept().join().blocking()) {
                out.println("received " + FileCopy.receive(channel, into, missing));
                isLastLost = false;
            } catch (final IOException e) {
                out.println("not received: " + e.getMessage());
                isLastLost = true;
            }
            out.flush();
        }
        listener.close();
        return missing.isEmpty() && !isLastLost ? 0 : 1;
    }
}
