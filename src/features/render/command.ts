import { acceptUnknownFlag } from '../../cli/arguments/target-flag.js';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { InputError } from '../../base/errors.js';
import { flagConflictError, unusedFlagError } from '../../cli/arguments/argument-errors.js';
import {
  DEFAULT_OUT,
  eachFlags,
  lockFlag,
  outFlag,
  outputFlag,
  pinFlags,
  writeFlag,
  switchFlag,
} from '../../cli/arguments/common-flags.js';
import { type LockOnDisk, readRequiredLock } from '../../cli/files/lock-file.js';
import { mismatchResult } from '../../cli/files/mismatches.js';
import { renderAgain, renderingNotes, writeOutputs } from '../../cli/files/render-again.js';
import { BundleFolder } from '../../cli/files/rendered-folder.js';
import { type ArgsOf, defineCommand, type Flags } from '../../cli/kit/command.js';
import { networkFlags } from '../../cli/sources/network-flags.js';
import type { RunIo } from '../../cli/terminal/io.js';
import { isObjectName } from '../../crossplane/packages/object-names.js';
import { type Target, targetFor } from '../../crossplane/releases/target.js';
import type { RenderRecord } from '../../project/manifests/render-record.js';
import { renderOutput, type RenderValue } from './output.js';

/** Flags for the layout of the manifests: for kubectl, Argo CD, Flux or Helm. */
const layoutFlags = {
  split: { type: 'boolean', describe: 'One file for each object, or with --no-split no longer' },
  argocd: {
    type: 'boolean',
    describe: 'Add waves and sync options of Argo CD, or with --no-argocd do so no longer',
  },
  'sync-option': {
    array: true,
    describe: 'With --argocd: a sync option for every object, such as ServerSideApply=true',
  },
  flux: {
    describe: 'Write layers and Flux Kustomizations, each after the one before, into this folder',
  },
  'flux-source': {
    describe: 'With --flux: KIND/NAME or KIND/NAMESPACE/NAME (default: GitRepository/flux-system)',
  },
  'flux-path': {
    describe: 'With --flux: where the folder is in that source (default: as in the working folder)',
  },
  helm: { describe: 'Write a Helm chart into this folder' },
  name: { describe: 'With --flux or --helm: what they are called (default: crossplane-packages)' },
} as const satisfies Flags;

type LayoutArgs = ArgsOf<typeof layoutFlags> & { readonly out: string };

/** The folder for rendered manifests (`-` for stdout), and the layout flags. */
interface ChosenLayout {
  readonly out: string;
  readonly modes: RenderRecord;
}

const SYNC_OPTION = /^[A-Za-z]+=[A-Za-z0-9]+$/;

