/*
 * The protocol of idempotency keys, as the engine and the stores carry it out.
 *
 * The names of actions are the verbs of IdempotencyStore, Execution and Transactions.
 * docs/model.md explains the model, and ProtocolModelTests checks this file in every build.
 */
module protocol

open util/ordering[Tick] as ticks
open util/ordering[Attempt] as attempts

/* What is left of a lease or of a ttl, counted by the clock of the store. The first one is nothing. */
sig Tick {}

fun lease : one Tick { ticks/first.(ticks/next).(ticks/next) }

fun ttl : one Tick { ticks/last }

/* A process of the application. */
sig Instance {}

/* Instances whose own clock is ahead. Only a mistake looks at it. */
sig Ahead in Instance {}

/*
 * What a client sends: an operation with its key, to an instance. A retry is a further attempt. Clients are free:
 * they send what they like, when they like, and wait for nothing.
 */
sig Attempt {
	key: one Key,
	instance: one Instance
}

/* A key, and the record that the store has of it. There is a record as long as there is some life. */
sig Key {
	-- whose claim it is: the fencing token
	var owner: lone Attempt,
	-- what is left of the lease, while the operation is in progress
	var leaseLeft: lone Tick,
	-- what is left of the ttl
	var life: lone Tick,
	-- whose result is stored
	var result: lone Attempt,
	-- who has completed the key in a transaction that is still open: its row is locked
	var joined: lone Attempt,
	-- for how long no execution may begin, because the key was completed. No action reads it
	var promised: lone Tick,
	-- whose effects are committed since the key was last forgotten. No action reads it
	var effects: set Attempt
}

/* Keys of operations with transactional = true. */
sig Transactional in Key {}

/* Keys whose record is of a second attempt or a later one. */
var sig TakenOver in Key {}

/* Attempts that have asked the store and are not to ask again. */
var sig Begun in Attempt {}

/* Attempts whose work is going on. */
var sig Running in Attempt {}

/* Attempts whose work is done, and whose completion was refused: the claim was lost. */
var sig Late in Attempt {}

/* Attempts whose lease has ended before they did. No action reads it. */
var sig Outlived in Attempt {}

/* Attempts of a key that was granted to another one since. No action reads it. */
var sig Superseded in Attempt {}

/* Instances that stand still. */
var sig Stalled in Instance {}

/* Attempts that have found their key free. Only a mistake needs it. */
var sig Found in Attempt {}

/* ---- Mistakes ---- */

abstract sig Mistake {}

one sig UnfencedComplete, UnfencedRelease, UnfencedRenew, ReadThenWriteClaim, ClientClock, EndlessRenewal,
	CommitBeforeComplete, UnfencedAbandon, AbandonForgets extends Mistake {}

/* The mistakes that are made: none. To see what one of them does, write its name here. */
fun Planted : set Mistake { none }

/* ---- What the store decides ---- */

pred absent[k: Key] { no k.life }

pred inProgress[k: Key] { some k.life and no k.result }

pred completed[k: Key] { some k.result }

pred leaseOver[k: Key] { k.leaseLeft = ticks/first }

/* Every write after the claim is conditional on the owner. */
pred owns[a: Attempt] { inProgress[a.key] and a.key.owner = a }

pred acceptsComplete[a: Attempt] { owns[a] or (UnfencedComplete in Planted and some a.key.life) }

pred acceptsRelease[a: Attempt] { owns[a] or (UnfencedRelease in Planted and some a.key.life) }

pred acceptsAbandon[a: Attempt] { owns[a] or (UnfencedAbandon in Planted and some a.key.life) }

pred acceptsRenew[a: Attempt] { owns[a] or (UnfencedRenew in Planted and inProgress[a.key]) }

/* The first attempt: nothing is remembered. */
pred grantsClaim[a: Attempt] {
	ReadThenWriteClaim in Planted implies a in Found else absent[a.key]
}

/* A further attempt: the executor has vanished, or seems to. */
pred grantsTakeover[a: Attempt] {
	inProgress[a.key]
	leaseOver[a.key] or (ClientClock in Planted and a.instance in Ahead)
}

/* A tick less; nothing is left after the first. */
fun less[t: lone Tick] : lone Tick { t.(ticks/prev) - ticks/first }

fun longer[x, y: lone Tick] : lone Tick { ticks/max[x + y] }

/* ---- What stays as it is ---- */

