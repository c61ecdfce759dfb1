package dev.idempotency.transactions;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

import dev.idempotency.transactions.Situation.Group;
import dev.idempotency.transactions.Situation.Outcomes;

import org.springframework.core.Ordered;

/**
 * All situations, each of them told in a few lines.
 */
final class Situations {

	private static final Set<Fate> FEW = EnumSet.of(Fate.COMMIT, Fate.METHOD_THROWS, Fate.LISTENER_THROWS);

	private static final Outcomes AS_ITS_FATE = Outcomes.asItsFate();

	/**
	 * Of what shares a transaction with the protected call.
	 */
	private static final Outcomes AS_ITS_TRANSACTION = (protection, fate) -> (fate.outcome(protection) == Outcome.LOST)
			? Outcome.UNDONE : fate.outcome(protection);

	private static final Outcomes DONE = Outcomes.always(Outcome.DONE);

	private static final Outcomes UNDONE = Outcomes.always(Outcome.UNDONE);

	private Situations() {
	}

	static List<Situation> all() {
		List<Situation> all = new ArrayList<>();
		all.addAll(ownTransaction());
		all.addAll(callersTransaction());
		all.addAll(nested());
		all.addAll(requiresNew());
		all.addAll(otherManager(false));
		otherManager(true).forEach((situation) -> all.add(situation.variation()));
		all.addAll(workInOtherDatabase());
		all.addAll(readOnly());
		all.addAll(beforeCommit());
		all.addAll(afterCommit());
		all.addAll(jpa());
		return all;
	}

	private static List<Situation> ownTransaction() {
		return List.of(
				own("alone", Scene::callDeciding).protectedBy(Protection.JOINING, Protection.ANNOTATED,
						Protection.APART, Protection.NESTED, Protection.JOINING_NESTED, Protection.HANDLER),
				few(own("longer than half of its lease", Scene::callDecidingAndSlow))
					.protectedBy(Protection.JOINING, Protection.ANNOTATED, Protection.HANDLER)
					.withBriefLease(),
				own("work in a savepoint that is kept", (scene) -> scene.callDeciding(scene::nestedTransaction))
					.protectedBy(Protection.JOINING, Protection.HANDLER)
					.variation(),
				own("in the transaction of a filter that commits", (scene) -> {
					scene.surroundedBy((chain) -> scene.transaction(() -> {
						scene.readAndWrite();
						chain.run();
					}));
					scene.callDeciding();
				}).protectedBy(Protection.HANDLER).variation(),
				own("in the transaction of a filter that rolls back", (scene) -> {
					scene.surroundedBy((chain) -> scene.transaction(() -> {
						scene.read();
						scene.setRollbackOnly();
						chain.run();
					}));
					scene.callDeciding();
				}).protectedBy(Protection.HANDLER).variation());
	}

	private static Situation own(String name, Consumer<Scene> play) {
		return Situation.of(Group.OWN_TRANSACTION, name, Fate.ofOwnTransaction(), play).withIsolationOfPool();
	}

	private static Situation few(Situation situation) {
		Set<Fate> others = EnumSet.copyOf(situation.fates());
		others.removeAll(FEW);
		return situation.without(others);
	}

	private static List<Situation> callersTransaction() {
		return List.of(callers("that has read and written", (scene) -> scene.transaction(() -> {
			scene.readAndWrite();
			scene.callAndStrike();
		})).withBystander(AS_ITS_TRANSACTION),
				callers("that has done nothing else", (scene) -> scene.transaction(scene::callAndStrike)).variation(),
				callers("that calls twice", (scene) -> scene.transaction(() -> {
					scene.read();
					scene.callAndGoOn();
					scene.call();
					scene.strike();
				})).without(Fate.METHOD_THROWS_CALLER_GOES_ON).variation(),
				callers("that calls another one before", (scene) -> scene.transaction(() -> {
					scene.read();
					scene.callEarlier();
					scene.callAndStrike();
				})).withEarlierCall(AS_ITS_TRANSACTION),
				few(callers("that outlasts the lease", (scene) -> scene.transaction(() -> {
					scene.read();
					scene.call();
					scene.awaitRenewal();
					scene.strike();
				}))).without(Fate.METHOD_THROWS).withBriefLease(),
				few(callers("with a method that outlasts the lease", (scene) -> scene.transaction(() -> {
					scene.read();
					scene.callSlowly();
					scene.strike();
				}))).withBriefLease(), callers("of a protected handler", (scene) -> scene.inHandler(() -> {
					scene.read();
					scene.callAndStrike();
				})).withIsolationOfPool());
	}

