package dev.idempotency.method;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.idempotency.Idempotent;
import org.jspecify.annotations.Nullable;

/**
 * Everything that a method can return.
 */
final class ReturnKinds {

	private ReturnKinds() {
	}

	enum Kind {

		NOTHING {
			@Override
			@Nullable Object call(Shop shop, String id) {
				shop.nothing(id);
				return null;
			}
		},

		NULL {
			@Override
			@Nullable Object call(Shop shop, String id) {
				return shop.nullValue(id);
			}
		},

		NUMBER {
			@Override
			Object call(Shop shop, String id) {
				return shop.number(id);
			}
		},

		TEXT {
			@Override
			Object call(Shop shop, String id) {
				return shop.text(id);
			}
		},

		PRESENT {
			@Override
			Object call(Shop shop, String id) {
				return shop.present(id);
			}
		},

		EMPTY {
			@Override
			Object call(Shop shop, String id) {
				return shop.empty(id);
			}
		},

		RECORD {
			@Override
			Object call(Shop shop, String id) {
				return shop.receipt(id);
			}
		},

		LIST {
			@Override
			Object call(Shop shop, String id) {
				return shop.list(id);
			}
		},

		MAP {
			@Override
			Object call(Shop shop, String id) {
				return shop.map(id);
			}
		},

		GENERIC {
			@Override
			Object call(Shop shop, String id) {
				return shop.generic(id);
			}
		},

		INHERITED_GENERIC {
			@Override
			Object call(Shop shop, String id) {
				return shop.inherited(id);
			}
		},

		INHERITED_STAGE {
			@Override
			Object call(Shop shop, String id) {
				return shop.inheritedStage(id).join();
			}
		},

		SEALED {
			@Override
			Object call(Shop shop, String id) {
				return shop.sealed(id);
			}
		},

		SEALED_LIST {
			@Override
			Object call(Shop shop, String id) {
				return shop.sealedList(id);
			}
		},

		BYTES {
			@Override
			Object call(Shop shop, String id) {
				return HexFormat.of().formatHex(shop.bytes(id));
			}
		},

		STAGE {
			@Override
			Object call(Shop shop, String id) {
				return shop.stage(id).toCompletableFuture().join();
			}
		},

		STAGE_OF_NOTHING {
			@Override
			@Nullable Object call(Shop shop, String id) {
				return shop.stageOfNothing(id).join();
			}
		},

		COMPUTED {
			@Override
			Object call(Shop shop, String id) {
				return shop.computed(id);
			}
		};

		abstract @Nullable Object call(Shop shop, String id);

	}

	record Receipt(String id, BigDecimal amount, LocalDate day) {
	}

	record Page<T>(List<T> items, @Nullable Page<T> next) {
	}

	/**
	 * Has a property that can be written and not read.
	 */
	record Total(int net, int tax) {

		public int getGross() {
			return this.net + this.tax;
		}

	}

	@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
	@JsonSubTypes({ @JsonSubTypes.Type(value = Card.class, name = "card"),
			@JsonSubTypes.Type(value = Cash.class, name = "cash") })
	sealed interface Payment {

	}

	record Card(String number) implements Payment {
	}

	record Cash(int cents) implements Payment {
	}

	record Unwritable(Object node) {

		public Object getBroken() {
			if (this.node instanceof String) {
				throw new IllegalStateException("cannot be written");
			}
			return this.node;
		}

	}

	abstract static class Inherited<T> {

		private final Map<String, Integer> runs = new ConcurrentHashMap<>();

		final AtomicInteger next = new AtomicInteger();

		@Idempotent(key = "#id")
		public Page<T> inherited(String id) {
			ran(Kind.INHERITED_GENERIC);
			return new Page<>(List.of(create(id)), new Page<>(List.of(), null));
		}

		@Idempotent(key = "#id")
		public CompletableFuture<List<Page<T>>> inheritedStage(String id) {
			ran(Kind.INHERITED_STAGE);
			return CompletableFuture.completedFuture(List.of(new Page<>(List.of(create(id)), null)));
		}

		abstract T create(String id);

