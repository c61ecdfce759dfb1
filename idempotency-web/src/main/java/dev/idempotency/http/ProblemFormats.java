package dev.idempotency.http;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;

/**
 * Chooses the format that a client prefers.
 */
final class ProblemFormats {

	private final List<ProblemFormat> formats;

	private final ProblemFormat json;

	/**
	 * Create the choice.
	 * @param own the formats of the application, which take precedence over the built-in
	 * ones
	 */
	ProblemFormats(List<ProblemFormat> own) {
		this.formats = new ArrayList<>(own);
		this.formats.add(ProblemFormat.json());
		this.formats.add(ProblemFormat.markdown());
		this.json = this.formats.stream()
			.filter((format) -> format.mediaType().equalsTypeAndSubtype(MediaType.APPLICATION_PROBLEM_JSON))
			.findFirst()
			.orElseThrow();
	}

	ProblemFormat accepted(@Nullable String header) {
		for (MediaType accepted : acceptedTypes(header)) {
			if (accepted.includes(MediaType.APPLICATION_PROBLEM_JSON)
					|| accepted.equalsTypeAndSubtype(MediaType.APPLICATION_JSON)) {
				return this.json;
			}
			for (ProblemFormat format : this.formats) {
				if (accepted.includes(format.mediaType())) {
					return format;
				}
			}
		}
		return this.json;
	}

	/**
	 * What the client accepts, in the order of its preference.
	 */
	private static List<MediaType> acceptedTypes(@Nullable String header) {
		if (header == null) {
			return List.of();
		}
		try {
			return MediaType.parseMediaTypes(header)
				.stream()
				.filter((type) -> type.getQualityValue() > 0)
				.sorted(Comparator.comparingDouble(MediaType::getQualityValue).reversed())
				.map(MediaType::removeQualityValue)
				.toList();
		}
		catch (InvalidMediaTypeException ex) {
			return List.of();
		}
	}

}