pred sameRecord[k: Key] {
	k.owner' = k.owner
	k.leaseLeft' = k.leaseLeft
	k.life' = k.life
	k.result' = k.result
	k in TakenOver' iff k in TakenOver
}

pred samePromise[k: Key] { k.promised' = k.promised }

pred sameTransaction[k: Key] { k.joined' = k.joined and k.effects' = k.effects }

pred sameKey[k: Key] { sameRecord[k] and samePromise[k] and sameTransaction[k] }

pred otherKeys[k: Key] { all other: Key - k | sameKey[other] }

pred sameGrants { Begun' = Begun and Superseded' = Superseded and Outlived' = Outlived and Found' = Found }

pred sameInstances { Stalled' = Stalled }

/* ---- Actions of the engine and the store: one atomic step of the store each ---- */

/* A stalled instance does nothing, and who meets a locked row waits. */
pred reaches[a: Attempt] { a.instance not in Stalled and no a.key.joined }

pred granted[a: Attempt] {
	let k = a.key {
		k.owner' = a
		k.leaseLeft' = lease
		k.life' = ttl
		no k.result'
		samePromise[k]
		sameTransaction[k]
		otherKeys[k]
		Begun' = Begun + a
		Superseded' = (Superseded + (Begun & key.k)) - a
		Outlived' = Outlived - a
		Found' = Found - a
		sameInstances
	}
}

/* IdempotencyStore.claim of a key that is absent: attempt 1 runs. */
pred claim[a: Attempt] {
	a not in Begun
	reaches[a]
	grantsClaim[a]
	granted[a]
	TakenOver' = TakenOver - a.key
	Running' = Running + a
	Late' = Late
}

/* IdempotencyStore.claim of a key whose lease is over: attempt + 1 runs. */
pred takeover[a: Attempt] {
	a not in Begun
	reaches[a]
	grantsTakeover[a]
	granted[a]
	TakenOver' = TakenOver + a.key
	Running' = Running + a
	Late' = Late
}

/* IdempotencyStore.claim of a key that is completed: nothing runs, and the result is given out. */
pred replay[a: Attempt] {
	a not in Begun
	reaches[a]
	completed[a.key]
	all k: Key | sameKey[k]
	Begun' = Begun + a
	Superseded' = Superseded
	Outlived' = Outlived
	Found' = Found
	Running' = Running
	Late' = Late
	sameInstances
}

/* IdempotencyStore.renew: the lease runs anew. The lease keeper does it for what runs. */
pred renew[a: Attempt] {
	a in Running or (EndlessRenewal in Planted and a in Begun)
	reaches[a]
	let k = a.key {
		acceptsRenew[a] implies {
			k.owner' = k.owner
			k.leaseLeft' = lease
			k.life' = longer[k.life, lease]
			no k.result'
			k in TakenOver' iff k in TakenOver
		} else sameRecord[k]
		samePromise[k]
		sameTransaction[k]
		otherKeys[k]
	}
	Running' = Running
	Late' = Late
	sameGrants
	sameInstances
}

pred stores[k: Key, a: Attempt] {
	no k.owner'
	no k.leaseLeft'
	k.life' = longer[k.life, lease]
	k.result' = a
	k.promised' = longer[k.life, lease]
	k in TakenOver' iff k in TakenOver
}

/* IdempotencyStore.complete: the result is stored, or the claim turns out to be lost. */
pred complete[a: Attempt] {
	a in Running + Late
	a.key in Transactional implies (CommitBeforeComplete in Planted and a in a.key.effects)
	reaches[a]
	let k = a.key {
		acceptsComplete[a] implies stores[k, a] else (sameRecord[k] and samePromise[k])
		sameTransaction[k]
		otherKeys[k]
		Running' = Running - a
		Late' = ((a in Running and not acceptsComplete[a]) implies Late + a else Late - a)
	}
	sameGrants
	sameInstances
}

/* The engine claims a lost key once more, to store a late result. Nothing runs. */
pred claimAgain[a: Attempt] {
	a in Late
	not owns[a]
	reaches[a]
	absent[a.key] or grantsTakeover[a]
	granted[a]
	TakenOver' = (absent[a.key] implies TakenOver - a.key else TakenOver + a.key)
	Running' = Running
	Late' = Late
}

/* IdempotencyStore.release: the next claim is granted at once. After a takeover the record stays. */
pred release[a: Attempt] {
	a in Running
	reaches[a]
	let k = a.key {
		acceptsRelease[a] implies {
			no k.owner'
			no k.result'
			k.leaseLeft' = (k in TakenOver implies ticks/first else none)
			k.life' = (k in TakenOver implies k.life else none)
			k in TakenOver' iff k in TakenOver
		} else sameRecord[k]
		samePromise[k]
		sameTransaction[k]
		otherKeys[k]
	}
	Running' = Running - a
	Late' = Late
	sameGrants
	sameInstances
}

/* IdempotencyStore.abandon: it is unknown whether the work was done. The record stays, and may be taken over at once. */
pred abandon[a: Attempt] {
	a in Running
	reaches[a]
	let k = a.key {
		acceptsAbandon[a] implies {
			no k.owner'
			no k.result'
			k.leaseLeft' = (AbandonForgets in Planted implies none else ticks/first)
			k.life' = (AbandonForgets in Planted implies none else k.life)
			k in TakenOver' iff k in TakenOver
		} else sameRecord[k]
		samePromise[k]
		sameTransaction[k]
		otherKeys[k]
	}
	Running' = Running - a
	Late' = Late
	sameGrants
	sameInstances
}

/* Execution.letLeaseRunOut: the execution ends and tells the store nothing. */
pred letLeaseRunOut[a: Attempt] {
	a in Running
	a.instance not in Stalled
	no a.key.joined
	all k: Key | sameKey[k]
	Running' = Running - a
	Late' = Late
	sameGrants
	sameInstances
}

/* JoiningStore.completeInTransaction: the key is completed by a transaction that is still open. */
pred completeInTransaction[a: Attempt] {
	a in Running
	a.key in Transactional
	CommitBeforeComplete not in Planted
	reaches[a]
	let k = a.key {
		sameRecord[k]
		samePromise[k]
		k.effects' = k.effects
		k.joined' = (acceptsComplete[a] implies a else none)
		otherKeys[k]
		-- refused, the work is rolled back
		Running' = (acceptsComplete[a] implies Running else Running - a)
	}
	Late' = Late
	sameGrants
	sameInstances
}

/* Transactions.Transaction.commit: the work and its key together. */
pred commit[a: Attempt] {
	a in Running
	a.key in Transactional
	a.instance not in Stalled
	let k = a.key {
		k.effects' = k.effects + a
		no k.joined'
		CommitBeforeComplete in Planted implies {
			a not in k.effects
			sameRecord[k]
			samePromise[k]
			Running' = Running
		} else {
			k.joined = a
			stores[k, a]
			Running' = Running - a
		}
		otherKeys[k]
	}
	Late' = Late
	sameGrants
	sameInstances
}

/* Transactions.Transaction.rollBack: neither of them. The engine releases the key afterwards. */
pred rollBack[a: Attempt] {
	a.key.joined = a
	a.instance not in Stalled
	let k = a.key {
		sameRecord[k]
		samePromise[k]
		k.effects' = k.effects
		no k.joined'
		otherKeys[k]
	}
	Running' = Running
	Late' = Late
	sameGrants
	sameInstances
}

/* ---- What happens to instances and to time ---- */

/* A process is gone, and another one in its place. What it had not committed is rolled back. */
pred crash[i: Instance] {
	some (Running + Late) & instance.i
	all k: Key {
		sameRecord[k]
		samePromise[k]
		k.effects' = k.effects
		k.joined' = k.joined - instance.i
	}
	Running' = Running - instance.i
	Late' = Late - instance.i
	Stalled' = Stalled - i
	sameGrants
}

pred sameWork {
	all k: Key | sameKey[k]
	Running' = Running
	Late' = Late
	sameGrants
}

/* An instance stands still: a long pause of its garbage collector, a lost network. */
pred stall[i: Instance] {
	i not in Stalled
	some Running & instance.i
	Stalled' = Stalled + i
	sameWork
}

/* It goes on, as if nothing had happened. */
pred resume[i: Instance] {
	i in Stalled
	Stalled' = Stalled - i
	sameWork
}

/* The clock of the store moves. The lease keeper has renewed by then what runs on an instance that is well. */
pred advance {
	all a: Running - instance.Stalled | owns[a] and no a.key.joined implies a.key.leaseLeft = lease
	-- transactions end before the ttl does
	no k: Key | some k.joined and no less[k.life]
	all k: Key {
		k.life' = less[k.life]
		some k.life' implies {
			k.owner' = k.owner
			k.result' = k.result
			k.leaseLeft' = (leaseOver[k] implies k.leaseLeft else k.leaseLeft.(ticks/prev))
			k in TakenOver' iff k in TakenOver
		} else {
			no k.owner'
			no k.result'
			no k.leaseLeft'
			k not in TakenOver'
		}
		k.effects' = ((completed[k] and no k.life') implies none else k.effects)
		k.promised' = less[k.promised]
		k.joined' = k.joined
	}
	Outlived' = Outlived + { a: Attempt | a.key.owner = a and a.key.leaseLeft = ticks/first.(ticks/next) }
	Begun' = Begun
	Superseded' = Superseded
	Found' = Found
	Running' = Running
	Late' = Late
	sameInstances
}

