package io.vhca.harness.drill.attack.kind;

import io.vhca.harness.drill.attack.packet.Forgery;
import io.vhca.recovery.wire.RecordType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/** All attacks, in the order in which a drill makes them. */
public final class AttackTable {
    private static final List<String> REQUESTS = List.of(
            "cm.HALF_OPEN_FULL", "cm.HALF_OPEN_DROPPED", "cm.BACKLOG_FULL", "cm.UNPROVEN_MUTED", "cm.INBOX_FULL",
            "cm.NO_LISTENER", "bond.REQ_GARBAGE", "bond.REQ_FORGED", "bond.REQ_UNKNOWN_SESSION",
            "bond.REQ_NOT_NAMED", "bond.REQ_STRANGER", "bond.REQ_REPEATED", "bond.REQ_QUESTION", "bond.REQ_NO_PROOF",
            "bond.REQ_BAD_PROOF", "bond.REQ_REPLAYED", "bond.REQ_CHALLENGED", "app.REFUSED");
    private static final List<String> ANSWERS =
            List.of("cm.NO_CONNECTION", "cm.OUT_OF_PLACE", "cm.MALFORMED", "cm.INBOX_FULL", "bond.ANSWER_BAD_PROOF");
    private static final List<String> PACKETS = List.of(
            "nic.DROP_NO_QP", "nic.DROP_WRONG_SOURCE", "nic.DUPLICATES", "nic.OUT_OF_ORDER", "nic.STALE_RESPONSES",
            "nic.NAKS_SENT");
    private static final List<String> BROKEN =
            List.of("nic.DROP_MALFORMED", "nic.DROP_ICRC", "nic.DROP_QKEY", "nic.DROP_NO_QP", "cm.MALFORMED");
    /** What an attack on the connection manager may be counted as, whatever its messages. */
    private static final List<String> ANY_MESSAGE = joined(REQUESTS, ANSWERS);

    /** Messages that ask for something. */
    private static final Map<String, ForgedMessage.Writer> ASKING = new LinkedHashMap<>();
    /** Messages that belong to a connection. */
    private static final Map<String, ForgedMessage.Writer> ANSWERING = new LinkedHashMap<>();

    static {
        ASKING.put("req-first", Forgery::first);
        ASKING.put("req-recover", (forgery, from, to) -> forgery.session(RecordType.RECOVER, from, to));
        ASKING.put("req-close", (forgery, from, to) -> forgery.session(RecordType.CLOSE, from, to));
        ASKING.put("req-oob", Forgery::outOfBand);
        ASKING.put("req-control", (forgery, from, to) -> forgery.header(RecordType.CONTROL, from, to));
        ASKING.put("req-probe", (forgery, from, to) -> forgery.header(RecordType.PROBE, from, to));
        ASKING.put("req-datagram", Forgery::datagram);
        ASKING.put("req-leftover", Forgery::leftover);
        ASKING.put("sidr-req", Forgery::sidrReq);
        ANSWERING.put("rep", (forgery, from, to) -> forgery.rep(from));
        ANSWERING.put("rtu", (forgery, from, to) -> forgery.rtu());
        ANSWERING.put("rej", (forgery, from, to) -> forgery.rej());
        ANSWERING.put("rej-timeout", (forgery, from, to) -> forgery.rejTimeout());
        ANSWERING.put("dreq", (forgery, from, to) -> forgery.dreq());
        ANSWERING.put("drep", (forgery, from, to) -> forgery.drep());
        ANSWERING.put("mra", (forgery, from, to) -> forgery.mra());
        ANSWERING.put("sidr-rep", (forgery, from, to) -> forgery.sidrRep());
    }

    /** All of them. */
    public static final List<AttackKind> ALL = all();

    private AttackTable() {}

