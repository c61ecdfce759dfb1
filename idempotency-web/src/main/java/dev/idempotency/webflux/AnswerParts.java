package dev.idempotency.webflux;

import org.jspecify.annotations.Nullable;

import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;

/**
 * Handles the parts of a streamed response.
 *
 * @param <T> a part of it
 */
interface AnswerParts<T> {

	/**
	 * Buffers.
	 */
	AnswerParts<DataBuffer> BUFFERS = new AnswerParts<>() {

		@Override
		public void record(AnswerPieces pieces, DataBuffer part) {
			pieces.add(part);
		}

		@Override
		public void release(DataBuffer part) {
			DataBufferUtils.release(part);
		}

		@Override
		public @Nullable DataBuffer splitLastByte(DataBuffer part) {
			return (part.readableByteCount() > 1) ? part.split(part.writePosition() - 1) : null;
		}

	};

	/**
	 * Buffers that are flushed.
	 */
	AnswerParts<FlushedParts.Part> FLUSHES = new AnswerParts<>() {

		@Override
		public void record(AnswerPieces pieces, FlushedParts.Part part) {
			part.buffers().forEach(pieces::add);
		}

		@Override
		public void release(FlushedParts.Part part) {
			part.release();
		}

		@Override
		public FlushedParts.@Nullable Part splitLastByte(FlushedParts.Part part) {
			return part.splitLastByte();
		}

	};

	void record(AnswerPieces pieces, T part);

	void release(T part);

	/**
	 * Leaves only the last byte in a part.
	 * @return the rest of it, or {@code null} if there is none
	 */
	@Nullable T splitLastByte(T part);

}
