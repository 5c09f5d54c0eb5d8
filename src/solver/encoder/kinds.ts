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
    this.#tell(on);
  }

  /** One more version of `by` requires `on` as a package of this kind. */
  expect(on: PackageSubject, kind: PackageKind, by: PackageSubject, value: number): void {
    const key = `${by.variable} ${kind}`;
    const before = on.expectedKinds.get(key)?.by;
    const known = before !== undefined && 'values' in before ? before.values : VersionSet.none;
    const values = known.or(VersionSet.single(value));
    on.expectedKinds.set(key, { kind, by: { variable: by.variable, values } });
    this.#tell(on);
  }

  /** A version has been read, and is of this kind. */
  found(subject: PackageSubject, value: number, kind: PackageKind): void {
    const before = subject.kinds.get(kind) ?? VersionSet.none;
    subject.kinds.set(kind, before.or(VersionSet.single(value)));
    this.#tell(subject);
  }

  #tell({ variable, expectedKinds, kinds }: PackageSubject): void {
    for (const [key, { kind: wanted, by }] of expectedKinds) {
      for (const [found, values] of kinds) {
        if (found === wanted) continue;
        const on = { variable, values };
        this.#context.statements.replace(`kind ${key} ${variable} ${found}`, {
          terms: 'values' in by ? [by, on] : [on],
          cause: { fact: 'kind', by, on, wanted, found },
        });
      }
    }
  }
}
