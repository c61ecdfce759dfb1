package dev.idempotency.web;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;

import javax.security.auth.x500.X500Principal;

import org.jspecify.annotations.Nullable;

import org.springframework.security.authentication.AbstractAuthenticationToken;
import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.authentication.RememberMeAuthenticationToken;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.authentication.jaas.JaasAuthenticationToken;
import org.springframework.security.authentication.ott.OneTimeTokenAuthentication;
import org.springframework.security.authentication.ott.OneTimeTokenAuthenticationToken;
import org.springframework.security.core.AuthenticatedPrincipal;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.GrantedAuthority;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.oauth2.core.DefaultOAuth2AuthenticatedPrincipal;
import org.springframework.security.oauth2.core.OAuth2AccessToken;
import org.springframework.security.oauth2.core.OAuth2AuthenticatedPrincipal;
import org.springframework.security.oauth2.core.user.DefaultOAuth2User;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.server.resource.authentication.BearerTokenAuthentication;
import org.springframework.security.oauth2.server.resource.authentication.BearerTokenAuthenticationToken;
import org.springframework.security.oauth2.server.resource.authentication.DPoPAuthenticationToken;
import org.springframework.security.oauth2.server.resource.authentication.JwtAuthenticationConverter;
import org.springframework.security.web.authentication.preauth.PreAuthenticatedAuthenticationToken;

/**
 * The ways in which Spring Security, and applications on top of it, say who is calling.
 */
enum CallerKind {

	USER_DETAILS(Fate.APART, (caller) -> user(details(caller))),

	USER_NAME(Fate.APART, (caller) -> user(caller)),

	USER_NUMBER(Fate.APART, (caller) -> user((long) caller.length() + caller.hashCode())),

	USER_UUID(Fate.APART, (caller) -> user(UUID.nameUUIDFromBytes(caller.getBytes(StandardCharsets.UTF_8)))),

	USER_PRINCIPAL(Fate.APART, (caller) -> user(new X500Principal("CN=" + caller))),

	USER_AUTHENTICATED_PRINCIPAL(Fate.APART, (caller) -> user(named(caller))),

	USER_OBJECT(Fate.REFUSED, (caller) -> user(new UserObject(caller))),

	USER_OBJECT_WITH_HASH_CODE(Fate.REFUSED, (caller) -> user(new UserWithHashCode(caller))),

	USER_OBJECT_OF_ONE_TEXT(Fate.REFUSED, (caller) -> user(new UserOfOneText(caller))),

	USER_RECORD(Fate.REFUSED, (caller) -> user(new UserRecord(caller, Instant.now()))),

	USER_MAP(Fate.REFUSED, (caller) -> user(Map.of("id", caller, "roles", new Object()))),

	USER_BYTES(Fate.REFUSED, (caller) -> user(caller.getBytes(StandardCharsets.UTF_8))),

	USER_ENUM(Fate.REFUSED, (caller) -> user(Fate.APART)),

	USER_NULL(Fate.REFUSED, (caller) -> user(null)),

	USER_EMPTY(Fate.REFUSED, (caller) -> user("")),

	USER_BLANK(Fate.REFUSED, (caller) -> user(" ")),

	USER_BLANK_IN_UNICODE(Fate.REFUSED, (caller) -> user("\u2003")),

	USER_NO_BREAK_SPACE(Fate.REFUSED, (caller) -> user("\u00a0")),

	USER_INVISIBLE(Fate.REFUSED, (caller) -> user("\u200b\ufeff\u2060")),

	USER_CONTROL_CHARACTER(Fate.REFUSED, (caller) -> user("\u0001\0")),

	USER_HANGUL_FILLER(Fate.REFUSED, (caller) -> user("\u3164")),

	USER_DETAILS_INVISIBLE(Fate.REFUSED, (caller) -> user(details("\u200b"))),

	/**
	 * Outside of the basic plane, where a character is two.
	 */
	USER_EMOJI(Fate.APART, (caller) -> user(isOne(caller) ? "\ud83d\ude00" : "\ud83d\ude01")),

	USER_TAG(Fate.REFUSED, (caller) -> user("\udb40\udc41")),

	USER_NUMBER_OF_ITS_OWN(Fate.REFUSED, (caller) -> user(new OwnNumber(caller))),

