package io.vhca.bond.verbs;

import io.vhca.api.AccessFlags;
import io.vhca.api.AhAttributes;
import io.vhca.api.DeviceAttributes;
import io.vhca.api.Mtu;
import io.vhca.api.QpAttrMask;
import io.vhca.api.QpAttributes;
import io.vhca.api.QpState;
import io.vhca.api.QueuePair;
import io.vhca.api.ServiceClass;
import io.vhca.api.VerbsException;
import io.vhca.api.cm.CmId;
import io.vhca.api.cm.ConnectParameters;
import io.vhca.bond.core.BondCounters;
import io.vhca.bond.member.BondLimits;
import java.util.List;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * What modifyQp has set on a vQP. What an application means for itself (who may reach its memory, how long its peers
 * wait for a receive) every physical QP gets in its turn; what concerns the path is the bond's affair. Control lock.
 */
public final class QpSettings {
    /** Fields of three, of five and of 24 bits: with more no connection could be made, over any member. */
    private static final List<Field> FIELDS = List.of(
            new Field(QpAttrMask.DEST_QPN, "dest_qp_num", QpAttributes::destQpNum, 0xFF_FFFF),
            new Field(QpAttrMask.RETRY_CNT, "retry_cnt", QpAttributes::retryCnt, 7),
            new Field(QpAttrMask.RNR_RETRY, "rnr_retry", QpAttributes::rnrRetry, 7),
            new Field(QpAttrMask.TIMEOUT, "timeout", QpAttributes::timeout, 31),
            new Field(QpAttrMask.MIN_RNR_TIMER, "min_rnr_timer", QpAttributes::minRnrTimer, 31));

    private record Field(int bit, String name, ToIntFunction<QpAttributes> of, int most) {}

    private final BondCounters counters;
    private QpAttributes told = new QpAttributes();
    private ServiceClass wanted = ServiceClass.NONE;
    private ServiceClass inherited = ServiceClass.NONE;
    /** What a physical QP had that was connected: there may be none now, or one that does not say. */
    private QpAttributes last = new QpAttributes();

    QpSettings(final BondCounters counters) {
        this.counters = counters;
    }

    public QpAttributes told() {
        return told;
    }

    /** Takes over what a change sets, and passes on what a physical QP that is in RTS may be given. */
    public void change(final QpAttributes change, final @Nullable QueuePair physical) {
        told.merge(change);
        if (physical != null) {
            passOn(change, physical);
        }
    }

    /** What is wrong with a change that no member could carry; empty when nothing is. */
    static String judge(final QpAttributes change, final VerbsScope scope) {
        final DeviceAttributes limits = scope.limits().attributes();
        if (change.has(QpAttrMask.PKEY_INDEX) && change.pkeyIndex() != 0) {
            return "pkey_index " + change.pkeyIndex() + " is none: the P_Key table of a bond ends with the entry 0";
        }
        if (change.has(QpAttrMask.PORT) && change.portNum() != BondLimits.PORT) {
            return "port_num " + change.portNum() + " is none: a bond has the port " + BondLimits.PORT + " alone";
        }
        if (change.has(QpAttrMask.PATH_MTU) && change.pathMtu() == Mtu.UNKNOWN) {
            return "path_mtu is none of 256 .. 4096 bytes";
        }
        final AhAttributes ah = change.ah();
        if (change.has(QpAttrMask.AV)) {
            final String wrong = ah == null ? "there is none" : BondAddressHandle.judge(ah);
            if (!wrong.isEmpty()) {
                return "address vector: " + wrong;
            }
        }
        for (final Field field : FIELDS) {
            final int value = field.of.applyAsInt(change);
            if (change.has(field.bit) && tooMany(value, field.most)) {
                return field.name + " " + value + " is not in 0 .. " + field.most;
            }
        }
        if (change.has(QpAttrMask.MAX_QP_RD_ATOMIC) && tooMany(change.maxRdAtomic(), limits.maxQpInitRdAtom())) {
            return "max_rd_atomic " + change.maxRdAtomic() + " is not in 0 .. " + limits.maxQpInitRdAtom()
                    + ", the device's max_qp_init_rd_atom";
        }
        if (change.has(QpAttrMask.MAX_DEST_RD_ATOMIC) && tooMany(change.maxDestRdAtomic(), limits.maxQpRdAtom())) {
            return "max_dest_rd_atomic " + change.maxDestRdAtomic() + " is not in 0 .. " + limits.maxQpRdAtom()
                    + ", the device's max_qp_rd_atom";
        }
        return "";
    }

