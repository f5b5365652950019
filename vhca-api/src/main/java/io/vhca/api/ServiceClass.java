package io.vhca.api;

/**
 * What the packets of a queue pair ask of the fabric: the fields of {@code struct ibv_ah_attr} by which routers and
 * switches tell traffic apart. {@link #UNSET} leaves a field to the device and its connection manager.
 *
 * <pre>
 *   traffic class:  7      5  4   2  1    0
 *                   | priority |     | ECN |      DSCP are the upper six bits
 * </pre>
 *
 * @param trafficClass IP TOS, 0 .. 255: DSCP, and whether the packets may be marked for congestion (ECN)
 * @param serviceLevel service level, 0 .. 15: the priority where the link goes by that (PCP) and not by DSCP
 * @param hopLimit     IP TTL, 1 .. 255
 */
public record ServiceClass(int trafficClass, int serviceLevel, int hopLimit) {
    /** A field that nobody has set. */
    public static final int UNSET = -1;

    /** Everything is left to the device. */
    public static final ServiceClass NONE = new ServiceClass(UNSET, UNSET, UNSET);

    /** The two bits of a traffic class that are ECN's (RFC 3168). */
    public static final int ECN_MASK = 3;

    /** Both bits set: a packet went through congestion (CE). */
    public static final int CONGESTED = ECN_MASK;

    static final int MOST_IN_A_BYTE = 255;
    static final int MOST_SERVICE_LEVEL = 15;
    private static final int PRIORITY_SHIFT = 5;

    public ServiceClass {
        check("traffic_class", trafficClass, 0, MOST_IN_A_BYTE);
        check("sl", serviceLevel, 0, MOST_SERVICE_LEVEL);
        check("hop_limit", hopLimit, 1, MOST_IN_A_BYTE);
    }

    private static void check(final String field, final int value, final int least, final int most) {
        if (value != UNSET && (value < least || value > most)) {
            throw new VerbsException(
                    "serviceClass", Errno.EINVAL, "a service class",
                    field + " is " + value + ", allowed is " + least + " to " + most + ", or " + UNSET
                            + " to leave it to the device");
        }
    }

    /** That traffic class, and nothing else. */
    public static ServiceClass ofTos(final int tos) {
        return new ServiceClass(tos, UNSET, UNSET);
    }

    /** What a connection request says of its sender's class, where 0 is no wish. */
    public static ServiceClass asked(final int trafficClass, final int serviceLevel) {
        return new ServiceClass(
                trafficClass == 0 ? UNSET : trafficClass, serviceLevel == 0 ? UNSET : serviceLevel, UNSET);
    }

    /** What an address vector says. */
    public static ServiceClass of(final AhAttributes ah) {
        return new ServiceClass(ah.trafficClass(), ah.serviceLevel(), ah.hopLimit() == 0 ? UNSET : ah.hopLimit());
    }

    /** This, with what is not set here from another one. */
    public ServiceClass or(final ServiceClass other) {
        if (other.equals(NONE)) {
            return this;
        }
        return new ServiceClass(
                trafficClass == UNSET ? other.trafficClass : trafficClass,
                serviceLevel == UNSET ? other.serviceLevel : serviceLevel,
                hopLimit == UNSET ? other.hopLimit : hopLimit);
    }

    /** An address vector with this class; what is not set is 0. */
    public AhAttributes to(final Gid dgid, final int sgidIndex, final int portNum) {
        return new AhAttributes(
                dgid, sgidIndex, Math.max(hopLimit, 0), Math.max(trafficClass, 0), portNum, Math.max(serviceLevel, 0));
    }

    /** The priority, 0 .. 7, that Ethernet gives to packets of a traffic class where it trusts DSCP. */
    public static int priority(final int trafficClass) {
        return trafficClass >>> PRIORITY_SHIFT;
    }

    /** True when packets of a traffic class may be marked for congestion, and are not dropped for it (ECT). */
    public static boolean isMarkable(final int trafficClass) {
        return (trafficClass & ECN_MASK) != 0;
    }
}
