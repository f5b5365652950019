/** A rolling upgrade: processes that all talk to each other are restarted one by one with the new version. */
@NullMarked
package io.vhca.harness.drill.versions;

import org.jspecify.annotations.NullMarked;
