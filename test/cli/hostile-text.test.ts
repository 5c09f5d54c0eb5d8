import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { REPORT_FORMATS } from '../../src/cli/arguments/common-flags.js';
import { runCli } from '../../src/commands.js';
import { fakeIo } from '../support/fake-io.js';
import { recordFigure } from '../support/figures.js';
import { instead, on } from '../support/registry/faults.js';
import {
  BASE,
  blobOf,
  imageOf,
  indexOf,
  layerOf,
  packageImage,
  type Image,
} from '../support/registry/image.js';
import { layoutFiles, named, writeFiles, writeTar } from '../support/registry/layout.js';
import { Registry, send, type Fault } from '../support/registry/registry.js';
import { xpkgFiles } from '../support/registry/xpkg.js';

/** Escape sequences in both forms, text with reversed direction, and CI commands. */
const HOSTILE =
  'x\u001b[2J\u009b31m\u202egnp\u2028\n::error::owned\r\n \t::warning::y ##[error]z ##vso[task.complete] ##teamcity[x] section_start:1:x travis_fold:start:x';
const UNFIT =
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;
const COMMAND = /^\s*::|##(?:vso|teamcity)?\[|section_(?:start|end):|travis_fold:/mu;

let folder: string;
let registry: Registry | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hostile-'));
});

afterEach(async () => {
  await registry?.stop();
  registry = undefined;
  await rm(folder, { recursive: true });
});

interface Output {
  readonly code: number;
  readonly stdout: string;
  readonly notes: readonly string[];
}

async function run(argv: readonly string[], stdin = ''): Promise<Output> {
  const io = fakeIo({ cwd: folder, stdin });
  const code = await runCli(argv, io);
  return { code, stdout: io.stdout(), notes: io.notes() };
}

/**
 * Checks that output is safe for a terminal and a build log, each note is one line, and no bug is
 * reported.
 */
function expectHarmless({ code, stdout, notes }: Output): void {
  recordFigure('commands given text that terminals and build logs obey', { tried: 1 });
  expect(code).not.toBe(1);
  for (const text of [stdout, ...notes]) {
    expect(text).not.toMatch(UNFIT);
    expect(text).not.toMatch(COMMAND);
  }
  for (const note of notes) expect(note).not.toContain('\n');
}

async function serving(image: Image, faults: readonly Fault[] = []): Promise<string> {
  registry = await new Registry({ faults }).start();
  registry.push('a/p', 'v1.0.0', image);
  return `${registry.host}/a/p`;
}

interface Meta {
  readonly name?: string;
  readonly labels?: object;
  readonly spec?: object;
  readonly more?: string;
}

function packageYaml({ name = 'p', labels = {}, spec = {}, more = '' }: Meta): string {
  const meta = {
    apiVersion: 'meta.pkg.crossplane.io/v1',
    kind: 'Configuration',
    metadata: { name, labels, annotations: labels },
    spec,
  };
  return `${JSON.stringify(meta)}\n${more}`;
}

const object = (fields: object) => `---\n${JSON.stringify(fields)}\n`;
const crd = (name: string, kind: string) =>
  object({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name },
    spec: { group: name, names: { kind }, versions: [{ name: kind }] },
  });

