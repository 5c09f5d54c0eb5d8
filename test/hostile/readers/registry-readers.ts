import { gzipSync } from 'node:zlib';
import { buildArtifact } from '../../support/registry/artifact.js';
import { RegistryClient } from '../../../src/oci/registry/client.js';
import {
  parseDockerConfig,
  longestPrefixEntry,
  configCredentials,
} from '../../../src/oci/registry/docker-credentials.js';
import { parseChallenges } from '../../../src/oci/registry/authenticator.js';
import { Secret } from '../../../src/oci/registry/credentials.js';
import { RegistryPusher } from '../../../src/oci/registry/pusher.js';
import type { HttpResponse, Transport } from '../../../src/oci/registry/transport.js';
import { storeOf, TestClock } from '../../support/registry/client.js';
import { sha256 } from '../../../src/base/digest.js';
import type { HostileReader } from '../reader.js';

const HOST = 'registry.example.org';
const REALM = 'https://auth.example.org/token';
const CREDENTIALS = storeOf({ kind: 'basic', username: 'u', password: new Secret('p') });
const BLOB = gzipSync('a blob');
const TAGS = '{"name":"a/p","tags":["v1.0.0","v1.1.0","latest"]}';
const ARTIFACT = buildArtifact('lock', [
  { title: 'xpkg.lock.yaml', mediaType: 'text/plain', bytes: Buffer.from('version: 1\n') },
]);

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

function responseOf({ status, headers = {}, body = '' }: Answer): HttpResponse {
  return {
    status,
    header: (name) => headers[name],
    body: (async function* () {
      yield Buffer.from(body);
    })(),
    discard: async () => {},
  };
}

interface Asked {
  /** Number of requests for this URL, including this one. */
  readonly tries: number;
  readonly signedIn: boolean;
}

/** Makes every kind of request to a registry with the given answers. */
async function everything(answer: (url: URL, asked: Asked) => Answer): Promise<unknown> {
  const tries = new Map<string, number>();
  const transport: Transport = async ({ url, headers }) => {
    const count = (tries.get(url.href) ?? 0) + 1;
    tries.set(url.href, count);
    return responseOf(answer(url, { tries: count, signedIn: 'authorization' in headers }));
  };
  const options = { transport, clock: new TestClock() };
  const name = { host: HOST, path: 'a/p', plainHttp: false, credentials: CREDENTIALS };
  const repository = new RegistryClient(options).repository(name);
  return [
    await repository.tagList(),
    await repository.manifest('v1.0.0'),
    await repository.blob({ digest: sha256(BLOB), size: BLOB.length }),
  ];
}

function goodAnswer({ pathname }: URL): Answer {
  if (pathname.endsWith('/tags/list')) return { status: 200, body: TAGS };
  if (pathname.includes('/manifests/'))
    return { status: 200, body: '{"schemaVersion":2,"layers":[]}' };
  return { status: 200, body: BLOB };
}

/** Converts lines `name: value` to headers; invalid lines and headers are ignored. */
function headersIn(lines: readonly string[]): Readonly<Record<string, string>> {
  const found = lines.map((line) => /^([a-z-]+): ([^\0\r]*)$/.exec(line));
  return Object.fromEntries(found.flatMap((line) => (line ? [[line[1]!, line[2]!]] : [])));
}

const STATUSES = [200, 206, 302, 304, 401, 404, 416, 429, 503];
const HEADERS = [
  'etag: "abc"',
  'link: </v2/a/p/tags/list?n=1000&last=v1.0.0>; rel="next"',
  'docker-content-digest: sha256:' + '0'.repeat(64),
  'location: https://registry.example.org/v2/elsewhere',
  'retry-after: 5',
  'content-range: bytes 3-25/26',
  'last-modified: Mon, 16 Nov 2026 10:00:00 GMT',
  `www-authenticate: Bearer realm="${REALM}",service="s",scope="repository:a/p:pull"`,
];

