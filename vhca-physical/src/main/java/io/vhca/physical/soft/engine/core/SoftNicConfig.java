package io.vhca.physical.soft.engine.core;

import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Limits and options of a soft device. The setters return {@code this}. The device keeps the reference and reads it
 * whenever it creates an object: change nothing once a device was created with it.
 */
public final class SoftNicConfig {
    private static final int WINDOW_BYTES = 256 * 1024;

    private RandomGenerator random = new SplittableRandom(1);
    private int maxQp = 16_384;
    private int maxQpWr = 32_768;
    private int maxSge = 32;
    private int maxCq = 16_384;
    private int maxCqe = 1 << 20;
    private int maxMr = 65_536;
    private int maxPd = 16_384;
    private int maxAh = 16_384;
    private int maxSrq = 4_096;
    private int maxSrqWr = 32_768;
    private int maxRdAtomic = 16;
    private int maxInlineData = 512;
    private int maxMessageBytes = 1 << 30;
    private int windowPackets = 64;
    private int readChunkPackets = 32;
    private int burstPackets = 16;
    private int rateMbps;
    private int receiveBatch = 64;
    private boolean verifyIcrc = true;
    private long portCheckIntervalNs = 1_000_000;
    private int ackBeforePlacingMessages;
    private long placeDelayNs = 50_000;
    private boolean forgetsPostsInError;
    private boolean forgetsLastReceive;
    private @Nullable LongSupplier inlineClock;
    private long pollNs;

    /** Defaults: ICRC verified, no bad habits, not driven inline. */
    public SoftNicConfig() {}

    /** Draws the order of the QP numbers and the keys' generations; used by the engine's owner. */
    public SoftNicConfig random(final RandomGenerator value) {
        random = value;
        return this;
    }

    public RandomGenerator random() {
        return random;
    }

    /** As {@link #random}, the same numbers for the same seed. */
    public SoftNicConfig seed(final long value) {
        return random(new SplittableRandom(value));
    }

    public SoftNicConfig maxQp(final int value) {
        maxQp = value;
        return this;
    }

    public int maxQp() {
        return maxQp;
    }

    /** Work requests outstanding on one queue at most. */
    public SoftNicConfig maxQpWr(final int value) {
        maxQpWr = value;
        return this;
    }

    public int maxQpWr() {
        return maxQpWr;
    }

    public SoftNicConfig maxSge(final int value) {
        maxSge = value;
        return this;
    }

    public int maxSge() {
        return maxSge;
    }

    public SoftNicConfig maxCq(final int value) {
        maxCq = value;
        return this;
    }

    public int maxCq() {
        return maxCq;
    }

    public SoftNicConfig maxCqe(final int value) {
        maxCqe = value;
        return this;
    }

    public int maxCqe() {
        return maxCqe;
    }

    /** At most 2^20 - 1. */
    public SoftNicConfig maxMr(final int value) {
        maxMr = value;
        return this;
    }

    public int maxMr() {
        return maxMr;
    }

    public SoftNicConfig maxPd(final int value) {
        maxPd = value;
        return this;
    }

    public int maxPd() {
        return maxPd;
    }

    public SoftNicConfig maxAh(final int value) {
        maxAh = value;
        return this;
    }

    public int maxAh() {
        return maxAh;
    }

    public SoftNicConfig maxSrq(final int value) {
        maxSrq = value;
        return this;
    }

    public int maxSrq() {
        return maxSrq;
    }

    public SoftNicConfig maxSrqWr(final int value) {
        maxSrqWr = value;
        return this;
    }

    public int maxSrqWr() {
        return maxSrqWr;
    }

    /** READs and atomics outstanding at a QP, as initiator and as responder. */
    public SoftNicConfig maxRdAtomic(final int value) {
        maxRdAtomic = value;
        return this;
    }

    public int maxRdAtomic() {
        return maxRdAtomic;
    }

    public SoftNicConfig maxInlineData(final int value) {
        maxInlineData = value;
        return this;
    }

    public int maxInlineData() {
        return maxInlineData;
    }

