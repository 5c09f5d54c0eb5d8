import { InputError } from '../../../model/input-error.js';
import type { IndexState, PackageSource } from '../../../model/package-source.js';
import type { KeptObject } from '../../../model/request.js';
import { noStats, type ReadStats } from '../../../driver/read-stats.js';
import { SourceMemory } from '../../../driver/source-memory.js';
import { firstKnowing } from '../../../sources/decorators/first-knowing.js';
import { limited } from '../../../sources/decorators/limited.js';
import { tellUnsearched } from '../../../sources/decorators/unsearched.js';
import type { Registries } from '../../../sources/registry/open-registries.js';
import type { ArgsOf, Flags } from '../../command.js';
import type { Io } from '../../io/io.js';
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
  const source = tellUnsearched(firstKnowing(sources), sources, (line) => io.note(line));
  return new SourceMemory(limited(source, args.concurrency), stats);
}

/** The sources that the flags name, one by one, in the order given. */
export async function openEach(
  args: SourceArgs & Pick<RegistryArgs, 'anew'>,
  io: Io,
  stats: ReadStats,
  kept: readonly KeptObject[],
  locked: readonly IndexState[] = [],
): Promise<readonly PackageSource[]> {
  refuseNoRequests(args);
  let opened: Promise<Registries | undefined> | undefined;
  const registries = () =>
    (opened ??= import('../../io/registry/registries.js').then(({ registriesFor }) =>
      registriesFor(args, io, { stats, kept }),
    ));
  const sources: PackageSource[] = [];
  for (const text of args.from ?? ['registry']) {
    sources.push(await openForm(text, { io, registries, locked }));
  }
  return sources;
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
