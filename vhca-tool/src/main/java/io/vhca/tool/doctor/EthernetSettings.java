package io.vhca.tool.doctor;

import io.vhca.api.ServiceClass;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What makes an interface's Ethernet converged: priorities that are paused and not dropped (PFC), shares of the link
 * (ETS), which DSCP has which priority (APP) and whether that counts (trust), who decides that (DCBX), as {@code dcb}
 * of iproute2 tells it, and the adapter's part in ECN, as mlx5 shows it below /sys. What cannot be read is empty.
 *
 * @param lossless     priorities with PFC
 * @param classOf      traffic class of each priority
 * @param selection    how each traffic class gets its turn: strict, ets, ...
 * @param share        percent of the link that each traffic class has
 * @param dscpPriority priority by DSCP
 * @param defaults     priorities of packets that nothing else gives one
 * @param trusted      what of a packet says its priority, as dscp, pcp; null where nobody tells
 * @param dcbx         words of DCBX, as host, ieee, lld_managed
 * @param notifies     priorities whose marked packets are answered
 * @param reacts       priorities that slow down when they are notified
 */
record EthernetSettings(
        String netdev,
        List<Integer> lossless,
        List<Integer> classOf,
        List<String> selection,
        List<Integer> share,
        Map<Integer, Integer> dscpPriority,
        List<Integer> defaults,
        @Nullable List<String> trusted,
        List<String> dcbx,
        List<Integer> notifies,
        List<Integer> reacts) {
    private static final int PRIORITIES = 8;
    private static final int DSCP_SHIFT = 2;
    /** iproute2 from 6.5 on writes one more thing behind the two, a blank. */
    private static final Pattern PAIR = Pattern.compile("\\[\\s*([0-9]+)\\s*,\\s*([0-9]+)\\s*[,\\]]");
    private static final Pattern TRUE = Pattern.compile("\"(\\w+)\"\\s*:\\s*true");

    /** @throws TimeoutException where a program has not answered, so nobody knows what is there */
    static EthernetSettings of(final Host host, final String netdev) throws TimeoutException {
        final String ets = dcb(host, netdev, "ets");
        final String app = dcb(host, netdev, "app");
        return new EthernetSettings(
                netdev,
                on(array(dcb(host, netdev, "pfc"), "prio_pfc")),
                numbers(array(ets, "prio_tc")),
                array(ets, "tc_tsa"),
                numbers(array(ets, "tc_bw")),
                pairs(app, "dscp_prio"),
                numbers(array(app, "default_prio")),
                told(dcb(host, netdev, "apptrust"), "order"),
                words(dcb(host, netdev, "dcbx")),
                ecn(host, netdev, "roce_np"),
                ecn(host, netdev, "roce_rp"));
    }

    /** True where nothing of all this is there, or nobody tells. */
    boolean isPlain() {
        return lossless.isEmpty() && classOf.isEmpty() && dscpPriority.isEmpty() && notifies.isEmpty()
                && reacts.isEmpty();
    }

    /**
     * The priority that packets with that traffic class in their IP header are to have: of its DSCP, or the default
     * one. Without either it is that of the upper three bits, as those who set up networks mean it.
     */
    int priority(final int trafficClass) {
        final int otherwise = defaults.isEmpty() ? ServiceClass.priority(trafficClass) : unmarkedPriority();
        return dscpPriority.getOrDefault(dscp(trafficClass), otherwise);
    }

    /** The priority of packets that nothing gives one, as no tag of a VLAN. */
    int unmarkedPriority() {
        return defaults.stream().mapToInt(Integer::intValue).max().orElse(0);
    }

    /** True where it is said that the DSCP of a packet does not count. */
    boolean isDscpIgnored() {
        return trusted != null && !trusted.contains("dscp");
    }

    /** True where nothing says which priority that traffic class has. */
    boolean isUnmapped(final int trafficClass) {
        return defaults.isEmpty() && !dscpPriority.containsKey(dscp(trafficClass));
    }

    static int dscp(final int trafficClass) {
        return trafficClass >>> DSCP_SHIFT;
    }

    /** True where a priority's traffic class has no share of the link and gets no turn before others either. */
    boolean starves(final int priority) {
        if (classOf.size() <= priority) {
            return false;
        }
        final int tc = classOf.get(priority);
        return tc < share.size() && tc < selection.size() && selection.get(tc).equals("ets") && share.get(tc) == 0;
    }

    private static String dcb(final Host host, final String netdev, final String what) throws TimeoutException {
        final String text = host.run(List.of("dcb", "-j", what, "show", "dev", netdev));
        return text == null ? "" : text;
    }

    private static List<String> array(final String json, final String name) {
        return Objects.requireNonNullElse(told(json, name), List.of());
    }

    /** The words of an array of words, numbers or truths in JSON; null where it is not there. */
    private static @Nullable List<String> told(final String json, final String name) {
        final Matcher matcher =
                Pattern.compile("\"" + name + "\"\\s*:\\s*\\[([^\\[\\]]*)]").matcher(json);
        if (!matcher.find()) {
            return null;
        }
        return matcher.group(1).isBlank() ? List.of() : Pattern.compile(",")
                .splitAsStream(matcher.group(1))
                .map(word -> word.strip().replace("\"", ""))
                .toList();
    }

    private static List<Integer> numbers(final List<String> words) {
        final List<Integer> numbers = new ArrayList<>();
        for (final String word : words) {
            final Integer number = number(word);
            if (number == null) {
                return List.of();
            }
            numbers.add(number);
        }
        return List.copyOf(numbers);
    }

    private static @Nullable Integer number(final String word) {
        try {
            return Integer.valueOf(word);
        } catch (final NumberFormatException e) {
            return null;
        }
    }

    private static List<Integer> on(final List<String> words) {
        return IntStream.range(0, words.size())
                .filter(i -> List.of("true", "on", "1").contains(words.get(i)))
                .boxed()
                .toList();
    }

    private static Map<Integer, Integer> pairs(final String json, final String name) {
        final Map<Integer, Integer> pairs = new TreeMap<>();
        final int from = json.indexOf("\"" + name + "\"");
        final int to = from < 0 ? -1 : json.indexOf("]]", from);
        if (to > 0) {
            final Matcher matcher = PAIR.matcher(json.substring(from, to + 1));
            while (matcher.find()) {
                final Integer key = number(matcher.group(1));
                final Integer value = number(matcher.group(2));
                if (key != null && value != null) {
                    pairs.put(key, value);
                }
            }
        }
        return pairs;
    }

    private static List<String> words(final String json) {
        return TRUE.matcher(json).results().map(found -> found.group(1)).sorted().toList();
    }

    private static List<Integer> ecn(final Host host, final String netdev, final String end) {
        final Path directory = Path.of("/sys/class/net", netdev, "ecn", end, "enable");
        return IntStream.range(0, PRIORITIES)
                .filter(priority -> {
                    final String text = host.read(directory.resolve(String.valueOf(priority)));
                    return text != null && text.strip().equals("1");
                })
                .boxed()
                .toList();
    }
}
