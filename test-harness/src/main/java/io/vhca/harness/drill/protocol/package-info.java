/**
 * What the processes of a drill have in common: the lines and messages by which they speak, and small steps of the
 * connection manager.
 */
@NullMarked
package io.vhca.harness.drill.protocol;

import org.jspecify.annotations.NullMarked;
