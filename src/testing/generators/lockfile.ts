import * as fc from 'fast-check';
import type { LockedPackage, Lockfile, ObjectTemplate } from '../../project/lockfile/lockfile.js';
import { byKindAndName, type OwnedObject } from '../../crossplane/packages/owned-objects.js';
import { byCodePoint } from '../../base/collections.js';
import { objectNameOf } from '../../crossplane/packages/object-names.js';
import type { CrdRequirement, Requirement } from '../../crossplane/packages/package-meta.js';
import type { JsonObject } from '../../base/json.js';
import { samplePackage, claimOf, digestOf, type SamplePackage } from './sample-packages.js';
import { pick, pickFrom, sometimes, weighted } from './knobs.js';

const DEFAULT_LOCKFILE_KNOBS = {
  /** Maximum number of packages. */
  packages: 6,
  /** Share of packages that are locked by digest. */
  digests: 0.1,
  /** Share of packages with an unknown digest. */
  undigested: 0.05,
  /** Share of packages whose object has settings of the user. */
  customized: 0.2,
  /** Share of lockfiles whose objects all skip dependency resolution. */
  skipping: 0.15,
  /** Share of texts that are difficult to write as YAML, or that no package would contain. */
  awkward: 0,
};

/** Parameters of generated lockfiles. Shares are between 0 and 1. */
export type LockfileKnobs = { readonly [K in keyof typeof DEFAULT_LOCKFILE_KNOBS]: number };

/** Draws lockfiles as `resolve` writes them. Formatting and parsing returns an equal lockfile. */
export function lockfile(knobs: Partial<LockfileKnobs> = {}): fc.Arbitrary<Lockfile> {
  const all = { ...DEFAULT_LOCKFILE_KNOBS, ...knobs };
  const plan = fc.record({
    crossplane: weighted(
      [0.6, 'v2.3.4'],
      [0.2, 'v1.20.0'],
      [0.1, 'v1.14.0'],
      [0.1, 'v1.20.0-up.1'],
    ),
    packages: fc.array(packagePlan(all), { maxLength: all.packages, size: 'max' }),
    objects: fc.array(keptObject(all), { maxLength: 2 }),
    skipDependencyResolution: sometimes(
      all.skipping,
      fc.array(reason(all), { minLength: 1, maxLength: 2 }),
    ),
  });
  return plan.map(({ crossplane, packages, objects, skipDependencyResolution = [] }) => ({
    crossplane,
    packages: packages
      .map((one, n) => lockedPackage(one, n, packages.length))
      .sort((a, b) => byCodePoint(a.repository, b.repository)),
    objects,
    skipDependencyResolution,
  }));
}

interface LockedPackagePlan {
  readonly minor: number;
  readonly pin: 'digest' | 'tag' | 'undigested';
  readonly image: 'index' | 'manifest' | 'unread';
  readonly direct: boolean;
  readonly crossplane: string | undefined;
  readonly needs: readonly {
    readonly to: number;
    readonly constraint: string;
    readonly explicit: boolean;
  }[];
  readonly requiresCrd: CrdRequirement | undefined;
  readonly alsoOwns: string | undefined;
  readonly object: ObjectTemplate | undefined;
}

function packagePlan(knobs: LockfileKnobs): fc.Arbitrary<LockedPackagePlan> {
  const { digests, undigested } = knobs;
  const need = fc.record({
    to: pick(),
    constraint: text(knobs, '>=v1.0.0', '^v1.2.0', '>= 0.0.0', 'v1.3.0', '>=v1.0.0, <v2.0.0'),
    explicit: weighted([0.9, false], [0.1, true]),
  });
  return fc.record({
    minor: fc.nat({ max: 30 }),
    pin: weighted<LockedPackagePlan['pin']>(
      [Math.max(0, 1 - digests - undigested), 'tag'],
      [digests, 'digest'],
      [undigested, 'undigested'],
    ),
    image: weighted<LockedPackagePlan['image']>([0.5, 'unread'], [0.3, 'manifest'], [0.2, 'index']),
    direct: weighted([0.6, false], [0.4, true]),
    crossplane: sometimes(0.4, text(knobs, '>=v1.14.0-0', '>=v1.20.0', '^v1.14.1-0 || ^v2.0.0-0')),
    needs: fc.array(need, { maxLength: 3 }),
    requiresCrd: sometimes(0.05 + knobs.awkward / 4, crdRequirement(knobs)),
    alsoOwns: sometimes(knobs.awkward, awkwardText()),
    object: sometimes(knobs.customized, template(knobs)),
  });
}

function lockedPackage(plan: LockedPackagePlan, n: number, count: number): LockedPackage {
  const role = samplePackage(n);
  const { repository, kind } = role;
  const tag = `v1.${plan.minor}.0`;
  const digest = plan.pin === 'undigested' ? undefined : digestOf(repository, tag);
  const part = (name: string) => digestOf(repository, `${tag} ${name}`);
  const imaged = digest !== undefined && plan.image !== 'unread';
  return {
    repository,
    version: plan.pin === 'digest' && digest !== undefined ? digest : tag,
    digest,
    manifest: imaged && plan.image === 'index' ? part('manifest') : undefined,
    baseLayer: imaged ? part('base layer') : undefined,
    packageYaml: imaged ? part('package.yaml') : undefined,
    kind,
    name: objectNameOf(repository),
    direct: plan.direct,
    crossplane: plan.crossplane,
    requirements: requirementsOf(plan, n, count),
    owns: ownsOf(role, plan.alsoOwns).sort(byKindAndName),
    object: plan.object ?? { apiVersion: undefined, metadata: {}, spec: {} },
  };
}

