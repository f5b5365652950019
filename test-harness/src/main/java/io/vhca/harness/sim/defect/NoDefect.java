package io.vhca.harness.sim.defect;

/** Nothing is broken. */
final class NoDefect implements Defect {}
