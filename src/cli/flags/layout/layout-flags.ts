import { isAbsolute, relative, resolve, sep } from 'node:path';
import { InputError } from '../../../model/input-error.js';
import { isObjectName } from '../../../model/name.js';
import type { BundleLayout, RenderRecord } from '../../../usecases/render-record.js';
import type { ArgsOf, Flags } from '../../command.js';
import type { Io } from '../../io/io.js';
import { clash } from '../clash.js';
import { stray } from '../stray.js';

/** For whom a bundle is rendered. */
export const layoutFlags = {
  split: { type: 'boolean', describe: 'One file for each object, or with --no-split no longer' },
  argocd: {
    type: 'boolean',
    describe: 'Add waves and sync options of Argo CD, or with --no-argocd do so no longer',
  },
  'sync-option': {
    type: 'string',
    array: true,
    requiresArg: true,
    describe: 'With --argocd: a sync option for every object, such as ServerSideApply=true',
  },
  flux: {
    type: 'string',
    requiresArg: true,
    describe: 'Write layers and Flux Kustomizations, each after the one before, into this folder',
  },
  'flux-source': {
    type: 'string',
    requiresArg: true,
    describe: 'With --flux: KIND/NAME or KIND/NAMESPACE/NAME (default: GitRepository/flux-system)',
  },
  'flux-path': {
    type: 'string',
    requiresArg: true,
    describe: 'With --flux: where the folder is in that source (default: as in the working folder)',
  },
  helm: { type: 'string', requiresArg: true, describe: 'Write a Helm chart into this folder' },
  name: {
    type: 'string',
    requiresArg: true,
    describe: 'With --flux or --helm: what they are called (default: crossplane-packages)',
  },
} as const satisfies Flags;

type LayoutArgs = ArgsOf<typeof layoutFlags> & { readonly out: string };

/** A bundle's folder, `-` for stdout, and what the flags say of how it is laid out. */
interface ChosenLayout {
  readonly out: string;
  readonly modes: RenderRecord;
}

const SYNC_OPTION = /^[A-Za-z]+=[A-Za-z0-9]+$/;

/** Reads the flags, `defaultOut` being what `--out` is where it is not given. */
export function chosenLayout(args: LayoutArgs, defaultOut: string, { cwd }: Io): ChosenLayout {
  const { flux, helm, fluxSource, name, split, argocd } = args;
  if (flux !== undefined && helm !== undefined) throw clash('--flux', '--helm');
  const layout = layoutOf(args);
  if (layout !== undefined && args.out !== defaultOut) throw clash(`--${layout}`, '--out');
  refuseStray(args);
  if (name !== undefined && !isObjectName(name)) {
    throw new InputError(`\`--name ${name}\` cannot be the name of an object`);
  }
  for (const option of args.syncOption ?? []) {
    if (SYNC_OPTION.test(option)) continue;
    throw new InputError(`\`--sync-option ${option}\` is not written \`KEY=VALUE\``);
  }
  const fluxPath =
    args.fluxPath ?? (flux === undefined ? undefined : pathInSource(flux, fluxSource, cwd));
  if (fluxPath !== undefined && !/^[\w./@+-]+$/.test(fluxPath)) {
    throw new InputError(`\`--flux-path ${fluxPath}\` is no path that can be recorded`, {
      hint: 'letters, digits and `_./@+-` make a path',
    });
  }
  return {
    out: flux ?? helm ?? args.out,
    modes: { split, argocd, syncOptions: args.syncOption, layout, name, fluxSource, fluxPath },
  };
}

function layoutOf({ flux, helm }: LayoutArgs): BundleLayout | undefined {
  if (flux !== undefined) return 'flux';
  return helm === undefined ? undefined : 'helm';
}

/** Flags that say how, where nothing says what. */
function refuseStray({ helm, argocd, ...args }: LayoutArgs): void {
  const [flag, other] =
    [
      argocd === false && args.syncOption !== undefined ? ['--sync-option', '--argocd'] : [],
      helm !== undefined && args.fluxSource !== undefined ? ['--flux-source', '--flux'] : [],
      helm !== undefined && args.fluxPath !== undefined ? ['--flux-path', '--flux'] : [],
      helm !== undefined && args.split !== undefined
        ? ['--split', 'a folder that is no chart']
        : [],
    ].find(({ length }) => length > 0) ?? [];
  if (flag !== undefined && other !== undefined) throw stray(flag, other);
}

/** An artifact at a registry holds the folder alone; a repository of git is taken to begin in the working folder. */
function pathInSource(folder: string, source: string | undefined, cwd: string): string {
  if (source?.startsWith('OCIRepository/') === true) return '.';
  const path = relative(cwd, resolve(cwd, folder)).split(sep).join('/');
  if (path !== '..' && !path.startsWith('../') && !isAbsolute(path)) {
    return path === '' ? '.' : `./${path}`;
  }
  throw new InputError(`\`--flux ${folder}\` is outside of the working folder`, {
    hint: 'say with `--flux-path` where it is in the source that Flux reads',
  });
}
