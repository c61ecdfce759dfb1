package dev.idempotency.actuate;

import java.util.List;
import java.util.Set;

import dev.idempotency.core.AnswerReader;

import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;

/**
 * What operators may see.
 *
 * @param showValues when the keys and principals of clients are shown in full
 * @param roles the roles that may see them when only authorized users may; if empty,
 * every authenticated user
 * @param answerReaders describe stored results
 */
public record Visibility(Show showValues, Set<String> roles, List<AnswerReader> answerReaders) {

	public Visibility {
		roles = Set.copyOf(roles);
		answerReaders = List.copyOf(answerReaders);
	}

	boolean showsValues(SecurityContext caller) {
		return this.showValues.isShown(caller, this.roles);
	}

}
