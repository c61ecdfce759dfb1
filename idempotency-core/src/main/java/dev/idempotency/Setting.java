package dev.idempotency;

/**
 * Something that whoever sets up an application decides on: a value, or a part. Those who
 * use it say here what it is; what it is called where it is written, only those know who
 * read it there.
 */
public interface Setting {

	/**
	 * What it is called where nobody knows how it was written.
	 * @return a word or two, for people
	 */
	String words();

}