	private static Situation callers(String name, Consumer<Scene> play) {
		return Situation.of(Group.CALLERS_TRANSACTION, name, Fate.ofCallersTransaction(), play);
	}

	private static List<Situation> nested() {
		Set<Fate> undoing = EnumSet.of(Fate.ROLLBACK_ONLY, Fate.METHOD_THROWS, Fate.METHOD_MARKS_AND_RETURNS,
				Fate.CALLER_THROWS, Fate.METHOD_THROWS_ERROR, Fate.CALLER_THROWS_ERROR);
		// Whoever catches the failure of a joining method cannot commit
		Outcomes goesOn = (protection, fate) -> (protection == Protection.ANNOTATED || !fate.strikesInMethod())
				? Outcome.DONE : Outcome.EITHER;
		return List.of(nested("kept, then the outer transaction ends", Fate.ofCallersTransaction(),
				(scene) -> scene.transaction(() -> {
					scene.readAndWrite();
					scene.nestedTransaction(scene::callAndGoOn);
					scene.strike();
				}))
			.without(Fate.METHOD_THROWS_CALLER_GOES_ON)
			.withBystander(AS_ITS_TRANSACTION),
				nested("undone, the outer transaction commits", undoing, (scene) -> scene.transaction(() -> {
					scene.readAndWrite();
					scene.goOnAfter(() -> scene.nestedTransaction(scene::callAndStrike));
				})).withBystander(goesOn), nested("undone after an earlier call, the outer transaction commits",
						undoing, (scene) -> scene.transaction(() -> {
							scene.read();
							scene.callEarlier();
							scene.goOnAfter(() -> scene.nestedTransaction(scene::callAndStrike));
						}))
					.withEarlierCall(goesOn),
				nested("undone, then called again", undoing, (scene) -> scene.transaction(() -> {
					scene.read();
					scene.goOnAfter(() -> scene.nestedTransaction(scene::callAndStrike));
					scene.callAgain();
				})).without(Fate.METHOD_THROWS, Fate.METHOD_THROWS_ERROR).ending(DONE),
				nested("undone, then called again in a savepoint that is kept", undoing,
						(scene) -> scene.transaction(() -> {
							scene.read();
							scene.goOnAfter(() -> scene.nestedTransaction(scene::callAndStrike));
							scene.nestedTransaction(scene::callAgain);
						}))
					.without(Fate.METHOD_THROWS, Fate.METHOD_THROWS_ERROR)
					.ending(DONE),
				nested("two deep, the inner one undone", undoing, (scene) -> scene.transaction(() -> {
					scene.write();
					scene.nestedTransaction(() -> scene.goOnAfter(() -> scene.nestedTransaction(scene::callAndStrike)));
				})).withBystander(goesOn),
				nested("two deep, the outer one undone", undoing, (scene) -> scene.transaction(() -> {
					scene.write();
					scene.goOnAfter(() -> scene.nestedTransaction(() -> {
						scene.nestedTransaction(scene::call);
						scene.strike();
					}));
				})).withBystander(goesOn),
				nested("two deep, both kept", Fate.ofCallersTransaction(), (scene) -> scene.transaction(() -> {
					scene.nestedTransaction(() -> scene.nestedTransaction(scene::call));
					scene.strike();
				})).variation(), nested("a savepoint by hand, rolled back to", EnumSet.of(Fate.COMMIT),
						(scene) -> scene.transaction(() -> {
							scene.readAndWrite();
							Object savepoint = scene.status().createSavepoint();
							scene.call();
							scene.status().rollbackToSavepoint(savepoint);
							scene.status().releaseSavepoint(savepoint);
							scene.undoneOnPurpose();
						}))
					.ending(UNDONE)
					.withBystander(DONE),
				nested("a savepoint by hand, rolled back to and used again", EnumSet.of(Fate.COMMIT),
						(scene) -> scene.transaction(() -> {
							Object savepoint = scene.status().createSavepoint();
							scene.call();
							scene.status().rollbackToSavepoint(savepoint);
							scene.callAgain();
							scene.status().releaseSavepoint(savepoint);
						})),
				nested("a savepoint by hand, released", Fate.ofCallersTransaction(),
						(scene) -> scene.transaction(() -> {
							Object savepoint = scene.status().createSavepoint();
							scene.call();
							scene.status().releaseSavepoint(savepoint);
							scene.strike();
						}))
					.variation(),
				nested("a method that makes its own savepoint", Fate.ofCallersTransaction(),
						(scene) -> scene.transaction(() -> {
							scene.readAndWrite();
							scene.callAndStrike();
						}))
					.protectedBy(Protection.NESTED, Protection.JOINING_NESTED)
					.withBystander((protection, fate) -> switch (fate) {
						case METHOD_MARKS_AND_RETURNS -> Outcome.DONE;
						case METHOD_THROWS_CALLER_GOES_ON ->
							(protection == Protection.NESTED) ? Outcome.DONE : Outcome.EITHER;
						default -> fate.outcome(protection);
					}));
	}

