/** The commands that the harness adds to the tool: simulator, drills, benchmarks, lab. */
@NullMarked
package io.vhca.harness.cli;

import org.jspecify.annotations.NullMarked;

