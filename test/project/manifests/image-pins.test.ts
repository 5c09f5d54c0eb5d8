import { describe, expect, test } from 'vitest';
import { bundleOf } from '../../../src/project/manifests/bundle.js';
import { labelOf } from '../../../src/project/manifests/object-names.js';
import type { LockedPackage } from '../../../src/project/lockfile/lockfile.js';
import {
  imageConfigsIn,
  rewrittenImage,
} from '../../../src/crossplane/package-manager/image-config.js';
import { InputError } from '../../../src/base/errors.js';
import { targetFor } from '../../../src/crossplane/releases/target.js';
import type { JsonObject } from '../../../src/base/json.js';
import { digestOf, locked, lockfileOf, needs } from '../../support/lockfiles.js';

const at = (version: string) => targetFor(version)!;
const latest = at('v2.3.4');
const p = locked('x.io/a/p:v1.0.0');
const digest = p.digest!;

function imageConfig(name: string, prefixes: readonly string[], spec: JsonObject): JsonObject {
  return {
    apiVersion: 'pkg.crossplane.io/v1beta1',
    kind: 'ImageConfig',
    metadata: { name },
    spec: { matchImages: prefixes.map((prefix) => ({ type: 'Prefix', prefix })), ...spec },
  };
}

const to = (prefix: string): JsonObject => ({ rewriteImage: { prefix } });
const secret = (name: string): JsonObject => ({
  registry: { authentication: { pullSecretRef: { name } } },
});
const signed: JsonObject = { verification: { provider: 'Cosign', cosign: { authorities: [] } } };

/** Returns the spec of each rendered ImageConfig, by name. */
function specs(...objects: readonly JsonObject[]): Record<string, unknown> {
  return specsOf(p, objects);
}

function specsOf(only: LockedPackage, objects: readonly JsonObject[]): Record<string, unknown> {
  const rendered = bundleOf(lockfileOf([only], { objects }), latest, 'locked').objects;
  return Object.fromEntries(
    rendered
      .filter(({ kind }) => kind === 'ImageConfig')
      .map(({ metadata, spec }) => [(metadata as JsonObject)['name'], spec]),
  );
}

/** Returns the warnings about prefixes with several rewrites. */
function warned(...objects: readonly JsonObject[]): string[] {
  const { warnings } = bundleOf(lockfileOf([p], { objects }), latest, 'locked');
  return warnings.filter((text) => text.includes('different places'));
}

/** Returns the objects unchanged. */
function asGiven(given: readonly JsonObject[]): Record<string, unknown> {
  return Object.fromEntries(
    given.map(({ metadata, spec }) => [(metadata as JsonObject)['name'], spec]),
  );
}

const prefix = (text: string) => ({ type: 'Prefix', prefix: text });

test('objects keep their tags, and one ImageConfig each pulls the tag by digest', () => {
  const cfg = locked('x.io/a/cfg:v2.0.0', {
    kind: 'Configuration',
    requirements: [needs('x.io/a/p *')],
  });
  const { objects, skips } = bundleOf(lockfileOf([cfg, p]), latest, 'locked');
  expect(objects.map(labelOf)).toEqual([
    'ImageConfig `pin-a-p`',
    'ImageConfig `pin-a-cfg`',
    'Provider `a-p`',
    'Configuration `a-cfg`',
  ]);
  expect(objects[0]).toEqual({
    apiVersion: 'pkg.crossplane.io/v1beta1',
    kind: 'ImageConfig',
    metadata: { name: 'pin-a-p', labels: { 'xpkg-resolve.dev/pins': 'a-p' } },
    spec: {
      matchImages: [prefix('x.io/a/p:v1.0.0')],
      rewriteImage: { prefix: `x.io/a/p@${digest}` },
    },
  });
  expect(objects[2]).toMatchObject({ spec: { package: 'x.io/a/p:v1.0.0' } });
  expect(skips).toEqual([]);
});

