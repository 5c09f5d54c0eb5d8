import { resolve } from 'node:path';
import type { Argv } from 'yargs';
import { InputError } from '../model/input-error.js';
import type { PackageSource } from '../model/package-source.js';
import { cached } from '../sources/cached.js';
import { counted, noStats, type SourceStats } from '../sources/counted.js';
import { firstKnowing } from '../sources/first-knowing.js';
import { limited } from '../sources/limited.js';
import type { Io } from './io.js';

/** Flags of every command that reads packages. */
export interface SourceArgs {
  readonly from: readonly string[] | undefined;
  readonly offline: boolean;
  readonly cache: string | undefined;
  readonly concurrency: number;
}

export function sourceFlags(yargs: Argv): Argv<SourceArgs> {
  return yargs.options({
    from: {
      type: 'string',
      array: true,
      nargs: 1,
      describe: `Where packages are; repeat it, and the first that knows one answers: ${usages().join(', ')}`,
    },
    offline: { type: 'boolean', default: false, describe: 'Never use the network' },
    cache: { type: 'string', describe: 'Folder that keeps what was downloaded' },
    concurrency: { type: 'number', default: 8, describe: 'Requests at once, at most' },
  });
}

/** What a form of `--from` is opened with. */
interface Opening {
  /** What stands after the colon. */
  readonly rest: string;
  /** All of it, as given. */
  readonly text: string;
  readonly args: SourceArgs;
  readonly io: Io;
  readonly stats: SourceStats;
}

interface Form {
  readonly usage: string;
  /** undefined: not built in. */
  readonly open: ((opening: Opening) => Promise<PackageSource>) | undefined;
}

const FORMS: ReadonlyMap<string, Form> = new Map<string, Form>([
  [
    'dir',
    {
      usage: 'dir:PATH',
      open: async ({ rest, text, io }) => {
        const { openDir } = await import('../sources/dir-source.js');
        return openDir(resolve(io.cwd, rest), { shown: text, note: (line) => io.note(line) });
      },
    },
  ],
  [
    'index',
    {
      usage: 'index:FILE',
      open: async ({ rest, text, io }) => {
        const { openIndex } = await import('../sources/index-source.js');
        return openIndex(resolve(io.cwd, rest), text);
      },
    },
  ],
  ['layout', { usage: 'layout:PATH[=REPOSITORY]', open: undefined }],
  ['xpkg', { usage: 'xpkg:FILE=REPOSITORY:TAG', open: undefined }],
  ['cache', { usage: 'cache:PATH', open: undefined }],
  ['registry', { usage: 'registry', open: undefined }],
]);

/** The sources that the flags name, as one; it asks nothing twice and fills in `stats`. */
export async function openSources(
  args: SourceArgs,
  io: Io,
  stats: SourceStats = noStats(),
): Promise<PackageSource> {
  if (!(Number.isInteger(args.concurrency) && args.concurrency > 0)) {
    throw new InputError('`--concurrency` must be a whole number, 1 or more');
  }
  const sources: PackageSource[] = [];
  for (const text of args.from ?? ['registry']) {
    sources.push(await openForm(text, { args, io, stats }));
  }
  return cached(counted(limited(firstKnowing(sources), args.concurrency), stats));
}

async function openForm(
  text: string,
  rest: Pick<Opening, 'args' | 'io' | 'stats'>,
): Promise<PackageSource> {
  const colon = text.indexOf(':');
  const scheme = colon < 0 ? text : text.slice(0, colon);
  const form = FORMS.get(scheme);
  const after = colon < 0 ? '' : text.slice(colon + 1);
  if (form === undefined || form.usage.includes(':') !== after.length > 0) {
    throw new InputError(`\`--from ${text}\`: not a way to name a source`, { hint: hint() });
  }
  if (form.open === undefined) throw unavailable(text, rest.args);
  return form.open({ rest: after, text, ...rest });
}

function unavailable(text: string, { from }: SourceArgs): InputError {
  return from === undefined
    ? new InputError('no `--from` says where packages are, and registries cannot be read yet', {
        hint: hint(),
      })
    : new InputError(`\`--from ${text}\`: sources of this form cannot be read yet`, {
        hint: hint(),
      });
}

function hint(): string {
  return `give ${usages()
    .map((usage) => `\`--from ${usage}\``)
    .join(' or ')}`;
}

function usages(): string[] {
  return [...FORMS.values()].filter(({ open }) => open !== undefined).map(({ usage }) => usage);
}
