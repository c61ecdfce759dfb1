package dev.idempotency.store;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * A store that keeps its records in several places, such as a database for each tenant,
 * where the calling thread decides in which. Equal keys in different places have nothing
 * to do with each other.
 * <p>
 * A claim knows its {@linkplain Claim#place() place}: what is done under it is done
 * there, on whatever thread. What is about all records is about those in all places.
 */
public interface RoutingStore extends IdempotencyStore {

	/**
	 * Where the keys of the calling thread are.
	 * @return the place, or {@code null} if there is only one
	 */
	@Nullable Object place();

	/**
	 * Where a record is. If there are records of that name in several places, it is where
	 * others find it by that name.
	 * @param id its name
	 * @return the place, or {@code null} if there is only one, or no such record
	 */
	@Nullable Object placeOf(RecordId id);

	/**
	 * Does something as if the keys of the calling thread were in a place.
	 * @param <T> what comes of it
	 * @param place the place, or {@code null} to leave it to the thread
	 * @param work what is to be done
	 * @return what came of it
	 */
	<T extends @Nullable Object> T at(@Nullable Object place, Supplier<T> work);

}
