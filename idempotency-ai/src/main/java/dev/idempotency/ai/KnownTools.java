package dev.idempotency.ai;

import java.util.function.BiFunction;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import org.jspecify.annotations.Nullable;

/**
 * What all wrappers of one tool share: what is remembered of its calls must not depend on
 * how often a provider is asked for its tools. Applications that make tools anew for each
 * request are not to fill the memory with them, so that only those are known that someone
 * still has, and the ones that were asked for lately.
 */
final class KnownTools {

	/**
	 * How many tools are known although nobody has them now, such as between two requests
	 * that wrap the same ones.
	 */
	static final int MAX_RECENT = 256;

	private final Cache<ToolId, ProtectedTool> inUse = Caffeine.newBuilder().weakValues().build();

	private final Cache<ToolId, ProtectedTool> recent = Caffeine.newBuilder()
		.maximumSize(MAX_RECENT)
		.executor(Runnable::run)
		.build();

	private final Cache<String, TaggedToolMetadata> metadata = Caffeine.newBuilder().weakValues().build();

	/**
	 * What protects a tool.
	 * @param name the name of the tool
	 * @param options how it is protected
	 * @param maker makes it, if there is none
	 */
	ProtectedTool protection(String name, ToolOptions options, BiFunction<String, ToolOptions, ProtectedTool> maker) {
		ToolId id = new ToolId(name, options);
		ProtectedTool tool = this.inUse.get(id, (missing) -> maker.apply(name, options));
		this.recent.put(id, tool);
		return tool;
	}

	/**
	 * Remembers what is known of a tool, for as long as someone has it.
	 * @return what is to be kept by whoever has the tool
	 */
	TaggedToolMetadata remember(String name, TaggedToolMetadata tagged) {
		return this.metadata.asMap()
			.compute(name, (key, present) -> (present != null && present.equals(tagged)) ? present : tagged);
	}

	/**
	 * What is known of a tool that someone has.
	 */
	@Nullable TaggedToolMetadata metadataOf(String name) {
		return this.metadata.getIfPresent(name);
	}

	/**
	 * How much is remembered.
	 */
	long size() {
		this.inUse.cleanUp();
		this.recent.cleanUp();
		this.metadata.cleanUp();
		return this.inUse.estimatedSize() + this.recent.estimatedSize() + this.metadata.estimatedSize();
	}

	/**
	 * A tool as it is protected.
	 */
	private record ToolId(String name, ToolOptions options) {
	}

}
