package io.vhca.tool.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.ServiceClass;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two interfaces that are set up for converged Ethernet, until one of them is set up otherwise. */
class EthernetChecksTest {
    private static final String PFC = "{\"pfc_cap\":8,\"macsec_bypass\":false,\"delay\":0,\"prio_pfc\":"
            + "[false,false,false,true,false,false,false,false],\"requests\":[0,0,0,0,0,0,0,0]}";
    private static final String ETS = "{\"willing\":false,\"ets_cap\":8,\"cbs\":false,"
            + "\"tc_bw\":[50,0,0,50,0,0,0,0],\"pg_bw\":[0,0,0,0,0,0,0,0],"
            + "\"tc_tsa\":[\"ets\",\"ets\",\"ets\",\"ets\",\"strict\",\"strict\",\"strict\",\"strict\"],"
            + "\"prio_tc\":[0,1,2,3,4,5,6,7],\"reco_tc_bw\":[0,0,0,0,0,0,0,0]}";
    private static final String APP = "{\"ethtype_prio\":[[35093,6]],"
            + "\"dscp_prio\":[[26,3],[48,6]],\"port_prio\":[[1,1]]}";
    private static final String DCBX = "{\"host\":true,\"ieee\":true}";
    /** DSCP 26 and ECT. */
    private static final int TOS = 26 << 2 | 2;

    private final FakeHost host = new FakeHost();

    @BeforeEach
    void setUp() {
        for (final String netdev : List.of("eth0", "eth1")) {
            dcb("pfc", netdev, PFC);
            dcb("ets", netdev, ETS);
            dcb("app", netdev, APP);
            dcb("dcbx", netdev, DCBX);
            for (int priority = 0; priority < 8; priority++) {
                host.files.put(ecn(netdev, "roce_np", priority), priority == 3 ? "1\n" : "0\n");
                host.files.put(ecn(netdev, "roce_rp", priority), priority == 3 ? "1\n" : "0\n");
            }
        }
    }

    private void dcb(final String what, final String netdev, final String output) {
        host.programs.put("dcb -j " + what + " show dev " + netdev, output);
    }

    private void all(final String what, final String output) {
        for (final String netdev : List.of("eth0", "eth1")) {
            dcb(what, netdev, output);
        }
    }

    private static String ecn(final String netdev, final String end, final int priority) {
        return "/sys/class/net/" + netdev + "/ecn/" + end + "/enable/" + priority;
    }

    private List<Finding> bad(final int trafficClass) {
        return Doctor.examine(host, trafficClass).stream()
                .filter(finding -> finding.verdict().compareTo(Verdict.WARNING) >= 0)
                .toList();
    }

    private void only(final int trafficClass, final String what, final String fix) {
        assertThat(bad(trafficClass)).singleElement().satisfies(finding -> {
            assertThat(finding.verdict()).isEqualTo(Verdict.WARNING);
            assertThat(finding.subject()).isEqualTo("bond0 Ethernet");
            assertThat(finding.what()).contains(what);
            assertThat(finding.fix()).contains(fix);
        });
    }

    @Test
    void whatIsAlikeAndAsTheTrafficClassNeedsItIsFine() {
        assertThat(bad(TOS)).isEmpty();
        assertThat(Doctor.examine(host, TOS)).contains(Finding.ok(
                "bond0 Ethernet",
                "eth0, eth1: PFC [3], ECN [3], DCBX [host, ieee], as traffic class 106 needs it"));
    }

