import { acceptanceProblems } from '../../../bundle/acceptance/acceptance.js';
import type { Lockfile } from '../../../lock/lockfile.js';
import { InputError } from '../../../model/input-error.js';
import { targetFor, type Target } from '../../../model/target/target.js';
import { recordedFlags, type RenderRecord } from '../../../usecases/render-record.js';
import { render, type Rendering } from '../../../usecases/render.js';
import type { BundleFolder } from './bundle-folder.js';

/** What flags say of a rendering; undefined: nothing. */
type RenderArgs = Omit<RenderRecord, 'crossplane'>;

export interface RenderedAgain {
  readonly rendering: Rendering;
  /** Flags that were not given, and hold since they were given before; empty: none. */
  readonly kept: string;
}

/**
 * Renders a lockfile as the flags say and, where they do not, as the bundle in `folder` was; `target`
 * is the release that a flag names. undefined: the bundle goes to no folder.
 */
export function renderAgain(
  lockfile: Lockfile,
  given: RenderArgs,
  folder: BundleFolder | undefined,
  target?: Target,
): RenderedAgain {
  const record = folder?.record ?? {};
  const kept: RenderRecord = {
    pin: given.pin === undefined ? record.pin : undefined,
    applyLock: given.applyLock === undefined ? record.applyLock : undefined,
    crossplane: target === undefined ? knownRelease(record.crossplane) : undefined,
    ...keptModes(given, record),
  };
  const release =
    target ?? (kept.crossplane === undefined ? undefined : targetFor(kept.crossplane));
  const rendering = render(lockfile, {
    target: release,
    pin: given.pin ?? kept.pin,
    applyLock: given.applyLock ?? kept.applyLock,
    split: given.split ?? kept.split,
    argocd: given.argocd ?? kept.argocd,
    syncOptions: given.syncOptions ?? kept.syncOptions,
    layout: given.layout ?? kept.layout,
    name: given.name ?? kept.name,
    fluxSource: given.fluxSource ?? kept.fluxSource,
    fluxPath: given.fluxPath ?? kept.fluxPath,
  });
  if (release !== undefined) refuseUnfit(lockfile, rendering, release, target === undefined);
  return { rendering, kept: recordedFlags(kept) };
}

/** Of how files are laid out, what was said before and is not now; another layout starts anew. */
function keptModes(given: RenderArgs, record: RenderRecord): RenderRecord {
  const layout = given.layout === undefined ? record.layout : undefined;
  const isSame = (given.layout ?? record.layout) === record.layout;
  const unless = <T>(now: T | undefined, before: T | undefined) =>
    now === undefined && isSame ? before : undefined;
  const argocd = unless(given.argocd, record.argocd);
  return {
    split: unless(given.split, record.split),
    argocd,
    syncOptions:
      (given.argocd ?? argocd) === true ? unless(given.syncOptions, record.syncOptions) : undefined,
    layout,
    name: unless(given.name, record.name),
    fluxSource: unless(given.fluxSource, record.fluxSource),
    fluxPath: unless(given.fluxPath, record.fluxPath),
  };
}

function knownRelease(version: string | undefined): string | undefined {
  return version === undefined ? undefined : targetFor(version)?.version;
}

/** The lockfile answers for one release; another may refuse what it holds. */
function refuseUnfit(
  lockfile: Lockfile,
  { bundle, lock }: Rendering,
  target: Target,
  asBefore: boolean,
): void {
  const problem = acceptanceProblems({ lockfile, target, objects: bundle.objects, lock })[0];
  if (problem === undefined) return;
  throw new InputError(
    `what is locked for Crossplane ${lockfile.crossplane} does not fit ${target.version}: ${problem.message}`,
    {
      hint: asBefore
        ? `the bundle was rendered with \`--crossplane ${target.version}\`; \`xpkg-resolve render --crossplane ${lockfile.crossplane}\` renders it for what is locked`
        : `run \`xpkg-resolve resolve --crossplane ${target.version}\``,
    },
  );
}
