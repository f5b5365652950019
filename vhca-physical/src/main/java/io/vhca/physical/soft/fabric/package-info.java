/** A switched network in memory, on virtual time: the ground that the deterministic simulator stands on. */
@NullMarked
package io.vhca.physical.soft.fabric;

import org.jspecify.annotations.NullMarked;
