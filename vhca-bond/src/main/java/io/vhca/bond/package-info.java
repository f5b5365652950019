/**
 * Provider {@code bond}: virtual objects that map one to one to physical ones on one of several member devices, and
 * move to another member when a path dies.
 *
 * <p>Members are reached through vhca-api only; nothing here knows what kind of device a member is. Recovery decisions
 * come from {@code io.vhca.recovery}.
 */
@NullMarked
package io.vhca.bond;

import org.jspecify.annotations.NullMarked;
