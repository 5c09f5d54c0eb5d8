import type { PackageMeta } from '../model/package-meta.js';
import type { Repository } from '../model/package.js';
import type { CrdDemand } from '../model/crd-demand.js';
import { DecisionQueue } from './decision-queue.js';
import { prefetchable, type Prospect } from './prefetch/prefetchable.js';
import type { Incompatibility, Variable } from './incompatibility.js';
import { ABSENT, FIRST } from './encoder/package-versions.js';
import type { Problem } from './problem.js';
import { ask, type Solving } from './question.js';
import { Search } from './search.js';
import type { ApiSubject, PackageSubject } from './encoder/subject.js';
import { Encoder } from './encoder/encoder.js';

export interface Selected {
  readonly repository: Repository;
  /** Tag or digest. */
  readonly version: string;
  readonly meta: PackageMeta;
}

export interface ChosenOwner {
  readonly demand: CrdDemand;
  readonly owner: Repository;
  readonly others: readonly Repository[];
}

export interface Effort {
  readonly decisions: number;
  readonly conflicts: number;
}

export type SearchResult =
  | {
      readonly status: 'solved';
      /** Index into the problem's releases. */
      readonly release: number;
      /** In the order of decision. */
      readonly selected: readonly Selected[];
      /** CRDs that were asked for and that several packages own: which was taken. */
      readonly owners: readonly ChosenOwner[];
      readonly effort: Effort;
    }
  | (Proof & { readonly status: 'unsolvable'; readonly effort: Effort })
  | { readonly status: 'gave-up'; readonly effort: Effort };

/** That nothing satisfies everything, and why. */
export interface Proof {
  /** Derived from facts, and without terms. */
  readonly because: Incompatibility;
  /** What the facts are about. */
  readonly encoder: Encoder;
}

/** How many conflicts pass between two questions whether to go on. */
const PATIENCE = 256;

/**
 * Finds the one answer: packages are decided strictly in the order of the queue, each on its most
 * preferred version that nothing known forbids, and only what a conflict disproves is taken back.
 *
 * Whenever a version is passed over, an incompatibility implied by the facts forbids it together
 * with the decisions before it; so no valid set has these decisions and that version. The first
 * complete assignment is therefore the canonical one.
 *
 * `only`: keys of the debatable facts to admit; what is left out is taken not to hold.
 */
