/** Which member a queue pair lives on: modes, load, planned moves, link state, and members that come and go. */
@NullMarked
package io.vhca.bond.placement;

import org.jspecify.annotations.NullMarked;
