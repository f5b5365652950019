package io.vhca.harness.cli;

import io.vhca.tool.ToolCommand;
import picocli.CommandLine.Command;

/** {@code vhca lab}: two emulated machines with real rxe devices. */
@Command(
        name = "lab",
        mixinStandardHelpOptions = true,
        description = {
            "Boots two emulated machines with real rxe devices, joined by two links that can be pulled.",
            "",
            "The machines run the distribution's own kernel with rdma_rxe, libibverbs and librdmacm, and see this"
                    + " machine's files read-only: whatever is installed or built here can be run there. What they"
                    + " write is gone when they end.",
            "",
            "  machine 1  rxe0 10.77.0.1 ---- 10.77.0.2 rxe0  machine 2",
            "             rxe1 10.77.1.1 ---- 10.77.1.2 rxe1",
            "",
            "The first time, as root, the lab fetches QEMU and the kernel by apt-get; the kernel is unpacked in the"
                    + " lab's directory, not installed.",
            ""
        },
        footer = {
            "",
            "Examples:",
            "  sudo vhca lab run -c 'ibv_devinfo'        boot, run it in machine 1, end",
            "  sudo vhca lab up                          boot and leave them running; later commands use them",
            "  sudo vhca lab shell 2                     a shell in machine 2",
            "  sudo vhca lab down                        end them",
            "  sudo vhca lab drill                       a file over bond0 while links die, every kind of death",
            "  sudo vhca lab test                        the conformance suite on real libibverbs, short drills",
            "  sudo vhca lab bench                       C on rxe0, Java on rxe0, Java on bond0",
            "",
            "Exit code: 0 all is well, 1 a job failed, 2 wrong usage, 3 something is missing here."
        },
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            LabUpCommand.class,
            LabRunCommand.class,
            LabShellCommand.class,
            LabDrillCommand.class,
            LabBenchCommand.class,
            LabTestCommand.class,
            LabDownCommand.class
        })
public final class LabCommand implements ToolCommand {}
