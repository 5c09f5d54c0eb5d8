import { InputError } from '../../model/input-error.js';
import { knownReleases, targetFor, type Target } from '../../model/target/target.js';
import type { Io } from '../io/io.js';

/** Which release of Crossplane; `describe` says what the command makes of it. */
export function crossplaneFlag(describe: string) {
  return { crossplane: { type: 'string', requiresArg: true, describe } } as const;
}

/** The release that `--crossplane` names, for commands that take no range; by default the newest. */
export function exactTarget(version: string | undefined, io: Io): Target {
  const newest = knownReleases().at(-1)!;
  const target = targetFor(version ?? newest);
  if (target === undefined) {
    throw new InputError(`\`--crossplane ${version}\` is not an exact version`, {
      hint: `write a release such as \`${newest}\``,
    });
  }
  if (version === undefined) io.note(`note: for Crossplane ${newest}, the newest known release`);
  if (target.warning !== undefined) io.note(`warning: ${target.warning}`);
  return target;
}
