package dev.idempotency.transactions;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/**
 * A row of work, as Hibernate sees it.
 */
@Entity
@Table(name = "work")
class WorkEntity {

	@Id
	private String id = "";

	private String cell = "";

	protected WorkEntity() {
	}

	WorkEntity(String id, String cell) {
		this.id = id;
		this.cell = cell;
	}

	@Override
	public String toString() {
		return "%s of %s".formatted(this.id, this.cell);
	}

}
