package io.vhca.harness.lab;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** What is at the two ends of the two links: the kernel's rxe device, or the embedded soft RNIC. */
public enum MemberKinds {
    /** rxe0 and rxe1 at both sides. */
    RXE {
        @Override
        boolean isSoft(final int machine, final int link) {
            return false;
        }
    },
    /** soft0 and soft1 at both sides. */
    SOFT {
        @Override
        boolean isSoft(final int machine, final int link) {
            return true;
        }
    },
    /** rxe0 and soft1 at one side, soft0 and rxe1 at the other: each link has one of each. */
    MIXED {
        @Override
        boolean isSoft(final int machine, final int link) {
            return (machine + link) % 2 == 0;
        }
    };

    private static final int LINKS = 2;

    abstract boolean isSoft(int machine, int link);

    /** As it is written on a command line. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** True where the kernel's rdma_rxe is needed. */
    public boolean needsRxe() {
        return this != SOFT;
    }

    /** By link: rxe or soft. */
    List<String> words(final int machine) {
        return IntStream.range(0, LINKS)
                .mapToObj(link -> isSoft(machine, link) ? "soft" : "rxe")
                .toList();
    }

    /** By link: the names of the devices. */
    List<String> names(final int machine) {
        final List<String> words = words(machine);
        return IntStream.range(0, LINKS).mapToObj(link -> words.get(link) + link).toList();
    }

    /** The soft devices of a machine as {@code vhca.soft} has them. */
    String softDevices(final int machine) {
        return IntStream.range(0, LINKS)
                .filter(link -> isSoft(machine, link))
                .mapToObj(link -> "soft" + link + "=10.77." + link + "." + machine)
                .collect(Collectors.joining(","));
    }
}
