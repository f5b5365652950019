/**
 * The deterministic simulator: both applications, both hosts and the network in one thread on virtual time, everything
 * drawn from one seed, and checkers that prove the contract after every run. Packages, each of which imports only those
 * below it:
 *
 * <pre>
 *   sim           runs scenarios, one or many; reports, summaries, the shrinker
 *   sim.app       the simulated applications
 *   sim.host      the hosts: bonds over soft RNICs, or one soft RNIC alone
 *   sim.defect    bonds broken on purpose       sim.check   what must hold
 *   sim.proxy     what stands between a bond and its members
 *   sim.scenario  what a run is made of, and how it is drawn
 *   sim.fault     what is broken, when, and what it costs; sim.fault.kind: a class a kind of fault
 *   sim.core      sides, virtual time, random numbers, history, violations
 * </pre>
 */
@NullMarked
package io.vhca.harness.sim;

import org.jspecify.annotations.NullMarked;