    private static boolean tooMany(final int wanted, final int most) {
        return wanted < 0 || wanted > most;
    }

    /** With what a physical QP is connected: where modifyQp has brought the vQP up, with what that said. */
    public ConnectParameters connectParameters(final ConnectParameters given) {
        return new ConnectParameters(
                given.privateData(),
                told.has(QpAttrMask.MAX_DEST_RD_ATOMIC) ? told.maxDestRdAtomic() : given.responderResources(),
                told.has(QpAttrMask.MAX_QP_RD_ATOMIC) ? told.maxRdAtomic() : given.initiatorDepth(),
                given.retryCount(),
                given.rnrRetryCount(),
                given.qpNum(),
                given.qkey());
    }

    /** The application wants that class for the vQP's connection, whatever member carries it. */
    public void serviceClass(final ServiceClass forConnection) {
        wanted = forConnection;
    }

    /** What the packets of every physical QP ask of the fabric: what modifyQp said, the id, or else the peer. */
    public ServiceClass serviceClass() {
        final AhAttributes ah = told.ah();
        return (ah == null ? wanted : ServiceClass.of(ah).or(wanted)).or(inherited);
    }

    /** A physical QP is to be created for that id: what its connection alone cannot say, as it is told to the peer. */
    public void prepare(final CmId physical) {
        if (told.has(QpAttrMask.RNR_RETRY)) {
            physical.rnrRetry(told.rnrRetry());
        }
        final ServiceClass known = serviceClass();
        if (!known.equals(ServiceClass.NONE)) {
            physical.serviceClass(known);
        }
        // What a request asks for, where nothing was known, holds on all members from now on.
        inherited = physical.serviceClass();
    }

    /** A move to RESET. */
    void clear() {
        told = new QpAttributes();
        inherited = ServiceClass.NONE;
        last = new QpAttributes();
    }

    /** A physical QP was created and is in INIT: before a peer can reach it. */
    public void onCreated(final QueuePair physical) {
        if (told.has(QpAttrMask.ACCESS_FLAGS)) {
            modify(physical, new QpAttributes().accessFlags(physicalAccess(told)));
        }
    }

    /** A physical QP is in RTS. */
    public void onConnected(final QueuePair physical) {
        passOn(told, physical);
        if (last.ah() == null) {
            look(physical);
        }
    }

    private void look(final QueuePair physical) {
        try {
            final QpAttributes found = physical.query();
            if (last.ah() == null || found.qpState() == QpState.RTS) {
                last = found; // one that is being connected has not been told all of it
            }
        } catch (final VerbsException e) {
            counters.ignored(e);
        }
    }

    /**
     * What a physical QP allows its peer. Writes always: heartbeats, marks and placeholders of the peer's bond are
     * some; what of memory may be written is for the regions to say.
     */
    private static int physicalAccess(final QpAttributes from) {
        return from.accessFlags() | AccessFlags.REMOTE_WRITE;
    }

    private void passOn(final QpAttributes from, final QueuePair physical) {
        final QpAttributes live = new QpAttributes();
        if (from.has(QpAttrMask.ACCESS_FLAGS)) {
            live.accessFlags(physicalAccess(from));
        }
        if (from.has(QpAttrMask.MIN_RNR_TIMER)) {
            live.minRnrTimer(from.minRnrTimer());
        }
        if (live.mask() != 0 && physical.state() == QpState.RTS) {
            modify(physical, live);
        }
    }

    private void modify(final QueuePair physical, final QpAttributes change) {
        try {
            physical.modify(change);
        } catch (final VerbsException e) {
            // It is failing: the one after it gets them.
            counters.ignored(e);
        }
    }

    /**
     * All there is to tell: what was set, over what the physical QP in use has; while there is none, over what the last
     * one had.
     *
     * @param peerQpNum as the peer's application knows it; 0 where only a physical QP says it
     */
    public QpAttributes query(final QpState state, final @Nullable QueuePair physical, final int peerQpNum) {
        if (physical != null) {
            look(physical);
        }
        final QpAttributes all = new QpAttributes().merge(last);
        final AhAttributes way = last.ah();
        if (way != null) {
            // The member's own place in its table, and its port, are none of the bond's.
            all.ah(new AhAttributes(
                    way.dgid(), 0, way.hopLimit(), way.trafficClass(), BondLimits.PORT, way.serviceLevel()));
        }
        if (peerQpNum != 0) {
            all.destQpNum(peerQpNum);
        }
        return all.merge(told).qpState(state).curQpState(state);
    }
}
