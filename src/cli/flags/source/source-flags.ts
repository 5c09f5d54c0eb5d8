import { InputError } from '../../../model/input-error.js';
import type { IndexState, PackageSource } from '../../../model/package-source.js';
import type { KeptObject } from '../../../model/request.js';
import { noStats, type ReadStats } from '../../../driver/read-stats.js';
import { SourceMemory } from '../../../driver/source-memory.js';
import { firstKnowing } from '../../../sources/decorators/first-knowing.js';
import { limited } from '../../../sources/decorators/limited.js';
import { withinTime } from '../../../sources/decorators/within-time.js';
import { tellUnsearched } from '../../../sources/decorators/unsearched.js';
import type { Registries } from '../../../sources/registry/open-registries.js';
import type { ArgsOf, Flags } from '../../command.js';
import type { Io } from '../../io/io.js';
import { isOciPath } from '../../io/registry/oci-path.js';
import { networkFlags, refuseNoRequests } from './network-flags.js';
import type { RegistryArgs } from '../../io/registry/registries.js';
import { FORMS, type Opening } from './source-forms.js';

/** Where packages come from, for every command that reads some. */
export const sourceFlags = {
  ...networkFlags,
  from: {
    type: 'string',
    array: true,
    nargs: 1,
    describe: `Where packages are; repeat it, and the first that knows one answers: ${usages().join(', ')}`,
  },
} as const satisfies Flags;

export type SourceArgs = ArgsOf<typeof sourceFlags>;

/**
 * The sources that the flags name, as one; it asks nothing twice and fills in `stats`.
 *
 * ImageConfigs among `kept` rewrite images and name the secrets to pull them with. Indexes of which
 * `locked` names a state are read in that state.
 */
export async function openSources(
  args: SourceArgs,
  io: Io,
  stats: ReadStats = noStats(),
  kept: readonly KeptObject[] = [],
  locked?: readonly IndexState[],
): Promise<PackageSource> {
  const sources = await openEach(args, io, stats, kept, locked);
  return asOne(sources, args, io, { stats, kept, locked });
}

/** Sources that were opened, as one. */
export async function asOne(
  sources: readonly PackageSource[],
  args: SourceArgs,
  io: Io,
  { stats, kept, locked }: OpenedFor,
): Promise<PackageSource> {
  const telling = (source: PackageSource) =>
    tellUnsearched(source, sources, (line) => io.note(line));
  const { shared } = io;
  if (shared === undefined) {
    return new SourceMemory(limited(telling(firstKnowing(sources)), args.concurrency), stats);
  }
  // What sets share is asked once; each has a memory of its own above, and the count of what it asks.
  const memory = await shared.once(
    `memory of ${await sourcesKey(args, kept, locked)}`,
    async () => {
      return new SourceMemory(limited(firstKnowing(sources), args.concurrency), shared.stats);
    },
  );
  return new SourceMemory(telling(inOwnTime(memory, args)), stats);
}

/** A shared source as one set waits for it: no longer than its own time lasts. */
export function inOwnTime(source: PackageSource, args: SourceArgs): PackageSource {
  return namedSources(args).some(isRemoteForm) ? withinTime(source, args.timeout) : source;
}

/** The sources that the flags name, one by one, in the order given; those that sets share, opened once. */
export async function openEach(
  args: SourceArgs & Pick<RegistryArgs, 'anew'>,
  io: Io,
  stats: ReadStats,
  kept: readonly KeptObject[],
  locked: readonly IndexState[] = [],
): Promise<readonly PackageSource[]> {
  refuseNoRequests(args);
  const { shared } = io;
  if (shared === undefined) return opened(args, io, { stats, kept, locked });
  const { timeout = args.timeout } = shared;
  // Equal objects of several sets are one: messages about it name none of the sets.
  const ofAll = kept.map(({ object }) => ({ object, origin: { file: 'of the sets' } }));
  const { stats: ofRun } = shared;
  return shared.once(await sourcesKey(args, kept, locked), () =>
    opened({ ...args, timeout }, { ...shared.io, shared }, { stats: ofRun, kept: ofAll, locked }),
  );
}

/** What tells sources apart that runs share: ImageConfigs matter to registries, and to nothing else. */
export async function sourcesKey(
  args: SourceArgs & Pick<RegistryArgs, 'anew'>,
  kept: readonly KeptObject[],
  locked: readonly IndexState[] = [],
): Promise<string> {
  const places = [...namedSources(args), JSON.stringify(locked)];
  if (!places.some(isRemoteForm)) return places.join('\n');
  const { imageConfigsIn } = await import('../../../model/cluster/image-config.js');
  const configs = imageConfigsIn(kept).map((config) => ({ ...config, origin: undefined }));
  return [...places, args.anew === true, JSON.stringify(configs)].join('\n');
}

interface OpenedFor {
  readonly stats: ReadStats;
  readonly kept: readonly KeptObject[];
  readonly locked: readonly IndexState[] | undefined;
}

async function opened(
  args: SourceArgs & Pick<RegistryArgs, 'anew'>,
  io: Io,
  { stats, kept, locked = [] }: OpenedFor,
): Promise<readonly PackageSource[]> {
  let connected: Promise<Registries | undefined> | undefined;
  const registries = () =>
    (connected ??= import('../../io/registry/registries.js').then(({ registriesFor }) =>
      registriesFor(args, io, { stats, kept }),
    ));
  const sources: PackageSource[] = [];
  for (const text of namedSources(args)) {
    const ahead = args.concurrency > 1;
    const open = () => openForm(text, { io, registries, locked, ahead });
    const { shared } = io;
    const isOwn = shared === undefined || isRemoteForm(text);
    sources.push(
      await (isOwn ? open() : shared.once(`form ${text} ${JSON.stringify(locked)}`, open)),
    );
  }
  return sources;
}

/** The values of `--from`, or what stands for none. */
export function namedSources(args: Partial<SourceArgs>): readonly string[] {
  return args.from ?? ['registry'];
}

/** Whether a value of `--from` leads to a registry. */
export function isRemoteForm(text: string): boolean {
  return text === 'registry' || isOciPath(text) || isOciPath(text.slice(text.indexOf(':') + 1));
}

async function openForm(
  text: string,
  rest: Omit<Opening, 'text' | 'rest'>,
): Promise<PackageSource> {
  const colon = text.indexOf(':');
  const scheme = colon < 0 ? text : text.slice(0, colon);
  const form = FORMS.get(scheme);
  const after = colon < 0 ? '' : text.slice(colon + 1);
  if (form === undefined || form.usage.includes(':') !== after.length > 0) {
    throw new InputError(`\`--from ${text}\`: not a way to name a source`, { hint: hint() });
  }
  return form.open({ rest: after, text, ...rest });
}

function hint(): string {
  return `give ${usages()
    .map((usage) => `\`--from ${usage}\``)
    .join(' or ')}`;
}

function usages(): string[] {
  return [...FORMS.values()].map(({ usage }) => usage);
}
