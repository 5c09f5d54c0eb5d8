import {
  graphOfDiff,
  graphOfLockfile,
  graphOfRefusal,
} from '../../../src/features/graph/build-graph.js';
import type { PackageGraph } from '../../../src/features/graph/package-graph.js';
import type { LockedPackage, Lockfile } from '../../../src/project/lockfile/lockfile.js';
import { refusalStory } from '../../support/story/refusal-story.js';
import { locked, lockfileOf, needs } from '../../support/lockfiles.js';

const APP = 'h.io/acme/configuration-app';
const BUCKET = 'h.io/acme/provider-bucket';
const FAMILY = 'h.io/acme/provider-family';
const READY = 'h.io/contrib/function-ready';

/** A configuration with direct and indirect requirements. */
export function sampleLockfile(bucket = 'v1.0.0'): Lockfile {
  return lockfileOf([
    locked(`${APP}:v2.0.0`, {
      kind: 'Configuration',
      direct: true,
      crossplane: '>=v2.0.0-0',
      requirements: [needs(`${BUCKET} >=v1.0.0`), needs(`Function ${READY} ^v0.5.0`)],
      owns: [{ kind: 'XRD', name: 'xapps.acme.io' }],
    }),
    locked(`${BUCKET}:${bucket}`, {
      requirements: [needs(`${FAMILY} >=v1.0.0`)],
      owns: [{ kind: 'CRD', name: 'buckets.acme.io' }],
    }),
    locked(`${FAMILY}:v1.4.0`, { owns: [{ kind: 'CRD', name: 'accounts.acme.io' }] }),
    locked(`${READY}:v0.5.1`, { kind: 'Function' }),
  ]);
}

/**
 * The bucket moves, the function is removed, and a provider is added that owns objects of the
 * family.
 */
export function sampleDiff(): PackageGraph {
  const after = sampleLockfile('v1.1.0').packages;
  const app: LockedPackage = { ...after[0]!, requirements: [needs(`${BUCKET} >=v1.1.0`)] };
  const account = locked('h.io/acme/provider-account:v0.1.0', {
    direct: true,
    owns: [{ kind: 'CRD', name: 'accounts.acme.io' }],
  });
  const family = { ...after[2]!, owns: [] };
  return graphOfDiff(sampleLockfile(), lockfileOf([app, account, after[1]!, family]));
}

export function sampleRefusal(): PackageGraph {
  const universe = {
    'h.io/o/a 1.0.0': 'h.io/o/d 1.0.0',
    'h.io/o/c 1.0.0': 'h.io/o/d 2.0.0',
    'h.io/o/d 1.0.0': '',
    'h.io/o/d 2.0.0': '',
  };
  const refusal = refusalStory(universe, ['h.io/o/a 1.0.0', 'h.io/o/c 1.0.0']);
  return graphOfRefusal(
    { ...refusal, suggestions: [{ text: 'leave out h.io/o/a (xpkg.yaml:1)', edits: [] }] },
    'v2.0.0',
  );
}

/**
 * Two owners of one CRD, an unsatisfied constraint, and two packages with the same last path
 * segment.
 */
export function sampleClashes(): PackageGraph {
  const { packages } = sampleLockfile();
  const other = locked('h.io/other/provider-bucket:v0.1.0', {
    requirements: [needs(`${FAMILY} >=v2.0.0`), needs('h.io/gone/provider-moved v1.0.0')],
    owns: [{ kind: 'CRD', name: 'buckets.acme.io' }],
  });
  return graphOfLockfile(lockfileOf([...packages, other]));
}

/** Hostile text in a lockfile or package. */
export const HOSTILE = [
  '</script><script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onclick='alert(1)",
  '--> <!-- ]]>',
  'a\nb\r\nc\u2028d',
  '%%{init: {"theme":"dark"}}%%',
  'x"] click n0 href "javascript:alert(1)"',
  '`**bold**` #quot; &lt;b&gt; &#60;',
  'back\\slash\\n\\"quoted',
  'right\u202eleft\u0000\u001b[31m',
  'half \ud800 and \uffff',
  '{{7*7}} ${7*7} <%= 7*7 %>',
];

/** Returns a graph in which every text is hostile. */
export function hostileGraph(text: string): PackageGraph {
  const crd = { kind: 'CRD' as const, name: text };
  return graphOfDiff(
    lockfileOf([locked(`h.io/x/other:${text}`)], { crossplane: text }),
    lockfileOf(
      [
        locked(`h.io/x/${text}:1`, { version: text, crossplane: text, owns: [crd] }),
        locked('h.io/x/other:2', {
          direct: true,
          requirements: [needs(`h.io/x/${text} `)].map((each) => ({
            ...each,
            repository: `h.io/x/${text}`,
            constraint: text,
          })),
          owns: [crd],
        }),
      ],
      { crossplane: `${text} 2` },
    ),
  );
}

/** 300 packages that own 2,000 CRDs: platforms, parts of them, providers of five families. */
export function largeLockfile(): Lockfile {
  const families = ['aws', 'azure', 'gcp', 'oci', 'ali'];
  const providers = families.flatMap((family) =>
    Array.from({ length: 40 }, (_, i) => ({ family, name: `h.io/up/provider-${family}-s${i}` })),
  );
  const parts = Array.from({ length: 85 }, (_, i) => `h.io/acme/configuration-part-${i}`);
  const packages = [
    ...families.map((family) => locked(`h.io/up/provider-family-${family}:v1.0.0`)),
    ...providers.map(({ family, name }) =>
      locked(`${name}:v1.0.0`, {
        requirements: [needs(`h.io/up/provider-family-${family} >=v1.0.0`)],
        owns: Array.from({ length: 10 }, (_, i) => ({
          kind: 'CRD' as const,
          name: `kind${i}s.${name.split('-').at(-1)}.${family}.example.org`,
        })),
      }),
    ),
    ...parts.map((part, i) =>
      locked(`${part}:v1.0.0`, {
        kind: 'Configuration',
        requirements: [7, 31, 59, 83, 131].map((step) =>
          needs(`${providers[(i * step) % providers.length]!.name} >=v1.0.0`),
        ),
      }),
    ),
    ...Array.from({ length: 10 }, (_, i) =>
      locked(`h.io/acme/configuration-platform-${i}:v1.0.0`, {
        kind: 'Configuration',
        direct: true,
        requirements: parts
          .filter((_part, at) => at % 10 === i)
          .map((part) => needs(`Configuration ${part} ^v1.0.0`)),
      }),
    ),
  ];
  return lockfileOf(packages.sort((a, b) => (a.repository < b.repository ? -1 : 1)));
}
