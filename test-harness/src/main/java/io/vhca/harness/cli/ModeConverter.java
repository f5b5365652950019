package io.vhca.harness.cli;

import io.vhca.bond.BondMode;
import java.util.Arrays;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A mode by the name that a configuration gives it. */
final class ModeConverter implements ITypeConverter<BondMode> {
    @Override
    public BondMode convert(final String value) {
        return Arrays.stream(BondMode.values())
                .filter(mode -> mode.text().equals(value))
                .findFirst()
                .orElseThrow(() -> new TypeConversionException("'" + value + "' is no mode; there are "
                        + Arrays.stream(BondMode.values()).map(BondMode::text).collect(Collectors.joining(", "))));
    }
}
