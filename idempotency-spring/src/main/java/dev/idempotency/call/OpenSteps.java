package dev.idempotency.call;

import dev.idempotency.OnCrash;
import dev.idempotency.ResultType;
import dev.idempotency.Steps;
import org.jspecify.annotations.Nullable;

/**
 * Steps that are stored, even if their work ends on another thread than it began on.
 */
public interface OpenSteps extends Steps {

	/**
	 * Prepares a step. The first one of an operation accesses the store.
	 * @param name the name of the step, unique in the operation
	 * @param type the type of its result
	 * @throws IllegalStateException if this attempt has run a step of that name
	 */
	OpenStep open(String name, ResultType<?> type);

	/**
	 * Prepares a step with inputs. The first one of an operation accesses the store.
	 * @param name the name of the step, unique in the operation
	 * @param inputs what it works on
	 * @param type the type of its result
	 */
	OpenStep open(String name, @Nullable Object inputs, ResultType<?> type);

	@Override
	OpenSteps withOnCrash(OnCrash onCrash);

	@Override
	OpenSteps transactional();

	/**
	 * Runs the steps.
	 */
	Calls calls();

}
