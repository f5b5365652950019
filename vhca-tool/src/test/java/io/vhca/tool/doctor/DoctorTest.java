package io.vhca.tool.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vhca.api.Errno;
import io.vhca.api.Mtu;
import io.vhca.api.PortState;
import io.vhca.api.ServiceClass;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A healthy host has nothing to fix; whatever is taken from it is found, and nothing else. */
class DoctorTest {
    private final FakeHost host = new FakeHost();

    private static List<Finding> examine(final Host host) {
        return Doctor.examine(host, ServiceClass.UNSET);
    }

    private static List<Finding> bad(final Host host) {
        return examine(host).stream()
                .filter(finding -> finding.verdict().compareTo(Verdict.WARNING) >= 0)
                .toList();
    }

    @Test
    void aHealthyHostHasNothingToFix() {
        assertThat(bad(host)).isEmpty();
        assertThat(examine(host)).extracting(Finding::subject).contains(
                "Java", "native access", "status directory", "open files", "locked memory", "socket buffers",
                "libraries", "kernel modules", "device files", "mlx0 port 1", "mlx1 port 1", "soft devices", "bond0",
                "bond0 limits", "bond0 MTU", "bond0 paths", "bond0 Ethernet", "network");
        assertThat(examine(host))
                .extracting(Finding::what)
                .contains("ACTIVE, ETHERNET, 25000 Mbit/s, GID[1] ::ffff:10.1.0.1 is an address of eth0");
    }

    /** What is done to the host; then the one finding: verdict, subject, a part of what is found and of what to do. */
    static Stream<Arguments> defects() {
        return Stream.of(processDefects(), deviceDefects(), bondDefects()).flatMap(each -> each);
    }

    private static Stream<Arguments> processDefects() {
        return Stream.of(
                defect(host -> host.java = "24.0.2", Verdict.PROBLEM, "Java", "24.0.2", "JDK 25"),
                defect(
                        host -> host.isNativeAccessEnabled = false, Verdict.WARNING, "native access", "not enabled",
                        "--enable-native-access=ALL-UNNAMED"),
                defect(
                        host -> host.closed.add("/dev/shm"), Verdict.PROBLEM, "status directory", "/dev/shm cannot be",
                        "VHCA_STATUS_DIR"),
                defect(
                        host -> host.usable.put("/dev/shm", 1_000L), Verdict.WARNING, "status directory",
                        "/dev/shm is all but full", "--shm-size"),
                defect(
                        host -> {
                            host.files.put("/dev/shm/vhca-me", "");
                            host.distrust = "/dev/shm/vhca-me belongs to user 12";
                        },
                        Verdict.PROBLEM, "status directory", "will not use it: /dev/shm/vhca-me belongs",
                        "VHCA_STATUS_DIR"),
                defect(
                        host -> host.distrust = "/dev, above it, may be written",
                        Verdict.PROBLEM, "status directory", "will not use it: /dev, above it", "VHCA_STATUS_DIR"),
                defect(
                        host -> {
                            host.status = Path.of("/dev/shm/" + "x".repeat(90));
                        },
                        Verdict.PROBLEM, "status directory", "too long", "shorter"),
                defect(
                        host -> host.real.put(host.status, Path.of("/data/" + "x".repeat(90))),
                        Verdict.PROBLEM, "status directory", "x is too long", "shorter"),
                defect(
                        host -> host.files.put("/proc/self/limits", FakeHost.limits("unlimited", "256")),
                        Verdict.WARNING, "open files", "limit 256", "ulimit -n"),
                defect(
                        host -> host.files.put("/proc/self/limits", FakeHost.limits("8388608", "65536")),
                        Verdict.WARNING, "locked memory", "8388608 bytes", "ulimit -l unlimited"),
                defect(
                        host -> host.files.put("/proc/sys/net/core/rmem_max", "212992\n"), Verdict.WARNING,
                        "socket buffers", "net.core.rmem_max is 212992", "sysctl -w net.core.rmem_max=8388608"));
    }

