import { DOT_REGISTRY } from '../../model/dot-registry.js';
import type { Contribution } from '../contribution.js';
import type { InputDocument } from '../document.js';
import { errorAt, listAt, textAt } from '../field.js';
import { isMapping } from '../../text/json.js';

/** Whether a document is the `.registry/app.yaml` of a package of the first format. */
export function isAppYaml(document: InputDocument): boolean {
  const path = document.originOf([]).file.replaceAll('\\', '/');
  return isMapping(document.value) && `/${path}`.endsWith(`/${DOT_REGISTRY}/app.yaml`);
}

/** An `app.yaml`: the package is a root: what it requires counts, it is not itself rendered. */
export function readAppYaml(document: InputDocument): Contribution {
  const dependsOn = listAt(document, ['dependsOn']).map((entry, i) => {
    const path = ['dependsOn', i];
    if (!isMapping(entry)) throw errorAt(document, path, 'must be a mapping');
    return { entry, origin: document.originOf(path) };
  });
  const name = textAt(document, ['title']) || 'app.yaml';
  // As when such a package is read from a source: no other kind of today installs CRDs.
  const kind = 'Provider';
  const origin = document.originOf([]);
  return {
    roots: [{ root: 'local', kind, name, crossplane: undefined, dependsOn, objects: [], origin }],
  };
}
