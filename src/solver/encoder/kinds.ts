import type { PackageKind } from '../../model/package.js';
import type { RootPackage } from '../problem.js';
import { VersionSet } from '../version-set.js';
import type { EncoderContext } from './context.js';
import type { PackageSubject } from './subject.js';

/**
 * A requirement says of which kind the package is that it names; a version says which it is.
 *
 * | fact | incompatibility |
 * | --- | --- |
 * | a root wants q as a Provider, q 1.0.0 is a Function | {q = 1.0.0} |
 * | p 1.2.0 wants q as a Provider, q 1.0.0 is a Function | {p = 1.2.0, q = 1.0.0} |
 *
 * Either side may become known first, so both are kept and compared whenever one grows.
 */
export class Kinds {
  readonly #context: EncoderContext;

  constructor(context: EncoderContext) {
    this.#context = context;
  }

  /** A root asks for `on` as a package of this kind. */
  expectForRoot(on: PackageSubject, kind: PackageKind, root: RootPackage): void {
    const key = `root ${this.#context.subjects.rootIndex(root)}`;
    on.expectedKinds.set(key, { kind, by: root });
    this.#tellExpected(on, key);
  }

  /** One more version of `by` requires `on` as a package of this kind. */
  expect(on: PackageSubject, kind: PackageKind, by: PackageSubject, value: number): void {
    const key = `${by.variable} ${kind}`;
    const before = on.expectedKinds.get(key)?.by;
    const known = before !== undefined && 'values' in before ? before.values : VersionSet.none;
    on.expectedKinds.set(key, { kind, by: { variable: by.variable, values: known.with(value) } });
    this.#tellExpected(on, key);
  }

  /** A version has been read, and is of this kind. */
  found(subject: PackageSubject, value: number, kind: PackageKind): void {
    const before = subject.kinds.get(kind) ?? VersionSet.none;
    subject.kinds.set(kind, before.with(value));
    for (const key of subject.expectedKinds.keys()) this.#tellPair(subject, key, kind);
  }

  /** An expectation has grown: compares it with the kinds that were found. */
  #tellExpected(subject: PackageSubject, key: string): void {
    for (const found of subject.kinds.keys()) this.#tellPair(subject, key, found);
  }

  #tellPair({ variable, expectedKinds, kinds }: PackageSubject, key: string, found: PackageKind) {
    const { kind: wanted, by } = expectedKinds.get(key)!;
    if (found === wanted) return;
    const on = { variable, values: kinds.get(found)! };
    this.#context.statements.replace(`kind ${key} ${variable} ${found}`, {
      terms: 'values' in by ? [by, on] : [on],
      cause: { fact: 'kind', by, on, wanted, found },
    });
  }
}
