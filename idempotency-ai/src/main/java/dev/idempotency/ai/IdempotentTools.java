package dev.idempotency.ai;

import java.time.Clock;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;

import dev.idempotency.Idempotency;
import dev.idempotency.IdempotencyConfigurationException;
import dev.idempotency.IdempotencyContext.Binding;
import dev.idempotency.IdempotencyKey;
import dev.idempotency.ai.ToolMethods.ToolAnnotations;
import dev.idempotency.call.AnnotationPolicies;
import dev.idempotency.call.ToolOperations;
import dev.idempotency.call.UnprotectedContext;
import org.jspecify.annotations.Nullable;

import org.springframework.ai.tool.ToolCallback;
import org.springframework.ai.tool.ToolCallbackProvider;

/**
 * Protects tools of agents: a tool that writes runs once for the same arguments in the
 * same session, also across processes.
 */
public final class IdempotentTools {

	/**
	 * The entry of a tool's context that requests a dry run, if it is {@code true}: tools
	 * that write report what they would do, and do not run.
	 */
	public static final String DRY_RUN = ToolDryRun.ENTRY;

	private final @Nullable Protection protection;

	private final KnownTools known = new KnownTools();

	/**
	 * Create the protection of an application's tools.
	 * @param idempotency runs each call once
	 * @param policies resolve annotations
	 * @param defaults the options of tools that do not set their own
	 * @param clock the clock of caches and loop guards
	 */
	public IdempotentTools(Idempotency idempotency, AnnotationPolicies policies, ToolDefaults defaults, Clock clock) {
		this.protection = new Protection(idempotency, policies, defaults, clock);
	}

	private IdempotentTools() {
		this.protection = null;
	}

	/**
	 * Returns an instance that does not protect tools, so that an application still runs
	 * when protection is switched off. Side effects are still in the metadata, and dry
	 * runs do not run the tool.
	 */
	public static IdempotentTools disabled() {
		return new IdempotentTools();
	}

	/**
	 * Protects all tools of a provider.
	 * @param options how they are protected
	 * @return the provider of protected tools
	 */
	public ToolCallbackProvider wrap(ToolCallbackProvider provider, ToolOptions options) {
		return new IdempotentToolCallbackProvider(provider, (tool) -> wrap(tool, options));
	}

	/**
	 * Protects tools.
	 * @param options how they are protected
	 */
	public ToolCallback[] wrap(ToolCallback[] tools, ToolOptions options) {
		return Arrays.stream(tools).map((tool) -> wrap(tool, options)).toArray(ToolCallback[]::new);
	}

	/**
	 * Protects a tool.
	 * @param options how it is protected
	 * @throws IdempotencyConfigurationException if the annotation of its method is not
	 * valid for a tool
	 */
	public ToolCallback wrap(ToolCallback tool, ToolOptions options) {
		ToolCallback bare = (tool instanceof IdempotentToolCallback wrapped) ? wrapped.tool() : tool;
		return wrap(bare, options, ToolMethods.annotationsOf(bare));
	}

	/**
	 * Protects a tool if its method is annotated for it, and adds its side effects to its
	 * metadata.
	 */
	ToolCallback wrapIfAnnotated(ToolCallback tool) {
		ToolAnnotations annotations = (tool instanceof IdempotentToolCallback) ? null : ToolMethods.annotationsOf(tool);
		if (annotations == null) {
			return tool;
		}
		if (annotations.asksForProtection() || annotations.onlyReads()) {
			return wrap(tool, ToolOptions.defaults(), annotations);
		}
		return new IdempotentToolCallback(tool, known(tool, ToolOptions.defaults(), annotations, false), null);
	}

	/**
	 * Whether the method behind a tool is annotated.
	 */
	static boolean isAnnotated(ToolCallback tool) {
		return ToolMethods.annotationsOf(tool) != null;
	}

	/**
	 * Returns the metadata of a tool that was wrapped by this instance.
	 */
	Optional<TaggedToolMetadata> metadataOf(String tool) {
		return Optional.ofNullable(this.known.metadataOf(tool));
	}

	/**
	 * Returns the number of cached tools and metadata.
	 */
	long remembered() {
		return this.known.size();
	}

	private ToolCallback wrap(ToolCallback tool, ToolOptions options, @Nullable ToolAnnotations annotations) {
		if (annotations != null && annotations.declinesProtection()) {
			return new IdempotentToolCallback(tool, known(tool, options, annotations, false), null);
		}
		Protection around = this.protection;
		if (around == null) {
			TaggedToolMetadata tagged = known(tool, options, annotations, false);
			boolean reads = tagged.sideEffects().contains(SideEffect.READ);
			return new IdempotentToolCallback(tool, tagged, unprotected(options, reads));
		}
		ToolOptions merged = (annotations != null) ? annotations.over(options, around.policies()) : options;
		ProtectedTool protectedTool = this.known.protection(tool.getToolDefinition().name(), merged, around::of);
		return new IdempotentToolCallback(tool, known(tool, merged, null, protectedTool.runsOnce()), protectedTool);
	}

	private TaggedToolMetadata known(ToolCallback tool, ToolOptions options, @Nullable ToolAnnotations annotations,
			boolean runsOnce) {
		TaggedToolMetadata result = new TaggedToolMetadata(tool.getToolMetadata().returnDirect(),
				(annotations != null && annotations.sideEffects() != null) ? annotations.tags() : options.sideEffects(),
				runsOnce);
		return this.known.remember(tool.getToolDefinition().name(), result);
	}

	/**
	 * What protects tools.
	 */
	private record Protection(Idempotency idempotency, AnnotationPolicies policies, ToolDefaults defaults,
			Clock clock) {

		private ProtectedTool of(String name, ToolOptions options) {
			return new ProtectedTool(name, options, this.defaults, this.idempotency, this.clock);
		}

	}

	/**
	 * A tool that runs each time, because protection is switched off. It still has a
	 * context, and dry runs do not run it.
	 */
	private static GuardedTool unprotected(ToolOptions options, boolean readsOnly) {
		return (tool, input, given) -> {
			String name = tool.getToolDefinition().name();
			if (!readsOnly && ToolDryRun.isAskedFor(tool, options, given)) {
				return ToolReports.ofDryRun(name, null, options.onCrash());
			}
			IdempotencyKey key = UnprotectedContext.randomKey(ToolOperations.of(name));
			try (Binding binding = new UnprotectedContext(key).makeCurrent()) {
				Objects.requireNonNull(binding);
				return ProtectedTool.run(tool, input, given);
			}
		};
	}

}
