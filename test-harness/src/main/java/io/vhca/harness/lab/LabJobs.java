package io.vhca.harness.lab;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Runs a bash script in each machine at the same time. The scripts meet at barriers, and may cut links; see job.sh. A
 * thread for each script.
 */
public final class LabJobs {
    private final Lab lab;
    private final PrintWriter out;
    private final Map<Integer, String> scripts;
    private final Rendezvous<GuestCommand.Answer> rendezvous;

    /**
     * @param scripts by machine
     * @param out     gets every line, with the machine's number before it
     */
    public LabJobs(final Lab lab, final Map<Integer, String> scripts, final PrintWriter out) {
        this.lab = lab;
        this.out = out;
        this.scripts = new LinkedHashMap<>(scripts);
        rendezvous = new Rendezvous<>(scripts.keySet());
    }

    /** Runs them to their end; what each printed and its exit code, by machine. */
    public Map<Integer, Machine.Outcome> run() throws IOException, InterruptedException {
        final Map<Integer, Machine.Outcome> outcomes = new LinkedHashMap<>();
        try (ExecutorService threads = Executors.newThreadPerTaskExecutor(
                Thread.ofPlatform().name("lab-job-", 1).daemon().factory())) {
            final Map<Integer, Future<Machine.Outcome>> running = new LinkedHashMap<>();
            scripts.forEach((machine, script) -> running.put(machine, threads.submit(() -> run(machine, script))));
            for (final Map.Entry<Integer, Future<Machine.Outcome>> job : running.entrySet()) {
                outcomes.put(job.getKey(), job.getValue().get());
            }
        } catch (final ExecutionException e) {
            throw new IOException(e.getCause());
        }
        return outcomes;
    }

    private Machine.Outcome run(final int machine, final String script) throws IOException {
        final List<String> lines = new ArrayList<>();
        // Answers come over the connection that is the job's input: the job's programs must not read it away.
        try (GuestCommand command = lab.machine(machine)
                .command("exec < /dev/null\n" + script, (request, answer) -> on(machine, request, answer))) {
            final BufferedReader reader =
                    new BufferedReader(new InputStreamReader(command.output(), StandardCharsets.UTF_8));
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                lines.add(line);
                synchronized (out) {
                    out.println(machine + "| " + line);
                    out.flush();
                }
            }
            return new Machine.Outcome(command.exitCode(), String.join("\n", lines));
        } finally {
            synchronized (rendezvous) {
                tell(rendezvous.leave());
            }
        }
    }

    private void on(final int machine, final String request, final GuestCommand.Answer answer) {
        final String[] words = request.split(" ", -1);
        if (words[0].equals("barrier")) {
            synchronized (rendezvous) {
                tell(rendezvous.arrive(request, machine, answer));
            }
        } else if (words.length == 4 && (words[0].equals("cut") || words[0].equals("heal"))) {
            answer.say(plug(words));
        } else {
            answer.say("no such request");
        }
    }

    private static void tell(final Rendezvous.Release<GuestCommand.Answer> release) {
        release.waiting().forEach(answer -> answer.say(release.isComplete() ? "ok" : "another job has ended"));
    }

    private String plug(final String[] words) {
        try {
            LinkFault.valueOf(words[1].toUpperCase(Locale.ROOT))
                    .apply(lab, Integer.parseInt(words[2]), Integer.parseInt(words[3]), words[0].equals("heal"));
            return "ok";
        } catch (final IOException | IllegalArgumentException | IndexOutOfBoundsException e) {
            return String.valueOf(e.getMessage()).replace('\n', ' ');
        }
    }
}
