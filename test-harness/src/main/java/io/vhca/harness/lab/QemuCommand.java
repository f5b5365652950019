package io.vhca.harness.lab;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The command line of one machine.
 *
 * <pre>
 *   machine 1                        machine 2
 *     eth0 rxe0  ---- d0.1  d0.2 ----  rxe0 eth0     10.77.0.x   datagrams over unix sockets
 *     eth1 rxe1  ---- d1.1  d1.2 ----  rxe1 eth1     10.77.1.x
 *     eth2       ---- 127.0.0.1:port                 10.0.2.15   the host's commands, nothing else
 * </pre>
 *
 * Pure.
 *
 * @param directory of this lab's sockets and logs; short, for a socket's path has 107 bytes at most
 * @param agentPort on the loopback address, that leads to the agent in the machine
 */
record QemuCommand(LabConfig config, LabKit kit, Path directory, int id, int agentPort) {
    private static final int LINKS = 2;

    List<String> words() {
        final List<String> words = new ArrayList<>(List.of(
                "qemu-system-x86_64",
                "-name", "vhca-lab-" + id,
                "-accel", config.accelerator().equals("tcg") ? "tcg,thread=multi,tb-size=256" : config.accelerator(),
                "-cpu", config.accelerator().equals("tcg") ? "max" : "host",
                "-smp", "1",
                "-m", String.valueOf(config.memoryMb()),
                "-nodefaults", "-display", "none", "-vga", "none", "-no-reboot",
                "-kernel", kit.kernel().toString(),
                "-initrd", kit.initramfs().toString(),
                "-append", kernelArguments(),
                "-serial", "file:" + console(),
                "-monitor", "unix:" + monitor() + ",server=on,wait=off",
                "-virtfs", "local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap"));
        for (int link = 0; link < LINKS; link++) {
            words.addAll(List.of(
                    "-netdev",
                    "dgram,id=n" + link + ",local.type=unix,local.path=" + socket(link, id)
                            + ",remote.type=unix,remote.path=" + socket(link, 3 - id),
                    "-device",
                    card("n" + link, link)));
        }
        words.addAll(List.of(
                "-netdev",
                "user,id=m0,restrict=on,hostfwd=tcp:127.0.0.1:" + agentPort + "-10.0.2.15:7000",
                "-device",
                card("m0", LINKS)));
        return words;
    }

    private String card(final String netdev, final int index) {
        return "virtio-net-pci,netdev=" + netdev + ",mac=52:54:00:76:0" + index + ":0" + id + ",romfile=";
    }

    private String kernelArguments() {
        // no_timer_check: on a busy host the emulated timer may look broken for a moment, and the kernel would give up.
        return "console=ttyS0 quiet no_timer_check mitigations=off panic=-1 net.ifnames=0 tsc=reliable"
                + " rdinit=/init lab.id=" + id
                + " lab.rxe=" + (config.withRxe() ? 1 : 0) + " lab.life=" + config.lifeSeconds();
    }

    Path monitor() {
        return directory.resolve("monitor" + id);
    }

    Path console() {
        return directory.resolve("console" + id);
    }

    /** Where QEMU's own complaints go. */
    static Path log(final Path directory, final int id) {
        return directory.resolve("qemu" + id);
    }

    private Path socket(final int link, final int machine) {
        return directory.resolve("d" + link + "." + machine);
    }
}
