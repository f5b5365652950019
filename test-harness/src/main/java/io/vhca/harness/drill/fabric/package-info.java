/**
 * Where the processes of a drill run, and how their links are cut: on loopback, in network namespaces, on other hosts.
 */
@NullMarked
package io.vhca.harness.drill.fabric;

import org.jspecify.annotations.NullMarked;