/** Readers of answers of a registry and of local credential files. */
export const REGISTRY_READERS: readonly HostileReader[] = [
  {
    name: 'tag list',
    form: 'json',
    seeds: [TAGS, '{"name":"a/p","tags":null}', '{"tags":[]}'],
    place: HOST,
    read: (body) =>
      everything((url) =>
        url.pathname.endsWith('/tags/list') ? { status: 200, body } : goodAnswer(url),
      ),
  },
  {
    name: 'Link header',
    form: 'text',
    seeds: [
      '</v2/a/p/tags/list?last=v1.0.0>; rel="next"',
      '<https://registry.example.org/v2/a/p/tags/list?n=2>; title="x"; rel=next, </x>; rel="prev"',
    ],
    place: HOST,
    read: (input) =>
      everything((url, { tries }) => {
        if (!url.pathname.endsWith('/tags/list')) return goodAnswer(url);
        const headers = url.search === '?n=1000' ? { link: input.toString() } : {};
        return { ...goodAnswer(url), status: tries > 20 ? 500 : 200, headers };
      }),
  },
  {
    name: 'challenge',
    form: 'text',
    seeds: [
      `Bearer realm="${REALM}",service="s",scope="repository:a/p:pull"`,
      'Basic realm="a b", Bearer realm="https://auth.example.org/token"',
      'Negotiate, Bearer realm="http://169.254.169.254/",error="insufficient_scope"',
    ],
    place: HOST.slice(-'example.org'.length),
    read: async (input) => {
      const headers = { 'www-authenticate': input.toString() };
      return [
        parseChallenges(input.toString()),
        await everything((url, { signedIn }) => {
          if (url.host !== HOST) return { status: 200, body: '{"token":"t"}' };
          return signedIn ? goodAnswer(url) : { status: 401, headers };
        }),
      ];
    },
  },
  {
    name: 'token',
    form: 'json',
    seeds: ['{"token":"t","expires_in":300}', '{"access_token":"t","refresh_token":"r"}'],
    place: '.example.org',
    read: (body) =>
      everything((url, { signedIn }) => {
        if (url.host !== HOST) return { status: 200, body };
        const headers = { 'www-authenticate': `Bearer realm="${REALM}"` };
        return signedIn ? goodAnswer(url) : { status: 401, headers };
      }),
  },
  {
    name: 'headers of answers',
    form: 'text',
    seeds: STATUSES.flatMap((status) => HEADERS.map((header) => `${status}\n${header}`)),
    read: (input) => {
      const [first = '', ...lines] = input.toString().split('\n');
      const status = /^[1-5]\d\d$/.test(first) ? Number(first) : 200;
      const headers = headersIn(lines);
      return everything((url, { tries }) =>
        tries === 1 ? { ...goodAnswer(url), status, headers } : goodAnswer(url),
      );
    },
  },
  {
    name: 'bodies of failures',
    form: 'json',
    seeds: ['{"errors":[{"code":"MANIFEST_UNKNOWN","message":"unknown"}]}'],
    place: HOST,
    read: (body) => everything(() => ({ status: [404, 403, 500][body.length % 3]!, body })),
  },
  {
    name: 'place to upload to',
    form: 'text',
    seeds: ['/v2/a/p/blobs/uploads/1?state=x', `https://${HOST}/v2/a/p/blobs/uploads/2`],
    place: HOST,
    read: async (input) => {
      const headers = { location: input.toString() };
      const transport: Transport = async ({ method }) =>
        responseOf({ status: method === 'POST' ? 202 : 201, headers });
      const pusher = new RegistryPusher(new RegistryClient({ transport, clock: new TestClock() }));
      const name = { host: HOST, path: 'a/p', plainHttp: false, credentials: CREDENTIALS };
      await pusher.push(name, 'v1', ARTIFACT);
    },
  },
  {
    name: 'Docker config',
    form: 'json',
    seeds: [
      `{"auths":{"${HOST}":{"auth":"dTpw"},"https://index.docker.io/v1/":{"username":"u","password":"p"}}}`,
      `{"credHelpers":{"${HOST}/a":"h"},"credsStore":"s","auths":{"*.example.org":{"identitytoken":"i"}}}`,
      `{"${HOST}":{"auth":"dTpw","email":"a@b"},"x":{"registrytoken":"r"}}`,
    ],
    place: 'config.json',
    share: 3,
    read: async (input) => {
      const config = parseDockerConfig(input.toString(), 'config.json');
      const store = configCredentials(config, async () => undefined);
      const found = await store.find(HOST, 'a/p');
      return [found?.kind, longestPrefixEntry(config.auths, 'docker.io', 'library/x')?.kind];
    },
  },
];
