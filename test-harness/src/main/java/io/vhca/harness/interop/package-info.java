/**
 * C programs as peers of this library: {@link CProgram} lists them, {@link InteropMain} is the Java side of all, as a
 * process in a lab machine.
 */
@NullMarked
package io.vhca.harness.interop;

import org.jspecify.annotations.NullMarked;
