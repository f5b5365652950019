package io.vhca.harness.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.vhca.api.SendFlags;
import io.vhca.api.WcStatus;
import io.vhca.api.WrOpcode;
import io.vhca.api.cm.CmEventType;
import io.vhca.harness.cli.Tool;
import io.vhca.physical.soft.SoftConfig;
import io.vhca.physical.soft.SoftDevice;
import io.vhca.physical.soft.capture.Capture;
import io.vhca.physical.soft.carrier.Carrier;
import io.vhca.physical.soft.carrier.ForwardingCarrier;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What soft devices send is RoCEv2 in the eyes of tshark, and every ICRC is right by a computation of its own: for
 * packets recorded at the carrier, and (where this user may capture) for those that the kernel really sent.
 */
class TsharkIT {
    private static final int ROCE_PORT = 4791;
    private static final int LINKTYPE_ETHERNET = 1;
    private static final int ETHERNET_BYTES = 14;
    private static final int BTH_AT = 20 + 8;
    private static final int UD_SEND_ONLY = 0x64;
    private static final int MAD_AT = BTH_AT + 12 + 8;
    private static final int ATTRIBUTE_LOW_BYTE = 17;
    private static final int DREP = 0x16;

    @TempDir
    Path directory;

    private static InetAddress own(final int last) {
        final int pid = (int) ProcessHandle.current().pid();
        return InetAddress.ofLiteral("127." + (64 + (pid >> 8 & 63)) + "." + (pid & 255) + "." + last);
    }

    private static void assume(final boolean condition, final String what) {
        if (!condition) {
            System.out.println("SKIPPED: " + what);
        }
        Assumptions.assumeTrue(condition, what);
    }

    private static List<String> run(final String... command) throws IOException, InterruptedException {
        final Process process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        final String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return process.exitValue() == 0 ? text.lines().toList() : List.of();
    }

    private static boolean has(final String tool) throws InterruptedException {
        try {
            return !run(tool, "--version").isEmpty();
        } catch (final IOException e) {
            return false;
        }
    }

    private static void expect(final Link link, final WcStatus status) {
        assertThat(Completion.await(link.client.sendCq).status()).isEqualTo(status);
    }

    /** Every opcode once, over several packets where it can be, with a connection's whole life around. */
    private static void traffic(final DevicePair devices) {
        try (Link link = new Link(devices)) {
            final int rkey = link.server.region.rkey();
            final long there = link.server.address(0);
            for (final int length : new int[] {0, 5, 2500, 9000}) {
                for (final WrOpcode opcode : List.of(
                        WrOpcode.SEND,
                        WrOpcode.SEND_WITH_IMM,
                        WrOpcode.RDMA_WRITE,
                        WrOpcode.RDMA_WRITE_WITH_IMM,
                        WrOpcode.RDMA_READ)) {
                    if (WrOpcode.consumesReceive(opcode.code())) {
                        link.server.postRecv(link.serverQp, 1, 0, 10_000);
                    }
                    link.clientQp.postSend(link.client
                            .request(opcode, SendFlags.SIGNALED, 1, 0, length)
                            .immData(7)
                            .rdma(there, rkey));
                    expect(link, WcStatus.SUCCESS);
                }
            }
            for (final WrOpcode opcode : List.of(WrOpcode.ATOMIC_CMP_AND_SWP, WrOpcode.ATOMIC_FETCH_AND_ADD)) {
                link.clientQp.postSend(link.client
                        .request(opcode, SendFlags.SIGNALED, 1, 0, 8)
                        .atomic(there, rkey, 0, 5));
                expect(link, WcStatus.SUCCESS);
            }
            link.clientQp.postSend(link.client
                    .request(WrOpcode.RDMA_READ, SendFlags.SIGNALED, 1, 0, 8)
                    .rdma(there, 0x7fff_fff0));
            expect(link, WcStatus.REM_ACCESS_ERR);
            link.clientId.disconnect();
            link.client.event(CmEventType.DISCONNECTED);
            link.server.event(CmEventType.DISCONNECTED);
        }
    }

