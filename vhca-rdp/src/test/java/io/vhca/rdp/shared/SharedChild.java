package io.vhca.rdp.shared;

import io.vhca.api.Context;
import io.vhca.physical.soft.SoftConfig;
import io.vhca.physical.soft.SoftDevice;
import io.vhca.rdp.RdpDriver;
import io.vhca.rdp.RdpSocket;
import io.vhca.rdp.engine.SendResult;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Another process: a shared driver ({@code driver DEVICE ADDRESS}), a client of one that sends to a port of its own
 * node ({@code client DEVICE PORT}), or one that is several clients, which have the ports from one on and send to
 * another node by each ({@code clients DEVICE FIRST_PORT ADDRESS PORT}). It says a line when it is there, and stays
 * until it is killed.
 */
final class SharedChild {
    /** How many clients one process is that is several, and what each has. */
    static final int CLIENTS = 4;

    static final int SOCKETS = 8;

    private SharedChild() {}

    public static void main(final String[] args) throws InterruptedException {
        if (args[0].equals("driver")) {
            final InetAddress address = InetAddress.ofLiteral(args[2]);
            try (Context context = SoftDevice.overUdp(new SoftConfig(args[1], address, 4096)).open();
                    RdpDriver driver = RdpDriver.open(context);
                    SharedServer server = SharedServer.open(driver)) {
                System.out.println("serving " + server.path());
                Thread.sleep(Long.MAX_VALUE);
            }
        } else if (args[0].equals("clients")) {
            attachOften(args);
            Thread.sleep(Long.MAX_VALUE);
        } else {
            try (SharedDriver driver = SharedDriver.attach(args[1]); RdpSocket socket = driver.bind(0)) {
                final InetSocketAddress to = new InetSocketAddress(driver.address(), Integer.parseInt(args[2]));
                System.out.println(socket.send(ByteBuffer.allocate(10), to, TimeUnit.SECONDS.toNanos(30)));
                Thread.sleep(Long.MAX_VALUE);
            }
        }
    }

    private static void attachOften(final String[] args) {
        final int first = Integer.parseInt(args[2]);
        final InetSocketAddress to = new InetSocketAddress(InetAddress.ofLiteral(args[3]), Integer.parseInt(args[4]));
        for (int i = 0; i < CLIENTS * SOCKETS; i += SOCKETS) {
            // Never closed: who is killed closes nothing.
            final SharedDriver driver = SharedDriver.attach(args[1]);
            for (int k = 0; k < SOCKETS; k++) {
                final SendResult result =
                        driver.bind(first + i + k).send(ByteBuffer.allocate(10), to, TimeUnit.SECONDS.toNanos(30));
                if (result != SendResult.SENT) {
                    throw new AssertionError("a send to " + to + " was " + result);
                }
            }
        }
        System.out.println("sent " + CLIENTS * SOCKETS);
    }

    /** Starts it, and waits until it is there. */
    static Process start(final String directory, final String... args) throws IOException {
        final List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command().orElse("java"));
        for (final String flag : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
            if (flag.startsWith("--") || flag.equals("-ea")) {
                command.add(flag);
            }
        }
        command.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC", "-D" + AttachPath.PROPERTY + "=" + directory));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), SharedChild.class.getName()));
        command.addAll(List.of(args));
        final Process process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        if (process.inputReader().readLine() == null) {
            throw new IOException("the child ended with code " + process.onExit().join().exitValue());
        }
        return process;
    }
}
