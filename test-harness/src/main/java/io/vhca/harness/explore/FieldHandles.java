package io.vhca.harness.explore;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Set;
import java.util.TreeSet;

/** The private fields of one class, all of which somebody has thought of. */
final class FieldHandles {
    private final Class<?> type;
    private final MethodHandles.Lookup lookup;

    /** Throws IllegalStateException where the class has other fields than those: what they mean for a copy is open. */
    FieldHandles(final Class<?> type, final Set<String> known) {
        this.type = type;
        final Set<String> present = new TreeSet<>();
        for (final Field field : type.getDeclaredFields()) {
            if (!Modifier.isStatic(field.getModifiers())) {
                present.add(field.getName());
            }
        }
        if (!present.equals(known)) {
            throw new IllegalStateException("the fields of " + type.getSimpleName() + " are " + present + ", and "
                    + new TreeSet<>(known) + " are known; say in MachineImage what the others mean for a copy");
        }
        try {
            lookup = MethodHandles.privateLookupIn(type, MethodHandles.lookup());
        } catch (final IllegalAccessException e) {
            throw new IllegalStateException("no access to " + type, e);
        }
    }

    Class<?> typeOf(final String field) {
        try {
            return type.getDeclaredField(field).getType();
        } catch (final NoSuchFieldException e) {
            throw new IllegalStateException("no field " + field + " in " + type, e);
        }
    }

    /** A field, whose owner may be passed as an Object. */
    VarHandle field(final String name) {
        try {
            return lookup.findVarHandle(type, name, typeOf(name));
        } catch (final ReflectiveOperationException e) {
            throw new IllegalStateException("no access to " + name + " of " + type, e);
        }
    }

    /** A constructor, which returns an Object. */
    MethodHandle constructor(final Class<?>... parameters) {
        try {
            final MethodHandle made = lookup.findConstructor(type, MethodType.methodType(void.class, parameters));
            return made.asType(made.type().changeReturnType(Object.class));
        } catch (final ReflectiveOperationException e) {
            throw new IllegalStateException("no such constructor of " + type, e);
        }
    }
}