describe.each([
  { where: 'the name of a package', yaml: packageYaml({ name: HOSTILE }) },
  { where: 'its labels', yaml: packageYaml({ labels: { [HOSTILE]: HOSTILE } }) },
  { where: 'a label of the wrong type', yaml: packageYaml({ labels: { [HOSTILE]: 1 } }) },
  {
    where: 'the Crossplane constraint',
    yaml: packageYaml({ spec: { crossplane: { version: HOSTILE } } }),
  },
  { where: 'capabilities', yaml: packageYaml({ spec: { capabilities: [HOSTILE] } }) },
  {
    where: 'a dependency',
    yaml: packageYaml({ spec: { dependsOn: [{ provider: HOSTILE, version: '*' }] } }),
  },
  {
    where: 'a constraint',
    yaml: packageYaml({ spec: { dependsOn: [{ provider: 'xpkg.io/a/b', version: HOSTILE }] } }),
  },
  {
    where: 'white space of a constraint that is one',
    yaml: packageYaml({
      spec: { dependsOn: [{ provider: 'xpkg.io/a/b', version: '>=v1.0.0 \n\u2028 <v2.0.0' }] },
    }),
  },
  {
    where: 'keys of a dependency',
    yaml: packageYaml({ spec: { dependsOn: [{ [HOSTILE]: HOSTILE, version: '*' }] } }),
  },
  {
    where: 'the kind of a dependency',
    yaml: packageYaml({
      spec: {
        dependsOn: [{ apiVersion: HOSTILE, kind: HOSTILE, package: 'xpkg.io/a/b', version: '*' }],
      },
    }),
  },
  { where: 'the name of a CRD', yaml: packageYaml({ more: crd(HOSTILE, 'X') }) },
  { where: 'the kind that a CRD defines', yaml: packageYaml({ more: crd('a.b.c', HOSTILE) }) },
  {
    where: 'kind and apiVersion of an object',
    yaml: packageYaml({ more: object({ apiVersion: HOSTILE, kind: HOSTILE }) }),
  },
  {
    where: 'a key that comes twice',
    yaml: packageYaml({ spec: {}, more: '' }).replace(
      '"spec":{}',
      `"spec":{${JSON.stringify(HOSTILE)}:1,${JSON.stringify(HOSTILE)}:2}`,
    ),
  },
  { where: 'what follows a separator', yaml: packageYaml({ more: `---${HOSTILE}` }) },
  { where: 'what is no YAML', yaml: packageYaml({ more: `---\n{${HOSTILE}` }) },
])('in $where', ({ yaml }) => {
  test.each([
    { argv: ['inspect', '-'] },
    { argv: ['inspect', '-', '-o', 'json'] },
    { argv: ['lint', '-'] },
    { argv: ['lint', '-', '-o', 'json'] },
  ])('$argv', async ({ argv }) => {
    expectHarmless(await run([...argv, '--crossplane', 'v2.3.4'], yaml));
  });

  test('`resolve` from a registry, and all commands that read its outputs', async () => {
    const at = await serving(await packageImage(yaml));
    const resolve = ['resolve', `${at}:v1.0.0`, '--crossplane', 'v2.3.4'];
    for (const flags of [
      ['--explain', '--trace'],
      ['-o', 'json', '--no-write'],
    ]) {
      expectHarmless(await run([...resolve, ...flags]));
    }
    for (const argv of [
      [...resolve, '--out', '-', '--no-write'],
      ['index', at, '--crossplane', 'v2.3.4'],
      ['tree'],
      ['why', at],
      ['outdated'],
      ['render', '--out', '-'],
    ]) {
      expectHarmless(await run(argv));
    }
  });
});

/** The commands that a report for a build system consists of. */
const OWN_COMMANDS: Readonly<Record<string, RegExp>> = {
  github: /^::(?:error|warning|notice) file=[^\s:]+,line=\d+,title=xpkg-resolve%3A [\w-]+::/gm,
  azure: /^##vso\[task\.logissue type=(?:error|warning);[^\]\n]*\]/gm,
};

describe.each(REPORT_FORMATS)('reports in the format %s of a set with hostile text', (format) => {
  const yaml = packageYaml({
    labels: { [HOSTILE]: HOSTILE },
    spec: { capabilities: [HOSTILE], unknown: HOSTILE },
    more: object({ apiVersion: 'example.org/v1', kind: HOSTILE, metadata: { name: HOSTILE } }),
  });
  const good = packageYaml({}).replace(
    '"annotations":{}',
    `"annotations":${JSON.stringify({ 'a.io/b': '\n::error::owned\n##vso[task.complete]</a>]]>' })}`,
  );

  test.each([
    { what: 'text of a package', text: yaml, code: 3 },
    { what: 'an annotation', text: good, code: 0 },
  ])('escape $what', async ({ text, code }) => {
    const at = await serving(await packageImage(text));
    const set = {
      apiVersion: 'xpkg-resolve.dev/v1alpha1',
      kind: 'PackageSet',
      metadata: { name: 'set', labels: { [HOSTILE]: HOSTILE } },
      spec: {
        crossplane: 'v2.3.4',
        packages: [{ configuration: at, version: '>=v1.0.0' }],
        policy: { deny: [{ package: 'x.io/a/b', version: 'v1.0.0', reason: HOSTILE }] },
      },
    };
    await writeFile(join(folder, 'xpkg.yaml'), JSON.stringify(set));
    for (const argv of [
      ['resolve'],
      ['verify'],
      ['outdated'],
      ['matrix'],
      ['check'],
      ['lint', '-'],
    ]) {
      const said = await run([...argv, '--format', format], text);
      const own = OWN_COMMANDS[format];
      const stdout = own === undefined ? said.stdout : said.stdout.replaceAll(own, 'own: ');
      expectHarmless({ ...said, stdout });
      if (argv[0] === 'resolve') expect([code, said.notes]).toEqual([said.code, said.notes]);
      recordFigure('reports about sets with hostile text', { tried: 1 });
      if (format === 'gitlab' || format === 'sarif')
        if (said.code !== 2) expect(() => JSON.parse(said.stdout) as unknown).not.toThrow();
    }
  });
});

