/**
 * What every layer needs: the lock, the clock, the counters, events and reports of a bond. Knows no member and no queue
 * pair.
 */
@NullMarked
package io.vhca.bond.core;

import org.jspecify.annotations.NullMarked;
