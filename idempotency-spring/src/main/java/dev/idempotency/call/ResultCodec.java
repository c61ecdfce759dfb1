package dev.idempotency.call;

import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.idempotency.digest.Sha256;
import dev.idempotency.json.CanonicalJson;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.json.JsonWriteFeature;
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
 * Turns results into bytes and back, as JSON of the type that the application declares.
 * What is stored never names a class.
 */
public final class ResultCodec {

	private final JsonMapper mapper;

	/**
	 * Writes values that are compared. Numbers must be written as numbers.
	 */
	private final JsonMapper sorting;

	/**
	 * Create a codec.
	 * @param mapper the mapper of the application; its default typing, and annotations
	 * that name types by their class, do not apply here
	 */
	public ResultCodec(JsonMapper mapper) {
		AnnotationIntrospector annotations = mapper.serializationConfig().getAnnotationIntrospector();
		this.mapper = mapper.rebuild()
			.deactivateDefaultTyping()
			.polymorphicTypeValidator(BasicPolymorphicTypeValidator.builder().build())
			.annotationIntrospector(AnnotationIntrospector.pair(new NoClassNames(annotations), annotations))
			// A value without properties can be neither restored nor compared
			.enable(SerializationFeature.FAIL_ON_EMPTY_BEANS)
			.build();
		this.sorting = this.mapper.rebuild()
			.disable(SerializationFeature.WRAP_ROOT_VALUE)
			.disable(JsonWriteFeature.WRITE_NAN_AS_STRINGS, JsonWriteFeature.WRITE_NUMBERS_AS_STRINGS)
			.addModule(new SimpleModule().addSerializer(new SortedSets()))
			.build();
	}

	/**
	 * The format for results of a type.
	 * @param type the type, which may be {@code void}
	 */
	public ResultFormat forType(Type type) {
		JavaType javaType = this.mapper.constructType(type);
		ObjectReader reader = this.mapper.readerFor(javaType).with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
		return new ResultFormat(javaType, this.mapper.writerFor(javaType),
				reader.with(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES),
				reader.without(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES));
	}

	/**
	 * Makes sure that results of a type can be read back, as far as the type tells.
	 * @throws IllegalArgumentException if they cannot, with the reason
	 */
	public void requireReadable(Type type) {
		JavaType javaType = this.mapper.constructType(type);
		if (javaType.isJavaLangObject()) {
			throw new IllegalArgumentException("%s does not tell what to read".formatted(type.getTypeName()));
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
			// The type can be read, only not from this content
		}
	}

	/**
	 * A digest that is the same for values with the same JSON. Equal sets are equal
	 * lists.
	 */
	byte[] digest(@Nullable Object value) {
		return digest(value, write(value));
	}

	private static byte[] digest(@Nullable Object value, byte[] json) {
		byte[] digest = CanonicalJson.digest(json, json.length, Sha256.newDigest());
		if (digest == null) {
			throw incomparable(value, null);
		}
		return digest;
	}

	private byte[] write(@Nullable Object value) {
		try {
			return this.sorting.writeValueAsBytes(value);
		}
		catch (RuntimeException | StackOverflowError ex) {
			throw incomparable(value, ex);
		}
	}

	private static IllegalArgumentException incomparable(@Nullable Object value, @Nullable Throwable cause) {
		return new IllegalArgumentException(
				"The inputs cannot be compared, because a %s cannot be written as JSON. Pass a map or a record."
					.formatted((value != null) ? value.getClass().getName() : null),
				cause);
	}

	/**
	 * Sorts sets, whose order may differ in the next process.
	 */
	private final class SortedSets extends StdSerializer<Set<?>> {

		private SortedSets() {
			super(Set.class);
		}

		@Override
		public void serialize(Set<?> set, JsonGenerator generator, SerializationContext context) {
			List<Item> items = new ArrayList<>();
			for (Object item : set) {
				byte[] json = write(item);
				items.add(new Item(json, digest(item, json)));
			}
			items.sort(Comparator.comparing(Item::digest, Arrays::compare));
			generator.writeStartArray();
			items.forEach((item) -> generator.writeRawValue(new String(item.json, StandardCharsets.UTF_8)));
			generator.writeEndArray();
		}

		@SuppressWarnings("ArrayRecordComponent")
		private record Item(byte[] json, byte[] digest) {
		}

	}

	/**
	 * Refuses types that name their class, both in writing and in reading.
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
						"%s names its class, which is neither stored nor read. Use names, with @JsonTypeInfo(use = NAME)"
							.formatted(annotated.getName()));
			}
			return info;
		}

	}

}
