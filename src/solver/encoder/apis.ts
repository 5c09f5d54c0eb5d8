import { byCodePoint } from '../../text/code-point-order.js';
import { crdDemandText, type CrdDemand } from '../../model/crd-demand.js';
import { ownershipKey } from '../../model/owned-object.js';
import { isDigest } from '../../text/digest.js';
import type { PackageMeta } from '../../model/package-meta.js';
import type { Owner } from '../../model/package-source.js';
import { ABSENT, FIRST, OTHER, type Term, type Variable } from '../incompatibility.js';
import type { EncoderContext } from './context.js';
import type { Policies } from './policies.js';
import type { PublishedVersions } from './published-versions.js';
import { ask, type Solving } from '../question.js';
import type { ApiSubject, PackageSubject } from './subject.js';
import { VersionSet } from '../version-set.js';

/** A package that some version of owns a required CRD. */
interface KnownOwner {
  readonly demand: CrdDemand;
  /** That this package is the owner. */
  readonly chosen: Term;
  /** Versions of which it was said, when the owners were asked for, whether they own the CRD. */
  readonly settled: ReadonlySet<number>;
}

/**
 * The CRDs that are required, each a variable whose values are the packages that own it.
 *
 * | fact | incompatibility |
 * | --- | --- |
 * | no other package owns the CRD k | {owner of k ∉ absent, owners} |
 * | of p, only the versions in S own the CRD k | {owner of k = p, p ∉ S} |
 */
export class Apis {
  readonly #context: EncoderContext;
  readonly #published: PublishedVersions;
  readonly #policies: Policies;
  /** By what is demanded. */
  readonly #known = new Map<string, ApiSubject>();
  readonly #ownerships = new Map<Variable, KnownOwner[]>();

  constructor(
    context: EncoderContext,
    parts: { readonly published: PublishedVersions; readonly policies: Policies },
  ) {
    this.#context = context;
    this.#published = parts.published;
    this.#policies = parts.policies;
  }

  isFound(demand: CrdDemand): boolean {
    return this.#known.has(crdDemandText(demand));
  }

  /** The subject of a demand that has been found. */
  get(demand: CrdDemand): ApiSubject {
    return this.#known.get(crdDemandText(demand))!;
  }

  /** Asks for the owners of a CRD, unless that has been done. */
  *find(demand: CrdDemand): Solving<ApiSubject> {
    const key = crdDemandText(demand);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const { subjects, statements } = this.#context;
    const answer = [...(yield* ask({ ask: 'owners', demand }))];
    answer.sort((a, b) => byCodePoint(a.repository, b.repository));
    const owners: PackageSubject[] = [];
    for (const { repository } of answer) {
      const owner = subjects.package(repository);
      if (!owner.versions.listed && !this.#policies.refuses(owner))
        yield* this.#published.list(owner);
      owners.push(owner);
    }
    const api = subjects.add((variable): ApiSubject => ({
      about: 'api',
      variable,
      demand,
      owners,
    }));
    this.#known.set(key, api);
    const { variable } = api;
    const values = VersionSet.of([ABSENT, ...owners.map((_, i) => FIRST + i)]).complement();
    statements.tell({ terms: [{ variable, values }], cause: { fact: 'no-others', variable } });
    for (const [i, owner] of answer.entries()) this.#tellOwner(api, i, owner);
    return api;
  }

  /**
   * A version has been read. If it was not known when the owners were asked for, and does not own
   * a CRD, says so.
   */
  screen({ variable }: PackageSubject, value: number, meta: PackageMeta): void {
    for (const { demand, chosen, settled } of this.#ownerships.get(variable) ?? []) {
      if (settled.has(value) || owns(meta, demand)) continue;
      this.#tellNot(chosen, { variable, values: VersionSet.single(value) });
    }
  }

  /** No version known so far can be the owner that was decided on: says that there is no other. */
  close({ variable, versions }: PackageSubject): void {
    const unknown = { variable, values: VersionSet.of(versions.all()).complement() };
    for (const { chosen } of this.#ownerships.get(variable) ?? []) this.#tellNot(chosen, unknown);
  }

  #tellOwner(api: ApiSubject, index: number, owner: Owner): void {
    const { variable, versions, metas } = api.owners[index]!;
    const chosen = { variable: api.variable, values: VersionSet.single(FIRST + index) };
    if (this.#policies.refuses(api.owners[index]!)) {
      this.#tellNot(chosen, { variable, values: VersionSet.single(ABSENT) });
      return;
    }
    const own = new Set(owner.versions);
    const [mine, others] = [[] as number[], [] as number[]];
    for (const value of versions.all()) {
      const label = versions.label(value);
      const meta = metas.get(value);
      // Owners are named by tag: what a digest holds is known once it has been read.
      if (isDigest(label) && meta === undefined) continue;
      // A version of the CRD is something that only the source can tell of its tags.
      const byName = meta !== undefined && (isDigest(label) || api.demand.version === undefined);
      const isOwner = own.has(label) || (byName && owns(meta, api.demand));
      (isOwner ? mine : others).push(value);
    }
    const not = { variable, values: VersionSet.of([ABSENT, OTHER, ...others]) };
    const by = { variable, values: VersionSet.of(mine) };
    const cause = { fact: 'provides', api: chosen, by } as const;
    this.#context.statements.tell({ terms: [chosen, not], cause });
    const known = { demand: api.demand, chosen, settled: new Set([...mine, ...others]) };
    this.#ownerships.set(variable, [...(this.#ownerships.get(variable) ?? []), known]);
  }

  /** These versions are not the owner that was chosen. */
  #tellNot(chosen: Term, { variable, values }: Term): void {
    const by = { variable, values: values.complement() };
    this.#context.statements.tell({
      terms: [chosen, { variable, values }],
      cause: { fact: 'provides', api: chosen, by },
    });
  }
}

/** Told by name alone: what a CRD defines is not known of what was not listed. */
function owns(meta: PackageMeta, demand: CrdDemand): boolean {
  return (
    'crd' in demand && meta.owns.some((object) => ownershipKey(object) === `crd:${demand.crd}`)
  );
}
