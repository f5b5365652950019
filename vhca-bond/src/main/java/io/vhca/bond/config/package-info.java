/**
 * What an operator may set about a bond: the options, their values, and the parser of configuration files. Imports
 * nothing of the bond.
 */
@NullMarked
package io.vhca.bond.config;

import org.jspecify.annotations.NullMarked;
