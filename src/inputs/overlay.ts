import { formatOrigin, InputError } from '../model/input-error.js';
import type { Repository } from '../model/package.js';
import { ANY_VERSION } from './command-line-ref.js';
import type { Contribution, PackageRootDraft } from './contribution.js';

/*
 * A PackageSet over those that it includes: what it says wins, field by field, and what it leaves
 * out stays. Of lists, entries about the same package are one.
 */

/** What is left of an included contribution below a PackageSet. */
export function under(base: Contribution, top: Contribution): Contribution {
  const restated = new Map(packagesOf(top).map((root) => [root.repository, root]));
  return {
    ...base,
    crossplane: top.crossplane === undefined ? base.crossplane : undefined,
    crossplanes: top.crossplanes === undefined ? base.crossplanes : undefined,
    allowUndigested: top.allowUndigested === undefined ? base.allowUndigested : undefined,
    defaults: top.defaults === undefined ? base.defaults : undefined,
    overrides: without(base.overrides, top.overrides),
    replace: without(base.replace, top.replace),
    ...(base.roots !== undefined && {
      roots: base.roots.map((root) => {
        const over = root.root === 'package' ? restated.get(root.repository) : undefined;
        return root.root === 'package' && over !== undefined ? merged(root, over) : root;
      }),
    }),
  };
}

/** What a PackageSet adds to those that it includes. */
export function over(top: Contribution, bases: readonly Contribution[]): Contribution {
  const below = new Set(bases.flatMap(packagesOf).map(({ repository }) => repository));
  const defaults = bases.flatMap((base) =>
    base.defaults === undefined ? [] : [base.defaults.spec],
  );
  return {
    ...top,
    ...(top.defaults !== undefined && {
      defaults: { ...top.defaults, spec: Object.assign({}, ...defaults, top.defaults.spec) },
    }),
    ...(top.roots !== undefined && {
      roots: top.roots.filter((root) => root.root !== 'package' || !below.has(root.repository)),
    }),
  };
}

function without<T extends { readonly repository: Repository }>(
  rules: readonly T[] = [],
  others: readonly T[] = [],
): readonly T[] {
  return rules.filter((rule) => others.every(({ repository }) => repository !== rule.repository));
}

function packagesOf({ roots = [] }: Contribution): readonly PackageRootDraft[] {
  return roots.filter((root) => root.root === 'package');
}

function merged(base: PackageRootDraft, top: PackageRootDraft): PackageRootDraft {
  if (base.kind !== undefined && top.kind !== undefined && base.kind !== top.kind) {
    const place = formatOrigin(base.origin);
    throw new InputError(
      `\`${top.repository}\` is a ${top.kind} here and a ${base.kind} at ${place}, which is included`,
      { origin: top.origin, hint: 'name the kind that the package has, or write `package:`' },
    );
  }
  const keepsVersion = top.version === ANY_VERSION;
  return {
    ...base,
    kind: top.kind ?? base.kind,
    version: keepsVersion ? base.version : top.version,
    name: top.name ?? base.name,
    spec: { ...base.spec, ...top.spec },
    origin: keepsVersion ? base.origin : top.origin,
  };
}
