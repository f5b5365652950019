/** The kinds of attacks: a class a kind, a row of {@link io.vhca.harness.drill.attack.kind.AttackTable} each use. */
@NullMarked
package io.vhca.harness.drill.attack.kind;

import org.jspecify.annotations.NullMarked;