    private static Stream<Arguments> deviceDefects() {
        return Stream.of(
                defect(
                        host -> host.closed.add("/dev/infiniband/uverbs1"), Verdict.PROBLEM, "device files",
                        "may not open /dev/infiniband/uverbs1", "chmod a+rw /dev/infiniband/uverbs1"),
                defect(
                        host -> host.verbs.set(0, FakeHost.adapter(
                                "mlx0", "10.1.0.1", PortState.DOWN, Mtu.MTU_4096, 1_000)),
                        Verdict.PROBLEM, "mlx0 port 1", "DOWN", "ip link set eth0 up"),
                defect(
                        host -> host.verbs.add(FakeHost.adapter(
                                "mlx2", "10.1.0.1", PortState.DOWN, Mtu.MTU_4096, 1_000)),
                        Verdict.WARNING, "mlx2 port 1", "DOWN", "ip link set INTERFACE up"),
                defect(
                        host -> host.soft.add(FakeHost.broken(
                                "soft1", Errno.EADDRNOTAVAIL, "this host has no address 10.9.0.1: add it")),
                        Verdict.WARNING, "soft1", "no address 10.9.0.1", "add it"));
    }

    private static Stream<Arguments> bondDefects() {
        return Stream.of(
                defect(
                        host -> host.bond("mlx0", "mlx7"), Verdict.PROBLEM, "bond0", "member mlx7: no such device",
                        "mlx0, mlx1, soft0"),
                defect(
                        host -> host.verbs.set(1, FakeHost.adapter(
                                "mlx1", "10.2.0.1", PortState.ACTIVE, Mtu.MTU_4096, 500)),
                        Verdict.WARNING, "bond0 limits", "max_qp 500 or 1000", "the least"),
                defect(
                        host -> host.verbs.set(1, FakeHost.adapter(
                                "mlx1", "10.2.0.1", PortState.ACTIVE, Mtu.MTU_1024, 1_000)),
                        Verdict.WARNING, "bond0 MTU", "differ: path MTU of mlx0 4096 (eth0 4200), mlx1 1024",
                        "mtu 4200"),
                defect(
                        host -> {
                            host.verbs.clear();
                            host.verbs.add(FakeHost.adapter(
                                    "mlx0", "10.1.0.1", PortState.ACTIVE, Mtu.MTU_1024, 1_000));
                            host.verbs.add(FakeHost.adapter(
                                    "mlx1", "10.2.0.1", PortState.ACTIVE, Mtu.MTU_1024, 1_000));
                        },
                        Verdict.WARNING, "bond0 MTU", "mlx0 1024 (eth0 4200)", "ip link set eth0 mtu 4200"),
                defect(
                        host -> host.verbs.set(1, FakeHost.adapter(
                                "mlx1", "10.1.0.1", PortState.ACTIVE, Mtu.MTU_4096, 1_000)),
                        Verdict.WARNING, "bond0 paths", "both on eth0", "interface of its own"),
                defect(
                        DoctorTest::oneNetwork, Verdict.WARNING, "bond0 paths", "arp_ignore of eth0 is 0",
                        "arp_announce=2"),
                defect(
                        host -> {
                            host.bonds.clear();
                            host.bondErrors.add("getDeviceList on provider bond failed (EINVAL): vhca.conf: bond0,"
                                    + " line 3: mimon is no key; did you mean miimon");
                        },
                        Verdict.PROBLEM, "bond configuration", "line 3: mimon is no key", "did you mean miimon"),
                defect(
                        host -> host.bonds.clear(), Verdict.WARNING, "bond configuration", "no bond", "vhca.conf"));
    }

    private static Arguments defect(
            final Consumer<FakeHost> change,
            final Verdict verdict,
            final String subject,
            final String what,
            final String fix) {
        return Arguments.of(change, verdict, subject, what, fix);
    }