	private static Situation nested(String name, Set<Fate> fates, Consumer<Scene> play) {
		return Situation.of(Group.NESTED, name, fates, play);
	}

	private static List<Situation> requiresNew() {
		return List.of(requiresNew("the outer transaction commits", (scene) -> scene.transaction(() -> {
			scene.readAndWrite();
			scene.goOnAfter(() -> scene.newTransaction(() -> {
				scene.read();
				scene.callAndStrike();
			}));
		})).withBystander(DONE), requiresNew("the outer transaction rolls back", (scene) -> scene.transaction(() -> {
			scene.readAndWrite();
			scene.goOnAfter(() -> scene.newTransaction(scene::callAndStrike));
			scene.setRollbackOnly();
		})).withBystander(UNDONE), requiresNew("after an earlier call in the outer transaction, which commits",
				(scene) -> scene.transaction(() -> {
					scene.callEarlier();
					scene.goOnAfter(() -> scene.newTransaction(scene::callAndStrike));
				}))
			.withEarlierCall(DONE)
			.variation(),
				requiresNew("after an earlier call in the outer transaction, which rolls back",
						(scene) -> scene.transaction(() -> {
							scene.callEarlier();
							scene.goOnAfter(() -> scene.newTransaction(scene::callAndStrike));
							scene.setRollbackOnly();
						}))
					.withEarlierCall(UNDONE)
					.variation(),
				requiresNew("a method that begins its own, the outer transaction commits",
						(scene) -> scene.transaction(() -> {
							scene.readAndWrite();
							scene.goOnAfter(scene::callDeciding);
						}))
					.without(Fate.METHOD_THROWS_CALLER_GOES_ON, Fate.CALLER_THROWS, Fate.CALLER_THROWS_ERROR)
					.protectedBy(Protection.APART)
					.withBystander(DONE),
				requiresNew("a method that begins its own, the outer transaction rolls back",
						(scene) -> scene.transaction(() -> {
							scene.readAndWrite();
							scene.goOnAfter(scene::callDeciding);
							scene.setRollbackOnly();
						}))
					.without(Fate.METHOD_THROWS_CALLER_GOES_ON, Fate.CALLER_THROWS, Fate.CALLER_THROWS_ERROR)
					.protectedBy(Protection.APART)
					.withBystander(UNDONE));
	}

