package dev.idempotency.test;

import java.security.AlgorithmParameters;
import java.security.Key;
import java.security.Provider;
import java.security.SecureRandom;
import java.security.Security;
import java.security.spec.AlgorithmParameterSpec;
import java.util.function.Supplier;

import javax.crypto.CipherSpi;

/**
 * A provider of ciphers whose native library is missing: what is to be encrypted, or
 * decrypted, fails with an error.
 */
public final class BrokenCipher {

	private static final String NAME = "Broken";

	private BrokenCipher() {
	}

	/**
	 * Does something while the provider comes before all others.
	 */
	public static <T> T during(Supplier<T> action) {
		Security.insertProviderAt(new Broken(), 1);
		try {
			return action.get();
		}
		finally {
			Security.removeProvider(NAME);
		}
	}

	private static final class Broken extends Provider {

		private static final long serialVersionUID = 1L;

		private Broken() {
			super(NAME, "1", "fails");
			put("Cipher.AES/GCM/NoPadding", Failing.class.getName());
		}

	}

	/**
	 * Fails when it is given a key.
	 */
	public static final class Failing extends CipherSpi {

		private static Error failure() {
			return new UnsatisfiedLinkError("no library for ciphers, as planned");
		}

		@Override
		protected void engineInit(int mode, Key key, SecureRandom random) {
			throw failure();
		}

		@Override
		protected void engineInit(int mode, Key key, AlgorithmParameterSpec parameters, SecureRandom random) {
			throw failure();
		}

		@Override
		protected void engineInit(int mode, Key key, AlgorithmParameters parameters, SecureRandom random) {
			throw failure();
		}

		@Override
		protected void engineSetMode(String mode) {
		}

		@Override
		protected void engineSetPadding(String padding) {
		}

		@Override
		protected int engineGetBlockSize() {
			return 16;
		}

		@Override
		protected int engineGetOutputSize(int length) {
			return length;
		}

		@Override
		protected byte[] engineGetIV() {
			return new byte[0];
		}

		@Override
		protected AlgorithmParameters engineGetParameters() {
			throw failure();
		}

		@Override
		protected byte[] engineUpdate(byte[] input, int offset, int length) {
			throw failure();
		}

		@Override
		protected int engineUpdate(byte[] input, int offset, int length, byte[] output, int outputOffset) {
			throw failure();
		}

		@Override
		protected byte[] engineDoFinal(byte[] input, int offset, int length) {
			throw failure();
		}

		@Override
		protected int engineDoFinal(byte[] input, int offset, int length, byte[] output, int outputOffset) {
			throw failure();
		}

	}

}