function requirementsOf(
  { needs, requiresCrd }: LockedPackagePlan,
  n: number,
  count: number,
): Requirement[] {
  const others = Array.from({ length: count - n - 1 }, (_, m) => samplePackage(n + 1 + m));
  const required = needs.flatMap(({ to, constraint, explicit }): Requirement[] => {
    const other = pickFrom(to, others);
    if (other === undefined) return [];
    const { repository, kind } = other;
    const apiVersion = explicit ? 'pkg.crossplane.io/v1' : undefined;
    return [{ requires: 'package', repository, kind, apiVersion, constraint, line: undefined }];
  });
  return requiresCrd === undefined ? required : [...required, requiresCrd];
}

/** Draws requirements by name, with or without an API version, and by group, version and kind. */
function crdRequirement(knobs: LockfileKnobs): fc.Arbitrary<CrdRequirement> {
  const requires = 'crd' as const;
  const line = undefined;
  const named = text(knobs, 'buckets.s3.aws.upbound.io', 'objects.kubernetes.crossplane.io');
  const served = fc.record({
    group: text(knobs, 's3.aws.upbound.io'),
    version: sometimes(0.5, text(knobs, 'v1beta1')),
    kind: text(knobs, 'Bucket'),
  });
  const version = 'v1beta1';
  return fc.oneof(
    named.map((crd) => ({ requires, demand: { crd }, text: crd, line })),
    named.map((crd) => ({ requires, demand: { crd, version }, text: `${crd}/${version}`, line })),
    served.map((demand) => ({ requires, demand, text: `${demand.group}/${demand.kind}`, line })),
  );
}

function ownsOf({ kind, apis }: SamplePackage, other: string | undefined): OwnedObject[] {
  const own: OwnedObject[] =
    kind === 'Configuration'
      ? apis.flatMap((name): OwnedObject[] => [
          { kind: 'XRD', name },
          { kind: 'claim', name: claimOf(name) },
          { kind: 'Composition', name: `${name.split('.')[0]}-default` },
        ])
      : apis.map((name) => ({ kind: 'CRD', name }));
  return other === undefined ? own : [...own, { kind: 'MRD', name: other }];
}

function template(knobs: LockfileKnobs): fc.Arbitrary<ObjectTemplate> {
  const awkwardLabels = awkwardObject().map((labels) => ({ labels }));
  const metadata = fc.constantFrom<JsonObject>(
    {},
    { labels: { team: 'platform' } },
    { annotations: { 'acme.io/reviewed': 'on' }, labels: { team: 'platform' } },
  );
  const spec = fc.constantFrom<JsonObject>(
    { revisionHistoryLimit: 3 },
    { runtimeConfigRef: { name: 'big' } },
    { packagePullSecrets: [{ name: 'regcred' }] },
  );
  return fc.record({
    apiVersion: sometimes(0.2, text(knobs, 'pkg.crossplane.io/v1beta1')),
    metadata: either(metadata, knobs.awkward, awkwardLabels),
    spec: either(spec, knobs.awkward, awkwardObject()),
  });
}

const RUNTIME_CONFIG: JsonObject = {
  apiVersion: 'pkg.crossplane.io/v1beta1',
  kind: 'DeploymentRuntimeConfig',
  metadata: { name: 'big' },
  spec: { deploymentTemplate: { spec: { replicas: 1 } } },
};

const IMAGE_CONFIG: JsonObject = {
  apiVersion: 'pkg.crossplane.io/v1beta1',
  kind: 'ImageConfig',
  metadata: { name: 'mirror' },
  spec: {
    matchImages: [{ type: 'Prefix', prefix: 'xpkg.upbound.io' }],
    rewriteImage: { prefix: 'registry.acme.io/xpkg' },
  },
};

function keptObject(knobs: LockfileKnobs): fc.Arbitrary<JsonObject> {
  const spec = awkwardObject().map((odd) => ({ ...IMAGE_CONFIG, spec: odd }));
  return either(fc.constantFrom(RUNTIME_CONFIG, IMAGE_CONFIG), knobs.awkward, spec);
}

function reason(knobs: LockfileKnobs): fc.Arbitrary<string> {
  return text(
    knobs,
    'an override breaks a constraint on xpkg.upbound.io/upbound/provider-family-aws',
    'packages are pinned by digest',
  );
}

/** Draws one of `plain`, or with the probability `awkward` a text that is difficult to write. */
function text({ awkward }: LockfileKnobs, ...plain: readonly string[]): fc.Arbitrary<string> {
  return either(fc.constantFrom(...plain), awkward, awkwardText());
}

function either<T>(plain: fc.Arbitrary<T>, share: number, odd: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof(
    { withCrossShrink: true },
    { weight: Math.round((1 - share) * 1000), arbitrary: plain },
    { weight: Math.round(share * 1000), arbitrary: odd },
  );
}

const AWKWARD = ['no', '1e3', '0x1', '012', '~', '<<', '', 'a: b', '- x', ' #'];

function awkwardText(): fc.Arbitrary<string> {
  const any = fc.string({ unit: 'binary' }).filter((made) => !/[\ud800-\udfff]/u.test(made));
  return fc.oneof(fc.constantFrom(...AWKWARD), any);
}

function awkwardObject(): fc.Arbitrary<JsonObject> {
  const value = fc.jsonValue({ stringUnit: 'grapheme', maxDepth: 3 });
  // The JSON types of fast-check and of this project are unrelated, but equal.
  return fc.dictionary(awkwardText(), value) as fc.Arbitrary<JsonObject>;
}