function chosenLayout(args: LayoutArgs, { cwd }: RunIo): ChosenLayout {
  const { flux, helm, fluxSource, name, split, argocd } = args;
  if (flux !== undefined && helm !== undefined) throw flagConflictError('--flux', '--helm');
  const layout = flux !== undefined ? 'flux' : helm === undefined ? undefined : 'helm';
  if (layout !== undefined && args.out !== DEFAULT_OUT)
    throw flagConflictError(`--${layout}`, '--out');
  refuseFlagsWithoutEffect(args);
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

/** Throws for a flag that has no effect because of another flag. */
function refuseFlagsWithoutEffect(args: LayoutArgs): void {
  const { helm, argocd, syncOption, fluxSource, fluxPath, split } = args;
  if (argocd === false && syncOption !== undefined) {
    throw unusedFlagError('--sync-option', '--argocd');
  }
  if (helm === undefined) return;
  if (fluxSource !== undefined) throw unusedFlagError('--flux-source', '--flux');
  if (fluxPath !== undefined) throw unusedFlagError('--flux-path', '--flux');
  if (split !== undefined) throw unusedFlagError('--split', 'a folder that is no chart');
}

/**
 * Returns the path of a folder in the source that Flux reads. An artifact at a registry consists of
 * the folder; the root of a git repository is assumed to be the working folder.
 */
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

const flags = {
  ...networkFlags,
  ...lockFlag(),
  ...pinFlags,
  ...outFlag('Folder to write to, or - to print what would be applied'),
  ...layoutFlags,
  crossplane: { describe: 'Crossplane release to render for (default: that of the lockfile)' },
  check: switchFlag(
    'Write nothing, and exit 4 unless the bundle is there and as it would be rendered',
  ),
  plan: {
    describe: 'Write the steps from --old to the lockfile instead, a folder each, into this one',
  },
  old: {
    describe: 'With --plan: the lockfile of what is installed (default: as committed in HEAD)',
  },
  ...acceptUnknownFlag,
  ...writeFlag,
  ...outputFlag,
  ...eachFlags,
} as const satisfies Flags;

type Args = ArgsOf<typeof flags>;

export const renderCommand = defineCommand({
  positionals: {},
  flags,
  each: { showsData: false },
  examples: [
    ['$0 render --check', 'in CI: is `rendered/` what the lockfile renders?'],
    ['$0 render --argocd --split', 'for Argo CD, with waves, a file for each object'],
    ['$0 render --flux clusters/prod/packages', 'for Flux, in layers that wait for each other'],
    ['$0 render --helm chart', 'as a Helm chart'],
    ['$0 render --plan plan', 'how to get there from what is committed, step by step'],
  ],
  run: async (args, io): Promise<RenderValue> => {
    const layout = chosenLayout(args, io);
    if (args.check && args.out === '-') throw flagConflictError('--check', '--out -');
    if (args.output === 'json' && args.out === '-') throw flagConflictError('-o json', '--out -');
    if (args.check && args.plan !== undefined) throw flagConflictError('--check', '--plan');
    const lock = await readRequiredLock(args, io);
    if (args.plan === undefined) return renderLock(lock, layout, args, io);
    const { renderSteps } = await import('../plan/command.js');
    return renderSteps({ ...args, plan: args.plan }, lock.lockfile, io);
  },
  json: () => renderOutput,
  text: ({ manifests }) => manifests ?? '',
  headline: ({ headline }) => headline,
  closingNotes: ({ note }) => (note === undefined ? [] : [note]),
});

async function renderLock(
  { lockfile, text: before }: LockOnDisk,
  { out, modes }: ChosenLayout,
  args: Args,
  io: RunIo,
): Promise<RenderValue> {
  const { check, lock, write, pin, applyLock } = args;
  const target = args.crossplane === undefined ? undefined : releaseOf(args.crossplane);
  const crossplane = target?.version ?? lockfile.crossplane;
  const folder = await BundleFolder.of({ out, lock }, io);
  const rendered = renderAgain(lockfile, { pin, applyLock, ...modes }, folder, target);
  const { rendering } = rendered;
  for (const line of renderingNotes(rendered, { out })) io.note(line);
  if (folder === undefined) {
    const manifests = rendering.stream;
    return { status: 'rendered', crossplane, files: [], manifests, note: undefined };
  }
  const files = [...rendering.files.keys()].map((name) => `${folder.named}/${name}`).sort();
  if (check) {
    const absent = { kind: 'bundle', file: folder.named, text: 'no bundle is there' } as const;
    const differs = folder.isEmpty ? [absent] : folder.mismatches(rendering);
    if (differs.length > 0) throw mismatchResult(differs, lock, io);
    const headline = `${folder.named}/ is what ${lock} renders`;
    const note = args.output === 'json' ? undefined : headline;
    return { status: 'matched', crossplane, files, headline, note };
  }
  if (write) folder.refuseOtherSet(lockfile);
  const unchanged = { named: lock, text: undefined, before };
  const note = await writeOutputs({ lock: unchanged, rendering, folder, write }, io);
  const verb = write ? 'rendered' : 'would be rendered';
  const headline = `${folder.named}/ ${verb} for Crossplane ${crossplane}`;
  return { status: 'rendered', crossplane, files, headline, note };
}

function releaseOf(version: string): Target {
  const target = targetFor(version);
  if (target !== undefined) return target;
  throw new InputError(`\`--crossplane ${version}\` is not an exact version`, {
    hint: 'a range is for `xpkg-resolve resolve`, which picks a release; here it must be known',
  });
}
