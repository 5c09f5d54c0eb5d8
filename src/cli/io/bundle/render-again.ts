import { acceptanceProblems } from '../../../bundle/acceptance/acceptance.js';
import type { Pin } from '../../../bundle/package-object.js';
import type { Lockfile } from '../../../lock/lockfile.js';
import { InputError } from '../../../model/input-error.js';
import { targetFor, type Target } from '../../../model/target/target.js';
import { recordedFlags } from '../../../usecases/render-record.js';
import { render, type Rendering } from '../../../usecases/render.js';
import type { BundleFolder } from './bundle-folder.js';

interface RenderArgs {
  readonly pin?: Pin | undefined;
  readonly applyLock?: boolean | undefined;
}

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
  { pin, applyLock }: RenderArgs,
  folder: BundleFolder | undefined,
  target?: Target,
): RenderedAgain {
  const record = folder?.record ?? {};
  const kept = {
    pin: pin === undefined ? record.pin : undefined,
    applyLock: applyLock === undefined ? record.applyLock : undefined,
    crossplane: target === undefined ? knownRelease(record.crossplane) : undefined,
  };
  const release =
    target ?? (kept.crossplane === undefined ? undefined : targetFor(kept.crossplane));
  const rendering = render(lockfile, {
    target: release,
    pin: pin ?? kept.pin,
    applyLock: applyLock ?? kept.applyLock,
  });
  if (release !== undefined) refuseUnfit(lockfile, rendering, release, target === undefined);
  return { rendering, kept: recordedFlags(kept) };
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