export function* solve(problem: Problem, only?: ReadonlySet<string>): Solving<SearchResult> {
  const search = new Search();
  const encoder = new Encoder(problem, search, only);
  const queue = new DecisionQueue();
  const chosen = new Map<Variable, number>();
  /** By level. */
  const decided: Variable[] = [];
  let decisions = 0;
  let conflicts = 0;
  /** What every answer needs, as far as it is known and unread. */
  const certain = new Set<Variable>();

  queue.append([encoder.crossplane]);
  const roots = yield* encoder.stateRoots(problem.roots);
  queue.append(roots);
  // Any order gives the same answer; last first read least on the benchmark's pairs (bench/README.md).
  for (const root of roots.toReversed()) certain.add(root);
  for (;;) {
    const conflict = search.propagate();
    if (conflict !== undefined) {
      conflicts++;
      const learned = search.learn(conflict);
      if (learned.terms.length === 0) {
        return {
          status: 'unsolvable',
          because: learned,
          encoder,
          effort: { decisions, conflicts },
        };
      }
      queue.rewind(search.level);
      for (const variable of decided.splice(search.level)) chosen.delete(variable);
      const tired = conflicts % PATIENCE === 0 && !(yield* ask({ ask: 'go-on' }));
      if (tired || conflicts >= problem.maxConflicts) {
        return { status: 'gave-up', effort: { decisions, conflicts } };
      }
      continue;
    }

    if (yield* readCertain()) continue;
    const variable = queue.next();
    if (variable === undefined) break;
    const value = preferred(variable);
    const subject = encoder.subject(variable);
    if (value === undefined) {
      if (subject.about !== 'package') throw new Error('a required variable has no value left');
      encoder.closeOwner(subject);
      continue;
    }
    let children: Variable[] = [];
    if (value !== ABSENT && subject.about === 'package') {
      if (!subject.read.has(value)) {
        yield* ask({ ask: 'expect', next: () => ({ packages: prefetchable(prospects()) }) });
        yield* encoder.read(subject, value);
        continue;
      }
      if (!(yield* encoder.link(subject, value))) continue;
      if (encoder.tellCycle(subject, value, (v) => chosen.get(v))) continue;
      children = encoder.children(subject, value);
    } else if (value !== ABSENT && subject.about === 'api') {
      children = [subject.owners[value - FIRST]!.variable];
    }
    decisions++;
    search.decide(variable, value);
    chosen.set(variable, value);
    decided.push(variable);
    queue.advance(children);
  }
  return {
    status: 'solved',
    release: chosen.get(encoder.crossplane)! - FIRST,
    selected: queue.decided().flatMap((variable) => selection(variable)),
    owners: queue.decided().flatMap((variable) => chosenOwner(variable)),
    effort: { decisions, conflicts },
  };

  /**
   * Reads a version that every answer has, whatever is decided: what it asks for may spare the
   * reading of others. Configurations first: they are the ones that pin versions, where providers
   * ask for little and functions for nothing. True: one was read.
   */
  function* readCertain(): Solving<boolean> {
    if (search.level > 0) return false;
    let first: { subject: PackageSubject; value: number; rank: number } | undefined;
    for (const variable of certain) {
      const subject = encoder.subject(variable);
      const value = search.allowed(variable).only;
      if (subject.about !== 'package' || value === undefined || value < FIRST) continue;
      if (subject.read.has(value)) {
        certain.delete(variable);
        continue;
      }
      const rank = readPriority(subject);
      if (first === undefined || rank < first.rank) first = { subject, value, rank };
      if (rank === 0) break;
    }
    if (first === undefined) return false;
    const { subject, value } = first;
    yield* ask({
      ask: 'expect',
      next: () => ({ packages: prefetchable(certainties({ subject, value })) }),
    });
    yield* encoder.read(subject, value);
    if (yield* encoder.link(subject, value)) {
      for (const child of encoder.children(subject, value)) certain.add(child);
    }
    return true;
  }

  /** What would be decided on now, from the head of the queue on; once there was a conflict, who knows. */
  function* prospects(): Iterable<Prospect> {
    if (conflicts > 0) return;
    for (const variable of queue.waiting()) {
      const subject = encoder.subject(variable);
      const value = preferred(variable);
      if (subject.about !== 'package' || value === undefined || value === ABSENT) continue;
      yield { subject, value, certain: search.allowed(variable).only !== undefined };
    }
  }

  /** What every answer has, `first` before others of its rank. */
  function* certainties(first: Omit<Prospect, 'certain'>): Iterable<Prospect> {
    const rank = readPriority(first.subject);
    yield { ...first, certain: true };
    for (const variable of certain) {
      const subject = encoder.subject(variable);
      const value = search.allowed(variable).only;
      if (subject.about !== 'package' || value === undefined || value < FIRST) continue;
      if (subject === first.subject || readPriority(subject) !== rank) continue;
      yield { subject, value, certain: true };
    }
  }

  /** undefined: only versions nobody knows of are left. */
  function preferred(variable: Variable): number | undefined {
    const allowed = search.allowed(variable);
    // Only where the fact that asks for it is not admitted.
    if (allowed.has(ABSENT)) return ABSENT;
    return preference(variable).find((candidate) => allowed.has(candidate));
  }

  function preference(variable: Variable): readonly number[] {
    const subject = encoder.subject(variable);
    switch (subject.about) {
      case 'package':
        return subject.versions.preference();
      case 'crossplane':
        return problem.releases.map((_, i) => FIRST + i);
      case 'api':
        return ownerPreference(subject);
      case 'local':
        return [FIRST];
    }
  }

  /** A package chosen already, then one that is locked, then by name. */
  function ownerPreference(subject: ApiSubject): number[] {
    const rank = (i: number) => {
      const { variable, repository } = subject.owners[i]!;
      return chosen.has(variable) ? 0 : problem.locked.has(repository) ? 1 : 2;
    };
    return subject.owners
      .map((_, i) => i)
      .sort((a, b) => rank(a) - rank(b) || a - b)
      .map((i) => FIRST + i);
  }

  function chosenOwner(variable: Variable): ChosenOwner[] {
    const subject = encoder.subject(variable);
    const value = chosen.get(variable)!;
    if (subject.about !== 'api' || value === ABSENT || subject.owners.length < 2) return [];
    const [owner, ...others] = [
      subject.owners[value - FIRST]!,
      ...subject.owners.filter((_, i) => i !== value - FIRST),
    ].map(({ repository }) => repository);
    return [{ demand: subject.demand, owner: owner!, others }];
  }

  function selection(variable: Variable): Selected[] {
    const subject = encoder.subject(variable);
    if (subject.about !== 'package') return [];
    const value = chosen.get(variable)!;
    if (value === ABSENT) return [];
    return [
      {
        repository: subject.repository,
        version: subject.versions.label(value),
        meta: subject.metas.get(value)!,
      },
    ];
  }
}

/** 0: read it before others. */
function readPriority({ expectedKinds }: PackageSubject): number {
  let rank = 2;
  for (const { kind } of expectedKinds.values()) {
    if (kind === 'Configuration') return 0;
    if (kind === 'Provider') rank = 1;
  }
  return expectedKinds.size === 0 ? 0 : rank;
}