	USER_TEXT_OF_ITS_OWN(Fate.REFUSED, (caller) -> user(new OwnText(caller))),

	USER_BIG_NUMBER(Fate.APART, (caller) -> user(BigInteger.valueOf(caller.hashCode()))),

	USER_AUTHENTICATION(Fate.APART, (caller) -> user(user(caller))),

	USER_AUTHENTICATION_OF_OBJECT(Fate.REFUSED, (caller) -> user(user(new UserOfOneText(caller)))),

	USER_AUTHENTICATION_OF_AUTHENTICATION_OF_OBJECT(Fate.REFUSED,
			(caller) -> user(user(user(new UserOfOneText(caller))))),

	USER_AUTHENTICATION_NOT_AUTHENTICATED(Fate.APART,
			(caller) -> user(UsernamePasswordAuthenticationToken.unauthenticated(caller, "password"))),

	USER_AUTHENTICATION_OF_STRANGER(Fate.REFUSED, (caller) -> user(stranger())),

	NAMES_OF_OTHER_CASE(Fate.APART, (caller) -> user(isOne(caller) ? "ann" : "Ann")),

	NAMES_WITH_BLANK_AFTER(Fate.APART, (caller) -> user(isOne(caller) ? "ann" : "ann ")),

	NAMES_WITH_BLANK_BEFORE(Fate.APART, (caller) -> user(isOne(caller) ? "ann" : " ann")),

	NAMES_WITH_NUL(Fate.APART, (caller) -> user(isOne(caller) ? "ann" : "ann\0")),

	NAMES_WITH_NUL_OR_ITS_SUBSTITUTE(Fate.APART, (caller) -> user(isOne(caller) ? "ann\0" : "ann\ufffd")),

	NAMES_IN_OTHER_NORMAL_FORM(Fate.APART, (caller) -> user(isOne(caller) ? "Zo\u00eb" : "Zoe\u0308")),

	NAMES_WITH_INVISIBLE(Fate.APART, (caller) -> user(isOne(caller) ? "ann" : "a\u200bnn")),

	NAMES_LONGER_THAN_COLUMNS(Fate.APART, (caller) -> user("x".repeat(2000) + caller)),

	NAMES_OF_HALF_A_CHARACTER(Fate.REFUSED, (caller) -> user(isOne(caller) ? "a\ud800" : "a\ud801")),

	NAMES_TOO_LONG(Fate.REFUSED, (caller) -> user("x".repeat(2048) + caller)),

	/**
	 * A real user with the name that Spring Security gives to strangers.
	 */
	NAME_OF_STRANGERS(Fate.REAL_NAME, (caller) -> user("anonymousUser")),

	NAME_LIKE_NULL(Fate.REAL_NAME, (caller) -> user("null")),

	STRANGER(Fate.NOBODY, (caller) -> stranger()),

	/**
	 * Nobody has verified the name.
	 */
	NOT_AUTHENTICATED(Fate.REFUSED,
			(caller) -> UsernamePasswordAuthenticationToken.unauthenticated(caller, "password")),

	BEARER_TOKEN_NOT_AUTHENTICATED(Fate.REFUSED, BearerTokenAuthenticationToken::new),

	DPOP_NOT_AUTHENTICATED(Fate.REFUSED,
			(caller) -> new DPoPAuthenticationToken(caller, "proof", "POST", "http://localhost")),

	REMEMBER_ME(Fate.APART, (caller) -> new RememberMeAuthenticationToken("key", details(caller), authorities())),

	PRE_AUTHENTICATED(Fate.APART, (caller) -> preAuthenticated(caller)),

	CERTIFICATE(Fate.APART, (caller) -> preAuthenticated(new X500Principal("CN=" + caller))),

	CERTIFICATE_WITHOUT_SUBJECT(Fate.REFUSED, (caller) -> preAuthenticated(new X500Principal(""))),

	JAAS(Fate.APART, CallerKind::jaas),

	ONE_TIME_TOKEN(Fate.APART, (caller) -> new OneTimeTokenAuthentication(details(caller), authorities())),

	ONE_TIME_TOKEN_NOT_AUTHENTICATED(Fate.REFUSED, OneTimeTokenAuthenticationToken::new),

