/** Connections between drivers, over vhca-api: one queue pair a size class and node. */
@NullMarked
package io.vhca.rdp.verbs;

import org.jspecify.annotations.NullMarked;