		Map<String, Integer> runs() {
			return this.runs;
		}

		void ran(Kind kind) {
			ran(kind.name());
		}

		void ran(String name) {
			this.runs.merge(name, 1, Integer::sum);
		}

	}

	static class Shop extends Inherited<ReturnKinds.Receipt> {

		private CompletableFuture<Receipt> pending = new CompletableFuture<>();

		CompletableFuture<Receipt> pending() {
			return this.pending;
		}

		void beginAnew() {
			this.pending = new CompletableFuture<>();
		}

		@Override
		Receipt create(String id) {
			return new Receipt(id, new BigDecimal("100.00"),
					LocalDate.of(2026, 1, 1).plusDays(this.next.incrementAndGet()));
		}

		@Idempotent(key = "#id")
		public void nothing(String id) {
			ran(Kind.NOTHING);
		}

		@Idempotent(key = "#id")
		public @Nullable Receipt nullValue(String id) {
			ran(Kind.NULL);
			return null;
		}

		@Idempotent(key = "#id")
		public long number(String id) {
			ran(Kind.NUMBER);
			return Long.MAX_VALUE - this.next.incrementAndGet();
		}

		@Idempotent(key = "#id")
		public String text(String id) {
			ran(Kind.TEXT);
			return "text " + this.next.incrementAndGet();
		}

		@Idempotent(key = "#id")
		public Optional<Receipt> present(String id) {
			ran(Kind.PRESENT);
			return Optional.of(create(id));
		}

		@Idempotent(key = "#id")
		public Optional<Receipt> empty(String id) {
			ran(Kind.EMPTY);
			return Optional.empty();
		}

		@Idempotent(key = "#id")
		public Receipt receipt(String id) {
			ran(Kind.RECORD);
			return create(id);
		}

		@Idempotent(key = "#id")
		public List<Receipt> list(String id) {
			ran(Kind.LIST);
			return List.of(create(id), create(id));
		}

		@Idempotent(key = "#id")
		public Map<String, Set<Receipt>> map(String id) {
			ran(Kind.MAP);
			return Map.of(id, Set.of(create(id)));
		}

		@Idempotent(key = "#id")
		public Page<Receipt> generic(String id) {
			ran(Kind.GENERIC);
			return new Page<>(List.of(create(id)), null);
		}

		@Idempotent(key = "#id")
		public Payment sealed(String id) {
			ran(Kind.SEALED);
			return new Card(id + this.next.incrementAndGet());
		}

		@Idempotent(key = "#id")
		public List<Payment> sealedList(String id) {
			ran(Kind.SEALED_LIST);
			return List.of(new Card(id), new Cash(this.next.incrementAndGet()));
		}

		@Idempotent(key = "#id")
		public byte[] bytes(String id) {
			ran(Kind.BYTES);
			return new byte[] { 0, -1, (byte) this.next.incrementAndGet() };
		}

		@Idempotent(key = "#id")
		public CompletionStage<Receipt> stage(String id) {
			ran(Kind.STAGE);
			return CompletableFuture.supplyAsync(() -> create(id));
		}

		@Idempotent(key = "#id")
		public CompletableFuture<@Nullable Void> stageOfNothing(String id) {
			ran(Kind.STAGE_OF_NOTHING);
			return CompletableFuture.runAsync(() -> {
			});
		}

		@Idempotent(key = "#id")
		public Total computed(String id) {
			ran(Kind.COMPUTED);
			return new Total(100, this.next.incrementAndGet());
		}

		@Idempotent(key = "#id")
		public CompletableFuture<Receipt> later(String id) {
			ran("later");
			return this.pending;
		}

		@Idempotent(key = "#id")
		public Unwritable unwritable(String id) {
			ran("unwritable");
			return new Unwritable(id);
		}

		@Idempotent(key = "#id")
		public String large(String id) {
			ran("large");
			// Not to be compressed away
			return IntStream.range(0, 100_000)
				.mapToObj((i) -> String.valueOf((char) ('a' + new Random(i).nextInt(26))))
				.collect(Collectors.joining());
		}

	}

}
