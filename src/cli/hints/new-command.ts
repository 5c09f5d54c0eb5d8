import type { InputEdit } from '../../inputs/edit/input-edit.js';
import { shellLine } from '../output/shell-line.js';

/** The command line with a hint taken: other references, and flags added or changed. */
export function newCommand(
  argv: readonly string[],
  refs: readonly string[],
  { refs: newRefs = refs, args = [] }: InputEdit,
): string {
  const rest = withoutFlag(withoutRefs(argv, refs), '--apply-hint');
  const changed = args.includes('--crossplane') ? withoutFlag(rest, '--crossplane') : rest;
  return shellLine(['xpkg-resolve', ...changed, ...args, ...newRefs]);
}

function withoutRefs(argv: readonly string[], refs: readonly string[]): readonly string[] {
  return refs.reduce((words, ref) => {
    const last = words.lastIndexOf(ref);
    const free = words.findLastIndex((word, i) => word === ref && !words[i - 1]!.startsWith('-'));
    return words.toSpliced(free < 0 ? last : free, 1);
  }, argv);
}

/** Without `--flag VALUE` and `--flag=VALUE`. */
function withoutFlag(words: readonly string[], flag: string): readonly string[] {
  return words.filter(
    (word, i) => word !== flag && words[i - 1] !== flag && !word.startsWith(`${flag}=`),
  );
}