	private static Situation requiresNew(String name, Consumer<Scene> play) {
		return Situation.of(Group.REQUIRES_NEW, name, Fate.ofCallersTransaction(), play);
	}

	private static List<Situation> otherManager(boolean jpa) {
		String other = jpa ? "other (JPA)" : "other";
		return List.of(
				other(other + " around it commits", Fate.ofOwnTransaction(),
						(scene) -> scene.otherTransaction(jpa, () -> scene.goOnAfter(scene::callDeciding)))
					.withIsolationOfPool(),
				other(other + " around it rolls back", Fate.ofOwnTransaction(),
						(scene) -> scene.otherTransaction(jpa, () -> {
							scene.goOnAfter(scene::callDeciding);
							scene.setRollbackOnly();
						}))
					.withIsolationOfPool(),
				other(other + " around it fails", Fate.ofOwnTransaction(),
						(scene) -> scene.goOnAfter(() -> scene.otherTransaction(jpa, () -> {
							scene.callDeciding();
							scene.fail();
						})))
					.without(Fate.COMMIT)
					.withIsolationOfPool(),
				other(other + " around ours around it, commits", Fate.ofCallersTransaction(),
						(scene) -> scene.otherTransaction(jpa, () -> scene.goOnAfter(() -> scene.transaction(() -> {
							scene.readAndWrite();
							scene.callAndStrike();
						}))))
					.withBystander(AS_ITS_TRANSACTION),
				other(other + " around ours around it, rolls back", Fate.ofCallersTransaction(),
						(scene) -> scene.otherTransaction(jpa, () -> {
							scene.goOnAfter(() -> scene.transaction(() -> {
								scene.readAndWrite();
								scene.callAndStrike();
							}));
							scene.setRollbackOnly();
						}))
					.withBystander(AS_ITS_TRANSACTION),
				other("ours around " + other + " around it, which commits", Fate.ofCallersTransaction(),
						(scene) -> scene.transaction(() -> {
							scene.read();
							scene.otherTransaction(jpa, scene::callAndGoOn);
							scene.strike();
						})),
				other("ours around " + other + " around it, which rolls back", Fate.ofCallersTransaction(),
						(scene) -> scene.transaction(() -> {
							scene.read();
							scene.otherTransaction(jpa, () -> {
								scene.callAndGoOn();
								scene.setRollbackOnly();
							});
							scene.strike();
						})),
				other("ours with an earlier call around " + other + " around it, which rolls back",
						Fate.ofCallersTransaction(), (scene) -> scene.transaction(() -> {
							scene.callEarlier();
							scene.otherTransaction(jpa, () -> {
								scene.callAndGoOn();
								scene.setRollbackOnly();
							});
							scene.strike();
						}))
					.withEarlierCall(AS_ITS_TRANSACTION),
				other(other + " around ours around a new " + other, Fate.ofCallersTransaction(),
						(scene) -> scene.otherTransaction(jpa, () -> {
							scene.goOnAfter(() -> scene.transaction(() -> {
								scene.read();
								scene.newOtherTransaction(jpa, scene::callAndGoOn);
								scene.strike();
							}));
							scene.setRollbackOnly();
						})),
				other("ours around " + other + " around a new one of ours", Fate.ofCallersTransaction(),
						(scene) -> scene.transaction(() -> {
							scene.otherTransaction(jpa, () -> {
								scene.goOnAfter(() -> scene.newTransaction(() -> {
									scene.read();
									scene.callAndStrike();
								}));
								scene.setRollbackOnly();
							});
							scene.setRollbackOnly();
						})),
				other(other + " of a filter around the handler rolls back", Fate.ofOwnTransaction(), (scene) -> {
					scene.surroundedBy((chain) -> scene.otherTransaction(jpa, () -> {
						scene.setRollbackOnly();
						chain.run();
					}));
					scene.callDeciding();
				}).protectedBy(Protection.HANDLER).withIsolationOfPool());
	}

	private static Situation other(String name, Set<Fate> fates, Consumer<Scene> play) {
		return Situation.of(Group.OTHER_MANAGER, name, fates, play).in(SetUp.TWO_MANAGERS);
	}