/* Nothing happens; or a claim is refused because the operation is in progress, which changes nothing. */
pred idle { sameWork and sameInstances }

/* InspectableStore.find, which nobody needs who claims in one step. */
pred find[a: Attempt] {
	ReadThenWriteClaim in Planted
	a not in Begun
	reaches[a]
	absent[a.key]
	all k: Key | sameKey[k]
	Found' = Found + a
	Begun' = Begun
	Superseded' = Superseded
	Outlived' = Outlived
	Running' = Running
	Late' = Late
	sameInstances
}

/* ---- Behaviour ---- */

fact {
	all k: Key | absent[k] and no k.owner and no k.leaseLeft and no k.result and no k.joined and no k.promised
		and no k.effects
	no TakenOver
	no Begun
	no Running
	no Late
	no Outlived
	no Superseded
	no Stalled
	no Found
}

pred step {
	advance
	or idle
	or (some a: Attempt | claim[a] or takeover[a] or replay[a] or renew[a] or complete[a] or claimAgain[a]
		or release[a] or abandon[a] or letLeaseRunOut[a] or completeInTransaction[a] or commit[a] or rollBack[a] or find[a])
	or (some i: Instance | crash[i] or stall[i] or resume[i])
}

fact { always step }

/* Attempts have no names. So they begin in the order of theirs, and the solver looks at each behaviour once. */
fact { always all a: Begun + Found | a.(attempts/prevs) in Begun + Found }

