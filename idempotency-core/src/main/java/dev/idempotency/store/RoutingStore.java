package dev.idempotency.store;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * A store that keeps its records in several places, such as a database for each tenant.
 * The calling thread decides which. Equal keys in different places are independent.
 * <p>
 * A claim knows its {@linkplain Claim#place() place}: it is renewed, completed and
 * released there, on any thread. Searches, counts and purges cover all places.
 */
public interface RoutingStore extends IdempotencyStore {

	/**
	 * Where the keys of the calling thread are.
	 * @return the place, or {@code null} if there is only one
	 */
	@Nullable Object place();

	/**
	 * Where a record is. If several places have a record of this id, it is the place
	 * where a search by id finds it.
	 * @return the place, or {@code null} if there is only one, or no such record
	 */
	@Nullable Object placeOf(RecordId id);

	/**
	 * Runs an action as if the keys of the calling thread were in a place.
	 * @param <T> the type of the result
	 * @param place the place, or {@code null} for the thread's own
	 * @param work the action
	 * @return the result of the action
	 */
	<T extends @Nullable Object> T at(@Nullable Object place, Supplier<T> work);

}
