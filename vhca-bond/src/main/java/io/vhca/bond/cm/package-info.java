/**
 * Connection management as an application sees it: ids, events, the first connect and accept, and the listener for
 * recoveries.
 */
@NullMarked
package io.vhca.bond.cm;

import org.jspecify.annotations.NullMarked;
