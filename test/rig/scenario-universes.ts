import type { IndexFile } from '../../src/sources/index/index-file.js';
import { providers, requiring } from '../support/universes.js';

export const HOST = 'xpkg.example.org';
export const [A, B, C] = ['a', 'b', 'c'].map((name) => `${HOST}/acme/${name}`) as [
  string,
  string,
  string,
];
/** A cluster that handles A first chooses a C that B rejects. */
export const greedy = providers({
  [A]: { 'v1.0.0': requiring({ [C]: '>=1.0.0' }) },
  [B]: { 'v1.0.0': requiring({ [C]: '<2.0.0' }) },
  [C]: { 'v1.5.0': {}, 'v2.0.0': {} },
});
/** B requires a newer C than the user's. */
export const raised = providers({
  [B]: { 'v1.0.0': requiring({ [C]: '>=2.0.0' }) },
  [C]: { 'v1.5.0': {}, 'v2.0.0': {} },
});
/** A tag that is a prefix of another tag. */
export const longer = providers({
  [A]: { 'v1.0.0': requiring({ [C]: '>=1.0.0-0' }) },
  [C]: { 'v1.5.0-rc.1': {}, 'v1.5.0': {} },
});
const LONG = `${HOST}/a-repository-with-quite-a-long-name/that-goes-on-beyond-sixty-three-characters`;
export const odd: IndexFile = {
  packages: {
    [`${HOST}/name-a/b`]: { kind: 'Function', versions: { 'v1.0.0': {}, 'v1.1.0': {} } },
    [`${HOST}/name/a-b`]: { kind: 'Function', versions: { 'v1.0.0': {} } },
    [`${LONG}/and-more_of-it`]: { kind: 'Function', versions: { 'v1.0.0': {} } },
    [`${LONG}/and-another`]: { kind: 'Function', versions: { 'v1.0.0': {} } },
    [`${HOST}/tags/f`]: {
      kind: 'Function',
      versions: { 'v1.0.0': {}, '1.2.0': {}, 'v1.2.0': {}, v2: {}, latest: {} },
    },
    [`${HOST}/dig/f`]: {
      kind: 'Function',
      versions: { 'v1.0.0': { digest: `sha256:${'1'.repeat(64)}` }, 'v1.1.0': {} },
    },
    [`${HOST}/odd/configuration`]: {
      kind: 'Configuration',
      versions: {
        'v1.0.0': {
          dependsOn: [
            { function: `${HOST}/name-a/b`, version: '>=v1.0.0' },
            { function: `${HOST}/name/a-b`, version: '>=v1.0.0' },
            { function: `${LONG}/and-more_of-it`, version: '>=v1.0.0' },
            { function: `${LONG}/and-another`, version: '>=v1.0.0' },
            { function: `${HOST}/tags/f`, version: '>=v1.0.0' },
          ],
        },
      },
    },
    [`${HOST}/odd/by-digest`]: {
      kind: 'Configuration',
      versions: {
        'v1.0.0': {
          dependsOn: [{ function: `${HOST}/dig/f`, version: `sha256:${'1'.repeat(64)}` }],
        },
      },
    },
  },
};

/** A cannot change before B, nor B alone: two steps. */
export const stages = providers({
  [A]: {
    'v1.0.0': requiring({ [C]: '^1.0.0' }),
    'v2.0.0': requiring({ [C]: '>=1.5.0' }),
  },
  [B]: { 'v1.0.0': requiring({ [C]: '>=1.0.0' }) },
  [C]: { 'v1.0.0': {}, 'v1.5.0': {}, 'v2.0.0': {} },
});

export const MONOLITH = `${HOST}/acme/monolith`;
export const FAMILY = `${HOST}/acme/family`;
/** CRDs that one package or two packages own. */
export const PARTS = ['networks.net.example.org', 'buckets.store.example.org'] as const;
/** A monolith and the family that replaced it. */
export const parting = providers({
  [MONOLITH]: { 'v1.0.0': { crds: [...PARTS] } },
  [FAMILY]: {
    'v1.0.0': requiring({ [`${FAMILY}-network`]: '^1.0.0', [`${FAMILY}-storage`]: '^1.0.0' }),
  },
  [`${FAMILY}-network`]: { 'v1.0.0': { crds: [PARTS[0]] } },
  [`${FAMILY}-storage`]: { 'v1.0.0': { crds: [PARTS[1]] } },
});

export function mirror(from: string, to: string) {
  const object = {
    apiVersion: 'pkg.crossplane.io/v1beta1',
    kind: 'ImageConfig',
    metadata: { name: 'mirror' },
    spec: {
      matchImages: [{ type: 'Prefix', prefix: `${from}/` }],
      rewriteImage: { prefix: `${to}/` },
    },
  };
  return { object, origin: { file: 'rig' } };
}
