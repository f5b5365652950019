/**
 * The lab: two emulated machines with real rxe devices, joined by two links that can be pulled. {@link Lab} boots and
 * ends them, {@link Machine} is one of them, {@link GuestCommand} a command that runs in it, {@link LabFault} how a
 * link dies. Needs Linux on x86-64 with Debian's packages.
 */
@NullMarked
package io.vhca.harness.lab;

import org.jspecify.annotations.NullMarked;
