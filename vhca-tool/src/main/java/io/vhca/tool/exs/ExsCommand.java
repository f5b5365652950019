package io.vhca.tool.exs;

import picocli.CommandLine.Command;

/** {@code vhca exs}: the parent of its commands. */
@Command(
        name = "exs",
        mixinStandardHelpOptions = true,
        description = {
            "Extended sockets over a device: measures them, and copies files over them.",
            "",
            "One end listens (--listen PORT), the other names it (HOST:PORT)."
        },
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            ExsPingCommand.class, ExsBlastCommand.class, ExsCopyCommand.class, ExsCrowdCommand.class
        })
public final class ExsCommand {}
