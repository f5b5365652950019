package io.vhca.harness.cli;

import io.vhca.harness.drill.protocol.DrillScenario;
import io.vhca.tool.console.NamedConverter;

/** A drill's scenario by its name. */
final class ScenarioConverter extends NamedConverter<DrillScenario> {
    ScenarioConverter() {
        super("scenario", DrillScenario.values(), DrillScenario::word);
    }
}
