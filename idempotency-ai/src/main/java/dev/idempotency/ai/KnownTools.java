package dev.idempotency.ai;

import java.util.function.BiFunction;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import org.jspecify.annotations.Nullable;

/**
 * The state that all wrappers of one tool share, however often a provider creates them.
 * Applications may create tools for each request, so only tools that are still referenced
 * and the most recent ones are cached.
 */
final class KnownTools {

	/**
	 * How many tools are cached that are not referenced, such as between two requests
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
	 * Returns the protection of a tool.
	 * @param name the name of the tool
	 * @param options how it is protected
	 * @param maker creates it, if there is none
	 */
	ProtectedTool protection(String name, ToolOptions options, BiFunction<String, ToolOptions, ProtectedTool> maker) {
		ToolId id = new ToolId(name, options);
		ProtectedTool tool = this.inUse.get(id, (missing) -> maker.apply(name, options));
		this.recent.put(id, tool);
		return tool;
	}

	/**
	 * Caches the metadata of a tool for as long as it is referenced.
	 * @return the instance that the wrapper of the tool must hold
	 */
	TaggedToolMetadata remember(String name, TaggedToolMetadata tagged) {
		return this.metadata.asMap()
			.compute(name, (key, present) -> (present != null && present.equals(tagged)) ? present : tagged);
	}

	/**
	 * Returns the metadata of a tool that is still referenced.
	 */
	@Nullable TaggedToolMetadata metadataOf(String name) {
		return this.metadata.getIfPresent(name);
	}

	/**
	 * Returns the number of cached entries.
	 */
	long size() {
		this.inUse.cleanUp();
		this.recent.cleanUp();
		this.metadata.cleanUp();
		return this.inUse.estimatedSize() + this.recent.estimatedSize() + this.metadata.estimatedSize();
	}

	/**
	 * Identifies a tool and its options.
	 */
	private record ToolId(String name, ToolOptions options) {
	}

}
