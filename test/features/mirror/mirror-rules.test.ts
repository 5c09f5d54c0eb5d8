import { describe, expect, test } from 'vitest';
import {
  mirrorConfigs,
  nameAtMirror,
  mirrorRules,
  parseMirror,
} from '../../../src/features/mirror/mirror-rules.js';
import {
  imageConfigsIn,
  rewrittenImage,
} from '../../../src/crossplane/package-manager/image-config.js';
import { targetFor } from '../../../src/crossplane/releases/target.js';

const TARGET = targetFor('v2.3.4')!;
const REPOSITORIES = [
  'xpkg.example.org/acme/provider-a',
  'xpkg.example.org/acme/provider-a-extra',
  'other.example.org:5000/acme/function-b',
  'acme/unqualified',
];
const IMAGES = REPOSITORIES.map((repository) => ({ repository }));

describe('names at a mirror', () => {
  test.each([
    { keepHost: false, image: `${REPOSITORIES[0]}:v1`, want: 'm.example.org/x/acme/provider-a:v1' },
    {
      keepHost: true,
      image: `${REPOSITORIES[0]}:v1`,
      want: 'm.example.org/x/xpkg.example.org/acme/provider-a:v1',
    },
    {
      keepHost: true,
      image: `${REPOSITORIES[2]}:v1`,
      want: 'm.example.org/x/other.example.org-5000/acme/function-b:v1',
    },
    {
      keepHost: false,
      image: `${REPOSITORIES[3]}:v1`,
      want: 'm.example.org/x/acme/unqualified:v1',
    },
  ])('$image is $want (host kept: $keepHost)', ({ keepHost, image, want }) => {
    const mirror = parseMirror('oci://m.example.org/x/', '--to', keepHost);
    const rules = mirrorRules(IMAGES, mirror);
    expect(nameAtMirror(image, rules)).toBe(want);
    // With the ImageConfigs, a cluster computes the same name.
    const objects = mirrorConfigs(rules, mirror, 'regcred');
    const kept = objects.map((object) => ({ object, origin: { file: '' } }));
    expect(rewrittenImage(image, imageConfigsIn(kept), TARGET).image).toBe(want);
  });

  test('two packages with the same name at the mirror are rejected with a suggestion', () => {
    const two = ['a', 'b'].map((host) => ({ repository: `${host}.example.org/acme/p` }));
    const plain = parseMirror('m.example.org', '--to', false);
    expect(() => mirrorRules(two, plain)).toThrow(/would both be `m.example.org\/acme\/p`/);
    expect(mirrorRules(two, parseMirror('m.example.org', '--to', true))).toHaveLength(2);
  });

  test.each(['localhost', 'Mirror', 'm.example.org/UPPER', 'https://m.example.org', ''])(
    '`%s` is no mirror',
    (text) => {
      expect(() => parseMirror(text, '--to', false)).toThrow(/names no registry/);
    },
  );
});

test('the pull secret is found by the name at the mirror', () => {
  const mirror = parseMirror('m.example.org/x', '--to', false);
  const configs = mirrorConfigs(mirrorRules(IMAGES, mirror), mirror, 'regcred');
  expect(configs.at(-1)).toMatchObject({
    metadata: { name: 'mirror-credentials' },
    spec: {
      matchImages: [{ prefix: 'm.example.org/x/' }],
      registry: { authentication: { pullSecretRef: { name: 'regcred' } } },
    },
  });
  const names = configs.map((config) => JSON.stringify(config['metadata']));
  expect(new Set(names).size).toBe(names.length);
});
