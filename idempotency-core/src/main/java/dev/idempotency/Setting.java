package dev.idempotency;

/**
 * A setting of an application: a value or a component. The code that uses a setting
 * describes it here. The name under which it is configured is known only to the code that
 * reads the configuration.
 */
public interface Setting {

	/**
	 * Describes the setting where its configured name is unknown.
	 * @return a readable description of a few words
	 */
	String words();

}
