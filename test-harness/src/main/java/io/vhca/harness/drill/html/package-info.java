/** Pages that a browser shows without anything else: style, tables, charts. */
@NullMarked
package io.vhca.harness.drill.html;

import org.jspecify.annotations.NullMarked;
