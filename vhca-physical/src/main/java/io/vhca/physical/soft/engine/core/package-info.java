/**
 * The bottom of the transport engine: what every part of it needs ({@link
 * io.vhca.physical.soft.engine.core.EngineCore}), its configuration, its counters, its ownership and its native memory.
 * Imports no other package of the engine.
 */
@NullMarked
package io.vhca.physical.soft.engine.core;

import org.jspecify.annotations.NullMarked;