    @Test
    void whatTheCarrierSendsIsDissectedAsRoce() throws IOException, InterruptedException {
        assume(has("tshark"), "tshark is missing, so nobody looked at the packets with other eyes");
        final ByteArrayOutputStream recorded = new ByteArrayOutputStream();
        recorded.writeBytes(PcapTap.header());
        traffic(new TwoSoftDevices(
                SoftDevice.overUdp(new SoftConfig("tap-a", own(31), 1024), carrier -> new PcapTap(carrier, recorded)),
                SoftDevice.overUdp(new SoftConfig("tap-b", own(32), 1024), carrier -> new PcapTap(carrier, recorded))));
        final Path file = directory.resolve("tap.pcap");
        Files.write(file, recorded.toByteArray());
        checkFile(file);
    }

    /** The last packets of a device, written by the tool: both directions, every IP header right in tshark's eyes. */
    @Test
    void whatADeviceCapturesIsDissectedAsRoce() throws IOException, InterruptedException {
        assume(has("tshark"), "tshark is missing, so nobody looked at captures with other eyes");
        traffic(new TwoSoftDevices(
                SoftDevice.overUdp(new SoftConfig("cap-a", own(51), 1024, 0, 0, directory)),
                SoftDevice.overUdp(new SoftConfig("cap-b", own(52), 1024, 0, 0, null))));
        final Tool tool = new Tool();
        final Path capture = directory.resolve("cap-a." + ProcessHandle.current().pid() + ".capture");
        final Path file = directory.resolve("cap-a.pcapng");
        assertThat(tool.run("trace", "packets", capture.toString(), "--pcapng", file.toString()))
                .as(tool.all())
                .isZero();
        assertThat(tool.out()).matches("cap-a of process \\d+: \\d+ packets\n");
        final int packets = Capture.read(capture).packets().size();
        assertThat(run("tshark", "-r", file.toString(), "-o", "ip.check_checksum:TRUE", "-Y",
                        "ip.checksum.status == \"Good\" && frame.interface_name == \"cap-a\""
                                + " && (frame.packet_flags_direction == 1 && ip.dst == " + own(51).getHostAddress()
                                + " || frame.packet_flags_direction == 2 && ip.src == " + own(51).getHostAddress()
                                + ")"))
                .hasSize(packets);
        dissect(file, packets);
    }

    /** A train is cut into packets behind the place where lo is captured: nobody is known to take one here. */
    private static final class WithoutTrains extends ForwardingCarrier {
        WithoutTrains(final Carrier carrier) {
            super(carrier);
        }

        @Override
        public void heard(final int route, final int sourcePort, final boolean takesFilled) {
            // Whoever is heard as a soft device gets trains.
        }
    }

    @Test
    void whatTheKernelSendsIsDissectedAsRoce() throws IOException, InterruptedException {
        assume(has("tshark") && has("dumpcap"), "tshark or dumpcap is missing, so nothing was captured");
        final Path file = directory.resolve("live.pcap");
        final String filter = "udp port " + ROCE_PORT + " and (host " + own(41).getHostAddress() + " or host "
                + own(42).getHostAddress() + ")";
        final Process capture = new ProcessBuilder("dumpcap", "-i", "lo", "-P", "-f", filter, "-w", file.toString())
                .redirectErrorStream(true)
                .start();
        try {
            final boolean started = capture.inputReader().lines().anyMatch(line -> line.startsWith("File:"));
            assume(started, "this user may not capture on lo, so the kernel's own headers were not looked at");
            traffic(new TwoSoftDevices(
                    SoftDevice.overUdp(new SoftConfig("live-a", own(41), 1024), WithoutTrains::new),
                    SoftDevice.overUdp(new SoftConfig("live-b", own(42), 1024), WithoutTrains::new)));
            awaitLastMessage(capture, file);
        } finally {
            capture.destroy();
            assertThat(capture.waitFor(Patience.MS, TimeUnit.MILLISECONDS)).isTrue();
        }
        checkFile(file);
    }

