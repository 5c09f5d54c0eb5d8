import { byCodePoint } from '../../text/code-point-order.js';
import { crdDemandText, type CrdDemand } from '../../model/crd-demand.js';
import { ownershipKey } from '../../model/owned-object.js';
import type { Repository } from '../../model/package.js';
import { isDigest } from '../../text/digest.js';
import type { PackageMeta } from '../../model/package-meta.js';
import type { Owner } from '../../model/package-source.js';
import type { Fact } from '../fact.js';
import type { Term, Variable } from '../incompatibility.js';
import { ABSENT, FIRST, OTHER } from './package-versions.js';
import { ask, type Solving } from '../question.js';
import type { ApiSubject, PackageSubject, Subject } from './subject.js';
import { VersionSet } from '../version-set.js';

/** What of the encoder the owners of CRDs need. */
export interface ApiEncoder {
  package(repository: Repository): PackageSubject;
  list(subject: PackageSubject): Solving<void>;
  addSubject(make: (variable: Variable) => Subject): Variable;
  tell(terms: readonly Term[], cause: Fact): unknown;
}

/** That a package is the owner of a CRD, and the versions known not to own it. */
interface Ownership {
  readonly demand: CrdDemand;
  readonly chosen: Term;
  /** Values that were there when the owners were asked for; who of them owns the CRD is settled. */
  readonly settled: ReadonlySet<number>;
}

/** The CRDs that somebody requires, each a variable whose values are the packages that own it. */
export class Apis {
  private readonly encoder: ApiEncoder;
  private readonly known = new Map<string, ApiSubject>();
  private readonly ownerships = new Map<Variable, Ownership[]>();

  constructor(encoder: ApiEncoder) {
    this.encoder = encoder;
  }

  /** The subject of a demand that has been found. */
  get(demand: CrdDemand): ApiSubject {
    return this.known.get(crdDemandText(demand))!;
  }

  *find(demand: CrdDemand): Solving<ApiSubject> {
    const key = crdDemandText(demand);
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const answer = [...(yield* ask({ ask: 'owners', demand }))];
    answer.sort((a, b) => byCodePoint(a.repository, b.repository));
    const owners: PackageSubject[] = [];
    for (const { repository } of answer) {
      const owner = this.encoder.package(repository);
      if (!owner.versions.listed) yield* this.encoder.list(owner);
      owners.push(owner);
    }
    let api: ApiSubject | undefined;
    const variable = this.encoder.addSubject(
      (v) => (api = { about: 'api', variable: v, demand, owners }),
    );
    this.known.set(key, api!);
    const values = VersionSet.of([ABSENT, ...owners.map((_, i) => FIRST + i)]);
    this.encoder.tell([{ variable, values: values.complement() }], { fact: 'no-others', variable });
    for (const [i, owner] of answer.entries()) this.tellOwner(api!, i, owner);
    return api!;
  }

  /** A version nobody knew of when the owners were asked for has been read: is it one? */
  screen(subject: PackageSubject, value: number, meta: PackageMeta): void {
    for (const { demand, chosen, settled } of this.ownerships.get(subject.variable) ?? []) {
      if (settled.has(value) || owns(meta, demand)) continue;
      const by = { variable: subject.variable, values: VersionSet.single(value) };
      this.encoder.tell([chosen, by], { fact: 'provides', api: chosen, by: without(by) });
    }
  }

  /** No version known so far can be the owner that was decided on: count on no other. */
  close(subject: PackageSubject): void {
    const known = VersionSet.of(subject.versions.all());
    const unknown = { variable: subject.variable, values: known.complement() };
    for (const { chosen } of this.ownerships.get(subject.variable) ?? []) {
      this.encoder.tell([chosen, unknown], { fact: 'provides', api: chosen, by: without(unknown) });
    }
  }

  private tellOwner(api: ApiSubject, index: number, owner: Owner): void {
    const { variable, versions, metas } = api.owners[index]!;
    const own = new Set(owner.versions);
    const [mine, others] = [[] as number[], [] as number[]];
    for (const value of versions.all()) {
      const label = versions.label(value);
      const meta = metas.get(value);
      // Owners are named by tag: what a digest holds is known once it has been read.
      if (isDigest(label) && meta === undefined) continue;
      const isOwner = own.has(label) || (meta !== undefined && owns(meta, api.demand));
      (isOwner ? mine : others).push(value);
    }
    const chosen = { variable: api.variable, values: VersionSet.single(FIRST + index) };
    const not = { variable, values: VersionSet.of([ABSENT, OTHER, ...others]) };
    const by = { variable, values: VersionSet.of(mine) };
    this.encoder.tell([chosen, not], { fact: 'provides', api: chosen, by });
    const ownership = { demand: api.demand, chosen, settled: new Set([...mine, ...others]) };
    this.ownerships.set(variable, [...(this.ownerships.get(variable) ?? []), ownership]);
  }
}

/** Told by name alone: what a CRD defines is not known of what was not listed. */
function owns(meta: PackageMeta, demand: CrdDemand): boolean {
  return (
    'crd' in demand && meta.owns.some((object) => ownershipKey(object) === `crd:${demand.crd}`)
  );
}

function without({ variable, values }: Term): Term {
  return { variable, values: values.complement() };
}