const file = (name: string, content = 'x') => ({ name, content });
const layered = async (...files: { name: string; content: string }[]) =>
  imageOf([await layerOf(files, { annotations: BASE })]);

describe('in the data around package.yaml', () => {
  const good = packageYaml({});

  test.each([
    {
      where: 'a file name that comes twice',
      image: async () => layered(file(HOSTILE), file(HOSTILE)),
    },
    {
      where: 'folders with a package.yaml each',
      image: async () =>
        layered(file(`${HOSTILE}/package.yaml`, good), file(`${HOSTILE}2/package.yaml`, good)),
    },
    {
      where: 'a platform',
      image: async () =>
        indexOf([
          { image: await packageImage(good), platform: { os: HOSTILE, architecture: HOSTILE } },
        ]),
    },
    {
      where: 'the media type of a manifest',
      image: async () => ({
        ...blobOf(JSON.stringify({ mediaType: HOSTILE })),
        mediaType: 'application/json',
        manifests: [],
        blobs: [],
      }),
    },
  ])('$where', async ({ image }) => {
    const at = await serving(await image());
    for (const command of [
      ['inspect', `${at}:v1.0.0`, '--trace'],
      ['resolve', `${at}:v1.0.0`, '--no-write'],
      ['resolve', `${at}:v1.0.0`, '--no-write', '-o', 'json'],
    ]) {
      const said = await run([...command, '--crossplane', 'v2.3.4']);
      expectHarmless(said);
      expect([said.stdout, ...said.notes].join('')).toMatch(/\ufffd|u001b/);
    }
  });

  test.each([
    {
      where: 'tags, which are none',
      fault: on('/tags/', instead(JSON.stringify({ tags: [HOSTILE, 'v1.0.0'] }))),
    },
    { where: 'a list of tags that is none', fault: on('/tags/', instead(HOSTILE)) },
    { where: 'the body of a failure', fault: on('/tags/', failing(404, HOSTILE)) },
    { where: 'the body of a refusal', fault: on('/tags/', failing(403, errors(HOSTILE))) },
    {
      where: 'a link to the next page',
      fault: on('/tags/', linking('</v2/x?last=\u009b31m>; rel="next"')),
    },
    {
      where: 'the realm of a challenge',
      fault: on('/tags/', challenging('Bearer realm="https://\u009b31m.example.org/##[error]x"')),
    },
    { where: 'a manifest', fault: on('/manifests/', instead(HOSTILE)) },
    {
      where: 'the digest a manifest is said to have',
      fault: on('/manifests/', instead('{}', { 'Docker-Content-Digest': '\u009b31m##[error]' })),
    },
  ])('$where', async ({ fault }) => {
    const at = await serving(await packageImage(good), [fault]);
    const flags = ['--crossplane', 'v2.3.4', '--no-write', '--trace'];
    expectHarmless(await run(['resolve', `${at}@>=v1.0.0`, ...flags]));
    expectHarmless(await run(['resolve', `${at}@>=v9.0.0`, ...flags]));
  });
});

