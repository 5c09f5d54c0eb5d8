import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Attack } from './attacks.js';

/** The maximum number of YAML values (src/base/size-limits.ts). */
const YAML_VALUES = 300_000;
/** The maximum number of JSON values. */
const JSON_VALUES = 1_000_000;

const SET =
  'apiVersion: xpkg-resolve.dev/v1alpha1\nkind: PackageSet\nspec:\n  crossplane: v2.3.4\n';
const INDEX = JSON.stringify({
  packages: {
    'h.io/a/b': {
      kind: 'Provider',
      versions: { 'v1.0.0': { digest: `sha256:${'a'.repeat(64)}` } },
    },
  },
});
const LOCK = 'version: 1\ncrossplane: v2.3.4\n';
const LIST = 'apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n';
const RESOLVE = [
  'resolve',
  '-f',
  'input.yaml',
  '--from',
  'index:index.json',
  '--offline',
  '--no-write',
];
const SEARCH = ['search', 'thing', '--from', 'index:index.json.gz', '--offline'];
const RESOLVE_INDEX = [
  'resolve',
  'h.io/a/b',
  '--crossplane',
  'v2.3.4',
  '--from',
  'index:index.json.gz',
  '--offline',
  '--no-write',
];
const WRITE = [...RESOLVE.slice(0, -1), '-f', 'xpkg.yaml'];
const VERIFY = ['verify', '--lock', 'input.yaml', '-f', 'xpkg.yaml', '--offline'];

/** Lists with `count` short values, in the forms that take the most memory for their size. */
const LISTS: readonly { readonly form: string; readonly text: (count: number) => string }[] = [
  { form: 'empty mappings in block style', text: (count) => `\n${'- {}\n'.repeat(count / 2)}` },
  { form: 'empty mappings in flow style', text: (count) => ` [${'{},'.repeat(count / 2)}]\n` },
  { form: 'texts', text: (count) => ` [${'a,'.repeat(count)}]\n` },
  { form: 'keys', text: (count) => ` [{${numbered(count / 2, (i) => `a${i}: 1`).join(',')}}]\n` },
];

