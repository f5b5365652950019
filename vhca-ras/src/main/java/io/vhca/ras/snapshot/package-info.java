/** What a bond and its members were at the moment when something failed, in files that stay. */
@NullMarked
package io.vhca.ras.snapshot;

import org.jspecify.annotations.NullMarked;