    private static void oneNetwork(final FakeHost host) {
        host.netdevs.set(2, FakeHost.netdev("eth1", FakeHost.LARGE, "10.1.0.2", 24));
        host.verbs.set(1, FakeHost.adapter("mlx1", "10.1.0.2", PortState.ACTIVE, Mtu.MTU_4096, 1_000));
    }

    @ParameterizedTest(name = "{2}: {3}")
    @MethodSource("defects")
    void eachDefectIsFoundAndNothingElse(
            final Consumer<FakeHost> change,
            final Verdict verdict,
            final String subject,
            final String what,
            final String fix) {
        change.accept(host);
        final List<Finding> findings = bad(host);
        assertThat(findings).hasSize(1);
        assertThat(findings.getFirst().verdict()).isEqualTo(verdict);
        assertThat(findings.getFirst().subject()).isEqualTo(subject);
        assertThat(findings.getFirst().what()).contains(what);
        assertThat(findings.getFirst().fix()).contains(fix);
    }

    @Test
    void oneNetworkDoesWhereTheKernelIsToldTo() {
        oneNetwork(host);
        for (final String key : List.of("arp_ignore", "arp_announce", "rp_filter")) {
            host.files.put("/proc/sys/net/ipv4/conf/all/" + key, key.equals("arp_ignore") ? "1\n" : "2\n");
        }
        assertThat(bad(host)).isEmpty();
        host.files.put("/proc/sys/net/ipv4/conf/all/rp_filter", "1\n");
        assertThat(bad(host)).singleElement().extracting(Finding::what).asString().contains("rp_filter of eth0 is 1");
    }

    /** Nothing at all to work with: each thing that is missing once, what stands on it is not guessed at. */
    @Test
    void aHostWithoutAnyDeviceIsToldBothWaysToOne() {
        host.libraries.clear();
        host.verbs.clear();
        host.soft.clear();
        host.softTrouble = "vhca.soft is empty; give it devices, as in soft0=127.0.0.1";
        host.files.keySet().removeIf(file -> file.contains("infiniband"));
        assertThat(bad(host)).extracting(Finding::subject).containsExactly("libraries", "soft devices", "bond0");
        assertThat(bad(host)).extracting(Finding::verdict).containsOnly(Verdict.PROBLEM);
        assertThat(bad(host).getFirst().what())
                .contains("libibverbs.so.1 (package libibverbs1)", "librdmacm.so.1 (package librdmacm1)");
        assertThat(bad(host).get(1).fix()).isEqualTo("give it devices, as in soft0=127.0.0.1");
        assertThat(examine(host)).contains(
                Finding.notChecked("RDMA devices", "nothing can be listed without the libraries"));
    }

    /** Soft devices do: what RDMA lacks is no problem, and said once. */
    @Test
    void aHostWithSoftDevicesAloneHasNoProblem() {
        host.libraries.remove("librdmacm.so.1");
        host.verbs.clear();
        host.soft.add(FakeHost.adapter("soft1", "127.0.0.1", PortState.ACTIVE, Mtu.MTU_4096, 1_000));
        host.bond("soft0", "soft1");
        host.files.put("/proc/self/limits", FakeHost.limits("65536", "65536"));
        assertThat(bad(host)).singleElement().satisfies(finding -> {
            assertThat(finding.verdict()).isEqualTo(Verdict.WARNING);
            assertThat(finding.what()).startsWith("librdmacm.so.1 (package librdmacm1)").doesNotContain("libibverbs1");
        });
    }

    @Test
    void modulesThatAreMissingAreNamed() {
        host.verbs.clear();
        host.files.remove("/dev/infiniband/rdma_cm");
        assertThat(bad(host).getFirst())
                .returns(Verdict.PROBLEM, Finding::verdict)
                .returns("rdma_ucm not loaded", Finding::what);
        assertThat(bad(host).getFirst().fix()).contains("modprobe -a rdma_ucm", "rdma link add");
        host.files.put("/sys/class/misc/rdma_cm", "");
        host.verbsTrouble = "this host has no RDMA device: run `rdma link add`";
        assertThat(bad(host).getFirst()).returns("device files", Finding::subject);
        assertThat(bad(host).get(1))
                .returns("RDMA devices", Finding::subject)
                .returns("run `rdma link add`", Finding::fix);
    }