	private static List<Situation> workInOtherDatabase() {
		Set<Fate> inMethod = EnumSet.of(Fate.COMMIT, Fate.ROLLBACK_ONLY, Fate.METHOD_THROWS,
				Fate.METHOD_MARKS_AND_RETURNS, Fate.SYNCHRONIZATION_THROWS, Fate.METHOD_THROWS_ERROR,
				Fate.SYNCHRONIZATION_THROWS_ERROR);
		return List.of(other("work of the other, alone", inMethod, Scene::callDeciding),
				other("work of the other, ours around it commits", inMethod, (scene) -> scene.transaction(() -> {
					scene.readAndWrite();
					scene.goOnAfter(scene::callDeciding);
				})).withBystander(DONE),
				other("work of the other, ours around it rolls back", inMethod, (scene) -> scene.transaction(() -> {
					scene.readAndWrite();
					scene.goOnAfter(scene::callDeciding);
					scene.setRollbackOnly();
				})).withBystander(UNDONE),
				other("work of the other in its caller's", Fate.ofAnyManager(),
						(scene) -> scene.otherTransaction(false, scene::callAndStrike)),
				other("work of the other in its caller's, ours around it rolls back", Fate.ofAnyManager(),
						(scene) -> scene.transaction(() -> {
							scene.goOnAfter(() -> scene.otherTransaction(false, scene::callAndStrike));
							scene.setRollbackOnly();
						})),
				other("work of the other in its caller's, around ours that rolls back", Fate.ofAnyManager(),
						(scene) -> scene.otherTransaction(false, () -> {
							scene.transaction(() -> {
								scene.call();
								scene.setRollbackOnly();
							});
							scene.strike();
						})))
			.stream()
			.map((situation) -> situation.protectedBy(Protection.OF_OTHER))
			.toList();
	}

	private static List<Situation> readOnly() {
		// Whether a row can be written there at all is the database's to say
		Outcomes ending = (protection, fate) -> (fate.outcome() == Outcome.DONE) ? Outcome.EITHER
				: fate.outcome(protection);
		return List
			.of(readOnly("its caller's", Fate.ofCallersTransaction(), (scene) -> scene.readOnlyTransaction(() -> {
				scene.read();
				scene.callAndStrike();
			})).without(Fate.CLAIM_LOST), readOnly("read-only inside of its caller's", Fate.ofCallersTransaction(),
					(scene) -> scene.transaction(() -> {
						scene.write();
						scene.readOnlyTransaction(scene::callAndGoOn);
						scene.strike();
					}))
				.withBystander(AS_ITS_TRANSACTION)
				.without(Fate.METHOD_THROWS_CALLER_GOES_ON)
				.ending(AS_ITS_FATE),
					readOnly("around a new one that writes", Fate.ofCallersTransaction(),
							(scene) -> scene.readOnlyTransaction(() -> {
								scene.read();
								scene.goOnAfter(() -> scene.newTransaction(scene::callAndStrike));
							}))
						.variation()
						.ending(AS_ITS_FATE),
					readOnly("of a handler's service", Fate.ofOwnTransaction(),
							(scene) -> scene.callDeciding(scene::readOnlyTransaction))
						.protectedBy(Protection.HANDLER, Protection.JOINING)
						.withIsolationOfPool()
						.variation()
						.ending(AS_ITS_FATE))
			.stream()
			.map((situation) -> (situation.ending() != null) ? situation : situation.ending(ending))
			.toList();
	}

	private static Situation readOnly(String name, Set<Fate> fates, Consumer<Scene> play) {
		return Situation.of(Group.READ_ONLY, name, fates, play);
	}

