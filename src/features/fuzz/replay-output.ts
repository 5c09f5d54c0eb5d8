import { shellCommand } from '../../base/escape.js';
import { writeYaml } from '../../base/yaml/write-yaml.js';
import { formatCrdRef } from '../../crossplane/packages/crd-ref.js';
import { policyDocument } from '../../project/inputs/policy.js';
import type { JsonObject } from '../../base/json.js';
import {
  type PackageRoot,
  type Request,
  type RootVersion,
  rootVersionText,
  type VersionRule,
} from '../../project/inputs/request.js';
import type { Breakage } from './fuzz.js';
import type { RootChoice } from './variations.js';
import type { ResolveArgs } from '../../cli/arguments/resolve-flags.js';

/**
 * Returns a command that reproduces the example of a breakage. Settings that no argument can express
 * are passed as YAML documents on stdin, in a here-document, so the command may have several lines.
 */
export function replayCommand(
  { example, refusal }: Pick<Breakage, 'example' | 'refusal'>,
  request: Request,
  args: ResolveArgs,
): string {
  const packages = example.choices.flatMap(versionedRoot);
  const asKind = refusal.core.some(({ kind }) => kind === 'kind');
  const isPlain = ({ root }: VersionedRoot) => !asKind && flagsOf(root) === undefined;
  const refs = packages.filter(isPlain);
  const entries = packages.filter((one) => !isPlain(one));
  const documents = [
    ...packageSets(example.choices, request, entries),
    ...request.kept.map(({ object }) => object).filter(({ kind }) => kind === 'ImageConfig'),
  ];
  const locals = example.choices.flatMap(({ root }) =>
    root.root === 'local' ? [root.origin.file] : [],
  );
  const files = [...new Set([...locals, ...(documents.length === 0 ? [] : ['-'])])];
  // With `-f`, `xpkg.yaml` is not read.
  if (files.length === 0 && hasFiles(request)) files.push('/dev/null');
  const words = [
    'xpkg-resolve',
    'resolve',
    ...refs.map(refOf),
    ...files.flatMap((file) => ['-f', file]),
    '--crossplane',
    example.release.version,
    ...settingFlags(request, args),
    '--no-write',
  ];
  const line = shellCommand(words);
  if (documents.length === 0) return line;
  return `${line} <<'EOF'\n${documents.map((each) => writeYaml(each)).join('---\n')}EOF`;
}

interface VersionedRoot {
  readonly root: PackageRoot;
  readonly version: RootVersion;
}

function versionedRoot({ root, tag }: RootChoice): VersionedRoot | [] {
  if (root.root !== 'package') return [];
  return { root, version: tag === undefined ? root.version : { form: 'tag', tag } };
}

function refOf({ root: { repository }, version }: VersionedRoot): string {
  const text = rootVersionText(version);
  if (version.form === 'tag') return `${repository}:${text}`;
  return text === '*' ? repository : `${repository}@${text}`;
}

function flagsOf(root: PackageRoot): JsonObject | undefined {
  const { ignoreCrossplaneConstraints, skipDependencyResolution } = root;
  if (!ignoreCrossplaneConstraints && !skipDependencyResolution) return undefined;
  return { ignoreCrossplaneConstraints, skipDependencyResolution };
}

/** Returns PackageSets with the settings that arguments cannot express; empty if there are none. */
function packageSets(
  choices: readonly RootChoice[],
  request: Request,
  entries: readonly VersionedRoot[],
): readonly JsonObject[] {
  const crds = choices.flatMap(({ root }) =>
    root.root === 'crd' ? [{ crd: formatCrdRef({ ...root.demand, registry: undefined }) }] : [],
  );
  const packages: JsonObject[] = [...entries.map(entryOf), ...crds];
  const { overrides, replace, exclude, policies = [] } = request;
  const lists = [packages, overrides, replace, exclude, policies];
  if (lists.every((list) => list.length === 0)) return [];
  const spec = {
    packages,
    ...(overrides.length > 0 && { overrides: overrides.map(ruleOf) }),
    ...(replace.length > 0 && {
      replace: replace.map((one) => ({ package: one.repository, with: one.with })),
    }),
    ...(exclude.length > 0 && { exclude: exclude.map(ruleOf) }),
  };
  const metadata = { name: 'replay' };
  const set = { apiVersion: 'xpkg-resolve.dev/v1alpha1', kind: 'PackageSet', metadata };
  // A PackageSet has at most one policy.
  const others = policies.map((policy) => ({ ...set, spec: { policy: policyDocument(policy) } }));
  return [{ ...set, spec }, ...others];
}

function ruleOf({ repository, version }: VersionRule): JsonObject {
  return { package: repository, version };
}

function entryOf({ root, version }: VersionedRoot): JsonObject {
  const spec = flagsOf(root);
  return {
    [root.kind?.toLowerCase() ?? 'package']: root.repository,
    version: rootVersionText(version),
    ...(spec && { spec }),
  };
}

function hasFiles({ roots, kept, crossplane, defaults }: Request): boolean {
  return (
    roots.some(({ origin }) => origin.file !== 'command line') ||
    kept.length > 0 ||
    crossplane !== undefined ||
    Object.keys(defaults).length > 0
  );
}

/** Returns the flags that change the answer. */
function settingFlags(request: Request, args: ResolveArgs): string[] {
  const admitted = new Set<string>([...(request.prereleases ?? []), ...(args.prerelease ?? [])]);
  return [
    ...repeatFlag(`--from`, args.from),
    ...repeatFlag('--crossplane-versions', [args.crossplaneVersions ?? []].flat()),
    ...repeatFlag('--prerelease', admitted),
    ...repeatFlag('--insecure-registry', args.insecureRegistry),
    ...repeatFlag('--pull-secret', args.pullSecret),
    ...(args.cache === undefined ? [] : ['--cache', args.cache]),
    ...(args.offline ? ['--offline'] : []),
    ...(args.allowCycles ? ['--allow-cycles'] : []),
    ...(args.compat ? ['--compat'] : []),
  ];
}

/** Returns a flag before each value. */
function repeatFlag(flag: string, values: Iterable<string> = []): string[] {
  return [...values].flatMap((value) => [flag, value]);
}
