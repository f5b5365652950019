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
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Runs a bash script in each machine at the same time. The scripts meet at barriers, and may cut links; see job.sh. A
 * thread for each script.
 */
public final class LabJobs {
    private static final int KILLED = 128 + 9;
    private static final int LATE = 124;
    /** Jobs that were ended have so long to say their last words. */
    private static final long GRACE_SECONDS = 10;

    private final Lab lab;
    private final PrintWriter out;
    private final Map<Integer, String> scripts;
    private final Rendezvous<GuestCommand.Answer> rendezvous;
    private final long limitNs;
    private volatile boolean isLate;

    /**
     * @param scripts by machine
     * @param limitNs after which all jobs are ended
     * @param out     gets every line, with the machine's number before it
     */
    public LabJobs(
            final Lab lab, final Map<Integer, String> scripts, final long limitNs, final PrintWriter out) {
        this.lab = lab;
        this.limitNs = limitNs;
        this.out = out;
        this.scripts = new LinkedHashMap<>(scripts);
        rendezvous = new Rendezvous<>(scripts.keySet());
    }

    /** Runs them to their end; what each printed and its exit code, by machine: 124 where the limit ended it. */
    public Map<Integer, Machine.Outcome> run() throws IOException, InterruptedException {
        final Map<Integer, Machine.Outcome> outcomes = new LinkedHashMap<>();
        final Map<Integer, GuestCommand> commands = new LinkedHashMap<>();
        final ScheduledExecutorService threads = Executors.newScheduledThreadPool(
                scripts.size() + 1, Thread.ofPlatform().name("lab-job-", 1).daemon().factory());
        try {
            for (final Map.Entry<Integer, String> script : scripts.entrySet()) {
                final int machine = script.getKey();
                // Answers come over the connection that is the job's input: its programs must not read them away.
                commands.put(
                        machine,
                        lab.machine(machine)
                                .command(
                                        "exec < /dev/null\n" + script.getValue(),
                                        (request, answer) -> on(machine, request, answer)));
            }
            final Map<Integer, Future<Machine.Outcome>> running = new LinkedHashMap<>();
            commands.forEach((machine, command) ->
                    running.put(machine, threads.submit(() -> follow(machine, command))));
            threads.schedule(
                    () -> {
                        endAll(commands);
                        // A machine that does not run ends nothing, and says nothing any more.
                        threads.schedule(
                                () -> commands.values().forEach(GuestCommand::close), GRACE_SECONDS, TimeUnit.SECONDS);
                    },
                    limitNs, TimeUnit.NANOSECONDS);
            for (final Map.Entry<Integer, Future<Machine.Outcome>> job : running.entrySet()) {
                outcomes.put(job.getKey(), job.getValue().get());
            }
        } catch (final ExecutionException e) {
            throw new IOException(e.getCause());
        } finally {
            threads.shutdownNow();
            commands.values().forEach(GuestCommand::close);
        }
        return outcomes;
    }

    private void endAll(final Map<Integer, GuestCommand> commands) {
        isLate = true;
        commands.forEach((machine, command) -> lab.machine(machine).exec("kill -9 -- -" + command.pid()));
    }

    private Machine.Outcome follow(final int machine, final GuestCommand command) throws IOException {
        final List<String> lines = new ArrayList<>();
        final BufferedReader reader =
                new BufferedReader(new InputStreamReader(command.output(), StandardCharsets.UTF_8));
        try {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                lines.add(line);
                synchronized (out) {
                    out.println(machine + "| " + line);
                    out.flush();
                }
            }
        } catch (final IOException e) {
            if (!isLate) {
                throw e;
            }
        }
        synchronized (rendezvous) {
            tell(rendezvous.leave());
        }
        final int code = command.exitCode();
        final boolean wasEnded = isLate && (code == KILLED || code == GuestStream.LOST);
        return new Machine.Outcome(wasEnded ? LATE : code, String.join("\n", lines));
    }

    private void on(final int machine, final String request, final GuestCommand.Answer answer) {
        final String[] words = request.split(" ", -1);
        if (words[0].equals("barrier")) {
            synchronized (rendezvous) {
                tell(rendezvous.arrive(request, machine, answer));
            }
        } else if (words.length == 4 && List.of("cut", "heal", "renew").contains(words[0])) {
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
            final LabFault fault = LabFault.valueOf(words[1].toUpperCase(Locale.ROOT));
            final int machine = Integer.parseInt(words[2]);
            final int link = Integer.parseInt(words[3]);
            final long atNs = words[0].equals("renew")
                    ? fault.renew(lab, machine, link)
                    : fault.apply(lab, machine, link, words[0].equals("heal"));
            synchronized (out) {
                out.printf(
                        Locale.ROOT,
                        "lab: %s, %,d ms ago%n",
                        String.join(" ", words),
                        (System.nanoTime() - atNs) / 1_000_000);
            }
            return "ok";
        } catch (final IOException | IllegalArgumentException | IndexOutOfBoundsException e) {
            return String.valueOf(e.getMessage()).replace('\n', ' ');
        }
    }
}
