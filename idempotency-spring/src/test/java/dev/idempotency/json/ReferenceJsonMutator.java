package dev.idempotency.json;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import dev.idempotency.json.ReferenceJson.Member;

/**
 * Makes values out of any bytes, and other values that are nearly the same.
 */
final class ReferenceJsonMutator {

	private static final int DEEPEST = 30;

	private static final List<String> PLAIN = List.of("null", "true", "false", "0", "-0", "1", "12", "1.0", "1e0",
			"1E0", "1e999", "0.1", "-1", "10", "10e-1", "0.10", "1e-1", "1e1");

	private static final String CHARACTERS = "ab \"\\/\n\u0000\u007f\u00e9\u20ac\uffff\ufffd?\ud83d\ude00\ud800\udc00";

	private final byte[] choices;

	private int used;

	ReferenceJsonMutator(byte[] choices) {
		this.choices = choices;
	}

	ReferenceJson generate() {
		return generate(0);
	}

	private ReferenceJson generate(int depth) {
		int choice = choose(8);
		if (choice < 3 || depth == DEEPEST) {
			return new ReferenceJson.Plain(PLAIN.get(choose(PLAIN.size())));
		}
		if (choice == 3) {
			return new ReferenceJson.Text(text());
		}
		if (choice < 6) {
			List<ReferenceJson> elements = new ArrayList<>();
			while (this.used < this.choices.length && choose(4) > 0) {
				elements.add(generate(depth + 1));
			}
			return new ReferenceJson.Array(elements);
		}
		List<Member> members = new ArrayList<>();
		while (this.used < this.choices.length && choose(4) > 0) {
			members.add(new Member(text(), generate(depth + 1)));
		}
		return new ReferenceJson.Members(members);
	}

	private String text() {
		StringBuilder text = new StringBuilder();
		while (this.used < this.choices.length && choose(3) > 0) {
			text.append(CHARACTERS.charAt(choose(CHARACTERS.length())));
		}
		return text.toString();
	}

	private int choose(int bound) {
		return (this.used < this.choices.length) ? Byte.toUnsignedInt(this.choices[this.used++]) % bound : 0;
	}

	/**
	 * One step away from a value, which may lead back to the same value.
	 */
	static ReferenceJson mutate(ReferenceJson value, Random random) {
		if (value instanceof ReferenceJson.Array array && !array.elements().isEmpty() && random.nextInt(3) > 0) {
			List<ReferenceJson> elements = new ArrayList<>(array.elements());
			int index = random.nextInt(elements.size());
			elements.set(index, mutate(elements.get(index), random));
			return new ReferenceJson.Array(elements);
		}
		if (value instanceof ReferenceJson.Members object && !object.members().isEmpty() && random.nextInt(3) > 0) {
			List<Member> members = new ArrayList<>(object.members());
			int index = random.nextInt(members.size());
			Member member = members.get(index);
			members.set(index, new Member(member.name(), mutate(member.value(), random)));
			return new ReferenceJson.Members(members);
		}
		return change(value, random);
	}

	private static ReferenceJson change(ReferenceJson value, Random random) {
		if (random.nextInt(8) == 0) {
			return new ReferenceJson.Array(List.of(value));
		}
		if (value instanceof ReferenceJson.Plain plain) {
			return random.nextBoolean() ? new ReferenceJson.Text(plain.text())
					: new ReferenceJson.Plain(PLAIN.get(random.nextInt(PLAIN.size())));
		}
		if (value instanceof ReferenceJson.Text text) {
			return new ReferenceJson.Text(change(text.value(), random));
		}
		if (value instanceof ReferenceJson.Array array) {
			return change(array, random);
		}
		return change((ReferenceJson.Members) value, random);
	}

	private static String change(String text, Random random) {
		String character = String.valueOf(CHARACTERS.charAt(random.nextInt(CHARACTERS.length())));
		int index = random.nextInt(text.length() + 1);
		int rest = Math.min(index + random.nextInt(2), text.length());
		return text.substring(0, index) + (random.nextBoolean() ? character : "") + text.substring(rest);
	}

	private static ReferenceJson change(ReferenceJson.Array array, Random random) {
		List<ReferenceJson> elements = new ArrayList<>(array.elements());
		if (elements.isEmpty()) {
			return new ReferenceJson.Members(List.of());
		}
		ReferenceJson moved = elements.remove(random.nextInt(elements.size()));
		switch (random.nextInt(3)) {
			case 0 -> elements.add(random.nextInt(elements.size() + 1), moved);
			case 1 -> {
				if (moved instanceof ReferenceJson.Array inner) {
					elements.addAll(inner.elements());
				}
			}
			default -> elements.add(new ReferenceJson.Array(List.of(moved)));
		}
		return new ReferenceJson.Array(elements);
	}

	private static ReferenceJson change(ReferenceJson.Members object, Random random) {
		List<Member> members = new ArrayList<>(object.members());
		if (members.isEmpty()) {
			return new ReferenceJson.Array(List.of());
		}
		Member moved = members.remove(random.nextInt(members.size()));
		switch (random.nextInt(4)) {
			case 0 -> members.add(random.nextInt(members.size() + 1), moved);
			case 1 -> members.add(new Member(change(moved.name(), random), moved.value()));
			case 2 -> {
				if (moved.value() instanceof ReferenceJson.Members inner) {
					members.add(new Member(moved.name(), new ReferenceJson.Members(List.of())));
					members.addAll(inner.members());
				}
			}
			default -> members.add(new Member(moved.name(), new ReferenceJson.Members(List.of(moved))));
		}
		return new ReferenceJson.Members(members);
	}

}