    private static List<AttackKind> all() {
        final List<AttackKind> rows = new ArrayList<>();
        for (final Attacker attacker : Attacker.values()) {
            ASKING.forEach((name, writer) -> rows.add(message(name, attacker, REQUESTS, writer)));
            ANSWERING.forEach((name, writer) -> rows.add(message(name, attacker, ANSWERS, writer)));
        }
        for (final Attacker attacker : List.of(Attacker.LISTENER, Attacker.ON_PATH)) {
            final Defence defence = attacker == Attacker.LISTENER ? Defence.ALWAYS : Defence.WITH_KEY;
            rows.add(row("replay", attacker, defence, Volley.few(), ANY_MESSAGE, Replay::ofMessages).alsoShort());
            rows.add(row("replay-elsewhere", attacker, defence, Volley.few(), ANY_MESSAGE, Replay::elsewhere));
            rows.add(row("replay-rc", attacker, Defence.ALWAYS, Volley.few(), PACKETS, Replay::ofData).alsoShort());
        }
        for (final Attacker attacker : Attacker.values()) {
            final Defence defence = attacker == Attacker.ON_PATH ? Defence.NONE : Defence.ALWAYS;
            rows.add(packets("rc", attacker, defence, Volley.few()).alsoShort());
        }
        for (final Attacker attacker : List.of(Attacker.STRANGER, Attacker.SPOOFER)) {
            rows.add(row("random", attacker, Defence.ALWAYS, Volley.few(), BROKEN, Noise::random).alsoShort());
            rows.add(row("truncated", attacker, Defence.ALWAYS, Volley.few(), BROKEN, Noise::truncated));
            rows.add(row("mutated", attacker, Defence.ALWAYS, Volley.few(), joined(BROKEN, ANY_MESSAGE),
                    Noise::mutated));
        }
        rows.addAll(floods());
        return List.copyOf(rows);
    }

    private static List<AttackKind> floods() {
        final List<AttackKind> rows = new ArrayList<>();
        for (final Attacker attacker : List.of(Attacker.STRANGER, Attacker.SPOOFER)) {
            for (final String name : List.of("req-first", "req-recover", "req-control", "sidr-req")) {
                rows.add(flood(name, attacker, REQUESTS, forged(ASKING, name)));
            }
            for (final String name : List.of("rep", "dreq")) {
                rows.add(flood(name, attacker, ANSWERS, forged(ANSWERING, name)));
            }
            rows.add(flood("random", attacker, BROKEN, Noise::random));
            rows.add(packets("rc-flood", attacker, Defence.ALWAYS, Volley.flood()));
        }
        rows.add(flood("sources", Attacker.STRANGER, REQUESTS, ManySources::new).alsoShort());
        return rows;
    }

    private static Function<AttackScene, ShotSource> forged(
            final Map<String, ForgedMessage.Writer> writers, final String name) {
        final ForgedMessage.Writer writer = Objects.requireNonNull(writers.get(name), name);
        return scene -> new ForgedMessage(scene, writer);
    }

    /**
     * Somebody on the path can do all that the others can. Records of the bonds can be proven; messages that carry
     * none, and those that end a connection of the devices', cannot.
     */
    private static Defence defence(final Attacker attacker, final String name) {
        if (attacker != Attacker.ON_PATH) {
            return Defence.ALWAYS;
        }
        return ASKING.containsKey(name) ? Defence.WITH_KEY : Defence.NONE;
    }

    private static AttackKind message(
            final String name,
            final Attacker attacker,
            final List<String> counters,
            final ForgedMessage.Writer writer) {
        final AttackKind kind = row(
                name, attacker, defence(attacker, name), Volley.few(), counters,
                scene -> new ForgedMessage(scene, writer));
        return attacker == Attacker.STRANGER && !name.equals("req-leftover") || name.equals("req-recover")
                ? kind.alsoShort()
                : kind;
    }

    private static AttackKind packets(
            final String name, final Attacker attacker, final Defence defence, final Volley volley) {
        return row(name, attacker, defence, volley, PACKETS, ForgedData::new);
    }

    private static AttackKind flood(
            final String name,
            final Attacker attacker,
            final List<String> counters,
            final Function<AttackScene, ShotSource> source) {
        return row(name + "-flood", attacker, Defence.ALWAYS, Volley.flood(), counters, source);
    }

    private static AttackKind row(
            final String name,
            final Attacker attacker,
            final Defence defence,
            final Volley volley,
            final List<String> counters,
            final Function<AttackScene, ShotSource> source) {
        return new AttackKind(name, attacker, defence, volley, counters, false, source);
    }

    /** Every message and packet that the scene's attacker forges. */
    static List<ShotSource> forgeries(final AttackScene scene) {
        final List<ShotSource> all = new ArrayList<>();
        ASKING.values().forEach(writer -> all.add(new ForgedMessage(scene, writer)));
        ANSWERING.values().forEach(writer -> all.add(new ForgedMessage(scene, writer)));
        all.add(new ForgedData(scene));
        return all;
    }

    /** @throws IllegalArgumentException where there is no such row */
    public static AttackKind byLabel(final String label) {
        return ALL.stream()
                .filter(kind -> kind.label().equals(label))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no attack " + label));
    }

    private static List<String> joined(final List<String> one, final List<String> other) {
        final List<String> all = new ArrayList<>(one);
        all.addAll(other);
        return List.copyOf(all);
    }
}
