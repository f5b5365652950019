/** Whether the parts of a bond are well, as devlink's reporters say it of a device. */
@NullMarked
package io.vhca.ras.health;

import org.jspecify.annotations.NullMarked;
