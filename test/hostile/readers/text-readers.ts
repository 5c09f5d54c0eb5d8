import { readRef } from '../../../src/project/inputs/references.js';
import { parseCrdRef, formatCrdRef } from '../../../src/crossplane/packages/crd-ref.js';
import { friendlyId, objectNameOf } from '../../../src/crossplane/packages/object-names.js';
import {
  isRepository,
  parseReference,
  repositoryProblem,
  splitPackageReference,
  validPackageReference,
} from '../../../src/crossplane/packages/reference.js';
import { targetFor } from '../../../src/crossplane/releases/target.js';
import { proxiesFromEnvironment } from '../../../src/oci/registry/undici-transport.js';
import {
  adviceFor,
  surprises,
  meaningOf,
  whyNot,
} from '../../../src/crossplane/constraints/constraint-meaning.js';
import { parseConstraint } from '../../../src/crossplane/constraints/constraint.js';
import type { Dialect } from '../../../src/crossplane/constraints/dialects.js';
import {
  compareVersions,
  exactTag,
  formatVersion,
  parseVersion,
  precedenceKey,
} from '../../../src/crossplane/constraints/version.js';
import type { HostileReader } from '../reader.js';

const DIALECTS: readonly Dialect[] = ['1.5.0', '3.4.0'];
const TARGETS = ['v1.14.0', 'v1.20.0', 'v2.3.4'].map((version) => targetFor(version)!);
const VERSIONS = ['v1.0.0', 'v1.2.3-rc.1', 'v2.0.0', '18446744073709551615.0.0'];
const DIGEST = `sha256:${'0a'.repeat(32)}`;

const REFERENCES = [
  'xpkg.example.org/acme/provider-a',
  'xpkg.example.org/acme/provider-a:v1.0.0',
  `localhost:5000/a/p:v1@${DIGEST}`,
  `h.io/a/p@${DIGEST}`,
  'acme/p',
  'docker.io/p:latest',
  '[::1]:5000/a/p',
];

/** Readers of a line of text. */
export const TEXT_READERS: readonly HostileReader[] = [
  {
    name: 'reference',
    form: 'text',
    seeds: REFERENCES,
    share: 3,
    read: (input) => {
      const text = input.toString();
      return [
        isRepository(text),
        parseReference(text),
        parseReference(text, { strict: true, emptyTagIsLatest: true }),
        ...TARGETS.map((target) => [
          splitPackageReference(text, target),
          validPackageReference(text, target),
          repositoryProblem(text, target),
          objectNameOf(text, target),
        ]),
        friendlyId(text, DIGEST),
      ];
    },
  },
  {
    name: 'package on the command line',
    form: 'text',
    seeds: [...REFERENCES, 'h.io/a/p@>=v1.0.0, <v2', 'h.io/a/p@*', ' h.io/a/p @ ^1 '],
    place: 'command line',
    share: 3,
    read: (input) => readRef(input.toString()),
  },
  {
    name: 'version',
    form: 'text',
    seeds: [...VERSIONS, 'v1', '1.2', 'v1.2.3-alpha.1.x-y+build.5', '01.02.03'],
    share: 3,
    read: (input) => DIALECTS.map((dialect) => versionFacts(input.toString(), dialect)),
  },
  {
    name: 'constraint',
    form: 'text',
    seeds: [
      '>=v1.0.0, <v2.0.0',
      '^1.2 || ~2.3.4',
      '1.0 - 2.0',
      '1.x.*',
      '!=v1.2.3-rc.1',
      '>= 1.2 < 3, =>4',
      '*',
      'v1.2.3',
    ],
    share: 3,
    read: (input) => DIALECTS.map((dialect) => constraintFacts(input.toString(), dialect)),
  },
  {
    name: 'CRD that is asked for',
    form: 'json',
    seeds: [
      '"buckets.s3.example.org"',
      '"buckets.s3.example.org/v1"',
      '"*.s3.example.org"',
      '"s3.example.org/v1/Bucket"',
      '"Bucket.v1.s3.example.org"',
      '{"group":"s3.example.org","kind":"Bucket","version":"v1"}',
    ],
    read: (input) => {
      const demand = parseCrdRef(jsonOf(input));
      return [demand, demand && formatCrdRef(demand)];
    },
  },
  {
    name: 'proxy in the environment',
    form: 'json',
    seeds: [
      '{"HTTPS_PROXY":"http://user:pw@proxy.example.org:3128","NO_PROXY":"localhost,.example.net,10.0.0.0/8,[::1]:80"}',
      '{"https_proxy":"proxy:80","http_proxy":"https://p","no_proxy":"*"}',
      '{"ALL_PROXY":"socks5://p:1080","NO_PROXY":"h.io:443, 192.168.0.1 ,fe80::/10"}',
    ],
    read: (input) => {
      const choose = proxiesFromEnvironment(stringsOf(jsonOf(input)));
      const urls = [
        'https://h.io/v2/',
        'http://10.1.2.3:5000/',
        'https://[fe80::1]/',
        'http://é.io/',
      ];
      return urls.map((url) => choose(new URL(url))?.shown);
    },
  },
];

function versionFacts(text: string, dialect: Dialect): unknown {
  const version = parseVersion(text, dialect);
  if (version === undefined) return undefined;
  const others = VERSIONS.map((other) => compareVersions(version, parseVersion(other, '3.4.0')!));
  return [formatVersion(version), precedenceKey(version), exactTag(text, dialect), ...others];
}

function constraintFacts(text: string, dialect: Dialect): unknown {
  const constraint = parseConstraint(text, dialect);
  if (constraint.invalid) return [constraint.error, adviceFor(constraint)];
  const reasons = VERSIONS.map((each) => whyNot(constraint, parseVersion(each, '3.4.0')!));
  return [meaningOf(constraint), surprises(constraint), ...reasons];
}

/** Returns the parsed JSON, or the text itself if it is not JSON. */
function jsonOf(input: Buffer): never {
  try {
    return JSON.parse(input.toString()) as never;
  } catch {
    return input.toString() as never;
  }
}

function stringsOf(value: unknown): Readonly<Record<string, string>> {
  if (typeof value !== 'object' || value === null) return { HTTPS_PROXY: String(value) };
  const pairs = Object.entries(value).filter(([, text]) => typeof text === 'string');
  return Object.fromEntries(pairs);
}