    @Test
    void membersThatDifferAreNamedAspectByAspect() {
        dcb("pfc", "eth1", PFC.replace("true", "false"));
        only(ServiceClass.UNSET, "priorities with PFC: eth0 [3], eth1 []", "dcb pfc set");
        setUp();
        dcb("ets", "eth1", ETS.replace("[50,0,0,50", "[90,0,0,10"));
        only(TOS, "ETS: eth0 [0, 1, 2, 3, 4, 5, 6, 7]", "dcb ets set");
        setUp();
        dcb("app", "eth1", APP.replace("[48,6]", "[48,7]"));
        only(TOS, "priorities of DSCP: eth0 {26=3, 48=6}, eth1 {26=3, 48=7}", "dcb app replace");
        setUp();
        dcb("dcbx", "eth1", "{\"lld_managed\":true,\"ieee\":true}");
        only(TOS, "DCBX: eth0 [host, ieee], eth1 [ieee, lld_managed]", "dcb dcbx set");
        setUp();
        host.files.put(ecn("eth1", "roce_rp", 3), "0\n");
        only(ServiceClass.UNSET, "priorities with ECN: eth0 np [3] rp [3], eth1 np [3] rp []", "roce_rp");
    }

    @Test
    void aTrafficClassIsJudgedOnEachInterface() {
        // DSCP 40 has the priority of its upper three bits, 5, where no mapping says otherwise.
        final List<Finding> findings = bad(40 << 2);
        assertThat(findings).hasSize(2);
        assertThat(findings.getFirst().what()).startsWith("eth0: priority 5 of traffic class 160 is not paused");
        assertThat(findings.getFirst().fix()).contains("dcb pfc set dev eth0 prio-pfc 5:on");

        for (final String netdev : List.of("eth0", "eth1")) {
            dcb("ets", netdev, ETS.replace("[50,0,0,50", "[100,0,0,0"));
        }
        assertThat(bad(TOS)).hasSize(2).allMatch(finding -> finding.what().contains("no share of the link"));
        setUp();
        for (final String netdev : List.of("eth0", "eth1")) {
            host.files.put(ecn(netdev, "roce_np", 3), "0\n");
        }
        assertThat(bad(TOS)).hasSize(2).allMatch(finding -> finding.what().contains("does not answer it"));
        assertThat(bad(TOS & ~ServiceClass.ECN_MASK)).as("nobody may mark it").isEmpty();
    }

    /** As it is on mlx5 until somebody sets one. It had been taken for priority 3, which is paused. */
    @Test
    void aDscpThatNothingGivesAPriorityIsInDoubt() {
        all("app", "{}\n");
        assertThat(bad(ServiceClass.UNSET)).isEmpty();
        assertThat(bad(TOS)).hasSize(2);
        assertThat(bad(TOS).getFirst().what())
                .isEqualTo("eth0: DSCP 26 of traffic class 106 has no priority (APP): where none has one, adapters such"
                        + " as mlx5 do not trust DSCP, and it is 0");
        assertThat(bad(TOS).getFirst().fix()).startsWith("`dcb app replace dev eth0 dscp-prio 26:3`");

        all("app", "{\"dscp_prio\":[[48,6,\" \"]]}\n");
        assertThat(bad(TOS)).hasSize(2);
        assertThat(bad(TOS).getFirst().what()).endsWith("(APP): adapters take its upper three bits, 3, or 0");

        all("app", "{}\n");
        all("apptrust", "{\"order\":[\"dscp\"]}\n");
        assertThat(bad(TOS).getFirst().what()).endsWith("(APP): adapters take its upper three bits, 3, or 0");

        all("pfc", PFC.replace("[false,false,false,true", "[true,false,false,true"));
        assertThat(bad(0)).as("of the priority 0 of all others").isEmpty();
    }

    /** As iproute2 writes it from 6.5 on: with a blank behind each pair, for which none had been read. */
    @Test
    void thePriorityOfADscpIsReadAsItIsWrittenToday() {
        all("app", "{\"ethtype_prio\":[[35093,6,\" \"]],\"dscp_prio\":[[26,5,\" \"],[48,6,\" \"]]}\n");
        assertThat(bad(TOS).getFirst().what()).startsWith("eth0: priority 5 of traffic class 106 is not paused");
    }

