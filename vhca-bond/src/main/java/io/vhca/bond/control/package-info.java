/** The bond's own connection to each peer: keys, ledger words, confirmations and emulated atomics. */
@NullMarked
package io.vhca.bond.control;

import org.jspecify.annotations.NullMarked;
