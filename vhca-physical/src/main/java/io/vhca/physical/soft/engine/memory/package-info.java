/** Registered memory: regions, their keys, and what a protection domain lets a queue pair read and write. */
@NullMarked
package io.vhca.physical.soft.engine.memory;

import org.jspecify.annotations.NullMarked;