describe('in local sources', () => {
  const yaml = packageYaml({});
  const resolve = ['resolve', 'xpkg.io/a/p@>=v1.0.0', '--crossplane', 'v2.3.4', '--offline'];
  const inspect = ['inspect', 'xpkg.io/a/p:v1.0.0', '--offline'];

  async function expectHarmlessFrom(source: string): Promise<void> {
    for (const command of [resolve, inspect]) {
      expectHarmless(await run([...command, '--from', source]));
    }
    expectHarmless(await run(['index', '--from', source]));
  }

  test('names in a layout', async () => {
    const image = await packageImage(yaml);
    const files = layoutFiles([
      { image, annotations: named(HOSTILE) },
      { image, annotations: named(`xpkg.io/a/p:${HOSTILE}`) },
      { image, annotations: named('xpkg.io/a/p:v1.0.0') },
    ]);
    await writeFiles(join(folder, 'layout'), files);
    await expectHarmlessFrom('layout:layout');
  });

  test('names of files in a tar', async () => {
    const files = layoutFiles([
      { image: await packageImage(yaml), annotations: named('xpkg.io/a/p:v1.0.0') },
    ]);
    await writeTar(
      join(folder, 'l.tar'),
      new Map([...files, [HOSTILE, 'x'], [`./${HOSTILE}`, 'y']]),
    );
    await expectHarmlessFrom('layout:l.tar');
  });

  test('files and labels of an `.xpkg`', async () => {
    const layers = [{ entries: [{ name: 'package.yaml', content: yaml }], label: HOSTILE }];
    await writeTar(join(folder, 'labels.xpkg'), await xpkgFiles(layers));
    await expectHarmlessFrom('xpkg:labels.xpkg=xpkg.io/a/p:v1.0.0');
    const missing = JSON.stringify([{ Config: HOSTILE, Layers: [HOSTILE] }]);
    await writeTar(join(folder, 'files.xpkg'), new Map([['manifest.json', missing]]));
    await expectHarmlessFrom('xpkg:files.xpkg=xpkg.io/a/p:v1.0.0');
  });

  test('keys and values of an index', async () => {
    const version = { dependsOn: [{ provider: HOSTILE, version: HOSTILE }], crds: [HOSTILE] };
    const packages = {
      [HOSTILE]: { kind: 'Provider', versions: { [HOSTILE]: {} } },
      'xpkg.io/a/p': {
        kind: 'Configuration',
        versions: {
          'v1.0.0': { ...version, crossplane: HOSTILE },
          'v1.1.0': { problems: [HOSTILE], decodeError: HOSTILE, name: HOSTILE },
          [`v1.2.0+${HOSTILE}`]: {},
        },
      },
    };
    await writeFile(join(folder, 'index.json'), JSON.stringify({ packages }));
    await expectHarmlessFrom('index:index.json');
    await writeFile(join(folder, 'bad.json'), JSON.stringify({ packages: { [HOSTILE]: 1 } }));
    await expectHarmlessFrom('index:bad.json');
    await writeFile(join(folder, 'none.json'), HOSTILE);
    await expectHarmlessFrom('index:none.json');
  });

  test('names of folders', async () => {
    for (const name of [`p@v1.0.0`, `p@${HOSTILE}`, `${HOSTILE}@v1.0.0`]) {
      const at = join(folder, 'tree/xpkg.io/a', name);
      await mkdir(at, { recursive: true });
      await writeFile(join(at, 'package.yaml'), yaml);
    }
    await expectHarmlessFrom('dir:tree');
  });
});

test('in the user’s own files and on the command line', async () => {
  const set = { apiVersion: 'xpkg-resolve.dev/v1alpha1', kind: 'PackageSet' };
  for (const [name, text] of [
    ['key.yaml', JSON.stringify({ ...set, [HOSTILE]: 1 })],
    ['kind.yaml', JSON.stringify({ apiVersion: HOSTILE, kind: HOSTILE })],
    ['broken.yaml', `a: {${HOSTILE}`],
    ['package.yaml', JSON.stringify({ ...set, spec: { packages: [{ provider: HOSTILE }] } })],
  ] as const) {
    await writeFile(join(folder, name), text);
    expectHarmless(await run(['resolve', '-f', name, '--no-write', '--offline']));
  }
  for (const argv of [
    ['resolve', HOSTILE],
    ['inspect', HOSTILE],
    [HOSTILE],
    ['tree', `--${HOSTILE}`],
  ]) {
    expectHarmless(await run(argv));
  }
  await writeFile(join(folder, 'xpkg.lock.yaml'), `${HOSTILE}: 1`);
  expectHarmless(await run(['tree', '--debug']));
});

function failing(status: number, body: string): Fault {
  return (_request, response) => {
    send(response, status, body);
    return true;
  };
}

function errors(message: string): string {
  return JSON.stringify({ errors: [{ code: message, message, detail: message }] });
}

function linking(link: string): Fault {
  return instead('{"tags":["v1.0.0"]}', { Link: link });
}

function challenging(challenge: string): Fault {
  return (_request, response) => {
    response.setHeader('WWW-Authenticate', challenge);
    send(response, 401, '');
    return true;
  };
}
