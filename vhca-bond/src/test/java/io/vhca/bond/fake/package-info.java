/**
 * Devices that live in memory and a network between them, both driven by hand: nothing happens by itself, nothing takes
 * time, and a test decides what is lost. One thread.
 */
@NullMarked
package io.vhca.bond.fake;

import org.jspecify.annotations.NullMarked;