	TESTING(Fate.APART, (caller) -> new TestingAuthenticationToken(caller, "", "ROLE_USER")),

	JWT(Fate.APART, (caller) -> new JwtAuthenticationConverter().convert(jwt("sub", caller))),

	JWT_WITHOUT_SUBJECT(Fate.REFUSED, (caller) -> new JwtAuthenticationConverter().convert(jwt("client_id", caller))),

	JWT_WITH_PRINCIPAL_CLAIM(Fate.APART, (caller) -> byClientId(jwt("client_id", caller))),

	JWT_WITHOUT_PRINCIPAL_CLAIM(Fate.REFUSED, (caller) -> byClientId(jwt("sub", caller))),

	OPAQUE_TOKEN(Fate.APART, (caller) -> opaque("sub", caller)),

	OPAQUE_TOKEN_WITHOUT_SUBJECT(Fate.REFUSED, (caller) -> opaque("client_id", caller)),

	OAUTH2_USER(Fate.APART, (caller) -> user(new DefaultOAuth2User(authorities(), Map.of("login", caller), "login"))),

	OAUTH2_USER_NUMBER(Fate.APART, (caller) -> oauth2(caller.hashCode())),

	OAUTH2_USER_UUID(Fate.APART, (caller) -> oauth2(UUID.nameUUIDFromBytes(caller.getBytes(StandardCharsets.UTF_8)))),

	OAUTH2_USER_OBJECT(Fate.REFUSED, (caller) -> oauth2(new UserOfOneText(caller))),

	OAUTH2_USER_MAP(Fate.REFUSED, (caller) -> oauth2(Map.of("id", new UserOfOneText(caller)))),

	OAUTH2_USER_BYTES(Fate.REFUSED, (caller) -> oauth2(caller.getBytes(StandardCharsets.UTF_8))),

	OAUTH2_USER_BESIDES_OBJECTS(Fate.APART,
			(caller) -> user(new DefaultOAuth2User(authorities(),
					Map.of("login", caller, "roles", List.of(caller), "user", new UserOfOneText(caller)), "login"))),

	/**
	 * As the assertion of a SAML identity provider without a name.
	 */
	PRINCIPAL_WITHOUT_NAME(Fate.REFUSED, (caller) -> user(named(null))),

	OWN_WITH_NAME(Fate.APART, (caller) -> new Own(caller, new UserObject(caller))),

	OWN_WITHOUT_NAME(Fate.REFUSED, (caller) -> new Own(null, caller)),

	OWN_WITHOUT_PRINCIPAL(Fate.REFUSED, (caller) -> new Own("", null)),

	OWN_WITH_TEXT_OF_NULL(Fate.REFUSED, (caller) -> new Own("null", null)),

	OWN_WITH_NAME_AND_WITHOUT_PRINCIPAL(Fate.APART, (caller) -> new Own(caller, null));

	final Fate fate;

	@SuppressWarnings("ImmutableEnumChecker")
	private final Function<String, @Nullable Authentication> authentication;

	CallerKind(Fate fate, Function<String, @Nullable Authentication> authentication) {
		this.fate = fate;
		this.authentication = authentication;
	}

	/**
	 * One of two callers, made anew for each request.
	 * @param caller {@code one} or {@code two}
	 */
	Authentication of(String caller) {
		return Objects.requireNonNull(this.authentication.apply(caller));
	}

	private static boolean isOne(String caller) {
		return caller.equals("one");
	}

	private static Authentication stranger() {
		return new AnonymousAuthenticationToken("key", "anonymousUser",
				AuthorityUtils.createAuthorityList("ROLE_ANONYMOUS"));
	}

	private static Authentication oauth2(Object id) {
		return user(new DefaultOAuth2User(authorities(), Map.of("id", id), "id"));
	}

	@SuppressWarnings("NullAway")
	private static Authentication jaas(String name) {
		return new JaasAuthenticationToken(name, "", List.copyOf(authorities()), null);
	}

	@SuppressWarnings("NullAway")
	private static Authentication user(@Nullable Object principal) {
		return UsernamePasswordAuthenticationToken.authenticated(principal, null, authorities());
	}

