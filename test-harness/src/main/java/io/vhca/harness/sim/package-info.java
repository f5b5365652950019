/**
 * The deterministic simulator: both applications, both hosts and the network in one thread on virtual time, everything
 * drawn from one seed, and checkers that prove the contract after every run.
 */
@NullMarked
package io.vhca.harness.sim;

import org.jspecify.annotations.NullMarked;