    /** The capture writes with delay: the answer to the disconnect is the last packet of all. */
    private static void awaitLastMessage(final Process capture, final Path file)
            throws IOException, InterruptedException {
        for (int i = 0; i < 6_000 && !capture.waitFor(50, TimeUnit.MILLISECONDS); i++) {
            for (final byte[] packet : packets(Files.readAllBytes(file))) {
                if ((packet[BTH_AT] & 0xff) == UD_SEND_ONLY && packet[MAD_AT + ATTRIBUTE_LOW_BYTE] == DREP) {
                    return;
                }
            }
        }
        throw new AssertionError("the end of the traffic was not captured in time");
    }

    private static void checkFile(final Path file) throws IOException, InterruptedException {
        final List<byte[]> packets = packets(Files.readAllBytes(file));
        for (final byte[] packet : packets) {
            checkHeadersAndIcrc(packet);
        }
        dissect(file, packets.size());
    }

    private static void dissect(final Path file, final int packets) throws IOException, InterruptedException {
        // Without RPC-over-RDMA, which takes any payload for its own and then finds that malformed.
        final List<String> rows = run(
                "tshark", "-r", file.toString(), "--disable-protocol", "rpcordma", "-T", "fields", "-E", "separator=;",
                "-e", "frame.protocols", "-e",
                "infiniband.bth.opcode", "-e", "infiniband.mad.attributeid", "-e", "_ws.malformed", "-e",
                "_ws.expert.message");
        assertThat(rows).hasSize(packets).allSatisfy(row -> assertThat(row).contains("infiniband"));
        final List<Integer> opcodes = new ArrayList<>();
        final List<Integer> attributes = new ArrayList<>();
        for (final String row : rows) {
            final String[] fields = row.split(";", -1);
            opcodes.add(Integer.decode(fields[1]));
            if (!fields[2].isEmpty()) {
                attributes.add(Integer.decode(fields[2]));
            }
            assertThat(fields[3] + row).doesNotContainIgnoringCase("malformed");
        }
        // RC SEND first/middle/last/last imm/only/only imm, WRITE the same, READ request and responses, ACK, atomics.
        assertThat(opcodes)
                .contains(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 0x64)
                .allMatch(opcode -> opcode <= 20 || opcode == 0x64);
        // REQ, REP, RTU, DREQ, DREP.
        assertThat(attributes).contains(0x10, 0x13, 0x14, 0x15, 0x16);
    }

    /** The IP packets of a pcap file, in the byte order of its own header. */
    private static List<byte[]> packets(final byte[] file) {
        if (file.length < 24) {
            return List.of();
        }
        final ByteBuffer bytes = ByteBuffer.wrap(file);
        if (bytes.getInt(0) != 0xa1b2c3d4) {
            bytes.order(ByteOrder.LITTLE_ENDIAN);
        }
        final int skipped = bytes.getInt(20) == LINKTYPE_ETHERNET ? ETHERNET_BYTES : 0;
        final List<byte[]> packets = new ArrayList<>();
        int at = 24;
        while (at + 16 <= file.length) {
            final int length = bytes.getInt(at + 8);
            if (at + 16 + length > file.length) {
                break;
            }
            packets.add(Arrays.copyOfRange(file, at + 16 + skipped, at + 16 + length));
            at += 16 + length;
        }
        return packets;
    }

    /** Annex A17.3.3: the CRC32 over eight bytes of ones and the packet with its variant fields as ones. */
    private static void checkHeadersAndIcrc(final byte[] packet) {
        final ByteBuffer ip = ByteBuffer.wrap(packet);
        assertThat(ip.getShort(4)).as("IP identification").isZero();
        assertThat(ip.getShort(6) & 0x4000).as("don't fragment").isEqualTo(0x4000);
        final byte[] masked = packet.clone();
        for (final int variant : new int[] {1, 8, 10, 11, 26, 27, 32}) {
            masked[variant] = (byte) 0xff;
        }
        final CRC32 crc = new CRC32();
        crc.update(new byte[] {-1, -1, -1, -1, -1, -1, -1, -1});
        crc.update(masked, 0, packet.length - 4);
        final int sent = ByteBuffer.wrap(packet).order(ByteOrder.LITTLE_ENDIAN).getInt(packet.length - 4);
        assertThat(Integer.toHexString(sent)).as("ICRC").isEqualTo(Integer.toHexString((int) crc.getValue()));
    }
}
