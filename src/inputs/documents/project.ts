import { formatOrigin } from '../../model/input-error.js';
import type { JsonObject } from '../../text/json.js';
import type { LocalRoot } from '../../model/request.js';
import type { Contribution } from '../contribution.js';
import type { InputDocument } from '../document.js';
import type { Path } from '../../text/yaml/path.js';
import { errorAt, flagAt, listAt, objectAt, requiredTextAt, textAt } from '../field.js';
import { crossplaneOf, dependsOn, localRoot } from './local-package.js';

type Dependency = LocalRoot['dependsOn'][number];

/** What `crossplane project build` writes where the project says nothing. */
const DEFAULT_CROSSPLANE = '>=v2.0.0-rc.0';
/** What `crossplane dependency add` writes when given no version. */
const DEFAULT_VERSION = '>=v0.0.0';

/** A `crossplane-project.yaml` or `upbound.yaml`: the Configuration that would be built from it. */
export function readProject(
  document: InputDocument,
  group: 'dev.crossplane.io' | 'meta.dev.upbound.io',
): Contribution {
  const read = listAt(document, ['spec', 'dependencies']).map((_, i) =>
    readDependency(document, ['spec', 'dependencies', i]),
  );
  const fallback = group === 'dev.crossplane.io' ? DEFAULT_CROSSPLANE : undefined;
  const local = localRoot(document, {
    kind: 'Configuration',
    crossplane: crossplaneOf(document, false) ?? fallback,
    dependsOn: [
      ...dependsOn(document),
      ...read.flatMap((one) => (typeof one === 'string' ? [] : [one])),
    ],
  });
  return { roots: [local], notes: read.filter((one) => typeof one === 'string') };
}

/** The dependsOn entry that is built from it, or a note on why none is. */
function readDependency(document: InputDocument, path: Path): Dependency | string {
  objectAt(document, path);
  const origin = document.originOf(path);
  const type = requiredTextAt(document, [...path, 'type']);
  if (type === 'crd' || type === 'k8s') {
    return `${formatOrigin(origin)}: a dependency of type \`${type}\` installs no package and is left out`;
  }
  if (type !== 'xpkg') {
    throw errorAt(document, [...path, 'type'], 'must be `xpkg`, `crd` or `k8s`');
  }
  const name = requiredTextAt(document, [...path, 'xpkg', 'package']);
  const entry: JsonObject = {
    apiVersion: requiredTextAt(document, [...path, 'xpkg', 'apiVersion']),
    kind: requiredTextAt(document, [...path, 'xpkg', 'kind']),
    package: name,
    version: textAt(document, [...path, 'xpkg', 'version']) || DEFAULT_VERSION,
  };
  // The built package does not depend on it either: its schemas are for the author.
  if (flagAt(document, [...path, 'xpkg', 'apiOnly'])) {
    return `${formatOrigin(origin)}: \`${name}\` is \`apiOnly\` and is left out`;
  }
  return { entry, origin };
}
