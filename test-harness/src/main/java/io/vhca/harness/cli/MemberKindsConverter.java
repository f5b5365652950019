package io.vhca.harness.cli;

import io.vhca.harness.lab.MemberKinds;
import io.vhca.tool.console.NamedConverter;

/** What the members of a lab drill are, by its word. */
final class MemberKindsConverter extends NamedConverter<MemberKinds> {
    MemberKindsConverter() {
        super("device", MemberKinds.values(), MemberKinds::word);
    }
}
