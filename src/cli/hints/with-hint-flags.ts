import type { ResolveArgs } from '../flags/resolve-flags.js';

/** The flags with those that a hint adds or changes; `-f` is not among them: edits come with their file. */
export function withHintFlags<Args extends ResolveArgs>(
  args: Args,
  words: readonly string[] = [],
): Args {
  const after = (flag: string) => words.filter((_, i) => words[i - 1] === flag);
  return {
    ...args,
    crossplane: after('--crossplane')[0] ?? args.crossplane,
    prerelease: [...(args.prerelease ?? []), ...after('--prerelease')],
    allowCycles: args.allowCycles || words.includes('--allow-cycles'),
  };
}
