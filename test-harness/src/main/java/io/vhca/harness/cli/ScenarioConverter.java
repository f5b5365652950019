package io.vhca.harness.cli;

import io.vhca.harness.drill.DrillScenario;
import java.util.Arrays;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A drill's scenario by its name. */
final class ScenarioConverter implements ITypeConverter<DrillScenario> {
    @Override
    public DrillScenario convert(final String value) {
        return Arrays.stream(DrillScenario.values())
                .filter(scenario -> scenario.word().equals(value))
                .findFirst()
                .orElseThrow(() -> new TypeConversionException("'" + value + "' is no scenario; there are "
                        + Arrays.stream(DrillScenario.values())
                                .map(DrillScenario::word)
                                .collect(Collectors.joining(", "))));
    }
}