test('a package by digest needs no pin', () => {
  const byDigest = locked(`x.io/a/p@${digestOf('p')}`);
  const { objects } = bundleOf(lockfileOf([byDigest]), latest, 'locked');
  expect(objects.map(labelOf)).toEqual(['Provider `a-p`']);
});

test.each([
  { version: 'v1.19.0', why: 'no ImageConfig rewrites images' },
  { version: 'v1.14.0', why: 'there are no ImageConfigs' },
])('$version is rejected: $why', ({ version }) => {
  expect(() => bundleOf(lockfileOf([p]), at(version), 'locked')).toThrow(
    /cannot be told to pull a tag by its digest.*v1\.20\.0/,
  );
});

test('a package without a digest is rejected', () => {
  const set = lockfileOf([{ ...p, digest: undefined }]);
  expect(() => bundleOf(set, latest, 'locked')).toThrow(InputError);
});

describe("the user's own ImageConfigs", () => {
  const own = [prefix('x.io/a/p:v1.0.0')];
  test.each([
    {
      why: 'a mirror of the registry is where the digest is pulled from',
      given: [imageConfig('mirror', ['x.io'], to('m.io/x'))],
      pin: { matchImages: own, rewriteImage: { prefix: `m.io/x/a/p@${digest}` } },
    },
    {
      why: 'of two mirrors, the longer prefix counts',
      given: [
        imageConfig('mirror', ['x.io'], to('m.io/x')),
        imageConfig('nearer', ['x.io/a/'], to('n.io/n/')),
      ],
      pin: { matchImages: own, rewriteImage: { prefix: `n.io/n/p@${digest}` } },
    },
    {
      why: 'a prefix that ends within the tag',
      given: [imageConfig('major', ['x.io/a/p:v1'], to('m.io/m/p:v1'))],
      pin: { matchImages: own, rewriteImage: { prefix: `m.io/m/p@${digest}` } },
    },
    {
      why: 'settings of the repository hold for the digest as for the tag',
      given: [imageConfig('secret', ['x.io/a/p'], { ...secret('s'), ...signed })],
      pin: { matchImages: own, rewriteImage: { prefix: `x.io/a/p@${digest}` } },
    },
    {
      why: 'settings of the tag are said of the digest, too',
      given: [
        imageConfig('any', ['x.io'], secret('any')),
        imageConfig('exact', ['x.io/a/p:v1.0.0'], { ...secret('s'), ...signed }),
      ],
      pin: {
        matchImages: [...own, prefix(`x.io/a/p@${digest}`)],
        rewriteImage: { prefix: `x.io/a/p@${digest}` },
        ...secret('s'),
        ...signed,
      },
    },
    {
      why: 'each setting is that of the ImageConfig that has it',
      given: [
        imageConfig('a', ['x.io/a/p:v1'], secret('a')),
        imageConfig('b', ['x.io/a/p:v1.0'], signed),
      ],
      pin: {
        matchImages: [...own, prefix(`x.io/a/p@${digest}`)],
        rewriteImage: { prefix: `x.io/a/p@${digest}` },
        ...secret('a'),
        ...signed,
      },
    },
    {
      why: 'settings of a mirrored tag are looked up at the mirror',
      given: [
        imageConfig('mirror', ['x.io'], to('m.io/x')),
        imageConfig('secret', ['m.io/x/a/p:v1'], secret('m')),
      ],
      pin: {
        matchImages: [...own, prefix(`m.io/x/a/p@${digest}`)],
        rewriteImage: { prefix: `m.io/x/a/p@${digest}` },
        ...secret('m'),
      },
    },
  ])('$why', ({ given, pin }) => {
    const { 'pin-a-p': found, ...others } = specs(...given);
    expect(found).toEqual(pin);
    expect(others).toEqual(asGiven(given));
  });

  test('with the same prefix is replaced by the pin: of two equals a cluster may use either', () => {
    const exact = imageConfig('exact', ['x.io/a/p:v1.0.0', 'x.io/a/q'], {
      ...to('m.io/m/p:v1.0.0-ours'),
      ...secret('s'),
    });
    expect(specs(exact)).toEqual({
      exact: {
        matchImages: [prefix('x.io/a/q')],
        rewriteImage: { prefix: 'm.io/m/p:v1.0.0-ours' },
        ...secret('s'),
      },
      'pin-a-p': { matchImages: own, rewriteImage: { prefix: `m.io/m/p@${digest}` } },
    });
    const bundle = bundleOf(lockfileOf([p], { objects: [exact] }), latest, 'locked');
    expect(bundle.warnings[0]).toContain('rewrites exactly `x.io/a/p:v1.0.0`');
  });

  test('two that rewrite one prefix to different places cause a warning', () => {
    const one = imageConfig('one', ['x.io/a'], to('m.io/one'));
    const two = imageConfig('two', ['x.io/a'], to('m.io/two'));
    expect(warned(one, two)).toEqual([
      'ImageConfigs `one` and `two` rewrite `x.io/a` to different places: a cluster follows either, and pins follow `one`; take the prefix out of one',
    ]);
    expect(warned(one, imageConfig('same', ['x.io/a'], to('m.io/one')))).toEqual([]);
    expect(warned(one, imageConfig('longer', ['x.io/a/p'], to('m.io/two')))).toEqual([]);
    expect(warned(one, imageConfig('signed', ['x.io/a'], signed))).toEqual([]);
    const elsewhere = ['one', 'two'].map((name) => imageConfig(name, ['y.io'], to(`m.io/${name}`)));
    expect(warned(...elsewhere)).toEqual([]);
  });

  test('one that the pin replaces completely is left out', () => {
    const exact = imageConfig('exact', ['x.io/a/p:v1.0.0'], to('m.io/m/p:v1.0.0'));
    expect(Object.keys(specs(exact))).toEqual(['pin-a-p']);
  });

  test('one that already pins to the locked digest is enough', () => {
    const pinned = imageConfig('mine', ['x.io/a/p:v1.0.0'], to(`m.io/m/p@${digest}`));
    expect(Object.keys(specs(pinned))).toEqual(['mine']);
  });

  test('one that pins to another digest is rejected', () => {
    const other = imageConfig('mine', ['x.io/a/p:v1.0.0'], to(`m.io/m/p@${digestOf('other')}`));
    expect(() => specs(other)).toThrow('ImageConfig `mine` makes');
  });

  test('one that rewrites to an invalid image is rejected', () => {
    const broken = imageConfig('broken', ['x.io/a'], to('m.io/UP'));
    expect(() => specs(broken)).toThrow('which is not an image reference');
  });

  test('a name that is already used gets a suffix', () => {
    const taken = imageConfig('pin-a-p', ['y.io'], secret('s'));
    const names = Object.keys(specs(taken));
    expect(names).toEqual(['pin-a-p', expect.stringMatching(/^pin-a-p-[0-9a-f]{8}$/)]);
  });
});