    /** Bytes of the largest message. */
    public SoftNicConfig maxMessageBytes(final int value) {
        maxMessageBytes = value;
        return this;
    }

    public int maxMessageBytes() {
        return maxMessageBytes;
    }

    /** Packets sent and not acknowledged at one QP; the smaller of this and {@link #windowBytes} holds. */
    public SoftNicConfig windowPackets(final int value) {
        windowPackets = value;
        return this;
    }

    public int windowPackets() {
        return windowPackets;
    }

    /** Bytes sent and not acknowledged at one QP, counted in whole MTUs; never below one packet. */
    public int windowBytes() {
        return WINDOW_BYTES;
    }

    /** A READ is asked for in requests of at most so many response packets. */
    public SoftNicConfig readChunkPackets(final int value) {
        readChunkPackets = value;
        return this;
    }

    public int readChunkPackets() {
        return readChunkPackets;
    }

    /** Packets that a QP may send in its turn before the next QP's. */
    public SoftNicConfig burstPackets(final int value) {
        burstPackets = value;
        return this;
    }

    public int burstPackets() {
        return burstPackets;
    }

    /** Megabits a second that the port sends at most, as they are on Ethernet, in the long run; 0 for no limit. */
    public SoftNicConfig rateMbps(final int value) {
        rateMbps = value;
        return this;
    }

    public int rateMbps() {
        return rateMbps;
    }

    /** Packets taken from the carrier in one duty cycle at most. */
    public SoftNicConfig receiveBatch(final int value) {
        receiveBatch = value;
        return this;
    }

    public int receiveBatch() {
        return receiveBatch;
    }

    /** Drop and count received packets whose ICRC is wrong; off for peers with another IP identification. */
    public SoftNicConfig verifyIcrc(final boolean value) {
        verifyIcrc = value;
        return this;
    }

    public boolean verifyIcrc() {
        return verifyIcrc;
    }

    /** How often the carrier is asked whether its link is up; 0: in every duty cycle. */
    public SoftNicConfig portCheckIntervalNs(final long value) {
        portCheckIntervalNs = value;
        return this;
    }

    public long portCheckIntervalNs() {
        return portCheckIntervalNs;
    }

    /**
     * Hardware's bad habit: up to so many messages (SENDs and WRITEs) are acknowledged before their bytes are placed
     * and their receives complete. What is not placed when the device or its port dies is lost. 0: never.
     */
    public SoftNicConfig ackBeforePlacingMessages(final int value) {
        ackBeforePlacingMessages = value;
        return this;
    }

    public int ackBeforePlacingMessages() {
        return ackBeforePlacingMessages;
    }

    /** How long a message acknowledged before it is placed may wait. */
    public SoftNicConfig placeDelayNs(final long value) {
        placeDelayNs = value;
        return this;
    }

    public long placeDelayNs() {
        return placeDelayNs;
    }

    /** Hardware's bad habit: what is posted to a queue pair in ERR is taken, and not flushed. */
    public SoftNicConfig forgetsPostsInError(final boolean value) {
        forgetsPostsInError = value;
        return this;
    }

    public boolean forgetsPostsInError() {
        return forgetsPostsInError;
    }

    /** Hardware's bad habit: QP_LAST_WQE_REACHED is never raised, as Linux's rxe does not. */
    public SoftNicConfig forgetsLastReceive(final boolean value) {
        forgetsLastReceive = value;
        return this;
    }

    public boolean forgetsLastReceive() {
        return forgetsLastReceive;
    }

    /**
     * With a clock, postSend and poll run the engine in the caller's thread when no other thread does; without, only
     * a call of {@code doWork} runs it.
     */
    public SoftNicConfig inlineClock(final @Nullable LongSupplier value) {
        inlineClock = value;
        return this;
    }

    public @Nullable LongSupplier inlineClock() {
        return inlineClock;
    }

    /** How long a thread that waits for completions runs the device before it blocks, in nanoseconds. */
    public SoftNicConfig pollNs(final long value) {
        pollNs = value;
        return this;
    }

    public long pollNs() {
        return pollNs;
    }
}