/* ---- What holds ---- */

/* Who would be heard by the store. */
fun writers[k: Key] : set Attempt {
	{ a: (Running + Late) & key.k | acceptsComplete[a] or acceptsRelease[a] or acceptsAbandon[a] or acceptsRenew[a] }
}

/* At most one owner can write. */
pred oneWriter { all k: Key | lone writers[k] }

/* A completed key does not run again before its ttl. */
pred completedIsNotRun {
	no a: Attempt | (claim[a] or takeover[a]) and some a.key.promised
}

/* Two executions of a key overlap only when one of them has outlived its lease. */
pred overlapOnlyAfterLease {
	all disj a, b: Running | a.key = b.key implies some (a + b) & Outlived
}

/* A late writer changes nothing. */
pred lateWritesChangeNothing {
	all a: Superseded | (complete[a] or renew[a] or release[a] or abandon[a] or completeInTransaction[a])
		implies sameRecord[a.key]
}

/* In a transaction, a completed key has exactly one committed effect, and no key has more. */
pred oneEffect {
	all k: Transactional | lone k.effects and (completed[k] implies one k.effects)
}

/* After an outcome that was reported as unknown, the next execution is a later attempt, and may begin at once. */
pred unknownIsRemembered {
	all a: Attempt | (abandon[a] and owns[a]) implies after (inProgress[a.key] and leaseOver[a.key])
}

/* All of it, for traces of processes. */
pred safe { oneWriter and completedIsNotRun and overlapOnlyAfterLease and lateWritesChangeNothing and oneEffect }

assert AtMostOneOwnerCanWrite { always oneWriter }

assert CompletedKeyIsNotRunAgain { always completedIsNotRun }

assert OverlapOnlyAfterLease { always overlapOnlyAfterLease }

assert FencingHolds { always lateWritesChangeNothing }

assert OneCommittedEffect { always oneEffect }

/* Once nobody runs who holds it, a key is free or completed some time later, if only the clock moves. */
assert UnknownIsRemembered { always unknownIsRemembered }

assert NoKeyStaysBlocked {
	(always eventually advance) implies
		always all k: Key |
			(inProgress[k] and k.owner not in Running) implies eventually (leaseOver[k] or not inProgress[k])
}