    /** A container may have the kernel's modules and none of the files. */
    @Test
    void deviceFilesThatAreMissingAreNamed() {
        host.files.keySet().removeIf(file -> file.startsWith("/dev/infiniband/"));
        host.files.put("/sys/class/misc/rdma_cm", "");
        assertThat(bad(host)).singleElement().satisfies(finding -> {
            assertThat(finding.subject()).isEqualTo("device files");
            assertThat(finding.fix()).contains("--device=/dev/infiniband");
        });
    }

    /** Devices are listed without it, and nothing connects. */
    @Test
    void eachDeviceFileThatIsMissingIsNamed() {
        host.files.remove("/dev/infiniband/rdma_cm");
        host.files.put("/sys/class/misc/rdma_cm", "");
        assertThat(bad(host)).singleElement().satisfies(finding -> {
            assertThat(finding.verdict()).isEqualTo(Verdict.PROBLEM);
            assertThat(finding.subject()).isEqualTo("device files");
            assertThat(finding.what()).endsWith("there is no /dev/infiniband/rdma_cm");
            assertThat(finding.fix()).contains("udev", "--device=/dev/infiniband");
        });
        host.files.remove("/dev/infiniband/uverbs1");
        assertThat(bad(host)).singleElement().extracting(Finding::what).asString()
                .endsWith("there is no /dev/infiniband/uverbs1, rdma_cm");
        host.files.put("/dev/infiniband/rdma_cm", "");
        host.files.remove("/sys/class/infiniband_verbs/uverbs1");
        assertThat(bad(host)).as("the kernel has no such device").isEmpty();
    }

    /** A soft device that is taken is most likely the application's that the bond is configured for. */
    @Test
    void aSoftDeviceThatIsTakenIsNoProblem() {
        host.soft.add(FakeHost.broken(
                "soft1", Errno.EADDRINUSE, "UDP port 4791 of 127.0.0.2 is taken: by whom; give it another address"));
        host.bond("soft0", "soft1");
        assertThat(bad(host)).extracting(Finding::verdict).containsExactly(Verdict.WARNING, Verdict.WARNING);
        assertThat(bad(host)).extracting(Finding::subject).containsExactly("soft1", "bond0");
        assertThat(bad(host).getFirst().fix()).isEqualTo("give it another address");
    }

    /** Loaded, rdma_rxe has the port, whatever address a soft device is on. */
    @Test
    void aKernelThatHasThePortOfSoftDevicesIsNamedOnce() {
        host.soft.clear();
        host.soft.add(FakeHost.broken("soft0", Errno.EADDRINUSE, "UDP port 4791 of 127.0.0.1 is taken: by whom; do"));
        host.soft.add(FakeHost.broken("soft1", Errno.EPERM, "a raw socket beside it needs CAP_NET_RAW; run as root"));
        host.files.put("/proc/net/udp", FakeHost.udp("00000000:12B7"));
        host.files.put("/sys/module/rdma_rxe", "");
        assertThat(bad(host)).as("no bond needs them").isEmpty();
        assertThat(examine(host)).contains(Finding.ok("soft devices", "soft0, soft1 cannot open: the kernel's"
                + " rdma_rxe has UDP port 4791 of every address; no bond needs them"));

        host.bond("soft0", "soft1");
        assertThat(bad(host)).extracting(Finding::verdict).containsExactly(Verdict.PROBLEM, Verdict.PROBLEM);
        assertThat(bad(host)).extracting(Finding::subject).containsExactly("soft devices", "bond0");
        assertThat(bad(host).getFirst().fix()).contains("modprobe -r rdma_rxe");
        assertThat(bad(host).getLast().fix()).isEqualTo("see above");

        host.assumed = "bond0: members=soft0,soft1";
        assertThat(bad(host)).extracting(Finding::verdict).containsExactly(Verdict.WARNING, Verdict.WARNING);
        host.bond("soft0", "mlx7");
        assertThat(bad(host).getLast().fix())
                .as("soft0 is there, and does not open")
                .isEqualTo("name devices that there are: mlx0, mlx1");

        host.files.remove("/sys/module/rdma_rxe");
        assertThat(bad(host).getFirst().what()).contains("another process has UDP port 4791 of every address");
    }

