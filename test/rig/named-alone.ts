import type { CoreEntry } from '../../src/explain/core-entries.js';
import type { IndexVersion } from '../../src/model/index-file.js';
import type { Scenario } from '../../src/testing/generate/scenario.js';
import { isMapping, stringOf, type JsonValue } from '../../src/text/json.js';
import { KIND_KEYS, SOURCE_KEYS } from './moved-scenario.js';
import { isNamedIn } from './refusal-reasons.js';

/**
 * A scenario that was refused, without the faults that its refusal does not speak of: a cluster stops at
 * the first that it meets, and that may be any of them.
 */
export function namedAlone(
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

  /** A dependency by the kind that it is of, where it was taken for one of another. */
  function ofItsKind(dependency: JsonValue): JsonValue {
    if (!isMapping(dependency)) return dependency;
    const key = KIND_KEYS.find((each) => typeof dependency[each] === 'string');
    if (key === undefined) return dependency;
    const { [key]: name = '', ...rest } = dependency;
    const { kind } = universe.packages[stringOf(name) ?? ''] ?? {};
    return kind === undefined ? dependency : { [kind.toLowerCase()]: name, ...rest };
  }
}

/** Repositories that an entry of dependsOn may mean. */
function targetsOf(dependency: JsonValue): string[] {
  if (!isMapping(dependency)) return [];
  return SOURCE_KEYS.map((key) => dependency[key]).filter((value) => typeof value === 'string');
}
