/**
 * The simulator of reliable datagram sockets: nodes with bonds over simulated devices, drivers and applications in one
 * thread on virtual time, everything drawn from one seed, and the contract of docs/RDP.md checked in every run.
 */
@NullMarked
package io.vhca.harness.rdp;

import org.jspecify.annotations.NullMarked;