test.each([
  { version: 'v1.20.11', upgrades: false },
  { version: 'v2.0.2', upgrades: false },
  { version: 'v2.0.3', upgrades: true },
  { version: 'v2.3.4', upgrades: true },
])('$version: warns that upgrades fail on a digest: $upgrades', ({ version, upgrades }) => {
  const { warnings } = bundleOf(lockfileOf([p]), at(version), 'locked');
  expect(warnings.some((each) => each.includes('version-upgrades'))).toBe(upgrades);
});

describe('published tags that are longer', () => {
  const beside = locked('x.io/a/p:v1.4.1', { longerTags: ['v1.4.1-', 'v1.4.10'] });
  const lockedTag = 'x.io/a/p:v1.4.1';

  /** Returns the image that a cluster pulls for a tag with the rendered objects. */
  function pulled(tag: string, objects: readonly JsonObject[] = []): string {
    const { kept } = bundleOf(lockfileOf([beside], { objects }), latest, 'locked');
    const configs = imageConfigsIn(kept.map((object) => ({ object, origin: { file: 'x' } })));
    return rewrittenImage(`x.io/a/p:${tag}`, configs, latest).image;
  }

  test('have an ImageConfig for each next character', () => {
    const { kept } = bundleOf(lockfileOf([beside]), latest, 'locked');
    expect(kept.map(labelOf)).toEqual([
      'ImageConfig `pin-a-p`',
      expect.stringMatching(/^ImageConfig `pin-a-p-[0-9a-f]{8}`$/),
      expect.stringMatching(/^ImageConfig `pin-a-p-[0-9a-f]{8}`$/),
    ]);
    expect(kept[1]).toMatchObject({
      metadata: { labels: { 'xpkg-resolve.dev/pins': 'a-p' } },
      spec: {
        matchImages: [prefix(`${lockedTag}-`)],
        rewriteImage: { prefix: `${lockedTag}-` },
      },
    });
  });

  test.each([
    { tag: 'v1.4.1', to: `x.io/a/p@${beside.digest}`, why: 'the pin holds' },
    { tag: 'v1.4.1-rc.1', to: 'x.io/a/p:v1.4.1-rc.1', why: 'a prerelease' },
    { tag: 'v1.4.1-rc.9', to: 'x.io/a/p:v1.4.1-rc.9', why: 'one that is published tomorrow' },
    { tag: 'v1.4.10', to: 'x.io/a/p:v1.4.10', why: 'a later version' },
    { tag: 'v1.4.2', to: 'x.io/a/p:v1.4.2', why: 'what the pin is not about' },
  ])('are pulled by their name: $tag, $why', ({ tag, to: image }) => {
    expect(pulled(tag)).toBe(image);
  });

  test.each([
    {
      why: 'a mirror of the registry is where they are pulled from',
      given: [imageConfig('mirror', ['x.io'], to('m.io/x'))],
      image: 'm.io/x/a/p:v1.4.1-rc.1',
    },
    {
      why: 'what rewrote exactly the pinned tag goes on for longer ones',
      given: [imageConfig('exact', [lockedTag], to('m.io/m/p:v1.4.1'))],
      image: 'm.io/m/p:v1.4.1-rc.1',
    },
    {
      why: 'a longer prefix of the user is followed',
      given: [imageConfig('rc', [`${lockedTag}-rc`], to('m.io/rc/p:v1.4.1-rc'))],
      image: 'm.io/rc/p:v1.4.1-rc.1',
    },
    {
      why: 'with the same prefix, that of the user is enough',
      given: [imageConfig('pre', [`${lockedTag}-`], to('m.io/pre/p:v1.4.1-'))],
      image: 'm.io/pre/p:v1.4.1-rc.1',
    },
  ])("compose with the user's own ImageConfigs: $why", ({ given, image }) => {
    expect(pulled('v1.4.1-rc.1', given)).toBe(image);
    expect(pulled('v1.4.1', given)).toMatch(/@sha256:/);
  });

  test('no two ImageConfigs rewrite the same prefix', () => {
    const given = imageConfig('pre', [`${lockedTag}-`], to('m.io/pre/p:v1.4.1-'));
    const all = Object.values(specsOf(beside, [given])).flatMap(
      (spec) => (spec as { matchImages: { prefix: string }[] }).matchImages,
    );
    const prefixes = all.map((match) => match.prefix);
    expect(prefixes.toSorted()).toEqual([lockedTag, `${lockedTag}-`, `${lockedTag}0`]);
  });

  test("the user's own pin to the locked digest stays unchanged", () => {
    const mine = imageConfig('mine', [lockedTag], to(`m.io/m/p@${beside.digest}`));
    expect(Object.keys(specsOf(beside, [mine]))).toEqual(['mine']);
  });

  test.each([
    { longerTags: undefined, warns: true, why: 'not known' },
    { longerTags: [], warns: false, why: 'none' },
    { longerTags: ['v1.0.0-'], warns: false, why: 'let through' },
  ])('cause a warning only if they are unknown: $why', ({ longerTags, warns }) => {
    const { warnings } = bundleOf(lockfileOf([{ ...p, longerTags }]), latest, 'locked');
    const told = warnings.filter((each) => each.includes('does not tell whether longer tags'));
    expect(told).toHaveLength(warns ? 1 : 0);
  });
});