	private static Authentication preAuthenticated(Object principal) {
		return new PreAuthenticatedAuthenticationToken(principal, "N/A", authorities());
	}

	private static UserDetails details(String name) {
		return new User(name, "", authorities());
	}

	private static Collection<GrantedAuthority> authorities() {
		return AuthorityUtils.createAuthorityList("ROLE_USER");
	}

	private static Jwt jwt(String claim, String caller) {
		return Jwt.withTokenValue("token of " + caller)
			.header("alg", "none")
			.issuer("http://localhost")
			.claim(claim, caller)
			.build();
	}

	private static @Nullable Authentication byClientId(Jwt jwt) {
		JwtAuthenticationConverter converter = new JwtAuthenticationConverter();
		converter.setPrincipalClaimName("client_id");
		return converter.convert(jwt);
	}

	private static Authentication opaque(String claim, String caller) {
		OAuth2AuthenticatedPrincipal principal = new DefaultOAuth2AuthenticatedPrincipal(Map.of(claim, caller),
				authorities());
		return new BearerTokenAuthentication(principal, new OAuth2AccessToken(OAuth2AccessToken.TokenType.BEARER,
				"token of " + caller, Instant.EPOCH, Instant.MAX), authorities());
	}

	@SuppressWarnings("NullAway")
	private static AuthenticatedPrincipal named(@Nullable String name) {
		return () -> name;
	}

	/**
	 * What becomes of two callers of a kind.
	 */
	enum Fate {

		/**
		 * Each has keys of its own.
		 */
		APART,

		/**
		 * Neither can use a key.
		 */
		REFUSED,

		/**
		 * Both are whoever is not logged in.
		 */
		NOBODY,

		/**
		 * Both are one user, who is somebody.
		 */
		REAL_NAME

	}

	/**
	 * A user as a table of an application has it.
	 */
	static class UserObject {

		final String id;

		UserObject(String id) {
			this.id = id;
		}

	}

	static final class UserWithHashCode extends UserObject {

		UserWithHashCode(String id) {
			super(id);
		}

		@Override
		public boolean equals(@Nullable Object other) {
			return other instanceof UserWithHashCode that && this.id.equals(that.id);
		}

		@Override
		public int hashCode() {
			return this.id.length();
		}

	}

	static final class UserOfOneText extends UserObject {

		UserOfOneText(String id) {
			super(id);
		}

		@Override
		public String toString() {
			return "API client";
		}

	}

	@SuppressWarnings("serial")
	static final class OwnNumber extends Number {

		private final String id;

		OwnNumber(String id) {
			this.id = id;
		}

		@Override
		public int intValue() {
			return this.id.hashCode();
		}

		@Override
		public long longValue() {
			return intValue();
		}

		@Override
		public float floatValue() {
			return intValue();
		}

		@Override
		public double doubleValue() {
			return intValue();
		}

		@Override
		public String toString() {
			return "number";
		}

	}

	record OwnText(String id) implements CharSequence {

		@Override
		public int length() {
			return this.id.length();
		}

		@Override
		public char charAt(int index) {
			return this.id.charAt(index);
		}

		@Override
		public CharSequence subSequence(int start, int end) {
			return this.id.subSequence(start, end);
		}

		@Override
		public String toString() {
			return "text";
		}

	}

	record UserRecord(String id, Instant seen) {
	}

	/**
	 * The authentication of an application.
	 */
	@SuppressWarnings({ "serial", "NullAway" })
	static final class Own extends AbstractAuthenticationToken {

		private final @Nullable String name;

		private final transient @Nullable Object principal;

		Own(@Nullable String name, @Nullable Object principal) {
			super(authorities());
			this.name = name;
			this.principal = principal;
			setAuthenticated(true);
		}

		@Override
		public String getName() {
			return this.name;
		}

		@Override
		public @Nullable Object getPrincipal() {
			return this.principal;
		}

		@Override
		public @Nullable Object getCredentials() {
			return null;
		}

	}

	/**
	 * What a request is made by.
	 */
	static @Nullable Authentication parse(@Nullable String header) {
		if (header == null) {
			return null;
		}
		String[] words = header.split(" ", 2);
		return valueOf(words[0]).of(words[1]);
	}

}