    @Test
    void whatHasNoPriorityHasTheDefaultOne() {
        all("app", "{\"default_prio\":[1,3],\"dscp_prio\":[[48,6,\" \"]]}\n");
        assertThat(bad(TOS)).isEmpty();
        all("app", "{\"default_prio\":[1],\"dscp_prio\":[[48,6,\" \"]]}\n");
        assertThat(bad(TOS).getFirst().what()).startsWith("eth0: priority 1 of traffic class 106 is not paused");
        dcb("app", "eth1", "{\"default_prio\":[2],\"dscp_prio\":[[48,6,\" \"]]}\n");
        only(ServiceClass.UNSET, "default priority: eth0 1, eth1 2", "dcb app replace");
    }

    @Test
    void aDscpThatIsNotTrustedDoesNotCount() {
        all("apptrust", "{\"order\":[\"dscp\",\"pcp\"]}\n");
        assertThat(bad(TOS)).isEmpty();
        all("apptrust", "{\"order\":[\"pcp\"]}\n");
        assertThat(bad(TOS)).hasSize(2);
        assertThat(bad(TOS).getFirst().what())
                .isEqualTo("eth0: DSCP is not trusted, but [pcp]: packets of traffic class 106 have priority 0, or what"
                        + " their VLAN's tag says");
        assertThat(bad(TOS).getFirst().fix()).startsWith("`dcb apptrust set dev eth0 order dscp`");
        all("app", "{\"default_prio\":[3],\"dscp_prio\":[[26,3,\" \"]]}\n");
        assertThat(bad(TOS)).as("of the default priority").isEmpty();
        dcb("apptrust", "eth1", "{\"order\":[]}\n");
        only(ServiceClass.UNSET, "what says the priority: eth0 [pcp], eth1 []", "dcb apptrust set");
        host.programs.remove("dcb -j apptrust show dev eth1");
        assertThat(bad(ServiceClass.UNSET)).as("nobody knows whether they differ").isEmpty();
    }

    @Test
    void interfacesThatTellNothingAreFineUntilATrafficClassIsAskedFor() {
        host.programs.clear();
        host.files.keySet().removeIf(file -> file.contains("/ecn/"));
        assertThat(bad(ServiceClass.UNSET)).isEmpty();
        assertThat(bad(TOS)).hasSize(2).allMatch(finding -> finding.what().contains("no PFC"));
    }

    /** As on a host that is stopped now and then: it was judged as one that has no PFC. */
    @Test
    void aProgramThatDoesNotAnswerIsSaidAndNothingIsJudged() {
        for (final String what : List.of("pfc", "ets", "app", "apptrust", "dcbx")) {
            final String words = "dcb -j " + what + " show dev eth1";
            host.late.add(words);
            assertThat(bad(TOS)).as(what).isEmpty();
            assertThat(Doctor.examine(host, TOS)).as(what).contains(Finding.notChecked(
                    "bond0 Ethernet",
                    "`" + words + "` did not answer within 9 s: nothing is said of PFC, ETS, ECN, DSCP and DCBX; try"
                            + " again"));
            host.late.clear();
        }
    }

    @Test
    void outputThatMakesNoSenseIsAsGoodAsNone() {
        for (final String netdev : List.of("eth0", "eth1")) {
            dcb("pfc", netdev, "{\"prio_pfc\":[");
            dcb("ets", netdev, "{\"prio_tc\":[\"x\",99999999999],\"tc_bw\":[]}");
            dcb("app", netdev, "{\"dscp_prio\":[[26");
            dcb("dcbx", netdev, "Attribute read: Operation not supported");
        }
        host.files.keySet().removeIf(file -> file.contains("/ecn/"));
        assertThat(bad(ServiceClass.UNSET)).isEmpty();
        assertThat(Doctor.examine(host, ServiceClass.UNSET))
                .extracting(Finding::what)
                .anyMatch(what -> what.contains("no PFC, ETS or ECN"));
    }
}
