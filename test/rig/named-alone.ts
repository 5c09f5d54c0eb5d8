import type { CoreEntry } from '../../src/resolver/explain/refusal.js';
import type { IndexVersion } from '../../src/sources/index/index-file.js';
import type { Scenario } from '../../src/testing/generators/scenario.js';
import { isMapping, stringOf, type JsonValue } from '../../src/base/json.js';
import { KIND_KEYS, SOURCE_KEYS } from './moved-scenario.js';
import { isNamedIn } from './refusal-reasons.js';

/**
 * Returns a refused scenario without the errors that its refusal does not state: a cluster stops at
 * the first error, which may be any of them.
 */
export function withStatedErrors(
  { universe, request, options }: Scenario,
  core: readonly CoreEntry[],
): Scenario {
  const text = core.map((entry) => entry.text).join('\n');
  const isNamed = (name: string) => isNamedIn(text, name);
  const tells = (kind: CoreEntry['kind']) => core.some((entry) => entry.kind === kind);
  const packages = Object.entries(universe.packages).map(([repository, { kind, versions }]) => {
    const entries = Object.entries(versions).map(([tag, entry]) => [tag, part(entry)] as const);
    return [repository, { kind, versions: Object.fromEntries(entries) }] as const;
  });
  return {
    universe: { packages: Object.fromEntries(packages) },
    request: {
      ...request,
      roots: request.roots.filter((root) => root.root !== 'package' || isNamed(root.repository)),
    },
    options,
  };

  function part(entry: IndexVersion): IndexVersion {
    const { crossplane, crds, xrds, compositions, dependsOn = [], ...rest } = entry;
    return {
      ...rest,
      ...(tells('crossplane') && crossplane !== undefined && { crossplane }),
      ...(tells('ownership') && { crds, xrds, compositions }),
      dependsOn: dependsOn
        .filter((each) => targetsOf(each).some(isNamed))
        .map((each) => (tells('kind') ? each : ofItsKind(each))),
    };
  }

  /** Corrects the kind in a dependency. */
  function ofItsKind(dependency: JsonValue): JsonValue {
    if (!isMapping(dependency)) return dependency;
    const key = KIND_KEYS.find((each) => typeof dependency[each] === 'string');
    if (key === undefined) return dependency;
    const { [key]: name = '', ...rest } = dependency;
    const { kind } = universe.packages[stringOf(name) ?? ''] ?? {};
    return kind === undefined ? dependency : { [kind.toLowerCase()]: name, ...rest };
  }
}

/** Returns the repositories that a dependsOn entry may refer to. */
function targetsOf(dependency: JsonValue): string[] {
  if (!isMapping(dependency)) return [];
  return SOURCE_KEYS.map((key) => dependency[key]).filter((value) => typeof value === 'string');
}
