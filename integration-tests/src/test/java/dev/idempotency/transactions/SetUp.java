package dev.idempotency.transactions;

/**
 * What an application has to begin transactions with.
 */
enum SetUp {

	/**
	 * As Spring Boot makes it from a database.
	 */
	ONE_MANAGER,

	/**
	 * The same with another database, and managers of that one.
	 */
	TWO_MANAGERS,

	/**
	 * As Spring Boot makes it from a database and Hibernate.
	 */
	JPA

}
