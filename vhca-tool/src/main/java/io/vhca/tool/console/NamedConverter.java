package io.vhca.tool.console;

import java.util.Arrays;
import java.util.function.Function;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** One of several values by its name; another name is told those that there are. */
public class NamedConverter<T> implements ITypeConverter<T> {
    private final String what;
    private final T[] values;
    private final Function<T, String> name;

    /** @param what a word for what the values are */
    protected NamedConverter(final String what, final T[] values, final Function<T, String> name) {
        this.what = what;
        this.values = values;
        this.name = name;
    }

    @Override
    public T convert(final String text) {
        return Arrays.stream(values)
                .filter(value -> name.apply(value).equals(text))
                .findFirst()
                .orElseThrow(() -> new TypeConversionException("'" + text + "' is no " + what + "; there are "
                        + Arrays.stream(values).map(name).collect(Collectors.joining(", "))));
    }
}
