import type { JsonValue } from '../../text/json.js';
import type { LocalRoot, Request, Root } from '../../model/request.js';
import type { CoreFacts } from './core-facts.js';

/** The request cut down to the roots, exclusions and policies that the facts name. */
export function coreRequest(
  given: Request,
  facts: CoreFacts,
  ofRightKind: (entry: JsonValue) => JsonValue,
): Request {
  const { crossplane: _, ...request } = given;
  const roots: Root[] = [];
  let place = 0;
  for (const [n, root] of request.roots.entries()) {
    if (root.root === 'local') roots.push(coreLocal(root, place, facts, ofRightKind));
    else if (facts.namesRoot(place)) roots.push(coreRoot(root, n));
    place += requirementCount(root);
  }
  const origin = { file: 'core' };
  const exclude = facts
    .excluded()
    .flatMap(({ repository, versions }) =>
      versions.map((version) => ({ repository, version, origin })),
    );
  const deny = facts.forbidden().map((packages) => ({ packages, version: undefined, origin }));
  return { ...request, roots, exclude, policies: deny.length > 0 ? [{ deny }] : [] };
}

/** A root that asks for an API asks for one that `coreUniverse` gives the owners of that API. */
function coreRoot(root: Exclude<Root, LocalRoot>, n: number): Root {
  return root.root === 'package'
    ? { ...root, kind: undefined }
    : { ...root, demand: { ...coreApi(n), version: undefined } };
}

/** `place`: that of the first thing it asks for. */
function coreLocal(
  root: LocalRoot,
  place: number,
  facts: CoreFacts,
  ofRightKind: (entry: JsonValue) => JsonValue,
): LocalRoot {
  const { crossplane, dependsOn } = root;
  const first = place + requirementCount(root) - dependsOn.length;
  return {
    ...root,
    crossplane: facts.namesCrossplaneOfRoot(place) ? crossplane : undefined,
    dependsOn: dependsOn
      .filter((_, n) => facts.namesRoot(first + n))
      .map(({ entry, origin }) => ({ entry: ofRightKind(entry), origin })),
    objects: [],
  };
}

/** How many things a root asks for, in the order in which facts count them. */
function requirementCount(root: Root): number {
  if (root.root !== 'local') return 1;
  const { crossplane, objects, dependsOn } = root;
  return (crossplane === undefined ? 0 : 1) + (objects.length > 0 ? 1 : 0) + dependsOn.length;
}

/** A made-up API that stands for what the nth root asks for. */
export function coreApi(n: number): { readonly group: string; readonly kind: string } {
  return { group: 'core.example.org', kind: `Api${n}` };
}
