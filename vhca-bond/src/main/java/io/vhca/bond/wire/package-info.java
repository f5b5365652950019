/** Layouts only: work request ids, queue pair numbers, keys, slots, marks and the ledger word. No logic, no state. */
@NullMarked
package io.vhca.bond.wire;

import org.jspecify.annotations.NullMarked;
