import { expect, test } from 'vitest';
import { buildArtifact } from '../../support/registry/artifact.js';
import { RegistryClient } from '../../../src/oci/registry/client.js';
import { RegistryPusher } from '../../../src/oci/registry/pusher.js';
import type { HttpRequest, Transport } from '../../../src/oci/registry/transport.js';
import { Secret } from '../../../src/oci/registry/credentials.js';
import { anonymous, TestClock } from '../../support/registry/client.js';

const NAME = { host: 'a.io', path: 'team/lock', plainHttp: false, credentials: anonymous };
const ARTIFACT = buildArtifact('lock', [
  { title: 'xpkg.lock.yaml', mediaType: 'text/yaml', bytes: Buffer.from('a: 1\n') },
]);

/** Pushes to a registry that answers uploads with `started` and everything else with `stored`. */
async function pushing(
  started: { readonly status?: number; readonly location: string | undefined },
  stored: { readonly status: number; readonly digest?: string } = { status: 201 },
) {
  const requests: HttpRequest[] = [];
  const transport: Transport = async (request) => {
    requests.push(request);
    const begins = request.method === 'POST';
    const headers = new Map([
      ['location', begins ? started.location : 'https://b.io/'],
      ['docker-content-digest', begins ? undefined : stored.digest],
    ]);
    return {
      status: begins ? (started.status ?? 202) : stored.status,
      header: (name) => headers.get(name),
      body: (async function* () {})(),
      discard: async () => undefined,
    };
  };
  const pusher = new RegistryPusher(new RegistryClient({ transport, clock: new TestClock() }));
  const failure = await pusher.push(NAME, 'v1', ARTIFACT).then(
    () => undefined,
    (error: unknown) => error,
  );
  return { failure, asked: requests.map(({ method, url }) => `${method} ${url.host}`) };
}

test.each([
  { why: 'a path', location: '/v2/team/lock/blobs/uploads/1?_state=a%2Fb' },
  { why: 'all of it', location: 'https://a.io/v2/team/lock/blobs/uploads/1' },
])('bytes are sent to the upload URL on the same host: $why', async ({ location }) => {
  const { failure, asked } = await pushing({ location });
  expect(failure).toBeUndefined();
  expect(asked).toEqual([
    ...[...ARTIFACT.blobs].flatMap(() => ['POST a.io', 'PUT a.io']),
    'PUT a.io',
  ]);
});

test.each([
  { why: 'another host', location: 'https://b.io/upload' },
  { why: 'a host below', location: 'https://x.a.io/upload' },
  { why: 'another port', location: 'https://a.io:8443/upload' },
  { why: 'plain HTTP', location: 'http://a.io/upload' },
  { why: 'another host behind a user', location: 'https://a.io@b.io/upload' },
  { why: 'nonsense', location: 'https://[' },
  { why: 'nowhere', location: undefined },
])('bytes are not sent to $why', async ({ location }) => {
  const { failure, asked } = await pushing({ location });
  expect(failure).toMatchObject({ code: 'UNREACHABLE' });
  expect(asked).toEqual(['POST a.io']);
});

test.each([
  { why: 'an upload', started: { status: 307, location: 'https://b.io/' }, want: 1 },
  { why: 'the bytes', started: { location: '/up' }, stored: { status: 307 }, want: 2 },
])('a redirect of $why is not followed', async ({ started, stored, want }) => {
  const { failure, asked } = await pushing(started, stored);
  expect(failure).toMatchObject({ code: 'UNREACHABLE' });
  expect(asked).toHaveLength(want);
  expect(asked.join()).not.toContain('b.io');
});

test('a registry that stores other bytes is detected', async () => {
  const digest = `sha256:${'0'.repeat(64)}`;
  const { failure } = await pushing({ location: '/up' }, { status: 201, digest });
  expect(failure).toMatchObject({ code: 'BAD_DIGEST' });
});

test('`before` is called before each attempt and stops further ones', async () => {
  const asked: string[] = [];
  const transport: Transport = async ({ method, url }) => {
    const isTag = url.pathname.endsWith('/v1');
    if (isTag) asked.push(method);
    return {
      status: isTag ? 503 : method === 'POST' ? 202 : 201,
      header: (name) => (name === 'location' && !isTag ? '/v2/team/lock/upload' : undefined),
      body: (async function* () {})(),
      discard: async () => undefined,
    };
  };
  const pusher = new RegistryPusher(new RegistryClient({ transport, clock: new TestClock() }));
  const before = async () => asked.push('look') < 3;
  expect(await pusher.push(NAME, 'v1', ARTIFACT, { beforeTag: before })).toBe(false);
  expect(asked).toEqual(['look', 'PUT', 'look']);
});

test('a push after a read of the same registry is not challenged again', async () => {
  const challenged: string[] = [];
  const transport: Transport = async ({ method, headers }) => {
    const isAllowed = headers['authorization'] !== undefined;
    if (!isAllowed) challenged.push(method);
    const answer = new Map([
      ['www-authenticate', 'Basic realm="a.io"'],
      ['location', '/v2/team/lock/upload'],
    ]);
    return {
      status: !isAllowed ? 401 : method === 'HEAD' ? 404 : method === 'POST' ? 202 : 201,
      header: (name) => answer.get(name),
      body: (async function* () {})(),
      discard: async () => undefined,
    };
  };
  const client = new RegistryClient({ transport, clock: new TestClock() });
  const credentials = {
    find: async () => ({ kind: 'basic', username: 'u', password: new Secret('p') }) as const,
  };
  const name = { ...NAME, credentials };
  expect(await client.repository(name).pointsAt!('v1', ARTIFACT.manifest.digest)).toBe(false);
  expect(await new RegistryPusher(client).push(name, 'v1', ARTIFACT)).toBe(true);
  expect(challenged).toEqual(['HEAD']);
});
