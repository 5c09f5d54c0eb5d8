import type { GivenInputs } from '../../project/edit/input-edit.js';
import { editedTexts } from '../../project/edit/apply-patch.js';
import type { Suggestion } from '../../resolver/explain/refusal.js';
import type { ChangeEffect } from '../../resolver/suggest/change-effect.js';
import type { AppliedSuggestion, Outdated } from './outdated.js';
import { readRequestAndTexts } from '../../cli/arguments/input-flags.js';
import type { ResolveArgs } from '../../cli/arguments/resolve-flags.js';
import { projectFlags } from '../../cli/projects/project.js';
import { type RunIo, silent } from '../../cli/terminal/io.js';
import { shellCommand } from '../../base/escape.js';
import { hintsOf } from '../resolve/hints.js';

/** Printed advice. */
export interface PrintedAdvice {
  readonly text: string;
  readonly version: string;
  /** Command lines; source flags are not among their words. */
  readonly commands: readonly string[];
  readonly effect: ChangeEffect;
}

/** A package of the report, with its printed advice. */
export type AdvisedPackage = Omit<Outdated, 'advice'> & {
  readonly advice?: PrintedAdvice | undefined;
};

/**
 * Applies each suggestion to the input files as `update --apply-hint` does. Suggestions that change
 * flags are left out: later commands would need the same flags.
 */
export function suggestionsApplied(
  args: ResolveArgs,
  given: GivenInputs,
  { io, skip }: { readonly io: RunIo; readonly skip: readonly string[] },
): (suggestions: readonly Suggestion[]) => Promise<readonly AppliedSuggestion[]> {
  return async (suggestions) => {
    const applied: AppliedSuggestion[] = [];
    for (const [i, { text, effect, edit }] of hintsOf(suggestions, given).entries()) {
      if (edit === undefined || edit.args !== undefined || edit.refs !== undefined) continue;
      const texts = editedTexts(edit.files, given.texts);
      if (texts.has('-')) continue;
      const unsaved = new Map([...given.texts, ...texts]);
      const { request } = await readRequestAndTexts(args, silent(io), { skip, unsaved });
      applied.push({ number: i + 1, text, effect, request });
    }
    return applied;
  };
}

/** The arguments of `outdated` and `update`; only `update` renders. */
type AdvisedArgs = ResolveArgs & { readonly out?: string };

/** Returns the packages with their advice as command lines. */
export function withPrintedAdvice(
  packages: readonly Outdated[],
  args: AdvisedArgs,
  io: RunIo,
): readonly AdvisedPackage[] {
  return packages.map(({ advice, ...each }) => {
    if (advice === undefined) return each;
    const { version, hint, change, effect } = advice;
    const words = [
      'xpkg-resolve',
      'update',
      `${each.repository}@${version}`,
      ...(hint === undefined ? [] : ['--apply-hint', String(hint)]),
      ...projectFlags(args, io),
      ...solvingFlags(args),
    ];
    const text = change ?? 'no file changes';
    return { ...each, advice: { text, version, commands: [shellCommand(words)], effect } };
  });
}

/** The flags that select how a project is solved. */
function solvingFlags(args: ResolveArgs): string[] {
  const { crossplane, crossplaneVersions, prerelease = [] } = args;
  return [
    ...(crossplane === undefined ? [] : ['--crossplane', crossplane]),
    ...(crossplaneVersions === undefined ? [] : ['--crossplane-versions', crossplaneVersions]),
    ...prerelease.flatMap((each) => ['--prerelease', each]),
    ...(args.allowCycles ? ['--allow-cycles'] : []),
    ...(args.compat ? ['--compat'] : []),
  ];
}
