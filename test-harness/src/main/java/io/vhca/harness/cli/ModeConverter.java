package io.vhca.harness.cli;

import io.vhca.bond.config.BondMode;
import io.vhca.tool.console.NamedConverter;

/** A mode by the name that a configuration gives it. */
final class ModeConverter extends NamedConverter<BondMode> {
    ModeConverter() {
        super("mode", BondMode.values(), BondMode::text);
    }
}
