/**
 * Questions whether a path carries, by datagrams: one UD queue pair a member, and nothing kept for a path but an
 * address handle. They are answered in a round trip, which the connection manager is not.
 */
@NullMarked
package io.vhca.bond.echo;

import org.jspecify.annotations.NullMarked;
