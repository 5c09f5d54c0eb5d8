import { InputError } from '../../base/errors.js';
import {
  summarizeCache,
  type CacheSummary,
  type FileTotals,
  removeCache,
} from '../../oci/store/cache-maintenance.js';
import { cacheFolder, cacheFlag } from '../../cli/sources/network-flags.js';
import {
  command,
  type ArgsOf,
  type Flags,
  type Positionals,
  EXIT,
  jsonDocument,
} from '../../cli/kit/command.js';
import { writeFlag, outputFlag } from '../../cli/arguments/common-flags.js';
import type { Io } from '../../cli/terminal/io.js';
import { counted } from '../../cli/terminal/package-text.js';

const positionals = {
  action: {
    choices: ['info', 'clean', 'dir'],
    demandOption: true,
    describe: 'Tell what is kept, take it away, or print the folder',
  },
} as const satisfies Positionals;

const flags = {
  ...cacheFlag('Folder of the cache (default: the cache folder of the user)'),
  ...writeFlag,
  ...outputFlag,
} as const satisfies Flags;

type Args = ArgsOf<typeof positionals & typeof flags>;

export const cacheCommand = command({
  positionals,
  flags,
  examples: [['$0 cache clean', 'take away all that was kept']],
  run: async (args, io) => {
    const folder = cacheFolder(args.cache, io);
    if (folder === undefined) {
      throw new InputError('no folder is known for the cache', {
        hint: 'name one with `--cache` or XPKG_RESOLVE_CACHE, or set HOME',
      });
    }
    try {
      await ACTIONS[args.action](folder, args, io);
    } catch (error) {
      if (!(error instanceof Error) || !('code' in error)) throw error;
      const what = `the cache \`${folder}\`: ${error.message}`;
      throw new InputError(what, { cause: error });
    }
    return EXIT.done;
  },
});

type Action = (folder: string, args: Args, io: Io) => Promise<void>;

const ACTIONS: Readonly<Record<Args['action'], Action>> = {
  dir: async (folder, { output }, io) => {
    io.out(output === 'json' ? jsonDocument({ folder }) : `${folder}\n`);
  },
  info: async (folder, { output }, io) => {
    const census = await summarizeCache(folder);
    io.out(output === 'json' ? jsonDocument({ folder, ...stamped(census) }) : text(folder, census));
  },
  clean: async (folder, { output, write }, io) => {
    if (!write) {
      const { blobs, packages, quarantine } = await summarizeCache(folder);
      const files = blobs.files + packages.files + quarantine.files;
      if (output === 'json') io.out(jsonDocument({ folder, cleaned: false }));
      io.note(`would remove ${counted(files, 'file')} from ${folder}`);
      return;
    }
    const cleaned = await removeCache(folder);
    if (output === 'json') io.out(jsonDocument({ folder, cleaned }));
    io.note(cleaned ? `cleaned ${folder}` : `there is nothing to clean in ${folder}`);
  },
};

function stamped(census: CacheSummary): object {
  const tagLists = census.tagLists.map(({ name, at }) => ({ name, at: stamp(at) }));
  return { ...census, tagLists };
}

function text(folder: string, census: CacheSummary): string {
  const lines = [
    `folder: ${folder} (format ${census.format})`,
    `manifests and layers: ${held(census.blobs)}`,
    `parsed packages: ${held(census.packages)}`,
    `put aside as damaged: ${held(census.quarantine)}`,
    `tag lists: ${census.tagLists.length}`,
    ...census.tagLists.map(({ name, at }) => `  ${name}: as of ${stamp(at)}`),
  ];
  return `${lines.join('\n')}\n`;
}

function held({ files, bytes }: FileTotals): string {
  return `${files} (${bytes} bytes)`;
}

function stamp(at: number): string {
  return new Date(at).toISOString();
}
