import { writeFlag, outputFlag } from '../../cli/arguments/common-flags.js';
import { type ArgsOf, defineCommand, type Flags, type Positionals } from '../../cli/kit/command.js';
import * as json from '../../cli/kit/json-schema.js';
import { cacheFolder } from '../../cli/sources/network-flags.js';
import { amount } from '../../cli/terminal/package-text.js';
import { InputError } from '../../base/errors.js';
import {
  summarizeCache,
  type CacheSummary,
  type FileTotals,
  removeCache,
} from '../../oci/store/disk-cache.js';

const positionals = {
  action: {
    choices: ['info', 'clean', 'dir'],
    demandOption: true,
    describe: 'Tell what is kept, take it away, or print the folder',
  },
} as const satisfies Positionals;

const flags = {
  cache: { describe: 'Folder of the cache (default: the cache folder of the user)' },
  ...writeFlag,
  ...outputFlag,
} as const satisfies Flags;

type Args = ArgsOf<typeof positionals & typeof flags>;

interface CacheValue {
  readonly folder: string;
  /** Set by `cache info`. */
  readonly summary?: CacheSummary;
  /** Set by `cache clean`: whether anything was removed. */
  readonly cleaned?: boolean;
  /** Set by `cache clean`: a line for stderr. */
  readonly note?: string;
}

const schema = json.outputSchema('cache -o json', {
  folder: json.text('Folder of the cache.'),
  'cleaned?': json.flag('Whether anything was taken away.'),
  'format?': json.anything('Version of its format.'),
  'blobs?': json.anything('Manifests and layers: files and bytes.'),
  'packages?': json.anything('Parsed packages: files and bytes.'),
  'quarantine?': json.anything('What is put aside as damaged: files and bytes.'),
  'tagLists?': json.list(
    json.record({ name: json.text('Repository.'), at: json.text('When it was asked for.') }),
    'Tag lists that are kept.',
  ),
});

const cacheOutput = json.jsonOutput(
  schema,
  ({ folder, summary, cleaned }: CacheValue): json.Static<typeof schema> => ({
    folder,
    cleaned,
    ...summary,
    tagLists: summary?.tagLists.map(({ name, at }) => ({ name, at: isoTime(at) })),
  }),
);

export const cacheCommand = defineCommand({
  positionals,
  flags,
  examples: [['$0 cache clean', 'take away all that was kept']],
  run: async (args, io): Promise<CacheValue> => {
    const folder = cacheFolder(args.cache, io);
    if (folder === undefined) {
      throw new InputError('no folder is known for the cache', {
        hint: 'name one with `--cache` or XPKG_RESOLVE_CACHE, or set HOME',
      });
    }
    try {
      return { folder, ...(await ACTIONS[args.action](folder, args)) };
    } catch (error) {
      if (!(error instanceof Error) || !('code' in error)) throw error;
      const what = `the cache \`${folder}\`: ${error.message}`;
      throw new InputError(what, { cause: error });
    }
  },
  json: () => cacheOutput,
  text: ({ folder, summary }, { action }) => {
    if (action === 'dir') return [folder];
    return summary === undefined ? [] : summaryLines(folder, summary);
  },
  closingNotes: ({ note }) => (note === undefined ? [] : [note]),
});

type Action = (folder: string, args: Args) => Promise<Omit<CacheValue, 'folder'>>;

const ACTIONS: Readonly<Record<Args['action'], Action>> = {
  dir: async () => ({}),
  info: async (folder) => ({ summary: await summarizeCache(folder) }),
  clean: async (folder, { write }) => {
    if (!write) {
      const { blobs, packages, quarantine } = await summarizeCache(folder);
      const files = blobs.files + packages.files + quarantine.files;
      return { cleaned: false, note: `would remove ${amount(files, 'file')} from ${folder}` };
    }
    const cleaned = await removeCache(folder);
    const note = cleaned ? `cleaned ${folder}` : `there is nothing to clean in ${folder}`;
    return { cleaned, note };
  },
};

function summaryLines(folder: string, summary: CacheSummary): string[] {
  return [
    `folder: ${folder} (format ${summary.format})`,
    `manifests and layers: ${totalsText(summary.blobs)}`,
    `parsed packages: ${totalsText(summary.packages)}`,
    `put aside as damaged: ${totalsText(summary.quarantine)}`,
    `tag lists: ${summary.tagLists.length}`,
    ...summary.tagLists.map(({ name, at }) => `  ${name}: as of ${isoTime(at)}`),
  ];
}

function totalsText({ files, bytes }: FileTotals): string {
  return `${files} (${bytes} bytes)`;
}

function isoTime(at: number): string {
  return new Date(at).toISOString();
}