    @Test
    void limitsThatCannotBeReadAreSaidToBeUnknown() {
        host.files.remove("/proc/self/limits");
        assertThat(examine(host))
                .filteredOn(finding -> finding.verdict() == Verdict.NOT_CHECKED)
                .extracting(Finding::subject)
                .containsExactly("open files", "locked memory", "network");
    }

    /** A bond makes what is missing of it. */
    @Test
    void aStatusDirectoryTwoBelowOneThatIsThereCanBeMade() {
        host.status = Path.of("/dev/shm/app/status");
        assertThat(bad(host)).isEmpty();
    }

    @Test
    void aDirectoryWhoseRoomCannotBeToldIsNotCalledFull() {
        host.usable.put("/dev/shm", -1L);
        assertThat(bad(host)).isEmpty();
        assertThat(examine(host)).contains(
                Finding.notChecked("status directory", "how much room /dev/shm has; `df /dev/shm` tells"));
    }

    @Test
    void whoeverMayLockAllHasNoLimit() {
        host.files.put("/proc/self/limits", FakeHost.limits("65536", "65536"));
        host.files.put("/proc/self/status", "CapEff:\t0000000000004000\n");
        assertThat(bad(host)).isEmpty();
        assertThat(examine(host))
                .contains(Finding.ok(
                        "locked memory", "no limit for this user (CAP_IPC_LOCK); others have 65536 bytes"));
        host.files.put("/proc/self/status", "CapEff:\t0000000000002000\n");
        assertThat(bad(host)).extracting(Finding::subject).containsExactly("locked memory");
    }

    /** For memory and for buffers the kernel asks what a process may on the whole host. */
    @Test
    void whatMayBeDoneInANamespaceOfUsersAloneDoesNotCount() {
        host.files.put("/proc/self/limits", FakeHost.limits("65536", "65536"));
        host.files.put("/proc/self/status", "CapEff:\t000001ffffffffff\n");
        host.files.put("/proc/sys/net/core/rmem_max", "212992\n");
        host.soft.add(FakeHost.adapter("soft1", "127.0.0.1", PortState.ACTIVE, Mtu.MTU_4096, 1_000));
        host.files.put("/proc/self/uid_map", "         0          0 4294967295\n");
        assertThat(bad(host)).isEmpty();
        host.files.put("/proc/self/uid_map", "         0       1000          1\n         1     100000      65536\n");
        assertThat(bad(host)).extracting(Finding::subject).containsExactly("locked memory", "socket buffers");
    }

    @Test
    void aLineEachAndWhatToDoBelow() {
        final String text = Doctor.text(
                List.of(Finding.ok("a", "fine"), Finding.problem("bcd", "broken", "mend it")),
                (verdict, word) -> verdict == Verdict.OK ? word : "<" + word + ">");
        assertThat(text).isEqualTo(
                """
                ok           a    fine
                <problem>      bcd  broken
                                  to do: mend it

                1 problem, 0 warnings, 1 ok, 0 not checked
                """);
    }

    @Test
    void whatIsWrongHasAFix() {
        assertThatThrownBy(() -> Finding.problem("a", "broken", "")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Finding(Verdict.OK, "a", "fine", "mend it"))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
