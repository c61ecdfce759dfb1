package dev.idempotency.http;

import java.lang.reflect.Method;
import java.security.Principal;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

import dev.idempotency.IdempotencyKeyInvalidException;
import dev.idempotency.IdempotencyScope;
import org.jspecify.annotations.Nullable;

import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.core.AuthenticatedPrincipal;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * The scope of an authenticated caller, or of nobody. A caller without a name of its own
 * is refused: it would share its keys with others, and get their responses.
 */
public final class CallerScope {

	private static final boolean SPRING_SECURITY = ClassUtils
		.isPresent("org.springframework.security.core.Authentication", CallerScope.class.getClassLoader());

	private static final String FILLERS = "\u115f\u1160\u2800\u3164\uffa0";

	private CallerScope() {
	}

	/**
	 * The scope of a caller.
	 * @param principal the caller, or {@code null} if nobody is authenticated
	 * @param operation what the key protects
	 * @param tenant the tenant, or {@code null} if there is none
	 * @throws IdempotencyKeyInvalidException if the caller has no name of its own
	 */
	public static IdempotencyScope of(@Nullable Principal principal, String operation, @Nullable String tenant) {
		Principal caller = SPRING_SECURITY ? SpringSecurity.callerOf(principal) : principal;
		String name = (caller != null) ? caller.getName() : null;
		if (caller != null && (name == null || name.codePoints().noneMatch(CallerScope::isVisible))) {
			throw refusal("The caller has no name of its own");
		}
		try {
			return new IdempotencyScope("", operation, name, tenant);
		}
		catch (IllegalArgumentException ex) {
			throw refusal(String.valueOf(ex.getMessage()));
		}
	}

	/**
	 * The caller that is bound to the current thread. A servlet request does not know an
	 * authentication whose principal is {@code null}.
	 * @return the caller, or {@code null} if there is none
	 */
	public static @Nullable Principal currentCaller() {
		return SPRING_SECURITY ? SpringSecurity.currentCaller() : null;
	}

	/**
	 * Whether a character can be seen. Marks need one that can, and fillers are letters
	 * without a shape.
	 */
	private static boolean isVisible(int character) {
		return switch (Character.getType(character)) {
			case Character.CONTROL, Character.FORMAT, Character.SPACE_SEPARATOR, Character.LINE_SEPARATOR,
					Character.PARAGRAPH_SEPARATOR, Character.NON_SPACING_MARK, Character.ENCLOSING_MARK ->
				false;
			default -> FILLERS.indexOf(character) < 0;
		};
	}

	private static IdempotencyKeyInvalidException refusal(String why) {
		return new IdempotencyKeyInvalidException(why
				+ ". Its keys could not be told from those of others. The application has to define a ScopeResolver that names it.");
	}

	/**
	 * Loaded only where there is Spring Security.
	 */
	private static final class SpringSecurity {

		/**
		 * Of a user of OAuth 2, whose module this one does not need.
		 */
		private static final @Nullable Method OAUTH2_ATTRIBUTES = oauth2Attributes();

		private static @Nullable Method oauth2Attributes() {
			try {
				return ClassUtils
					.forName("org.springframework.security.oauth2.core.OAuth2AuthenticatedPrincipal",
							CallerScope.class.getClassLoader())
					.getMethod("getAttributes");
			}
			catch (ReflectiveOperationException | LinkageError ex) {
				return null;
			}
		}

		static @Nullable Principal currentCaller() {
			return SecurityContextHolder.getContext().getAuthentication();
		}

		static @Nullable Principal callerOf(@Nullable Principal caller) {
			if (caller instanceof AnonymousAuthenticationToken) {
				return null;
			}
			if (caller instanceof Authentication authentication && !isNamed(authentication)) {
				throw refusal("The caller is not authenticated, or its name is only the text of an object");
			}
			return caller;
		}

		/**
		 * Whether the name is verified, and is a name. By default, it is the
		 * {@code toString} of the principal, which may differ for each instance, be the
		 * same for all of them, or contain secrets.
		 */
		private static boolean isNamed(Authentication authentication) {
			return authentication.isAuthenticated() && isName(authentication.getName(), authentication.getPrincipal());
		}

		private static boolean isName(String name, @Nullable Object principal) {
			if (isText(principal) || principal instanceof UserDetails) {
				return true;
			}
			if (principal instanceof Authentication inner && Objects.equals(name, inner.getName())) {
				return !(inner instanceof AnonymousAuthenticationToken) && isName(name, inner.getPrincipal());
			}
			if (principal instanceof AuthenticatedPrincipal named) {
				return !isTextOfAttribute(name, named);
			}
			return principal instanceof Principal || !String.valueOf(principal).equals(name);
		}

		/**
		 * Whether the {@code toString} of a value says all of it.
		 */
		private static boolean isText(@Nullable Object value) {
			return value instanceof String || value instanceof UUID
					|| (value instanceof Number && value.getClass().getName().startsWith("java."));
		}

		private static boolean isTextOfAttribute(String name, AuthenticatedPrincipal principal) {
			Object attributes = (OAUTH2_ATTRIBUTES != null
					&& OAUTH2_ATTRIBUTES.getDeclaringClass().isInstance(principal))
							? ReflectionUtils.invokeMethod(OAUTH2_ATTRIBUTES, principal) : null;
			return attributes instanceof Map<?, ?> known && known.values()
				.stream()
				.anyMatch((value) -> value != null && !isText(value) && value.toString().equals(name));
		}

	}

}
