/** One member device of a bond: its context, its port's state and what stands on it. */
@NullMarked
package io.vhca.bond.member;

import org.jspecify.annotations.NullMarked;
