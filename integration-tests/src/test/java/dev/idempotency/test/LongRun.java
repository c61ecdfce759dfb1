package dev.idempotency.test;

/**
 * Tests that are worth more the longer they run have a short form for every build, and a
 * long one for {@code mvn verify -Dlong=true}.
 */
public final class LongRun {

	private LongRun() {
	}

	/**
	 * How often, or how many.
	 */
	public static int choose(int inEveryBuild, int inTheLongRun) {
		return isLong() ? inTheLongRun : inEveryBuild;
	}

	/**
	 * Whether this is the long form.
	 */
	public static boolean isLong() {
		return Boolean.getBoolean("long");
	}

}