	private static List<Situation> beforeCommit() {
		// Spring commits what is marked as late as this, and says that it has not
		Outcomes ending = (protection, fate) -> !fate.marks() ? fate.outcome(protection)
				: protection.isCompletedInTransaction() ? Outcome.EITHER : Outcome.ANYTHING;
		Outcomes shared = (protection, fate) -> fate.marks() ? ending.of(protection, fate)
				: AS_ITS_TRANSACTION.of(protection, fate);
		List<Situation> all = new ArrayList<>();
		for (int order : List.of(Ordered.HIGHEST_PRECEDENCE, 0, Ordered.LOWEST_PRECEDENCE)) {
			String name = (order == 0) ? "in a synchronization"
					: (order < 0) ? "in the first synchronization" : "in the last synchronization";
			Situation alone = beforeCommit(name, (scene) -> scene.transaction(() -> {
				scene.readAndWrite();
				scene.beforeCommit(order, () -> callAndStrikeBeforeCommit(scene));
				strikeIfSynchronization(scene);
			})).withBystander(shared).ending(ending);
			all.add((order == 0) ? alone : alone.variation());
			all.add(beforeCommit(name + ", after an earlier call", (scene) -> scene.transaction(() -> {
				scene.read();
				scene.callEarlier();
				scene.beforeCommit(order, () -> callAndStrikeBeforeCommit(scene));
				strikeIfSynchronization(scene);
			})).withEarlierCall(shared).ending(ending).variation());
			all.add(beforeCommit(name + ", before an earlier call", (scene) -> scene.transaction(() -> {
				scene.beforeCommit(order, () -> callAndStrikeBeforeCommit(scene));
				scene.callEarlier();
				strikeIfSynchronization(scene);
			})).withEarlierCall(shared).ending(ending).variation());
		}
		all.add(beforeCommit("in a listener of events", (scene) -> scene.transaction(() -> {
			scene.readAndWrite();
			scene.atLast(() -> callAndStrikeBeforeCommit(scene));
			strikeIfSynchronization(scene);
		})).withBystander(shared).ending(ending).variation());
		all.add(beforeCommit("in a listener of events, after an earlier call", (scene) -> scene.transaction(() -> {
			scene.read();
			scene.callEarlier();
			scene.atLast(() -> callAndStrikeBeforeCommit(scene));
			strikeIfSynchronization(scene);
		})).withEarlierCall(shared).ending(ending).variation());
		all.add(beforeCommit("in a synchronization of a handler's transaction", (scene) -> scene.inHandler(() -> {
			scene.read();
			scene.beforeCommit(0, () -> callAndStrikeBeforeCommit(scene));
			strikeIfSynchronization(scene);
		})).withIsolationOfPool().ending(ending).variation());
		all.add(Situation
			.of(Group.BEFORE_COMMIT, "the work of a handler in a synchronization", Fate.ofOwnTransaction(),
					(scene) -> scene.callDeciding((work) -> scene.beforeCommit(0, work)))
			.protectedBy(Protection.HANDLER, Protection.JOINING)
			.withIsolationOfPool()
			.variation());
		return all;
	}

	private static void callAndStrikeBeforeCommit(Scene scene) {
		scene.call();
		if (!scene.fate().isSynchronization()) {
			scene.strike();
		}
	}

	/**
	 * What is registered while synchronizations are called is not called itself.
	 */
	private static void strikeIfSynchronization(Scene scene) {
		if (scene.fate().isSynchronization()) {
			scene.strike();
		}
	}

	private static Situation beforeCommit(String name, Consumer<Scene> play) {
		return Situation.of(Group.BEFORE_COMMIT, name, Fate.ofCallersTransaction(), play)
			.without(Fate.METHOD_THROWS_CALLER_GOES_ON, Fate.AFTER_COMMIT_THROWS, Fate.AFTER_COMMIT_THROWS_ERROR);
	}

