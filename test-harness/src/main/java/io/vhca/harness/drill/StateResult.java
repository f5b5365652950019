package io.vhca.harness.drill;

/**
 * What knowing the state of devices cost a bond with many queue pairs.
 *
 * @param off       WRITEs that completed in each round while nobody asked
 * @param on        and while they were asked each second
 * @param pausesNs  how long each dump kept the data path
 * @param failovers while dumps were written
 */
public record StateResult(double[] off, double[] on, long[] pausesNs, long failovers) {}
