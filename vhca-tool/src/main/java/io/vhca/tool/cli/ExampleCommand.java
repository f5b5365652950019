package io.vhca.tool.cli;

import io.vhca.examples.DevInfo;
import io.vhca.examples.ExsEcho;
import io.vhca.examples.ExsFiles;
import io.vhca.examples.Hello;
import io.vhca.examples.RcPingPong;
import io.vhca.examples.RdpEcho;
import io.vhca.examples.Rping;
import io.vhca.examples.UdPingPong;
import io.vhca.examples.UdpEcho;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code vhca example}: runs the programs of the examples module. */
@Command(
        name = "example",
        mixinStandardHelpOptions = true,
        description = {
            "Runs a small example program; each but udp_echo takes --device NAME and works on soft0 and bond0 alike.",
            "",
            "Their sources are in examples/src/main/java/io/vhca/examples and use the public API only."
        },
        synopsisSubcommandLabel = "EXAMPLE",
        subcommands = {
            ExampleCommand.HelloCommand.class, DevInfo.class, RcPingPong.class, UdPingPong.class, Rping.class,
            RdpEcho.class, UdpEcho.class, ExampleCommand.ExsEchoCommand.class, ExsFiles.class
        })
public final class ExampleCommand {
    /** The dozen lines of the README. */
    @Command(
            name = "hello",
            mixinStandardHelpOptions = true,
            description = "Sends one message within this process, both ends on one device.")
    static final class HelloCommand implements Callable<Integer> {
        @Option(
                names = {"-d", "--device"},
                paramLabel = "NAME",
                defaultValue = "soft0",
                description = "device to use (default: ${DEFAULT-VALUE})")
        private String device = "soft0";

        @Override
        public Integer call() {
            Hello.main(new String[] {device});
            return 0;
        }
    }

    /** The thirty lines of an echo. */
    @Command(
            name = "exs-echo",
            mixinStandardHelpOptions = true,
            description = "Echoes a message over extended sockets within this process, both ends on one device.")
    static final class ExsEchoCommand implements Callable<Integer> {
        @Option(
                names = {"-d", "--device"},
                paramLabel = "NAME",
                defaultValue = "soft0",
                description = "device to use (default: ${DEFAULT-VALUE})")
        private String device = "soft0";

        @Override
        public Integer call() throws IOException {
            ExsEcho.main(new String[] {device});
            return 0;
        }
    }
}
