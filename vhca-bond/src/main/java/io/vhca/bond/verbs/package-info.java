/**
 * The objects that an application holds: protection domains, memory regions, completion queues, shared receive queues
 * and queue pairs, each with its part on every member.
 */
@NullMarked
package io.vhca.bond.verbs;

import org.jspecify.annotations.NullMarked;
