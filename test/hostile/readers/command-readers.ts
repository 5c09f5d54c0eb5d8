import { sha256 } from '../../../src/base/digest.js';
import type { CommandWorld } from '../command-world.js';
import type { InputForm } from '../mutated-input.js';
import type { HostileReader } from '../reader.js';

/** Commands take about a hundred times as long as the readers that they call. */
const SHARE = 0.05;
const P = 'xpkg.example.org/acme/p';
const PACKAGE = `packages/${P}@v1.0.0/package.yaml`;
const JOURNAL = JSON.stringify({
  format: 1,
  holder: '2147483647 elsewhere',
  changes: [
    { path: 'xpkg.lock.yaml', id: '0123456789ab', was: sha256('a'), becomes: sha256('b') },
    { path: 'rendered/lock.yaml', id: '0123456789ab', was: sha256('a') },
  ],
  folders: ['rendered'],
  locked: ['rendered'],
});

interface FileOfCommands {
  readonly name: string;
  readonly form: InputForm;
  readonly path: string;
  /** Contents of the file; the default is the file of the project. */
  readonly seeds?: readonly string[];
  /** The commands; each input is used for one of them. */
  readonly commands: readonly (readonly string[])[];
}

const FROM = ['--from', 'dir:packages'];
const resolveFrom = (from: string) => ['resolve', '--no-write', '--from', from, '--offline'];
const inspect = (from: string) => ['inspect', `${P}:v1.0.0`, '--from', from, '--offline'];

const MERGE_LOCK = ['merge-lock', 'base.lock.yaml', 'ours.lock.yaml', 'theirs.lock.yaml', ...FROM];

const FILES: readonly FileOfCommands[] = [
  ...['base', 'ours', 'theirs'].map((side): FileOfCommands => ({
    name: `commands: merge-lock, ${side}`,
    form: 'yaml',
    path: `${side}.lock.yaml`,
    commands: [MERGE_LOCK],
  })),
  {
    name: 'commands: lockfile',
    form: 'yaml',
    path: 'xpkg.lock.yaml',
    commands: [
      ['tree'],
      ['why', P],
      ['render'],
      ['verify', ...FROM],
      ['outdated', ...FROM],
      ['update', ...FROM],
      ['resolve', ...FROM],
      ['vendor', 'copied', ...FROM],
    ],
  },
  {
    name: 'commands: xpkg.yaml',
    form: 'yaml',
    path: 'xpkg.yaml',
    commands: [
      ['resolve', ...FROM],
      ['verify', ...FROM],
      ['matrix', ...FROM],
    ],
  },
  {
    name: 'commands: package.yaml',
    form: 'yaml',
    path: PACKAGE,
    commands: [
      ['resolve', '--prefer', 'lowest', ...FROM],
      ['lint', `packages/${P}@v1.0.0`],
      inspect('dir:packages'),
      ['index', ...FROM, '--out', 'other.json'],
    ],
  },
  {
    name: 'commands: index.json of a layout',
    form: 'json',
    path: 'world/index.json',
    commands: [resolveFrom('layout:world'), ['vendor', 'world', ...FROM]],
  },
  {
    name: 'commands: layout in a tar',
    form: 'bytes',
    path: 'world.tar',
    commands: [resolveFrom('layout:world.tar')],
  },
  {
    name: 'commands: .xpkg file',
    form: 'bytes',
    path: 'p.xpkg',
    commands: [inspect(`xpkg:p.xpkg=${P}:v1.0.0`), ['lint', 'p.xpkg']],
  },
  {
    name: 'commands: index file',
    form: 'json',
    path: 'i.json',
    commands: [resolveFrom('index:i.json'), inspect('index:i.json')],
  },
  {
    name: 'commands: index file, gzipped',
    form: 'bytes',
    path: 'i.json.gz',
    commands: [resolveFrom('index:i.json.gz')],
  },
  {
    name: 'commands: package cache of Crossplane',
    form: 'bytes',
    path: `held/${P}:v1.0.gz`,
    commands: [inspect('cache:held')],
  },
  {
    name: 'commands: journal',
    form: 'text',
    path: '.xpkg-resolve.journal',
    seeds: [`${JOURNAL}\ncommit\n`, `${JOURNAL}\n`],
    commands: [['tree'], ['render'], ['resolve', ...FROM]],
  },
  {
    name: 'commands: lock of a folder',
    form: 'text',
    path: '.xpkg-resolve.writing',
    seeds: ['2147483647 elsewhere', '2147483647 elsewhere rendered'],
    commands: [['tree'], ['render']],
  },
];

