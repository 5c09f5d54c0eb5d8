import type { IndexFile } from '../../model/index-file.js';
import { isDigest } from '../../text/digest.js';
import { isMapping } from '../../text/json.js';

/** Where an index departs from its shape, and how. */
export interface ShapeProblem {
  /** `packages["xpkg.io/a/p"].versions["v1.0.0"].crds[3]`; empty: the file as a whole. */
  readonly path: string;
  readonly want: string;
}

/**
 * The value as an index, or the first thing wrong with it. Unknown keys are let pass.
 *
 * Written by hand, for speed: an index may list 40,000 versions and half a million CRDs, and this
 * must cost little beside JSON.parse.
 */
export function checkIndex(value: unknown): IndexFile | ShapeProblem {
  const problem = inObject(value, { packages: mapOf(packageShape) }, ['packages']);
  if (problem !== undefined) return { path: problem.path.slice(1), want: problem.want };
  return value as IndexFile; // every field of the type was just looked at
}

type Check = (value: unknown) => ShapeProblem | undefined;
type Shape = Readonly<Record<string, Check>>;

const PACKAGE: Shape = { kind: text, versions: mapOf(versionShape) };
const DEFINITION: Shape = { group: text, kind: text, versions: listOf(text) };
const OBJECT: Shape = {
  apiVersion: text,
  kind: text,
  name: text,
  claim: text,
  claimKind: text,
  defines: definitionShape,
};
const VERSION: Shape = {
  crossplane: text,
  digest,
  dependsOn: listOf(() => undefined),
  crds: listOf(text),
  xrds: listOf((value) => inObject(value, OBJECT, ['name'])),
  compositions: listOf(text),
  objects: listOf((value) => inObject(value, OBJECT, ['kind', 'name'])),
  defines: mapOf(definitionShape),
  kind: text,
  apiVersion: text,
  name: text,
  labels: mapOf(text),
  capabilities: listOf(text),
  decodeError: text,
  problems: listOf(text),
  manifest: digest,
  baseLayer: digest,
  packageYaml: digest,
};

function packageShape(value: unknown): ShapeProblem | undefined {
  return inObject(value, PACKAGE, ['kind', 'versions']);
}

function versionShape(value: unknown): ShapeProblem | undefined {
  return inObject(value, VERSION, []);
}

function definitionShape(value: unknown): ShapeProblem | undefined {
  return inObject(value, DEFINITION, ['group', 'kind', 'versions']);
}

function text(value: unknown): ShapeProblem | undefined {
  return typeof value === 'string' ? undefined : { path: '', want: 'a string' };
}

function digest(value: unknown): ShapeProblem | undefined {
  return typeof value === 'string' && isDigest(value)
    ? undefined
    : { path: '', want: '`sha256:` and 64 lower-case hex digits' };
}

function listOf(check: Check): Check {
  return (value) => {
    if (!Array.isArray(value)) return { path: '', want: 'a list' };
    for (let i = 0; i < value.length; i++) {
      const problem = check(value[i]);
      if (problem !== undefined) return below(`[${i}]`, problem);
    }
    return undefined;
  };
}

function mapOf(check: Check): Check {
  return (value) => {
    if (!isMapping(value)) return { path: '', want: 'an object' };
    for (const key of Object.keys(value)) {
      const problem = check(value[key]);
      if (problem !== undefined) return below(`[${JSON.stringify(key)}]`, problem);
    }
    return undefined;
  };
}

function inObject(
  value: unknown,
  shape: Shape,
  required: readonly string[],
): ShapeProblem | undefined {
  if (!isMapping(value)) return { path: '', want: 'an object' };
  for (const key of required) {
    if (!Object.hasOwn(value, key)) return { path: `.${key}`, want: 'given' };
  }
  for (const key of Object.keys(value)) {
    const problem = Object.hasOwn(shape, key) ? shape[key]!(value[key]) : undefined;
    if (problem !== undefined) return below(`.${key}`, problem);
  }
  return undefined;
}

function below(step: string, problem: ShapeProblem): ShapeProblem {
  return { path: step + problem.path, want: problem.want };
}
