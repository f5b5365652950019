/** Where a benchmark spends its time: samples of the processes that it runs, drawn as flame graphs. */
@NullMarked
package io.vhca.harness.bench.profile;

import org.jspecify.annotations.NullMarked;