	private static List<Situation> afterCommit() {
		Consumer<Scene> afterCommit = (scene) -> scene
			.transaction(() -> scene.afterCommit(() -> scene.goOnAfter(scene::call)));
		return List.of(after("after the commit, in a new one",
				(scene) -> scene.transaction(() -> scene.afterCommit(() -> scene.newTransaction(() -> {
					scene.read();
					scene.callAndStrike();
				})))), after("after the completion, in a new one", (scene) -> scene
					.transaction(() -> scene.afterCompletion(() -> scene.goOnAfter(() -> scene.newTransaction(() -> {
						scene.read();
						scene.callAndStrike();
					}))))),
				after("after a roll-back, in a new one", (scene) -> scene.transaction(() -> {
					scene.afterCompletion(() -> scene.goOnAfter(() -> scene.newTransaction(scene::callAndStrike)));
					scene.setRollbackOnly();
				})).variation(), after("after the commit, an earlier call in it", (scene) -> scene.transaction(() -> {
					scene.callEarlier();
					scene.afterCommit(() -> scene.newTransaction(scene::callAndStrike));
				})).withEarlierCall(DONE).variation(), lateCall("after the commit, in what is left of it", afterCommit),
				lateCall("after the commit, in what is left of it, with JPA", afterCommit).in(SetUp.JPA),
				lateCall("after the completion, in what is left of it",
						(scene) -> scene.transaction(() -> scene.afterCompletion(() -> scene.goOnAfter(scene::call)))),
				lateCall("after a roll-back, in what is left of it", (scene) -> scene.transaction(() -> {
					scene.afterCompletion(() -> scene.goOnAfter(scene::call));
					scene.setRollbackOnly();
				})));
	}

	private static Situation after(String name, Consumer<Scene> play) {
		return Situation.of(Group.BEFORE_COMMIT, name, Fate.ofCallersTransaction(), play);
	}

	/**
	 * Nothing commits what is done there, unless it is in a new transaction.
	 */
	private static Situation lateCall(String name, Consumer<Scene> play) {
		return Situation.of(Group.BEFORE_COMMIT, name, EnumSet.of(Fate.COMMIT), play)
			.protectedBy(Protection.JOINING, Protection.ANNOTATED, Protection.NESTED, Protection.APART)
			.ending((protection, fate) -> (protection == Protection.JOINING || protection == Protection.APART)
					? Outcome.DONE : Outcome.UNDONE);
	}

	private static List<Situation> jpa() {
		return List.of(
				jpa("alone", Fate.ofOwnTransaction(), Scene::callDeciding)
					.protectedBy(Protection.JOINING, Protection.ANNOTATED, Protection.APART, Protection.HANDLER)
					.withIsolationOfPool(),
				jpa("in its caller's", Fate.ofCallersTransaction(), (scene) -> scene.transaction(() -> {
					scene.readAndWrite();
					scene.callAndStrike();
				})).withBystander(AS_ITS_TRANSACTION), jpa("after an earlier call in its caller's",
						Fate.ofCallersTransaction(), (scene) -> scene.transaction(() -> {
							scene.callEarlier();
							scene.callAndStrike();
						}))
					.withEarlierCall(AS_ITS_TRANSACTION)
					.variation(),
				jpa("in a new one", Fate.ofCallersTransaction(), (scene) -> scene.transaction(() -> {
					scene.readAndWrite();
					scene.goOnAfter(() -> scene.newTransaction(scene::callAndStrike));
				})).withBystander(DONE),
				jpa("in a synchronization", Fate.ofCallersTransaction(), (scene) -> scene.transaction(() -> {
					scene.read();
					scene.beforeCommit(0, () -> callAndStrikeBeforeCommit(scene));
					strikeIfSynchronization(scene);
				})).without(Fate.METHOD_THROWS_CALLER_GOES_ON, Fate.ROLLBACK_ONLY, Fate.METHOD_MARKS_AND_RETURNS,
						Fate.AFTER_COMMIT_THROWS, Fate.AFTER_COMMIT_THROWS_ERROR),
				jpa("of a protected handler", Fate.ofCallersTransaction(), (scene) -> scene.inHandler(() -> {
					scene.read();
					scene.callAndStrike();
				})).withIsolationOfPool());
	}

	private static Situation jpa(String name, Set<Fate> fates, Consumer<Scene> play) {
		return Situation.of(Group.JPA, name, fates, play).in(SetUp.JPA);
	}

}
