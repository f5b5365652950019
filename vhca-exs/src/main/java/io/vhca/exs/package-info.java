/**
 * Extended sockets: sockets with registered memory and event queues over a device of vhca-api. {@link io.vhca.exs.Exs}
 * is where a program begins.
 */
@NullMarked
package io.vhca.exs;

import org.jspecify.annotations.NullMarked;
