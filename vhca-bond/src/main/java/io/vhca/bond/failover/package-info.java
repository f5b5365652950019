/**
 * Recovery of a queue pair: exchange with the peer's bond, attachment to a new physical queue pair, and what notices
 * that a path is dead.
 */
@NullMarked
package io.vhca.bond.failover;

import org.jspecify.annotations.NullMarked;
