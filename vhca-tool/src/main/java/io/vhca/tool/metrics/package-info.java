/** The ways of metrics to a Prometheus server. */
@NullMarked
package io.vhca.tool.metrics;

import org.jspecify.annotations.NullMarked;

