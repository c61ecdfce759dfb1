package dev.idempotency.sample.documents;

import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.Principal;
import java.util.HexFormat;

import dev.idempotency.Idempotent;
import dev.idempotency.sample.ledger.Ledger;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.multipart.MultipartFile;

/**
 * Accepts files. The parts of a form are compared like any other body.
 */
@RestController
class ReceiptController {

	private final Ledger ledger;

	ReceiptController(Ledger ledger) {
		this.ledger = ledger;
	}

	@Idempotent
	@PostMapping("/receipts")
	@ResponseStatus(HttpStatus.CREATED)
	Receipt upload(@RequestParam MultipartFile file, Principal customer) throws IOException {
		Receipt receipt = new Receipt(file.getSize(), sha256(file.getBytes()));
		this.ledger.write(customer.getName(), "receipt of %d bytes filed".formatted(receipt.size()), null);
		return receipt;
	}

	private static String sha256(byte[] content) {
		try {
			return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * A receipt that was filed.
	 *
	 * @param size in bytes
	 * @param sha256 of the content
	 */
	record Receipt(long size, String sha256) {
	}

}