/** Files of users and pull requests at the size limits and above. */
export const LARGE_FILES: readonly Attack[] = [
  ...LISTS.flatMap(({ form, text }) => [
    attack(`a package set of ${form}`, RESOLVE, (n) => `${SET}  packages:${text(n)}`),
    attack(`a lockfile of ${form}`, VERIFY, (n) => `${LOCK}packages:${text(n)}`),
    attack(`a ResourceList of ${form}`, ['krm'], (n) => `${LIST}items:${text(n)}`),
  ]),
  attack('9,999 valid entries in a package set', [...RESOLVE, '--timeout', '60'], (n) => {
    const count = Math.floor((9_999 * n) / YAML_VALUES);
    return `${SET}  packages:\n${numbered(count, (i) => `    - package: h.io/acme/p${i}\n`).join('')}`;
  }),
  ...[
    { form: 'lines', text: (n: number) => `a: |\n${'  x\n'.repeat(3 * n)}` },
    { form: 'escape sequences', text: (n: number) => `a: "${'\\u4e00'.repeat(3 * n)}"` },
    { form: 'one long line', text: (n: number) => `a: "\u4e00${'x'.repeat(210 * n)}"` },
  ].flatMap(({ form, text }) => [
    attack(`a package set of ${form}`, RESOLVE, text),
    attack(`a lockfile of ${form}`, VERIFY, text),
  ]),
  // One character of two bytes makes the whole text wide.
  ...[
    { form: 'long keys', text: (n: number) => keys(n, 'k'.repeat(30), '\n') },
    {
      form: 'long keys and Windows line ends',
      text: (n: number) => keys(n, 'k'.repeat(28), '\r\n'),
    },
  ].flatMap(({ form, text }) => [
    attack(`a package set of ${form}`, RESOLVE, text),
    attack(`a lockfile of ${form}`, VERIFY, text),
  ]),
  attack('a package set with a long text that is kept', [...RESOLVE, '-f', 'xpkg.yaml'], (n) =>
    runtimeConfig(26 * n),
  ),
  attack('a package set with a long text that is written', WRITE, (n) => runtimeConfig(26 * n)),
  {
    name: 'a folder of files with a long text that is kept',
    prepare: async (folder, scale) => {
      await mkdir(join(folder, 'inputs'));
      const text = runtimeConfig(7_700_000 * scale);
      for (const i of Array.from({ length: 8 }).keys()) {
        await writeFile(
          join(folder, 'inputs', `${i}.yaml`),
          text.replace('name: a', `name: a${i}`),
        );
      }
      await writeFile(join(folder, 'index.json'), INDEX);
      const from = ['--from', 'index:index.json', '--offline', '--no-write'];
      return { argv: ['resolve', 'h.io/a/b', '-f', 'inputs', ...from] };
    },
  },
  attack('50,000 objects that are ignored', [...RESOLVE, '--timeout', '60'], (n) =>
    '---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n'.repeat(n / 6),
  ),
  attack('a lockfile of 60 MB', VERIFY, (n) => '- {}\n'.repeat(40 * n)),
  attack(
    'a lockfile that is rendered, of 60 MB',
    ['render', '--lock', 'input.yaml'],
    (n) => `[${'{},'.repeat(66 * n)}]`,
  ),
  ...[
    { form: 'one package', text: (count: number) => `"a/b": [${'{},'.repeat(count / 2)}0]` },
    {
      form: 'many packages',
      text: (count: number) => numbered(count / 25, (i) => `"h.io/a/p${i}": {}`).join(','),
    },
  ].flatMap(({ form, text }) =>
    [1, 4].map((times) => ({
      name: `an index of ${form}, ${times === 1 ? 'within' : 'beyond'} the limits`,
      prepare: async (folder: string, scale: number) => {
        const json = `{"packages": {${text(Math.floor(JSON_VALUES * times * 0.9 * scale))}}}`;
        await writeFile(join(folder, 'index.json.gz'), gzipSync(json));
        return { argv: [...SEARCH] };
      },
    })),
  ),
  ...[
    {
      form: '90,000 packages with a CRD each',
      text: (scale: number) =>
        index(
          numbered(90_000 * scale, (i) => {
            const version = `{"crds":["things${i}.x.io"]}`;
            return `"h.io/a/p${i}":{"kind":"Provider","versions":{"v1.0.0":${version}}}`;
          }),
        ),
      commands: [SEARCH, ['index', '--from', 'index:index.json.gz', '--offline']],
    },
    {
      form: '900,000 CRDs',
      text: (scale: number) =>
        version(`"crds":[${numbered(900_000 * scale, (i) => `"a${i}.b"`).join(',')}]`),
      commands: [SEARCH, RESOLVE_INDEX],
    },
    {
      form: '450,000 CRDs',
      text: (scale: number) =>
        version(`"crds":[${numbered(450_000 * scale, (i) => `"a${i}.b"`).join(',')}]`),
      commands: [SEARCH, RESOLVE_INDEX],
    },
    {
      form: 'dependencies',
      text: (scale: number) =>
        version(`"dependsOn":[${numbered(49_000 * scale, dependency).join(',')}]`),
      commands: [RESOLVE_INDEX],
    },
    {
      form: '450,000 versions',
      text: (scale: number) => {
        const versions = numbered(450_000 * scale, (i) => `"v1.${i}.0":{}`).join(',');
        return index([`"h.io/a/b":{"kind":"Provider","versions":{${versions}}}`]);
      },
      commands: [SEARCH, RESOLVE_INDEX],
    },
    // One character of two bytes makes the whole text wide.
    {
      form: 'one wide text of 47 MB',
      text: (scale: number) => version(`"name":"\u4e00${'x'.repeat(47_000_000 * scale)}"`),
      commands: [SEARCH, RESOLVE_INDEX],
    },
    {
      form: 'wide texts of 15 MB',
      text: (scale: number) => {
        const entry = `{"kind":"Provider","versions":{"v1.0.0":{"name":"\u4e00${'x'.repeat(15_000_000 * scale)}"}}}`;
        return index(['a', 'b', 'c'].map((name) => `"h.io/a/${name}":${entry}`));
      },
      commands: [SEARCH, RESOLVE_INDEX],
    },
  ].flatMap(({ form, text, commands }) =>
    commands.map((argv) => ({
      name: `${argv[0]} of an index of ${form}`,
      prepare: async (folder: string, scale: number) => {
        await writeFile(join(folder, 'index.json.gz'), gzipSync(text(scale), { level: 1 }));
        return { argv };
      },
    })),
  ),
];

function dependency(i: number): string {
  return `{"provider":"h.io/a/p${i}","version":"*"}`;
}

function index(packages: readonly string[]): string {
  return `{"packages":{${packages.join(',')}}}`;
}

/** An index with one version. */
function version(fields: string): string {
  return index([`"h.io/a/b":{"kind":"Provider","versions":{"v1.0.0":{${fields}}}}`]);
}

function attack(name: string, argv: readonly string[], text: (values: number) => string): Attack {
  return {
    name,
    prepare: async (folder, scale) => {
      const values = 2 * Math.floor(YAML_VALUES * scale * 0.49);
      await writeFile(join(folder, 'input.yaml'), text(values));
      await writeFile(join(folder, 'xpkg.yaml'), `${SET}  packages: [{package: h.io/a/b}]\n`);
      await writeFile(join(folder, 'index.json'), INDEX);
      return { argv, stdin: join(folder, 'input.yaml') };
    },
  };
}

function keys(count: number, key: string, lineEnd: string): string {
  return ['# \u4e00', 'x:', ...numbered(count, (i) => `  ${key}${i}: 1`), ''].join(lineEnd);
}

/** An object that is kept, with a text of that length. */
function runtimeConfig(length: number): string {
  const config = 'apiVersion: pkg.crossplane.io/v1beta1\nkind: DeploymentRuntimeConfig\n';
  return `# \u4e00\n${config}metadata: {name: a}\nspec: {x: "${'x'.repeat(length)}"}\n`;
}

function numbered(count: number, text: (i: number) => string): string[] {
  return Array.from({ length: Math.floor(count) }, (_, i) => text(i));
}
