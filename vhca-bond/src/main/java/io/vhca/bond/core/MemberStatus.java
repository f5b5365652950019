package io.vhca.bond.core;

import java.net.InetAddress;

/**
 * One member of a bond as it is now.
 *
 * @param index      what {@link QpVisitor} names it by
 * @param name       the device's name
 * @param address    where peers reach it
 * @param up         its device lives and its port is active
 * @param drained    an operator keeps queue pairs off it
 * @param leaving    it was removed, and goes when the last queue pair has left it
 * @param active     new connections go here; in the balancing modes this says nothing
 * @param queuePairs vQPs that live on it, the application's and the bond's own
 * @param failures   how often its link went down or its device died
 */
public record MemberStatus(
        int index,
        String name,
        InetAddress address,
        boolean up,
        boolean drained,
        boolean leaving,
        boolean active,
        int queuePairs,
        long failures) {}
