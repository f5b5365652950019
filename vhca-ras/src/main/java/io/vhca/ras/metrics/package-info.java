/** The bonds of running processes as Prometheus metrics, read from their status files: no application carries this. */
@NullMarked
package io.vhca.ras.metrics;

import org.jspecify.annotations.NullMarked;
