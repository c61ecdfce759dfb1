package dev.idempotency.http;

import java.security.Principal;
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

/**
 * The scope of an authenticated caller, or of nobody. A caller without a name of its own
 * is refused: it would share its keys with others, and get their responses.
 */
public final class CallerScope {

	private static final boolean SPRING_SECURITY = ClassUtils
		.isPresent("org.springframework.security.core.Authentication", CallerScope.class.getClassLoader());

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
		if (caller != null && (name == null || name.isBlank())) {
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

	private static IdempotencyKeyInvalidException refusal(String why) {
		return new IdempotencyKeyInvalidException(why
				+ ". Its keys could not be told from those of others. The application has to define a ScopeResolver that names it.");
	}

	/**
	 * Loaded only where there is Spring Security.
	 */
	private static final class SpringSecurity {

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
			Object principal = authentication.getPrincipal();
			return authentication.isAuthenticated() && (principal instanceof CharSequence || principal instanceof Number
					|| principal instanceof UUID || principal instanceof UserDetails
					|| principal instanceof AuthenticatedPrincipal || principal instanceof Principal
					|| !String.valueOf(principal).equals(authentication.getName()));
		}

	}

}
