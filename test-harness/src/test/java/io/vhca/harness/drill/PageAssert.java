package io.vhca.harness.drill;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.StringReader;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import org.xml.sax.InputSource;

/** What holds of every page. */
public final class PageAssert {
    private PageAssert() {}

    /** Fails unless the page is well-formed, fetches nothing, and shows no number that is none. */
    public static void isSelfContained(final String html) throws Exception {
        final DocumentBuilder builder = DocumentBuilderFactory.newInstance().newDocumentBuilder();
        builder.setEntityResolver((publicId, systemId) -> new InputSource(new ByteArrayInputStream(new byte[0])));
        builder.parse(new InputSource(new StringReader(html)));
        assertThat(html)
                .startsWith("<!DOCTYPE html>")
                .doesNotContain(
                        "http:", "https:", "//", "<script", "<link", "src=", "@import", "url(", "NaN", "Infinity");
    }
}