const QUESTIONS = [
  '{"constraint":">=v1.0.0","version":"v1.2.0"}\n{"constraint":"^1","version":"v2","crossplane":"v1.20.0"}\n',
  '\n{"constraint":"","version":"","crossplane":null}\n',
];

const COMMAND_LINES = [
  [
    'resolve',
    'xpkg.example.org/acme/p@>=v1.0.0',
    '--from',
    'dir:packages',
    '--crossplane',
    'v2.3.4',
    '--out',
    'rendered',
  ],
  [
    'resolve',
    '-f',
    'xpkg.yaml',
    '--from',
    'layout:world',
    '--prefer',
    'lowest',
    '--concurrency',
    '4',
    '--timeout',
    '30s',
    '-o',
    'json',
  ],
  ['inspect', 'p.xpkg', '--crossplane', 'v1.20.0', '--output', 'json'],
  ['lint', 'p.xpkg', '--output', 'sarif'],
  ['constraint', '>=v1.0.0, <v2', 'v1.2.0', 'v3', '--crossplane', 'v1.14.0'],
  ['why', 'xpkg.example.org/acme/p', '--lock', 'xpkg.lock.yaml'],
  ['tree', '--output=json', '--no-lock'],
  ['resolve', '--no-write', '--no-cache', '--no-from', '--no-timeout', '--no-out'],
  ['render', '--pin', 'digest', '--out', 'rendered', '--crossplane', 'v2.3.4'],
  ['fuzz', '--from', 'dir:packages', '--runs', '3', '--seed', '1'],
  ['schema', 'lock'],
  ['--help'],
];

/** Returns readers that run whole commands on mutated files, lines and command lines. */
export function commandReaders(world: CommandWorld): readonly HostileReader[] {
  return [
    ...FILES.map((file) => fileReader(file, world)),
    {
      name: 'commands: lines of `constraint --stdin`',
      form: 'text',
      seeds: QUESTIONS,
      share: SHARE,
      read: (input) => world.run(['constraint', '--stdin'], undefined, input.toString()),
    },
    {
      name: 'commands: arguments',
      form: 'json',
      seeds: COMMAND_LINES.map((line) => JSON.stringify(line)),
      share: SHARE,
      read: (input) => world.run(argumentsIn(input.toString())),
    },
  ];
}

function fileReader(
  { name, form, path, seeds, commands }: FileOfCommands,
  world: CommandWorld,
): HostileReader {
  return {
    name,
    form,
    seeds: seeds ?? [world.seed(path)],
    share: SHARE,
    read: async (input) => {
      const command = commands[input.length % commands.length]!;
      return world.run(command, [path, input]);
    },
  };
}

/** Commands that would request a registry without --offline. */
const ASKING = ['resolve', 'inspect', 'lint', 'fuzz'];

function argumentsIn(text: string): readonly string[] {
  const words = wordsIn(text).map((word) => word.replace(/(^|=)[/\\]+/, '$1./'));
  const name = words.find((word) => !word.startsWith('-')) ?? '';
  return ASKING.includes(name) ? [...words.filter((word) => word !== '--'), '--offline'] : words;
}

function wordsIn(text: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value))
      return value.map((word) => (typeof word === 'string' ? word : JSON.stringify(word)));
  } catch {
    // The text is no longer JSON: uses its words.
  }
  return text.split(/[\s,"]+/);
}