/* ---- Scopes: a shorter behaviour is one that idles, so one length stands for all up to it ---- */

check AtMostOneOwnerCanWrite for exactly 3 Attempt, 1 Key, 2 Instance, exactly 4 Tick, 10..10 steps
check CompletedKeyIsNotRunAgain for exactly 3 Attempt, 1 Key, 2 Instance, exactly 4 Tick, 10..10 steps
check OverlapOnlyAfterLease for exactly 3 Attempt, 1 Key, 2 Instance, exactly 4 Tick, 10..10 steps
check FencingHolds for exactly 3 Attempt, 1 Key, 2 Instance, exactly 4 Tick, 10..10 steps
check OneCommittedEffect for exactly 3 Attempt, 1 Key, 2 Instance, exactly 4 Tick, 10..10 steps
check UnknownIsRemembered for exactly 3 Attempt, 1 Key, 2 Instance, exactly 4 Tick, 10..10 steps
check NoKeyStaysBlocked for exactly 3 Attempt, 1 Key, 2 Instance, exactly 4 Tick, 10..10 steps

/* ---- What can happen, so that nothing holds only because nothing happens ---- */

/* An executor vanishes, and a retry takes its key over and completes it. */
pred takeoverAfterCrash {
	some disj a, b: Attempt | eventually (claim[a] and after eventually (crash[a.instance] and after eventually (
		takeover[b] and after eventually (complete[b] and owns[b]))))
}

/* An attempt reports that its outcome is unknown, and the next one takes its key over and completes it. */
pred takeoverAfterReport {
	some disj a, b: Attempt | eventually (abandon[a] and owns[a] and after (takeover[b] and after eventually (
		complete[b] and owns[b])))
}

/* An operation runs, and a retry is answered with its result. */
pred replayAfterCompletion {
	some disj a, b: Attempt | eventually (complete[a] and owns[a] and after eventually replay[b])
}

/* The ttl of a completed key ends, and the next attempt is a first one. */
pred secondExecutionAfterTtl {
	some disj a, b: Attempt | a.key = b.key and eventually (complete[a] and owns[a] and after eventually claim[b])
}

/* Work that is longer than its lease keeps its key. */
pred workLongerThanItsLease {
	some a: Attempt | eventually (claim[a] and after eventually (renew[a] and after (advance and after eventually (
		renew[a] and after (advance and after eventually (complete[a] and owns[a]))))))
	always no Outlived
}

/* An executor stalls past its lease, and is refused when it comes back. */
pred lateWriterIsRefused {
	some a: Attempt | eventually (a in Superseded and complete[a] and not owns[a])
}

/* A late result is stored all the same: nobody holds the key, whose record has expired meanwhile. */
pred lateResultIsStored {
	some a: Attempt {
		claim[a] ; stall[a.instance] ; advance ; advance ; advance ; resume[a.instance] ; complete[a] ;
			claimAgain[a] ; complete[a]
		eventually (a in Late and complete[a] and owns[a])
	}
}

/* Work and key are committed together, after a first attempt that was rolled back. */
pred commitAfterRollBack {
	some disj a, b: Attempt | eventually (rollBack[a] and after (release[a] and after eventually (
		claim[b] and after eventually commit[b])))
}

run takeoverAfterCrash for exactly 3 Attempt, 1 Key, 2 Instance, exactly 4 Tick, 8..8 steps
run takeoverAfterReport for exactly 3 Attempt, 1 Key, 2 Instance, exactly 4 Tick, 8..8 steps
run replayAfterCompletion for exactly 3 Attempt, 1 Key, 2 Instance, exactly 4 Tick, 8..8 steps
run secondExecutionAfterTtl for exactly 3 Attempt, 1 Key, 2 Instance, exactly 4 Tick, 8..8 steps
run workLongerThanItsLease for exactly 3 Attempt, 1 Key, 2 Instance, exactly 4 Tick, 8..8 steps
run lateWriterIsRefused for exactly 3 Attempt, 1 Key, 2 Instance, exactly 4 Tick, 8..8 steps
run lateResultIsStored for exactly 3 Attempt, 1 Key, 2 Instance, exactly 4 Tick, 10..10 steps
run commitAfterRollBack for exactly 3 Attempt, 1 Key, 2 Instance, exactly 4 Tick, 8..8 steps
