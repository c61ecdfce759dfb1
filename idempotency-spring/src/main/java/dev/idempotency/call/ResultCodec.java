package dev.idempotency.call;

import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.idempotency.IdempotencyKeys;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.AnnotationIntrospector;
import tools.jackson.databind.DatabindException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.exc.InvalidDefinitionException;
import tools.jackson.databind.introspect.Annotated;
import tools.jackson.databind.introspect.NopAnnotationIntrospector;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.BasicPolymorphicTypeValidator;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.StdSerializer;

/**
 * Turns results into bytes and back, as JSON of the type that the application declares:
 * no class is ever named by what is stored.
 */
public final class ResultCodec {

	private final JsonMapper mapper;

	/**
	 * Writes what is compared.
	 */
	private final JsonMapper sorting;

	/**
	 * Create a codec.
	 * @param mapper the application's own; what it says about types that name themselves
	 * by their class does not count here
	 */
	public ResultCodec(JsonMapper mapper) {
		AnnotationIntrospector annotations = mapper.serializationConfig().getAnnotationIntrospector();
		this.mapper = mapper.rebuild()
			.deactivateDefaultTyping()
			.polymorphicTypeValidator(BasicPolymorphicTypeValidator.builder().build())
			.annotationIntrospector(AnnotationIntrospector.pair(new NoClassNames(annotations), annotations))
			// What shows nothing of itself cannot be given back, nor told from another
			.enable(SerializationFeature.FAIL_ON_EMPTY_BEANS)
			.build();
		this.sorting = this.mapper.rebuild().addModule(new SimpleModule().addSerializer(new SortedSets())).build();
	}

	/**
	 * How results of a type are written and read.
	 * @param type the type, which may be {@code void}
	 * @return the format
	 */
	public ResultFormat forType(Type type) {
		JavaType javaType = this.mapper.constructType(type);
		ObjectReader reader = this.mapper.readerFor(javaType).with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
		return new ResultFormat(javaType, this.mapper.writerFor(javaType),
				reader.with(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES),
				reader.without(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES));
	}

	/**
	 * Makes sure that results of a type can be read back, as far as the type shows.
	 * @param type the type
	 * @throws IllegalArgumentException if they cannot, with the reason
	 */
	public void requireReadable(Type type) {
		JavaType javaType = this.mapper.constructType(type);
		if (javaType.isJavaLangObject()) {
			throw new IllegalArgumentException("%s says nothing about what to read".formatted(type.getTypeName()));
		}
		if (ResultFormat.isNothing(javaType)) {
			return;
		}
		try {
			this.mapper.readerFor(javaType).readValue("{}");
		}
		catch (InvalidDefinitionException ex) {
			throw new IllegalArgumentException(ex.getOriginalMessage(), ex);
		}
		catch (DatabindException ex) {
			// Not the content such a value has, but there is a way to read it
		}
	}

	/**
	 * A value as maps, lists, texts, numbers, truth values and {@code null}. Equal sets
	 * are equal lists.
	 */
	Object toPlainValue(Object value) {
		try {
			return this.sorting.convertValue(value, Object.class);
		}
		catch (RuntimeException | StackOverflowError ex) {
			throw new IllegalArgumentException(
					"The inputs cannot be compared, since a %s cannot be written as JSON: pass a map or a record"
						.formatted(value.getClass().getName()),
					ex);
		}
	}

	/**
	 * The order of a set may be another one in the next process.
	 */
	private final class SortedSets extends StdSerializer<Set<?>> {

		private SortedSets() {
			super(Set.class);
		}

		@Override
		public void serialize(Set<?> set, JsonGenerator generator, SerializationContext context) {
			List<@Nullable Object> items = new ArrayList<>();
			set.forEach((item) -> items.add((item != null) ? toPlainValue(item) : null));
			items.sort(Comparator.comparing((item) -> IdempotencyKeys.forArgs("", Collections.singletonMap("", item))));
			context.writeValue(generator, items);
		}

	}

	/**
	 * Refuses types that name their class, when they are written and when they are read.
	 */
	private static final class NoClassNames extends NopAnnotationIntrospector {

		private static final long serialVersionUID = 1L;

		private final AnnotationIntrospector application;

		private NoClassNames(AnnotationIntrospector application) {
			this.application = application;
		}

		@Override
		public JsonTypeInfo.@Nullable Value findPolymorphicTypeInfo(MapperConfig<?> config, Annotated annotated) {
			JsonTypeInfo.Value info = this.application.findPolymorphicTypeInfo(config, annotated);
			if (info != null && (info.getIdType() == JsonTypeInfo.Id.CLASS
					|| info.getIdType() == JsonTypeInfo.Id.MINIMAL_CLASS)) {
				throw new IllegalArgumentException(
						"%s names its class, which is neither stored nor read: use names, with @JsonTypeInfo(use = NAME)"
							.formatted(annotated.getName()));
			}
			return info;
		}

	}

}
