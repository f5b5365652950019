/** Bonds that are broken on purpose, a class a defect: the checkers must notice each. */
@NullMarked
package io.vhca.harness.sim.defect;

import org.jspecify.annotations.NullMarked;
