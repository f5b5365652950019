/**
 * Virtual queues: their slots, cursors and gates, the keys that their work requests name, and the completions that are
 * owed. Application threads run this; recovery enters through the gates.
 */
@NullMarked
package io.vhca.bond.queue;

import org.jspecify.annotations.NullMarked;
